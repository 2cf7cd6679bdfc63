"""Background knowledge: who can rule out m sensitive values of a person learns what their group leaves.

A group of at most m + 1 distinct values tells everything to somebody who happens to know the right m. In
others a belief remains: with the m most frequent other values gone, the share of the value that is left.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007; the survey, Fig. 15.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.audit.attacks._base import Attack, AttackResult, Target
from shoal.audit.attacks._spread import Spread, spread


class BackgroundKnowledge(Attack):
    """Rows of groups in which some m exclusions leave one value."""

    name = "background-knowledge"
    criterion = "inference"
    needs = ("sensitive",)

    def run(self, target: Target) -> AttackResult:
        tried = succeeded = 0
        columns: dict[str, object] = {}
        for name in target.sensitive:
            found = spread(target, name)
            # A hidden value is none that somebody could rule out.
            few = (found.distinct <= target.exclude + 1) & (found.per_group(~found.told) == 0)
            rows = int(found.counts[found.told & few[found.of_entry]].sum())
            belief = beliefs(found, target.exclude)[found.told]
            of_value = found.counts[found.told]
            tried += int(of_value.sum())
            succeeded += rows
            columns[name] = {
                "rows": rows,
                "groups": int(few.sum()),
                "of_groups": found.groups,
                "highest_belief": float(belief.max(initial=0)),
                "average_belief": float((belief * of_value).sum() / max(1, of_value.sum())),
            }
        values = "one value" if target.exclude == 1 else f"{target.exclude} values"
        return self.result(
            target,
            tried=tried,
            succeeded=succeeded,
            words=f"{succeeded:,} of {tried:,} sensitive cells are told by their group to somebody who can "
            f"rule out {values} of the person.",
            facts={"exclude": target.exclude, "columns": columns},
        )


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
