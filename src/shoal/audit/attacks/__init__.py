"""Attacks on a release. Each knows the released cells, what an attacker may know besides, and no search."""

from __future__ import annotations

from shoal.audit.attacks._base import AttackResult, Criterion

__all__ = ["AttackResult", "Criterion"]
