"""After the way down: the second site tells its released columns, the first writes the joined release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cuts._specializations import Cuts
from shoal.algorithms.cuts._tree_cuts import recoding_by
from shoal.errors import PartyError
from shoal.joint.two_party.agreed import AgreedCuts
from shoal.joint.two_party.greeting import Met
from shoal.joint.two_party.publication import Joined, row_order
from shoal.joint.two_party.site import Site
from shoal.joint.two_party.specialization import LEAKS, Specialized
from shoal.joint.two_party.stand_in import ToldColumn, new_cells, stand_ins
from shoal.model.table.new_cells import NewCells
from shoal.network.frames import Frame
from shoal.network.peer import Peer

COLUMNS = 4


async def tell_columns(peer: Peer, site: Site, ended: Specialized, *, seconds: float) -> None:
    """Tell the released values of own columns: per group which, and per value what the manifest lists."""
    recoding = recoding_by(site.table, ended.cuts)
    told = [
        ToldColumn.of(domain, own, recoding.labels(place, domain))
        for place, (domain, own) in enumerate(zip(site.table.domains, ended.cuts, strict=True))
    ]
    head = {"columns": [each.to_json() for each in told]}
    await peer.send(COLUMNS, head, _parts_of_leaves(site, ended), seconds=seconds)


def _parts_of_leaves(site: Site, ended: Specialized) -> NDArray[np.uint32]:
    """Per own column and leaf the number of the released value."""
    leaves = ended.leaves.of_person
    somebody = np.unique(leaves, return_index=True)[1]
    parts = [
        np.searchsorted(np.array(own, np.int64), site.table.codes[somebody, place], side="right")
        for place, own in enumerate(ended.cuts)
    ]
    return np.array(parts, np.uint32)


async def release_of_columns(
    peer: Peer, site: Site, met: Met, ended: Specialized, *, seconds: float
) -> Joined:
    """Receive the other site's columns, and join them with own ones."""
    told, of_leaf = _received(peer.name, await peer.receive(COLUMNS, seconds=seconds), met, ended)
    attributes = {each.name: each for each in site.policy.quasi_identifiers}
    new: dict[str, NewCells] = {}
    domains: dict[str, tuple[int, str]] = {}
    for place, each in enumerate(told):
        parts = of_leaf[place][ended.leaves.of_person].astype(np.int64)
        texts, chosen = stand_ins(each, attributes[each.name], parts, peer.name)
        new[each.name] = new_cells(texts, chosen, site.order)
        domains[each.name] = len(texts), each.kind
    own = zip(site.columns, site.table.domains, strict=True)
    domains |= {name: (len(domain), domain.kind) for name, domain in own}
    cuts: dict[str, tuple[int, ...]] = dict(zip(site.columns, ended.cuts, strict=True))
    cuts |= {each.name: each.cuts for each in told}
    every: Cuts = tuple(cuts[name] for name in attributes)
    return Joined(
        new=new,
        order=row_order(len(site.order), shuffled=site.policy.order == "shuffle"),
        algorithm=AgreedCuts(cuts=every, nodes=ended.nodes),
        domains=domains,
        remarks=(
            f"Two sites made this release of a table that neither of them has, {ended.steps:,} steps down "
            f"from one group; the columns {', '.join(map(repr, met.columns))} are of {peer.name}.",
            *LEAKS,
        ),
    )


def _received(
    name: str, frame: Frame, met: Met, ended: Specialized
) -> tuple[list[ToldColumn], NDArray[np.uint32]]:
    sent = frame.head.get("columns")
    told = [ToldColumn.from_json(each, name) for each in sent] if isinstance(sent, list) else []
    if tuple(each.name for each in told) != met.columns:
        raise PartyError(name, "sent other columns than it has")
    shape = (len(told), len(ended.leaves.sizes))
    if [(each.dtype.str, each.shape) for each in frame.arrays] != [("<u4", shape)]:
        raise PartyError(name, "sent its columns for another number of groups")
    for each, parts in zip(told, frame.arrays[0], strict=True):
        released = 1 if each.values is None else len(each.values)
        if set(np.unique(parts).tolist()) != set(range(released)):
            raise PartyError(name, f"sent values of {each.name!r} that its groups do not have")
    return told, frame.arrays[0]
