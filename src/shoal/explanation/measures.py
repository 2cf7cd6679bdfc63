"""What a recoding loses, by the definitions: the detail of each column."""

from __future__ import annotations

from dataclasses import replace

from shoal.errors import PolicyError
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.mixed_recoding import MixedRecoding
from shoal.model.recoding.recoding import CutRecoding, Recoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.result.problem import Problem


def losses_of(problem: Problem, recoding: Recoding, made: Groups) -> dict[str, float]:
    """Per attribute the share of its detail that is lost; nothing where values are not comparable."""
    found = {}
    for attribute, domain in enumerate(problem.table.domains):
        try:
            shares = [float(share) for share in recoding.shares(attribute, domain)]
        except PolicyError:
            continue
        kept = zip(made.values[made.kept, attribute].tolist(), made.sizes[made.kept].tolist(), strict=True)
        lost = made.suppressed + sum(shares[value] * size for value, size in kept)
        found[domain.name] = round(lost / problem.table.rows, 9)
    return found


def restricted(recoding: Recoding, attributes: list[int]) -> Recoding | None:
    """What a recoding makes of some of its attributes."""
    if isinstance(recoding, CutRecoding):
        return CutRecoding(tuple(recoding.cuts[each] for each in attributes))
    if isinstance(recoding, LevelRecoding):
        return LevelRecoding(tuple(recoding.levels[each] for each in attributes))
    if isinstance(recoding, SubtreeRecoding):
        return SubtreeRecoding(tuple(recoding.nodes[each] for each in attributes))
    if isinstance(recoding, MixedRecoding):
        return MixedRecoding(tuple(recoding.columns[each] for each in attributes))
    if isinstance(recoding, LocalRecoding):
        nodes = tuple(recoding.nodes[each] for each in attributes)
        return replace(recoding, values=recoding.values[:, attributes], nodes=nodes)
    return None
