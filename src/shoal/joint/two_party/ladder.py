"""A site's own order of generalizations: from values as they are to one block, one level at a time.

The steps are Datafly's: the column of most distinct values goes up. Each rung generalizes the one below.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._definitions import made_by
from shoal.algorithms.levels.datafly import Datafly
from shoal.cost import METRICS
from shoal.errors import PolicyError
from shoal.joint.two_party.site import Site
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Ladder:
    """Levels in the order in which a site goes up.

    Parameters
    ----------
    rungs
        Levels per own column.
    heights
        The height of each column's hierarchy.
    """

    rungs: tuple[Levels, ...]
    heights: Levels

    def share(self, rung: int) -> Fraction:
        """How high a rung is: its levels over all heights, and 1 if nothing is left to join."""
        if rung + 1 == len(self.rungs):
            return Fraction(1)
        return Fraction(sum(self.rungs[rung]), max(1, sum(self.heights)))


def datafly_ladder(site: Site) -> Ladder:
    """The rungs of a site by Datafly's rule; `PolicyError` for a column without a given hierarchy."""
    for domain in site.table.domains:
        if domain.tree is None:
            raise PolicyError(
                f"column {domain.name!r} has no hierarchy, and this protocol goes up levels; name its file "
                f"in the policy: [attributes.{domain.name}] hierarchy"
            )
    problem = Problem(table=site.table, k=1, cost=METRICS["general-loss"](), limit=0)
    heights = tuple(domain.hierarchy.height for domain in site.table.domains)
    levels, rungs, rule = (0,) * len(heights), [(0,) * len(heights)], Datafly.of(site.policy)
    if rule.linking or rule.tolerance:
        own = site.places
        weights = [tuple(each[place] for place in own) for each in (rule.linking, rule.tolerance)]
        rule = Datafly(linking=weights[0], tolerance=weights[1])
    while True:
        attribute = rule.chosen(made_by(problem, LevelRecoding(levels)), levels, heights)
        if attribute is None:
            return Ladder(tuple(rungs), heights)
        levels = (*levels[:attribute], levels[attribute] + 1, *levels[attribute + 1 :])
        rungs.append(levels)


def blocks_at(table: FrequencyTable, levels: Levels) -> NDArray[np.int64]:
    """Per person the number of the block: people with the same released values at one site."""
    released = LevelRecoding(levels).released(table)
    return np.unique(released, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def first_rung(table: FrequencyTable, ladder: Ladder, k: int) -> int | None:
    """The lowest rung at which every block of the site has k people; `None` if there is none."""
    for rung, levels in enumerate(ladder.rungs):
        if np.bincount(blocks_at(table, levels)).min() >= k:
            return rung
    return None
