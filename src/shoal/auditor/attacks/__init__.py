"""Attacks on a release. Each knows the released cells and what else an attacker may know, but no search.

A new attack is a file, a line in `ATTACKS` (every.py) and a paragraph in docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.auditor.attacks._base import Attack, AttackPart, AttackResult, Criterion, OtherTable, Target

if TYPE_CHECKING:
    from shoal.auditor.attacks.every import ATTACKS

__all__ = ["ATTACKS", "Attack", "AttackPart", "AttackResult", "Criterion", "OtherTable", "Target"]


def __getattr__(name: str) -> Any:
    """All attacks are imported when somebody asks for them: a release needs one."""
    if name != "ATTACKS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from shoal.auditor.attacks.every import ATTACKS

    return ATTACKS
