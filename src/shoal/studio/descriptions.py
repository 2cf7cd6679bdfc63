"""Words for the names that a policy can have. Each entry has its own; these functions look them up."""

from __future__ import annotations

from shoal import algorithms, cost, privacy
from shoal.privacy import Description


def model_words(name: object) -> Description | None:
    """A privacy model; `None` if there is none of this name."""
    return privacy.MODELS[name].description if isinstance(name, str) and name in privacy.MODELS else None


def cost_words(name: object) -> Description | None:
    """A cost; `None` if there is none of this name."""
    return cost.METRICS[name].description if isinstance(name, str) and name in cost.METRICS else None


def algorithm_words(name: object) -> Description | None:
    """An algorithm; `None` if there is none of this name."""
    known = isinstance(name, str) and name in algorithms.ALGORITHMS
    return algorithms.ALGORITHMS[str(name)].description if known else None


def title(words: Description | None, name: str) -> str:
    """What people call something; its name if it has no words."""
    return name if words is None else words.title
