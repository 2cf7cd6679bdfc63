"""Incognito: all k-anonymous nodes, subset by subset of the attributes.

A table that is k-anonymous on some attributes is so on each subset of them; so it is for every privacy model
that survives the joining of groups, and `supports` refuses the others. Iteration i therefore examines only
those nodes over i attributes all of whose parts over i - 1 attributes passed, from the bottom up, and what
is above a node that passes is never examined. The projection on a subset is the node with the other
attributes on top, so its groups are rolled up like any others.

Paper: LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005; the survey, section 4.3.
Deviations: docs/algorithms/incognito.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.algorithms.levels._lattice import Lattice, Levels, NodeSearch, recodings
from shoal.model.description import Description
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS

Subset = tuple[int, ...]
"""Attributes by their numbers, increasing."""

MOST_COLUMNS = 16
"""With more of them the subsets of half of them do not fit memory."""


@dataclass(frozen=True, kw_only=True)
class Incognito(NodeSearch):
    """Optimal levels among all that are k-anonymous, which are found by their subsets."""

    name = "incognito"
    description = Description(
        title="Incognito",
        short="All admissible levels, and the best of them",
        meaning="Finds every choice of levels that is private enough, and takes the cheapest.",
        when="When you want to see them all.",
    )
    searches = LEVELS
    guarantee = Status.OPTIMAL
    looks_at_nodes = True

    def supports(self, problem: Problem) -> str | None:
        columns = len(problem.table.domains)
        if columns > MOST_COLUMNS:
            return (
                f"it goes through all subsets of at most {MOST_COLUMNS} quasi-identifiers, and there are "
                f"{columns}; use 'lattice'"
            )
        return super().supports(problem)

    def search(self, lattice: Lattice, threads: int) -> Result:  # noqa: ARG002
        anonymous: set[Levels] = set()
        for passed in iterations(lattice):
            anonymous = passed.get(tuple(range(len(lattice.heights))), set())
        # Not only the minimal ones: where rows are suppressed, a node above them can cost less.
        for levels in sorted(anonymous):
            lattice.node(levels)  # those that were marked have not been examined yet
            lattice.offer(levels)
        return lattice.result(
            self.name,
            Status.OPTIMAL,
            lattice.incumbent,
            lattice.watch.seconds,
            alternatives=recodings(minimal(anonymous)),
        )


def anonymous_nodes(problem: Problem) -> set[Levels]:
    """All nodes that are admissible, of a problem that rises."""
    *_, last = iterations(Lattice(problem))
    return last[tuple(range(len(problem.table.domains)))]


def minimal(nodes: set[Levels]) -> set[Levels]:
    """The anonymous nodes that do not generalize another one."""
    return {
        levels
        for levels in nodes
        if not any(
            (*levels[:attribute], level - 1, *levels[attribute + 1 :]) in nodes
            for attribute, level in enumerate(levels)
        )
    }


def iterations(lattice: Lattice) -> Iterator[dict[Subset, set[Levels]]]:
    """Per iteration and subset the nodes over it that are anonymous."""
    attributes = range(len(lattice.heights))
    passed: dict[Subset, set[Levels]] = {(): {()}}
    for size in range(1, len(attributes) + 1):
        passed = {
            subset: anonymous_on(lattice, subset, candidates(lattice, subset, passed))
            for subset in itertools.combinations(attributes, size)
        }
        yield passed


def candidates(lattice: Lattice, subset: Subset, passed: dict[Subset, set[Levels]]) -> set[Levels]:
    """Nodes over a subset all of whose parts passed."""
    lattice.watch.look(0)  # the budget may have ended
    *first, last = subset
    joined = itertools.product(passed[tuple(first)], range(lattice.low[last], lattice.high[last] + 1))
    return {
        node
        for node in ((*levels, level) for levels, level in joined)
        if all(_without(node, place) in passed[_without(subset, place)] for place in range(len(subset)))
    }


def anonymous_on(lattice: Lattice, subset: Subset, nodes: set[Levels]) -> set[Levels]:
    """Those of some nodes over a subset that are anonymous, by breadth first from the bottom."""
    anonymous: set[Levels] = set()
    for node in sorted(nodes, key=lambda levels: (sum(levels), levels)):
        if node in anonymous or lattice.admits(_on_top(lattice, subset, node)):
            anonymous.add(node)
            # They are candidates themselves: each of their parts is above one that passed.
            anonymous.update(_above(lattice, subset, node))
    return anonymous


def _on_top(lattice: Lattice, subset: Subset, node: Levels) -> Levels:
    """The node of the whole lattice that matches a node over a subset: the others reveal nothing."""
    # Not `high`: an attribute that is left out need not stay within its allowed levels.
    levels = list(lattice.heights)
    for attribute, level in zip(subset, node, strict=True):
        levels[attribute] = level
    return tuple(levels)


def _above(lattice: Lattice, subset: Subset, node: Levels) -> Iterator[Levels]:
    for place, attribute in enumerate(subset):
        if node[place] < lattice.high[attribute]:
            yield (*node[:place], node[place] + 1, *node[place + 1 :])


def _without(items: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*items[:place], *items[place + 1 :])


__all__ = ["Incognito", "anonymous_nodes", "iterations", "minimal"]
