"""Optimal cuts through hierarchies: between levels and free cuts.

Every released value is a node of its hierarchy, neighbours at different depths. The search is that of
`exact` with nodes that are opened in place of cuts.

Paper: the hierarchy-restricted variation of Bayardo and Agrawal, ICDE 2005, section 4, which they do not
search. Proofs and measurements: docs/algorithms/subtree.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal import _core
from shoal.algorithms._cuts import METRICS_OF_CUTS, CutSearch
from shoal.algorithms._labels import why_ambiguous
from shoal.cost import CellMetric, Precision
from shoal.model.budget import Budget
from shoal.model.frequency import FrequencyTable
from shoal.model.problem import Problem
from shoal.model.recoding import CutRecoding, Recoding
from shoal.model.result import Status
from shoal.model.subtree_recoding import SubtreeRecoding, nodes_of_intervals


@dataclass(frozen=True, kw_only=True)
class Subtree(CutSearch):
    """Optimal nodes by best-first search with one hierarchy solved by dynamic programming."""

    name = "subtree"
    guarantee = Status.OPTIMAL
    needs_hierarchies = True
    joins_neighbours = True
    kernel = staticmethod(_core.subtree)
    metrics = (*METRICS_OF_CUTS, Precision.name)

    def climbs(self, problem: Problem, budget: Budget) -> int:  # noqa: ARG002
        """Few starts: the search needs no good incumbent, and a climb prices its neighbours from scratch."""
        return max(1, min(4, 100_000 // len(problem.table.counts)))

    def supports(self, problem: Problem) -> str | None:
        for domain in problem.table.domains:
            if not domain.hierarchy.contiguous:
                if domain.hierarchy.given:
                    advice = "leave out the order, or change one of them"
                else:
                    advice = "give the column an order in which they are, or change its recipe"
                return (
                    f"the values below a label of the hierarchy of '{domain.name}' are no neighbours in the "
                    f"column's order; {advice}"
                )
        if problem.levels:
            return (
                "it goes to any depth of a hierarchy, so min_level and max_level do not apply; use 'lattice'"
            )
        return why_ambiguous(problem.table.domains) or super().supports(problem)

    def shape(self, table: FrequencyTable) -> dict[str, Any]:
        return {"levels": [[list(parts) for parts in domain.hierarchy.parts] for domain in table.domains]}

    def interval_units(self, metric: CellMetric, table: FrequencyTable, attribute: int) -> list[int]:
        domain = table.domains[attribute]
        intervals = nodes_of_intervals(domain)
        every = SubtreeRecoding(tuple(tuple(intervals.values()) for _ in table.domains))
        units = [0] * len(domain) ** 2
        for (first, last), loss in zip(intervals, metric.cell_units(table, every, attribute), strict=True):
            units[first * len(domain) + last] = loss
        return units

    def cuts_of(self, table: FrequencyTable, recoding: Recoding) -> list[list[int]]:
        if not isinstance(recoding, SubtreeRecoding):
            return super().cuts_of(table, recoding)
        return [
            (np.flatnonzero(np.diff(recoding.parts(attribute, domain))) + 1).tolist()
            for attribute, domain in enumerate(table.domains)
        ]

    def recoding(self, table: FrequencyTable, cuts: CutRecoding) -> Recoding:
        nodes = []
        for attribute, domain in enumerate(table.domains):
            of_interval = nodes_of_intervals(domain)
            nodes.append(tuple(of_interval[interval] for interval in cuts.intervals(attribute, domain)))
        return SubtreeRecoding(tuple(nodes))
