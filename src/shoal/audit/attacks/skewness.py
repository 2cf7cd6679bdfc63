"""Skewness: a group in which a value is far more frequent than in the whole table tells about its people.

Paper: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.attacks._base import Attack, AttackResult, Target
from shoal.audit.attacks._spread import spread


class Skewness(Attack):
    """Rows of groups in which the belief in some sensitive value rises by more than a factor."""

    name = "skewness"
    criterion = "inference"
    needs = ("sensitive",)

    def run(self, target: Target) -> AttackResult:
        tried = succeeded = 0
        columns: dict[str, object] = {}
        for name in target.sensitive:
            found = spread(target, name)
            overall = found.overall[found.values]
            # A share that is exactly the factor apart does not exceed it, whatever floats say.
            risen = found.told & (found.shares > target.rise * overall + 1e-9)
            fallen = found.per_group(risen) > 0
            rows = int(found.counts[found.told & fallen[found.of_entry]].sum())
            own = int(found.counts[risen].sum())
            distance = _distances(found.shares, overall, found.of_entry, found.groups)
            rise = (found.shares / overall)[found.told]
            tried += int(found.counts[found.told].sum())
            succeeded += rows
            columns[name] = {
                "rows": rows,
                "rows_of_risen_values": own,
                "groups": int(fallen.sum()),
                "of_groups": found.groups,
                "highest_rise": float(rise.max(initial=0)),
                "greatest_distance": float(distance.max(initial=0)),
                "average_distance": float((distance * found.rows).sum() / max(1, found.rows.sum())),
            }
        return self.result(
            target,
            tried=tried,
            succeeded=succeeded,
            words=f"{succeeded:,} of {tried:,} sensitive cells are in groups where some value is more than "
            f"{target.rise:g} times as frequent as in the whole table.",
            facts={"rise": target.rise, "columns": columns},
        )


def _distances(shares: np.ndarray, overall: np.ndarray, of_entry: np.ndarray, groups: int) -> np.ndarray:
    """Per group how far its values are from those of all rows, as t-closeness with equal distances has it."""
    # The distance is what values have too much; only values that occur in a group can have that.
    return np.bincount(of_entry, np.maximum(shares - overall, 0), groups)
