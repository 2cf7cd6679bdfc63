"""After the last round of DkA: blocks with their released values, joined by how many people they share.

Nobody is linked to anybody: the first site knows the matrix, and per block of both sites the labels. Its rows
are stand-ins, as many per pair of blocks as the matrix counts, in a random order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError, PartyError, PolicyError
from shoal.joint.two_party.agreed import AgreedLevels
from shoal.joint.two_party.dka import Joinable
from shoal.joint.two_party.greeting import Met
from shoal.joint.two_party.ladder import Ladder
from shoal.joint.two_party.publication import Joined, row_order
from shoal.joint.two_party.site import Site
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import Value, value_text
from shoal.model.table.new_cells import NewCells
from shoal.network.frames import Frame
from shoal.network.peer import Peer

VALUES = 8
Column = list[str | None]
"""Per block a leaf of the hierarchy below the block's label; `None` where the cell is missing."""

LEAKS = (
    "This is a reproduction of a published protocol (DkA), which reveals more than its release: in each of "
    "{rounds} round(s) both sites saw how many people each block of one had in common with each block of the "
    "other, each knowing whom its own blocks consist of. In {failed} of them a count was below k.",
    "Both sites also saw how far up the other was in each round.",
)
"""What the sites learn beyond the release, for the manifest."""


def leaves_of_blocks(site: Site, ladder: Ladder, ended: Joinable) -> list[Column]:
    """Per own column and block a leaf that is printed as the block's people are.

    It is the first leaf of the hierarchy under the label, so it tells no more than the label.
    """
    somebody = np.unique(ended.own, return_index=True)[1]
    attributes = {each.name: each for each in site.policy.quasi_identifiers}
    columns = []
    for place, domain in enumerate(site.table.domains):
        level = ladder.rungs[ended.rung][place]
        parts = np.array(domain.hierarchy.parts[level])[site.table.codes[somebody, place]]
        leaves = _leaves_of_parts(
            attributes[domain.name], domain.hierarchy.members(level), domain.values, level
        )
        columns.append([leaves[part] for part in parts.tolist()])
    return columns


def _leaves_of_parts(
    attribute: Attribute, members: Sequence[Sequence[int]], values: Sequence[Value], level: int
) -> Column:
    """Per part of a level a leaf below it, the hierarchy's first; `None` for the missing value alone."""
    rows = _hierarchy(attribute).rows
    label_of = {row[0]: row[min(level, len(row) - 1)] for row in rows}
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(label_of[row[0]], row[0])
    found: Column = []
    for codes in members:
        known = [values[code] for code in codes if values[code] is not None]
        text = value_text(known[0]) if known else None
        if text is not None and text not in label_of:
            raise PolicyError(
                f"column {attribute.name!r}: its hierarchy spells values in another way than they are read; "
                "write numbers and dates plainly in it, as in 12.5 and 2026-01-31"
            )
        found.append(None if text is None else first[label_of[text]])
    return found


def _hierarchy(attribute: Attribute) -> Hierarchy:
    hierarchy = attribute.given_hierarchy()
    if hierarchy is None:
        raise InternalError(f"column {attribute.name!r} has no hierarchy")
    return hierarchy


async def tell_blocks(peer: Peer, site: Site, ladder: Ladder, ended: Joinable, *, seconds: float) -> None:
    """Tell the levels of own columns, and per block the labels, as leaves below them."""
    head = {"levels": list(ladder.rungs[ended.rung]), "columns": leaves_of_blocks(site, ladder, ended)}
    await peer.send(VALUES, head, seconds=seconds)


async def release_of_blocks(
    peer: Peer, site: Site, met: Met, ladder: Ladder, ended: Joinable, *, seconds: float
) -> Joined:
    """Receive the other site's values, and join its blocks with own ones."""
    frame = await peer.receive(VALUES, seconds=seconds)
    theirs, levels = _received(peer.name, frame, site, met, ended.matrix.shape[1])
    own = leaves_of_blocks(site, ladder, ended)
    pairs = np.argwhere(ended.matrix > 0)
    lines = np.repeat(pairs, ended.matrix[tuple(pairs.T)], axis=0)
    new = {name: _cells(column, lines[:, 0]) for name, column in zip(site.columns, own, strict=True)}
    new |= {name: _cells(column, lines[:, 1]) for name, column in zip(met.columns, theirs, strict=True)}
    every = dict(zip(site.columns, ladder.rungs[ended.rung], strict=True))
    every |= dict(zip(met.columns, levels, strict=True))
    attributes = site.policy.quasi_identifiers
    return Joined(
        new=new,
        order=row_order(len(lines), shuffled=True),
        algorithm=AgreedLevels(levels=tuple(every[each.name] for each in attributes), rounds=ended.rounds),
        domains={},
        remarks=(
            "Two sites made this release of a table that neither of them has; the columns "
            f"{', '.join(map(repr, met.columns))} are of {peer.name}.",
            LEAKS[0].format(rounds=ended.rounds, failed=ended.rounds - 1),
            LEAKS[1],
        ),
    )


def _cells(column: Column, blocks: NDArray[np.int64]) -> NewCells:
    return NewCells(texts=tuple(column), choices=blocks)


def _received(
    name: str, frame: Frame, site: Site, met: Met, blocks: int
) -> tuple[list[Column], tuple[int, ...]]:
    columns, levels = frame.head.get("columns"), frame.head.get("levels")
    attributes = {each.name: each for each in site.policy.quasi_identifiers}
    if not isinstance(columns, list) or not isinstance(levels, list):
        raise PartyError(name, "sent blocks without values")
    if not len(columns) == len(levels) == len(met.columns):
        raise PartyError(name, "sent other columns than it has")
    for column, level, called in zip(columns, levels, met.columns, strict=True):
        hierarchy = _hierarchy(attributes[called])
        known = {None, *(row[0] for row in hierarchy.rows)}
        if not isinstance(column, list) or len(column) != blocks or not set(map(_text, column)) <= known:
            raise PartyError(name, f"sent values of {called!r} that are not in its hierarchy")
        if type(level) is not int or not 0 <= level <= hierarchy.height:
            raise PartyError(name, f"sent a level that {called!r} does not have")
    return columns, tuple(levels)


def _text(cell: object) -> object:
    return cell if cell is None or isinstance(cell, str) else repr(cell)
