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


def losses_of(problem: Problem, recoding: Recoding, groups: Groups) -> dict[str, float]:
    """Per attribute the share of its detail that is lost; nothing where values are not comparable."""
    losses = {}
    for attribute, domain in enumerate(problem.table.domains):
        try:
            shares = [float(share) for share in recoding.shares(attribute, domain)]
        except PolicyError:
            continue
        kept = zip(
            groups.values[groups.kept, attribute].tolist(), groups.sizes[groups.kept].tolist(), strict=True
        )
        lost = groups.suppressed + sum(shares[value] * size for value, size in kept)
        losses[domain.name] = round(lost / problem.table.rows, 9)
    return losses


def restricted(recoding: Recoding, attributes: list[int]) -> Recoding | None:
    """What a recoding makes of some of its attributes."""
    if isinstance(recoding, CutRecoding):
        return CutRecoding(tuple(recoding.cuts[attribute] for attribute in attributes))
    if isinstance(recoding, LevelRecoding):
        return LevelRecoding(tuple(recoding.levels[attribute] for attribute in attributes))
    if isinstance(recoding, SubtreeRecoding):
        return SubtreeRecoding(tuple(recoding.nodes[attribute] for attribute in attributes))
    if isinstance(recoding, MixedRecoding):
        return MixedRecoding(tuple(recoding.columns[attribute] for attribute in attributes))
    if isinstance(recoding, LocalRecoding):
        nodes = tuple(recoding.nodes[attribute] for attribute in attributes)
        return replace(recoding, values=recoding.values[:, attributes], nodes=nodes)
    return None
