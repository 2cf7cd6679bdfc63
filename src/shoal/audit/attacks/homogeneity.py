"""Homogeneity: who finds the group of a person and sees one sensitive value in it knows the value.

Paper: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, TKDD 1(1), 2007; the survey, section 6.
"""

from __future__ import annotations

from shoal.audit.attacks._base import Attack, AttackResult, Target
from shoal.audit.attacks._spread import spread


class Homogeneity(Attack):
    """Rows of groups in which a sensitive column has one value."""

    name = "homogeneity"
    criterion = "inference"
    needs = ("sensitive",)

    def run(self, target: Target) -> AttackResult:
        tried = succeeded = 0
        columns: dict[str, object] = {}
        for name in target.sensitive:
            found = spread(target, name)
            alone = (found.distinct == 1) & (found.rows > 0)
            rows = int(found.rows[alone].sum())
            columns[name] = {"rows": rows, "groups": int(alone.sum()), "of_groups": found.groups}
            tried += int(found.counts[found.told].sum())
            succeeded += rows
        return self.result(
            target,
            tried=tried,
            succeeded=succeeded,
            words=f"{succeeded:,} of {tried:,} sensitive cells are told by their group: it has one value.",
            facts={"columns": columns},
        )
