"""Skewness: a value that is far more frequent in a group than in the whole table reveals something.

Only rows whose own value rises count. Counting all rows of a group with some rising value would not help: a
value of one row in a thousand rises in every group that has it, and most groups have some rare value.

Paper: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks._spread import Learned, Spread, SpreadAttack


class Skewness(SpreadAttack):
    """Rows whose sensitive value is believed more than a factor above its share in the whole table."""

    name = "skewness"

    def learned(self, by_group: Spread, target: Target) -> Learned:
        overall = by_group.overall[by_group.values]
        # The distance of t-closeness, with equal distances, is the excess of values; only those that
        # occur in a group can have that.
        distance = np.bincount(by_group.of_entry, np.maximum(by_group.shares - overall, 0), by_group.groups)
        facts = {
            "highest_rise": float((by_group.shares / overall)[by_group.visible].max(initial=0)),
            "greatest_distance": float(distance.max(initial=0)),
            "average_distance": float((distance * by_group.rows).sum() / max(1, by_group.rows.sum())),
        }
        # A share that is exactly the factor apart does not exceed it, whatever floats say.
        return np.asarray(by_group.shares > target.rise * overall + 1e-9), facts

    def words(self, target: Target) -> str:
        return f"more than {target.rise:g} times as frequent in their group as in the whole table"

    def stated(self, target: Target) -> Mapping[str, object]:
        return {"rise": target.rise}
