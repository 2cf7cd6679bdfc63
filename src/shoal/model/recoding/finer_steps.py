"""The recodings that are one step finer in one attribute: a cut more, a level less, a label in its parts.

A step is named by its number. The place of a cut is a value of the private table, and a recoding publishes
only the cuts that it has.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.mixed_recoding import MixedRecoding
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.table.domain import Domain


@dataclass(frozen=True, kw_only=True)
class Finer:
    """A finer recoding.

    Parameters
    ----------
    recoding
        The recoding, which differs in one attribute.
    name
        What was done, by number.
    divided
        The released value that is divided; `None` if all of them are.
    """

    recoding: DomainRecoding
    name: str
    divided: int | None = None


def finer_steps(
    recoding: DomainRecoding, attribute: int, domain: Domain, least_level: int = 0
) -> list[Finer]:
    """All single steps to a finer release of an attribute.

    Parameters
    ----------
    recoding, attribute, domain
        The recoding, and the attribute to refine.
    least_level
        The lowest level that is allowed, where a whole attribute is on one level.
    """
    if isinstance(recoding, CutRecoding):
        return _further_cuts(recoding, attribute, domain)
    if isinstance(recoding, LevelRecoding):
        return _lower_level(recoding, attribute, least_level)
    if isinstance(recoding, SubtreeRecoding):
        return _parts_of_nodes(recoding, attribute, domain)
    if isinstance(recoding, MixedRecoding):
        columns = recoding.columns
        return [
            replace(
                step,
                recoding=MixedRecoding((*columns[:attribute], step.recoding, *columns[attribute + 1 :])),  # type: ignore[arg-type]
            )
            for step in finer_steps(columns[attribute], 0, domain)
        ]
    return []


def _further_cuts(recoding: CutRecoding, attribute: int, domain: Domain) -> list[Finer]:
    every, present = recoding.cuts, recoding.cuts[attribute]
    possible = range(1, len(domain))
    steps = []
    for cut in possible:
        if cut in present:
            continue
        place = bisect_right(present, cut)
        cuts = (*present[:place], cut, *present[place:])
        steps.append(
            Finer(
                recoding=CutRecoding((*every[:attribute], cuts, *every[attribute + 1 :])),
                name=f"cut {cut:,} of {len(possible):,}",
                divided=place,
            )
        )
    return steps


def _lower_level(recoding: LevelRecoding, attribute: int, least: int) -> list[Finer]:
    levels = recoding.levels
    lower = levels[attribute] - 1
    if lower < least:
        return []
    # Additional suppression belongs to groups that no longer exist.
    below = LevelRecoding((*levels[:attribute], lower, *levels[attribute + 1 :]))
    return [Finer(recoding=below, name=f"level {lower}")]


def _parts_of_nodes(recoding: SubtreeRecoding, attribute: int, domain: Domain) -> list[Finer]:
    every, nodes, tree = recoding.nodes, recoding.nodes[attribute], domain.hierarchy
    steps = []
    for number, (level, part) in enumerate(nodes):
        codes = [code for code, of in enumerate(tree.parts[level]) if of == part]
        for lower in reversed(range(level)):
            parts = sorted({tree.parts[lower][code] for code in codes})
            if len(parts) > 1:
                divided = (*nodes[:number], *((lower, each) for each in parts), *nodes[number + 1 :])
                steps.append(
                    Finer(
                        recoding=SubtreeRecoding((*every[:attribute], divided, *every[attribute + 1 :])),
                        name=f"label {number + 1:,} of {len(nodes):,} in {len(parts):,} parts",
                        divided=number,
                    )
                )
                break
    return steps
