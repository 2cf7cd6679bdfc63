"""Which problems can release values on mixed levels."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.result.problem import Problem
from shoal.model.table.domain import SUPPRESSED, Domain


def why_ambiguous(domains: Iterable[Domain], *, by_row: bool) -> str | None:
    """Why two released nodes could be printed alike, as the end of a sentence; `None` if they cannot.

    Parameters
    ----------
    domains
        The domains whose values are released as nodes.
    by_row
        Whether rows are recoded one by one, so that a node and one above it can be in one release.
    """
    for domain in domains:
        tree = domain.tree
        if tree is not None and (_ambiguous_by_row(tree) if by_row else tree.ambiguous):
            return (
                f"a label of the hierarchy of '{domain.name}' represents other values on another level, and "
                "on mixed levels nobody could distinguish them; rename it, or use 'lattice'"
            )
    return None


def _ambiguous_by_row(tree: Tree) -> bool:
    """Whether one label represents different leaves on two levels, whether or not one is above the other."""
    places: dict[str | None, tuple[tuple[int, ...], int]] = {}
    return any(
        places.setdefault(label, (codes, below)) != (codes, below)
        for level, labels in enumerate(tree.labels)
        for label, codes, below in zip(labels, tree.members(level), tree.leaves[level], strict=True)
        if label != SUPPRESSED  # on every level it is read as a suppressed cell
    )


def why_no_population(problem: Problem) -> str | None:
    """Why models that need the population cannot be promised, as the end of a sentence."""
    for model in problem.models:
        if model.needs_population:
            return (
                f"{model.name!r} counts the people who match a released row, and where cells are "
                "generalized row by row one person can match several of them; use 'lattice'"
            )
    return None
