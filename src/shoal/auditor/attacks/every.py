"""Every attack by its name."""

from __future__ import annotations

from shoal.auditor.attacks._base import Attack
from shoal.auditor.attacks.association_cover import AssociationCover
from shoal.auditor.attacks.background_knowledge import BackgroundKnowledge
from shoal.auditor.attacks.complementary import Complementary
from shoal.auditor.attacks.composition import Composition
from shoal.auditor.attacks.downcoding import Downcoding
from shoal.auditor.attacks.history import History
from shoal.auditor.attacks.homogeneity import Homogeneity
from shoal.auditor.attacks.linkage import Linkage
from shoal.auditor.attacks.minimality import Minimality
from shoal.auditor.attacks.senders import Senders
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
    "senders": Senders,
}
"""Every attack by its name, in the order in which they run and are reported."""
