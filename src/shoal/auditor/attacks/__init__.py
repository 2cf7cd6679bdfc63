"""Attacks on a release. Each knows the released cells and what else an attacker may know, but no search.

A new attack is a file, a line in `ATTACKS` and a paragraph in docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from shoal.auditor.attacks._base import Attack, AttackPart, AttackResult, Criterion, OtherTable, Target
from shoal.auditor.attacks.association_cover import AssociationCover
from shoal.auditor.attacks.background_knowledge import BackgroundKnowledge
from shoal.auditor.attacks.complementary import Complementary
from shoal.auditor.attacks.composition import Composition
from shoal.auditor.attacks.downcoding import Downcoding
from shoal.auditor.attacks.history import History
from shoal.auditor.attacks.homogeneity import Homogeneity
from shoal.auditor.attacks.linkage import Linkage
from shoal.auditor.attacks.minimality import Minimality
from shoal.auditor.attacks.similarity import Similarity
from shoal.auditor.attacks.skewness import Skewness
from shoal.auditor.attacks.unsorted import Unsorted

ATTACKS: dict[str, type[Attack]] = {
    "linkage": Linkage,
    "history": History,
    "homogeneity": Homogeneity,
    "background-knowledge": BackgroundKnowledge,
    "skewness": Skewness,
    "similarity": Similarity,
    "minimality": Minimality,
    "composition": Composition,
    "complementary": Complementary,
    "unsorted": Unsorted,
    "association-cover": AssociationCover,
    "downcoding": Downcoding,
}
"""Every attack by its name, in the order in which they run and are reported."""

__all__ = ["ATTACKS", "Attack", "AttackPart", "AttackResult", "Criterion", "OtherTable", "Target"]
