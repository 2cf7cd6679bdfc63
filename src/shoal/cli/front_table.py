"""A front in the terminal: what is known of it, its points as a table, and the suggestion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.cli.console import say
from shoal.formatting.detail import kept, possible
from shoal.formatting.numbers import MISSING, number, percent
from shoal.formatting.numbers import percent_in_line as in_line

if TYPE_CHECKING:
    from shoal.pipeline.front.front import Front
    from shoal.pipeline.front.point import FrontPoint

MOST_SHOWN = 24
"""Points that are listed; of more, some are left out evenly."""


def show_front(front: Front) -> None:
    """Print a front."""
    say(
        f"{'exact' if front.exact else 'not proved complete'}   {len(front):,} points   {examined(front)} "
        f"examined by {front.algorithm}   {front.seconds:.1f} s"
    )
    if front.exact:
        say(f"proved: no other {front.kind} are better in one objective and as good in all others")
    _show_points(front)
    point = front.suggested
    if point is None:
        say(f"nothing is suggested: {front.suggestion}")
    else:
        say(
            f"suggested for a risk of at most {percent(front.risk)}: point {point.number}\n{front.suggestion}"
        )


def examined(front: Front) -> str:
    """How much was examined."""
    if front.lattice:
        return f"{front.evaluated:,} of {front.lattice:,} recodings"
    return f"{front.evaluated:,} nodes"


def _show_points(front: Front) -> None:
    from rich.console import Console
    from rich.table import Table

    columns = _columns(front)
    shown = Table(box=None, pad_edge=False)
    for place, heading in enumerate(columns):
        last = place == len(columns) - 1
        shown.add_column(heading, justify="left" if last else "right", no_wrap=True, overflow="ellipsis")
    places: Sequence[int] = range(len(front))
    if len(front) > MOST_SHOWN:
        step = (len(front) - 1) / (MOST_SHOWN - 1)
        places = sorted({round(place * step) for place in range(MOST_SHOWN)})
    for place in places:
        shown.add_row(*_cells(front, front[place]))
    Console(stderr=True, markup=False, highlight=False).print(shown)
    if len(front) > MOST_SHOWN:
        say(f"({len(front) - len(places):,} points in between are not listed; --output writes all)")


def _columns(front: Front) -> list[str]:
    names = [name for name in front.names if name != "k"]
    head = ["point", "k", "risk", *names, "suppressed", "groups"]
    if front.lattice:
        return [*head, "levels"]
    return [*head, *(("keeps", "at most") if front.loses_shares else ("gap",))]


def _cells(front: Front, point: FrontPoint) -> list[str]:
    names = [name for name in front.names if name != "k"]
    cells = [
        str(point.number),
        f"{point.k:,}",
        in_line(point.risk),
        *(number(float(point.values[name])) for name in names),
        in_line(point.suppressed / front.table.rows),
        f"{point.groups:,}",
    ]
    if point.levels is not None:
        return [*cells, " ".join(map(str, point.levels))]
    if not front.loses_shares:
        return [*cells, in_line(point.gap(names[0]))]
    bound = MISSING if point.bound is None else possible(point.bound)
    return [*cells, kept(float(point.values[names[0]])), bound]
