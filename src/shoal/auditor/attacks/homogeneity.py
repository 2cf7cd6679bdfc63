"""Homogeneity: somebody who finds a person's group and sees one sensitive value in it knows the value.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007; the survey, section 6.
"""

from __future__ import annotations

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks._spread import Learned, Spread, SpreadAttack


class Homogeneity(SpreadAttack):
    """Rows of groups in which a sensitive column has one value."""

    name = "homogeneity"

    def learned(self, by_group: Spread, target: Target) -> Learned:  # noqa: ARG002
        return (by_group.distinct == 1)[by_group.of_entry], {}

    def words(self, target: Target) -> str:  # noqa: ARG002
        return "revealed by their group, which has a single value"
