"""Skewness: a group in which a value is far more frequent than in the whole table tells about its people.

Rows count whose own value rises. To count all rows of a group in which some value does would be no measure: a
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

    def learned(self, found: Spread, target: Target) -> Learned:
        overall = found.overall[found.values]
        # The distance of t-closeness, with equal distances, is what values have too much; only those that
        # occur in a group can have that.
        distance = np.bincount(found.of_entry, np.maximum(found.shares - overall, 0), found.groups)
        facts = {
            "highest_rise": float((found.shares / overall)[found.told].max(initial=0)),
            "greatest_distance": float(distance.max(initial=0)),
            "average_distance": float((distance * found.rows).sum() / max(1, found.rows.sum())),
        }
        # A share that is exactly the factor apart does not exceed it, whatever floats say.
        return np.asarray(found.shares > target.rise * overall + 1e-9), facts

    def words(self, target: Target) -> str:
        return f"more than {target.rise:g} times as frequent in their group as in the whole table"

    def stated(self, target: Target) -> Mapping[str, object]:
        return {"rise": target.rise}
