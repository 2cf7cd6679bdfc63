"""What runs of algorithms show of themselves in a notebook: one, or all of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.detail import gap_in_words
from shoal.formatting.numbers import MISSING, counted, number, seconds

if TYPE_CHECKING:
    from shoal.api.compare import Compared

HEAD = (
    *("algorithm", "k", "status", "gap", "NCP", "discernibility", "classification", "groups", "smallest"),
    *("suppressed", "time", "minimized"),
)


def compared_card(runs: Sequence[Compared], *, proofs: Sequence[str] = ()) -> Card:
    """The runs as a table; those that were refused below it, with the reason."""
    measured = [run for run in runs if run.status != "refused"]
    refused = [run for run in runs if run.status == "refused"]
    best = _best(measured)
    folded: tuple[tuple[str, tuple[str | Grid, ...]], ...] = ()
    if refused:
        why = Grid(
            caption="Algorithms that cannot solve this problem",
            head=("algorithm", "k", "because"),
            rows=tuple((run.algorithm, f"{run.k:,}", run.why or "") for run in refused),
            numbers=frozenset({1}),
        )
        folded = ((f"{len(refused):,} refused", (why,)),)
    return Card(
        title="Comparison" if len(runs) != 1 else f"Run of {runs[0].algorithm}",
        badges=(Badge(text=counted(len(runs), "run")),),
        lines=sentences(
            [
                *(["the least NCP of each k is marked"] if best and len(measured) > 1 else []),
                *(f"proofs and gaps of {each}" for each in proofs),
            ]
        ),
        tables=(_grid(measured, best),) if measured else (),
        folded=folded,
    )


def _grid(runs: Sequence[Compared], best: frozenset[int]) -> Grid:
    """The runs, without the columns in which none has a figure."""
    rows = list(map(_row, runs))
    used = [place for place in range(len(HEAD)) if any(row[place] != MISSING for row in rows)]
    return Grid(
        caption="Measured by the definitions, not by the searches",
        head=tuple(HEAD[place] for place in used),
        rows=tuple(tuple(row[place] for place in used) for row in rows),
        numbers=frozenset(new for new, place in enumerate(used) if place == 1 or 3 <= place <= 10),
        marked=best if len(runs) > 1 else frozenset(),
    )


def _best(runs: Sequence[Compared]) -> frozenset[int]:
    """The runs with the least loss of their k, by their place; those that keep k alone."""
    least: dict[int, float] = {}
    kept = [run.ncp is not None and (run.smallest or run.k) >= run.k for run in runs]
    for run, counts in zip(runs, kept, strict=True):
        if counts and run.ncp is not None:
            least[run.k] = min(run.ncp, least.get(run.k, run.ncp))
    return frozenset(
        place
        for place, (run, counts) in enumerate(zip(runs, kept, strict=True))
        if counts and run.ncp == least.get(run.k)
    )


def _row(run: Compared) -> tuple[str, ...]:
    return (
        run.algorithm,
        f"{run.k:,}",
        run.status,
        gap_in_words(run.minimized or "", run.cost, run.bound, run.gap),
        *(number(each) for each in (run.ncp, run.discernibility, run.classification)),
        *(number(each) for each in (run.groups, run.smallest, run.suppressed)),
        seconds(run.seconds),
        run.minimized or MISSING,
    )
