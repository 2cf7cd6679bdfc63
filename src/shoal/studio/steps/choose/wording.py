"""A front in words and numbers for people. No page code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal import Front, FrontPoint, PolicyError, Progress
from shoal.cost import METRICS
from shoal.formatting.numbers import number, percent
from shoal.studio.descriptions import cost_words, title
from shoal.studio.parts import sentence


def losses() -> dict[str, str]:
    """What k can be weighed against, with words for each; some need a class column."""
    return {
        name: f"{metric.description.title}: {metric.description.short.lower()}"
        for name, metric in METRICS.items()
        if not metric.of_centroids
    }


_MOST_LABEL = 48

RISKS = {
    0.2: "20 %: readers within an organisation (k = 5)",
    0.09: "9 %: public release (k = 12)",
    0.05: "5 %: strict (k = 20)",
}
"""Limits in practice on the risk that a known person's row is found."""


def loss_words(front: Front) -> str:
    """What the loss of a front is called."""
    return title(cost_words(front.names[-1]), front.names[-1])


def is_share(front: Front) -> bool:
    """Whether the loss of a front is read in per cent."""
    return front.names[-1] in METRICS and METRICS[front.names[-1]].is_share


def loss(front: Front, point: FrontPoint) -> str:
    """The loss of a point, as people read it."""
    value = float(point.values[front.names[-1]])
    return f"{100 * value:.1f} %" if is_share(front) else number(value)


def diversity_of(front: Front) -> str | None:
    """The objective that counts different sensitive values, if one is weighed."""
    return next((name for name in front.names if name.partition(":")[0] == "l"), None)


def proof(front: Front) -> tuple[str, bool]:
    """What is known of the front as a whole, and whether nothing can be missing from it."""
    if front.recoding == "rows":
        return _proof_of_rows(front)
    examined, lattice = f"{front.evaluated:,}", f"{front.lattice:,}"
    if front.interrupted:
        return (
            f"Stopped after {examined} of {lattice} combinations of levels. These are the best of them; "
            f"better ones may exist. {_FINISH}",
            False,
        )
    if front.exact:
        return f"All {lattice} combinations of levels were examined: no other {front.kind} are better.", True
    return (
        f"{examined} of {lattice} combinations of levels were examined, chosen by an evolutionary search: "
        "better ones may exist.",
        False,
    )


_FINISH = (
    "To release a point, make the front again and let it finish: only then does the command line find the "
    "same."
)


def _proof_of_rows(front: Front) -> tuple[str, bool]:
    if front.interrupted:
        return f"Stopped before every k was tried. {_FINISH}", False
    if front.exact:
        return f"Proved for each k: no other {front.kind} are better.", True
    words = "Each point is the best release that was found for its k, with rows recoded one by one."
    if front.by_clock:
        words += " The time limit ended the search; with more time some may lose less."
    return words, False


def suggestion(front: Front) -> tuple[str, bool]:
    """What the front suggests, and whether it does."""
    if front.suggested is None:
        return f"Nothing is suggested: {front.suggestion}.", False
    point = f"point {front.suggested.number} ({front.suggestion})"
    return f"Suggested for a risk of at most {percent(front.risk)}: {point}.", True


def progress(report: Progress | None, seconds: float, *, rows: bool) -> str:
    """How far the search for the front has come."""
    if report is None:
        return f"Reading and counting the table … {seconds:.0f} s"
    what = "search nodes" if rows else "combinations of levels"
    return f"{report.nodes:,} {what} examined … {seconds:.0f} s"


def remark(front: Front, point: FrontPoint, least: FrontPoint) -> str:
    """What is special about a point."""
    if point.k < front.policy.k:
        return f"below k = {front.policy.k:,}"
    marks = ["suggested"] if front.suggested is not None and point.number == front.suggested.number else []
    return ", ".join([*marks, "least loss"] if point.number == least.number else marks)


def summary(front: Front, point: FrontPoint) -> str:
    """A point in one line."""
    diverse = diversity_of(front)
    parts = [f"k {point.k:,}"]
    if diverse is not None:
        parts.append(f"l {number(float(point.values[diverse]))}")
    parts.append(f"{loss_words(front).lower()} {loss(front, point)}")
    return f"Point {point.number}: {', '.join(parts)}"


def columns_of(
    front: Front,
    point: FrontPoint,
    examples: Sequence[tuple[tuple[str, ...], int]],
    columns: Sequence[Any],
) -> list[tuple[str, str, str]]:
    """Per column its name, what becomes of it, and some labels that it would have.

    Parameters
    ----------
    front, point
        The point.
    examples, columns
        What the front says of it: groups, and per column labels and loss.
    """
    found = []
    for place, domain in enumerate(front.table.domains):
        labels = dict.fromkeys(shortened(group[place]) for group, _ in examples)
        change = becomes(domain, point.levels[place]) if point.levels is not None else kept(columns[place])
        found.append((domain.name, change, ", ".join(list(labels)[:3])))
    return found


def kept(column: Any) -> str:
    """What is left of a column whose rows are recoded one by one, in words."""
    if column.loss == 0:
        return "Unchanged"
    if column.labels == 1:
        return "One value for all: the column has no information left"
    return f"Keeps {percent(1 - column.loss)} of its detail, in {column.labels:,} labels"


def becomes(domain: Any, level: int) -> str:
    """What a level does to a column, in words."""
    tree = domain.hierarchy
    before, after = len(set(tree.parts[0])), len(set(tree.parts[level]))
    if level == 0:
        return "Unchanged"
    if after == 1:
        return "One value for all: the column has no information left"
    return f"Level {level} of {tree.height}: {after:,} values in place of {before:,}"


def listed(words: Sequence[str]) -> str:
    """Several things in one phrase."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def failure(error: str | None) -> str:
    """Why a job failed, as a sentence; the file that the studio wrote for it is not worth a word."""
    return sentence(PolicyError((error or "it failed without a reason").removeprefix("policy.toml: ")))


def shortened(label: str) -> str:
    """A label that fits into a line."""
    return label if len(label) <= _MOST_LABEL else label[: _MOST_LABEL - 1] + "…"


def left_out(front: Front, point: FrontPoint) -> str:
    """The rows that a point would leave out, as a share."""
    return percent(point.suppressed / front.table.rows) if front.table.rows else "0 %"
