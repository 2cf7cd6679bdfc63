"""Background knowledge: somebody who can rule out m sensitive values of a person learns what is left.

A group of at most m + 1 distinct values reveals everything to somebody who happens to know the right m. In
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

    def learned(self, by_group: Spread, target: Target) -> Learned:
        # Nobody can rule out a hidden value.
        few = (by_group.distinct <= target.exclude + 1) & (by_group.per_group(~by_group.visible) == 0)
        belief = beliefs(by_group, target.exclude)[by_group.visible]
        rows = by_group.counts[by_group.visible]
        facts = {
            "highest_belief": float(belief.max(initial=0)),
            "average_belief": float((belief * rows).sum() / max(1, rows.sum())),
        }
        return few[by_group.of_entry], facts

    def words(self, target: Target) -> str:
        values = "one value" if target.exclude == 1 else f"{target.exclude} values"
        return f"revealed by their group to somebody who can rule out {values} of the person"

    def stated(self, target: Target) -> Mapping[str, object]:
        return {"exclude": target.exclude}


def beliefs(by_group: Spread, exclude: int) -> NDArray[np.float64]:
    """Per entry how much its value is believed when the most frequent other values are ruled out."""
    excluded = np.where(by_group.visible, by_group.counts, 0)
    order = np.lexsort((-excluded, by_group.of_entry))
    first = np.searchsorted(by_group.of_entry, np.arange(by_group.groups))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - first[by_group.of_entry[order]]
    # A value among the most frequent ones leaves room to rule out one more.
    frequent = rank <= exclude
    most = by_group.per_group(np.where(frequent, excluded, 0))[by_group.of_entry]
    least = by_group.per_group(np.where(rank < exclude, excluded, 0))[by_group.of_entry]
    gone = np.where(frequent, most - excluded, least)
    return np.asarray(by_group.counts / (by_group.rows[by_group.of_entry] - gone))
