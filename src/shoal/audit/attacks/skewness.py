"""Skewness: a group in which a value is far more frequent than in the whole table tells about its people.

Rows count whose own value rises. To count all rows of a group in which some value does would be no measure: a
value of one row in a thousand rises in every group that has it, and most groups have some rare value.

Paper: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.attacks._base import Attack, AttackResult, Target
from shoal.audit.attacks._spread import spread


class Skewness(Attack):
    """Rows whose sensitive value is believed more than a factor above its share in the whole table."""

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
            rows = int(found.counts[risen].sum())
            fallen = found.per_group(risen) > 0
            distance = _distances(found.shares, overall, found.of_entry, found.groups)
            rise = (found.shares / overall)[found.told]
            tried += int(found.counts[found.told].sum())
            succeeded += rows
            columns[name] = {
                "rows": rows,
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
            words=f"{succeeded:,} of {tried:,} sensitive cells are more than {target.rise:g} times as "
            "frequent in their group as in the whole table.",
            facts={"rise": target.rise, "columns": columns},
        )


def _distances(shares: np.ndarray, overall: np.ndarray, of_entry: np.ndarray, groups: int) -> np.ndarray:
    """Per group how far its values are from those of all rows, as t-closeness with equal distances has it."""
    # The distance is what values have too much; only values that occur in a group can have that.
    return np.bincount(of_entry, np.maximum(shares - overall, 0), groups)
