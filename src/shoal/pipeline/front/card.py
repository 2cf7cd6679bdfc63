"""What a front shows of itself in a notebook: its points as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.detail import kept, possible
from shoal.formatting.numbers import MISSING, number, percent, seconds

if TYPE_CHECKING:
    from shoal.pipeline.front.front import Front
    from shoal.pipeline.front.point import FrontPoint


def front_card(front: Front) -> Card:
    """The points, with the suggested one marked."""
    suggested = front.suggested
    examined = (
        f"{front.evaluated:,} of {front.lattice:,} recodings"
        if front.lattice
        else f"{front.evaluated:,} nodes"
    )
    lines = []
    if front.exact:
        lines.append(f"proved: no other {front.kind} are better in one objective and as good in all others")
    if suggested is None:
        lines.append(f"nothing is suggested: {front.suggestion}")
    else:
        words = f"point {suggested.number}: {front.suggestion}"
        lines.append(f"suggested for a risk of at most {percent(front.risk)}, {words}")
    return Card(
        title="Front",
        badges=(
            Badge(text="exact", tone="good")
            if front.exact
            else Badge(text="not proved complete", tone="note"),
        ),
        facts=(
            ("points", f"{len(front):,}"),
            ("rows", f"{front.table.rows:,}"),
            ("objectives", ", ".join(front.names)),
            ("search", f"{front.algorithm}, {examined}, {seconds(front.seconds)}"),
        ),
        lines=(
            *sentences(lines),
            "front.pick() releases the suggested point, front.pick(NUMBER) another; front.plot() draws all.",
        ),
        tables=(_points(front),),
    )


def _points(front: Front) -> Grid:
    names = [name for name in front.names if name != "k"]
    last = ("levels",) if front.lattice else ("detail kept", "at most") if front.loses_shares else ("gap",)
    suggested = front.suggested
    return Grid(
        caption="Points; none is better than another in everything",
        head=("point", "k", "risk", *names, "suppressed", "groups", *last),
        rows=tuple(_row(front, point, names) for point in front.points),
        numbers=frozenset(range(5 + len(names) + (0 if front.lattice else len(last)))),
        marked=frozenset(place for place, point in enumerate(front.points) if point is suggested),
    )


def _row(front: Front, point: FrontPoint, names: list[str]) -> tuple[str, ...]:
    cells = (
        str(point.number),
        f"{point.k:,}",
        percent(point.risk),
        *(number(float(point.values[name])) for name in names),
        percent(point.suppressed / front.table.rows),
        f"{point.groups:,}",
    )
    if front.lattice:
        return (*cells, " ".join(map(str, point.levels or ())))
    if front.loses_shares:
        most = MISSING if point.bound is None else possible(point.bound)
        return (*cells, kept(float(point.values[names[0]])), most)
    return (*cells, percent(point.gap(names[0])))
