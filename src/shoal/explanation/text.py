"""An explanation for people: as text, as Markdown, as HTML. All three print the same tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid
from shoal.formatting.detail import gap_in_words
from shoal.formatting.numbers import counted, number, signed
from shoal.formatting.numbers import percent_in_line as percent

if TYPE_CHECKING:
    from shoal.explanation.explanation import ConstraintPrice, Explanation, FinerStep

MOST_SHOWN = 3
"""Finer steps of a column that are shown: those that would lose fewest rows. `to_dict` has all."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading, sentences, and a table under them.

    Parameters
    ----------
    title, lines
        The heading and the sentences.
    head, rows
        The table, if there is one; all cells are text.
    """

    title: str
    lines: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def sections(explanation: Explanation) -> Iterator[Section]:
    """The sections in order."""
    yield _release(explanation)
    if explanation.attributes:
        yield Section(
            title="Columns",
            lines=tuple(attribute.words for attribute in explanation.attributes),
            head=(
                "column",
                "released",
                "loss",
                "finer step",
                "groups lost",
                "rows lost",
                "sizes",
                "cost change",
            ),
            rows=tuple(_columns(explanation)),
        )
    if explanation.constraints:
        yield _constraints(explanation)
    gains = tuple(
        f"If {gain.without} were no quasi-identifier, {gain.attribute} would gain most: it would lose "
        f"{percent(gain.after)} of its detail in place of {percent(gain.before)}."
        for gain in explanation.gains
    )
    if gains:
        advice = "This is a price, not advice: a column that others can know is a quasi-identifier."
        yield Section(title="Columns against each other", lines=(*gains, advice))
    if explanation.interrupted or explanation.notes:
        ended = ("It was interrupted; what is missing was not searched for.",)
        yield Section(title="Notes", lines=(*(ended if explanation.interrupted else ()), *explanation.notes))


def _release(explanation: Explanation) -> Section:
    limit = "any number" if explanation.limit is None else f"at most {explanation.limit:,}"
    request = (
        f"Requested: k = {explanation.k:,}, least {explanation.cost_metric}, {limit} of "
        f"{explanation.rows:,} rows suppressed, by {explanation.algorithm}."
    )
    if explanation.infeasible is not None:
        return Section(
            title="No release", lines=(request, explanation.infeasible + ".", *_ways_out(explanation))
        )
    answer = (
        f"Found: {explanation.status}, cost {number(explanation.cost)}, "
        f"gap {_gap(explanation, explanation)}; {counted(explanation.groups or 0, 'group')}, "
        f"{counted(explanation.suppressed or 0, 'row')} suppressed"
        + (" (read from the manifest)." if explanation.taken_from == "manifest" else ".")
    )
    among = f"What is proved, here and below, is proved among {explanation.kind}."
    return Section(title="Release", lines=(request, answer, *([] if explanation.bound is None else [among])))


def _ways_out(explanation: Explanation) -> tuple[str, ...]:
    if not explanation.constraints:
        return ()
    helping = "; ".join(price.constraint for price in explanation.helping)
    if helping:
        return (f"Each of these alone would make a release possible: {helping}.",)
    return ("Relaxing one constraint alone gives no release, as far as was searched.",)


def _columns(explanation: Explanation) -> Iterator[tuple[str, ...]]:
    for attribute in explanation.attributes:
        about = (attribute.name, attribute.released, percent(attribute.loss))
        nearest = sorted(
            attribute.finer, key=lambda step: (step.idle, not step.allowed, step.rows_lost, step.change)
        )
        for step in nearest[:MOST_SHOWN]:
            yield (*about, *_step(step))
            about = ("", "", "")
        if not attribute.finer:
            yield (*about, "-", "-", "-", "-", "-")


def _step(step: FinerStep) -> tuple[str, ...]:
    sizes = ", ".join(f"{size:,}" for size in step.sizes[:6])
    lost = step.groups_below + step.groups_refused
    change = "not allowed" if not step.allowed else signed(step.change)
    return (
        step.step,
        f"{lost:,}",
        f"{step.rows_lost:,}",
        (sizes + (", ..." if lost > 6 else "")) or "-",
        change,
    )


def _constraints(explanation: Explanation) -> Section:
    nothing = explanation.infeasible is not None  # there is no cost to compare with
    lines = (
        "One constraint is changed at a time and the table is solved again; a saving is shown as far as it "
        "is proved.",
        "Without a column, cost and saving are of the other columns alone, against what the release makes of "
        "them.",
    )
    return Section(
        title="Constraints",
        lines=() if nothing else lines,
        head=("changed", "status", "cost", "gap", "suppressed", "saves")[: 5 if nothing else 6],
        rows=tuple(
            _price(explanation, constraint)[: 5 if nothing else 6] for constraint in explanation.constraints
        ),
    )


def _gap(explanation: Explanation, found: Explanation | ConstraintPrice) -> str:
    return gap_in_words(explanation.cost_metric, found.cost, found.bound, found.gap)


def _price(explanation: Explanation, price: ConstraintPrice) -> tuple[str, ...]:
    suppressed = "-" if price.suppressed is None else f"{price.suppressed:,}"
    return (
        price.constraint,
        price.status,
        number(price.cost),
        _gap(explanation, price),
        suppressed,
        saving(price),
    )


def saving(price: ConstraintPrice) -> str:
    """What is proved of the saving; where that is not a number, also by how much the costs differ."""
    least, most = price.least_saved, price.most_saved
    if price.saves is not None:
        return number(price.saves)
    if least is not None and most is not None:
        proved = f"{number(least)} to {number(most)}"
    elif least is not None:
        proved = f"{number(least)} or more"
    else:
        proved = "not known" if most is None else f"{number(most)} or less"
    return proved if price.difference is None else f"{proved} (found {number(price.difference)})"


def text(explanation: Explanation) -> str:
    """As lines of text."""
    lines: list[str] = []
    for section in sections(explanation):
        lines += [section.title, *(f"  {line}" for line in section.lines)]
        lines += [f"  {line}" for line in aligned((section.head, *section.rows))] if section.head else []
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def markdown(explanation: Explanation) -> str:
    """As Markdown."""
    lines: list[str] = []
    for section in sections(explanation):
        lines += [f"## {section.title}", ""]
        lines += [f"- {_marked(line)}" for line in section.lines]
        if section.head:
            lines += ["", _bar(section.head), _bar(["---"] * len(section.head))]
            lines += [_bar([_marked(cell) for cell in row]) for row in section.rows]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _bar(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _marked(cell: str) -> str:
    """A cell that Markdown prints literally: names of columns can contain any character."""
    for sign in "\\`*_|[]":
        cell = cell.replace(sign, "\\" + sign)
    return cell.replace("<", "&lt;").replace("\n", " ")


def html_page(explanation: Explanation) -> str:
    """As HTML, for notebooks."""
    first, *others = sections(explanation)
    possible = explanation.infeasible is None
    card = Card(
        title="Explanation",
        badges=(
            Badge(text=explanation.status, tone="good" if explanation.status == "optimal" else "plain")
            if possible
            else Badge(text="no release", tone="bad"),
        ),
        lines=first.lines,
        tables=tuple(grid for each in others[:1] for grid in _grids(each)),
        folded=tuple(
            (
                each.title if place else f"{each.title} in words",
                (*each.lines, *(_grids(each) if place else ())),
            )
            for place, each in enumerate(others)
            if place or each.lines
        ),
    )
    return card.html()


def _grids(section: Section) -> tuple[Grid, ...]:
    if not section.head:
        return ()
    return (Grid(caption=section.title, head=section.head, rows=section.rows),)
