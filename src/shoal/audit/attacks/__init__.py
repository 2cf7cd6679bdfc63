"""Attacks on a release. Each knows the released cells, what an attacker may know besides, and no search.

A new attack is a file, a line in `ATTACKS` and a paragraph in docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from shoal.audit.attacks._base import Attack, AttackResult, Criterion, OtherTable, Target
from shoal.audit.attacks.homogeneity import Homogeneity

ATTACKS: dict[str, type[Attack]] = {
    "homogeneity": Homogeneity,
}
"""Every attack by its name, in the order in which they are run and told."""

__all__ = ["ATTACKS", "Attack", "AttackResult", "Criterion", "OtherTable", "Target"]
