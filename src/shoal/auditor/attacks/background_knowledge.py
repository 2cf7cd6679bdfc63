"""Background knowledge: who can rule out m sensitive values of a person learns what their group leaves.

A group of at most m + 1 distinct values tells everything to somebody who happens to know the right m. In
others a belief remains: with the m most frequent other values gone, the share of the value that is left.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007; the survey, Fig. 15.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks._spread import Learned, Spread, SpreadAttack


class BackgroundKnowledge(SpreadAttack):
    """Rows of groups in which some m exclusions leave one value."""

    name = "background-knowledge"

    def learned(self, found: Spread, target: Target) -> Learned:
        # A hidden value is none that somebody could rule out.
        few = (found.distinct <= target.exclude + 1) & (found.per_group(~found.told) == 0)
        belief = beliefs(found, target.exclude)[found.told]
        rows = found.counts[found.told]
        facts = {
            "highest_belief": float(belief.max(initial=0)),
            "average_belief": float((belief * rows).sum() / max(1, rows.sum())),
        }
        return few[found.of_entry], facts

    def words(self, target: Target) -> str:
        values = "one value" if target.exclude == 1 else f"{target.exclude} values"
        return f"told by their group to somebody who can rule out {values} of the person"

    def stated(self, target: Target) -> Mapping[str, object]:
        return {"exclude": target.exclude}


def beliefs(found: Spread, exclude: int) -> NDArray[np.float64]:
    """Per entry how much its value is believed when the most frequent other values are ruled out."""
    excluded = np.where(found.told, found.counts, 0)
    order = np.lexsort((-excluded, found.of_entry))
    first = np.searchsorted(found.of_entry, np.arange(found.groups))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - first[found.of_entry[order]]
    # A value among the most frequent ones leaves room to rule out one more.
    frequent = rank <= exclude
    most = found.per_group(np.where(frequent, excluded, 0))[found.of_entry]
    least = found.per_group(np.where(rank < exclude, excluded, 0))[found.of_entry]
    gone = np.where(frequent, most - excluded, least)
    return np.asarray(found.counts / (found.rows[found.of_entry] - gone))
