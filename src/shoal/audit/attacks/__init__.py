"""Attacks on a release. Each knows the released cells, what an attacker may know besides, and no search.

A new attack is a file, a line in `ATTACKS` and a paragraph in docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from shoal.audit.attacks._base import Attack, AttackResult, Criterion, OtherTable, Target
from shoal.audit.attacks.association_cover import AssociationCover
from shoal.audit.attacks.background_knowledge import BackgroundKnowledge
from shoal.audit.attacks.complementary import Complementary
from shoal.audit.attacks.composition import Composition
from shoal.audit.attacks.downcoding import Downcoding
from shoal.audit.attacks.homogeneity import Homogeneity
from shoal.audit.attacks.linkage import Linkage
from shoal.audit.attacks.minimality import Minimality
from shoal.audit.attacks.similarity import Similarity
from shoal.audit.attacks.skewness import Skewness
from shoal.audit.attacks.unsorted import Unsorted

ATTACKS: dict[str, type[Attack]] = {
    "linkage": Linkage,
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
"""Every attack by its name, in the order in which they are run and told."""

__all__ = ["ATTACKS", "Attack", "AttackResult", "Criterion", "OtherTable", "Target"]
