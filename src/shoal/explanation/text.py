"""An explanation for people: as text, as Markdown, as HTML. All three print the same tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from shoal.model.result.result import Cost

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
    """What is told, in its order."""
    yield _release(explanation)
    if explanation.attributes:
        yield Section(
            title="Columns",
            lines=tuple(each.words for each in explanation.attributes),
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
        f"If {each.without} were no quasi-identifier, {each.attribute} would gain most: it would lose "
        f"{share(each.after)} of its detail in place of {share(each.before)}."
        for each in explanation.gains
    )
    if gains:
        advice = "This is a price, not advice: a column that others can know is a quasi-identifier."
        yield Section(title="Columns against each other", lines=(*gains, advice))
    if explanation.interrupted or explanation.notes:
        ended = ("It was interrupted; what is missing was not searched for.",)
        yield Section(title="Notes", lines=(*(ended if explanation.interrupted else ()), *explanation.notes))


def _release(explanation: Explanation) -> Section:
    limit = "any number" if explanation.limit is None else f"at most {explanation.limit:,}"
    asked = (
        f"Asked: k = {explanation.k:,}, least {explanation.cost_metric}, {limit} of "
        f"{explanation.rows:,} rows suppressed, by {explanation.algorithm}."
    )
    if explanation.infeasible is not None:
        return Section(
            title="No release", lines=(asked, explanation.infeasible + ".", *_ways_out(explanation))
        )
    found = (
        f"Found: {explanation.status}, cost {number(explanation.cost)}, gap {share(explanation.gap)}; "
        f"{many(explanation.groups or 0, 'group')}, {many(explanation.suppressed or 0, 'row')} suppressed"
        + (" (read from the manifest)." if explanation.taken_from == "manifest" else ".")
    )
    among = f"What is proved, here and below, is proved among {explanation.kind}."
    return Section(title="Release", lines=(asked, found, *([] if explanation.bound is None else [among])))


def _ways_out(explanation: Explanation) -> tuple[str, ...]:
    if not explanation.constraints:
        return ()
    helping = "; ".join(price.constraint for price in explanation.helping)
    if helping:
        return (f"Each of these alone would make a release possible: {helping}.",)
    return ("None of the constraints gives a release by giving way alone, as far as was searched.",)


def _columns(explanation: Explanation) -> Iterator[tuple[str, ...]]:
    for each in explanation.attributes:
        about = (each.name, each.released, share(each.loss))
        nearest = sorted(
            each.finer, key=lambda step: (step.idle, not step.allowed, step.rows_lost, step.change)
        )
        for step in nearest[:MOST_SHOWN]:
            yield (*about, *_step(step))
            about = ("", "", "")
        if not each.finer:
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
        "One constraint is changed at a time and the table is solved again; a saving is told as far as it is "
        "proved.",
        "Without a column, cost and saving are of the other columns alone, against what the release makes of "
        "them.",
    )
    return Section(
        title="Constraints",
        lines=() if nothing else lines,
        head=("changed", "status", "cost", "gap", "suppressed", "saves")[: 5 if nothing else 6],
        rows=tuple(_price(each)[: 5 if nothing else 6] for each in explanation.constraints),
    )


def _price(price: ConstraintPrice) -> tuple[str, ...]:
    suppressed = "-" if price.suppressed is None else f"{price.suppressed:,}"
    return (
        price.constraint,
        price.status,
        number(price.cost),
        share(price.gap),
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
    found: list[str] = []
    for section in sections(explanation):
        found += [section.title, *(f"  {line}" for line in section.lines)]
        found += [f"  {line}" for line in aligned((section.head, *section.rows))] if section.head else []
        found.append("")
    return "\n".join(found).rstrip() + "\n"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def markdown(explanation: Explanation) -> str:
    """As Markdown."""
    found: list[str] = []
    for section in sections(explanation):
        found += [f"## {section.title}", ""]
        found += [f"- {_marked(line)}" for line in section.lines]
        if section.head:
            found += ["", _bar(section.head), _bar(["---"] * len(section.head))]
            found += [_bar([_marked(cell) for cell in row]) for row in section.rows]
        found.append("")
    return "\n".join(found).rstrip() + "\n"


def _bar(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _marked(cell: str) -> str:
    """A cell that Markdown prints as it is: names of columns can hold any sign."""
    for sign in "\\`*_|[]":
        cell = cell.replace(sign, "\\" + sign)
    return cell.replace("<", "&lt;").replace("\n", " ")


def html_page(explanation: Explanation) -> str:
    """As HTML, for notebooks."""
    found = []
    for section in sections(explanation):
        found.append(f"<h4>{escape(section.title)}</h4>")
        found += [f"<p>{escape(line)}</p>" for line in section.lines]
        if section.head:
            head = "".join(f"<th>{escape(cell)}</th>" for cell in section.head)
            rows = [
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in section.rows
            ]
            found.append(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
    return "\n".join(found)


def number(value: Cost | float | None) -> str:
    """A number as people read it; a dash for none."""
    if value is None:
        return "-"
    value = float(value)
    if value.is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 1000 else f"{value:.4g}"


def many(count: int, what: str) -> str:
    """How many there are of what."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def signed(value: Cost) -> str:
    """A change, with its sign."""
    return ("+" if value > 0 else "") + number(value)


def share(value: float | None) -> str:
    """A share as people read it; a dash for none."""
    if value is None:
        return "-"
    return f"{100 * value:.2g} %" if 0 < value < 0.1 else f"{100 * value:.1f} %" if value else "0 %"
