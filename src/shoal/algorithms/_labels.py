"""What a problem must be where values are released on mixed levels."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.model.domain import Domain
from shoal.model.problem import Problem


def why_ambiguous(domains: Iterable[Domain]) -> str | None:
    """Why two released nodes could be printed alike, as the end of a sentence; `None` if they cannot."""
    for domain in domains:
        if domain.tree is not None and domain.tree.ambiguous:
            return (
                f"a label of the hierarchy of '{domain.name}' stands for other values on another level, and "
                "on mixed levels nobody could tell them apart; rename it, or use 'lattice'"
            )
    return None


def why_no_population(problem: Problem) -> str | None:
    """Why models that ask for the population cannot be promised, as the end of a sentence."""
    for model in problem.models:
        if model.needs_population:
            return (
                f"{model.name!r} counts the people who are like a released row, and where cells are "
                "generalized row by row one person can be like several of them; use 'lattice'"
            )
    return None
