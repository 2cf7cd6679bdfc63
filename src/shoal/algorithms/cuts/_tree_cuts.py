"""Cuts that obey hierarchies: nodes where a column has a hierarchy, any intervals where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.cells._labels import why_ambiguous
from shoal.algorithms.cuts._cuts import CutSearch
from shoal.cost import CellMetric
from shoal.errors import InternalError
from shoal.model.recoding.mixed_recoding import MixedRecoding
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding, Recoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding, nodes_of_intervals
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable


class TreeCutSearch(CutSearch):
    """A search of the core over cuts that obey hierarchies."""

    joins_neighbours = True

    def supports(self, problem: Problem) -> str | None:
        return why_not_cut(problem) or super().supports(problem)

    def shape(self, table: FrequencyTable) -> dict[str, Any]:
        return {
            "levels": [
                [] if domain.tree is None else [list(parts) for parts in domain.tree.parts]
                for domain in table.domains
            ]
        }

    def interval_units(self, metric: CellMetric, table: FrequencyTable, attribute: int) -> NDArray[np.int64]:
        domain = table.domains[attribute]
        if domain.tree is None:
            return super().interval_units(metric, table, attribute)
        intervals = nodes_of_intervals(domain)
        every = SubtreeRecoding(tuple(tuple(intervals.values()) for _ in table.domains))
        units = np.zeros((len(domain), len(domain)), np.int64)
        for interval, loss in zip(intervals, metric.cell_units(table, every, attribute), strict=True):
            units[interval] = loss
        return units

    def cuts_of(self, table: FrequencyTable, recoding: Recoding) -> list[list[int]]:
        if not isinstance(recoding, DomainRecoding):
            raise InternalError(f"{self.name!r} begins with cuts, not with a {type(recoding).__name__}")
        return [
            (np.flatnonzero(np.diff(recoding.parts(attribute, domain))) + 1).tolist()
            for attribute, domain in enumerate(table.domains)
        ]

    def recoding(self, table: FrequencyTable, cuts: CutRecoding) -> Recoding:
        return recoding_by(table, cuts.cuts)


def why_not_cut(problem: Problem) -> str | None:
    """Why the domains cannot be cut along their hierarchies, as the end of a sentence; `None` if they can."""
    for domain in problem.table.domains:
        if domain.tree is not None and not domain.tree.contiguous:
            if domain.tree.given:
                advice = "leave out the order, or change one of them"
            else:
                advice = "give the column an order in which they are, or change its recipe"
            return (
                f"the values below a label of the hierarchy of '{domain.name}' are not neighbours in the "
                f"column's order; {advice}"
            )
    if problem.levels:
        return "it goes to any depth of a hierarchy, so min_level and max_level do not apply; use 'lattice'"
    return why_ambiguous(problem.table.domains, by_row=False)


def recoding_by(table: FrequencyTable, cuts: Sequence[Sequence[int]]) -> Recoding:
    """The recoding that cuts describe: by nodes where there is a hierarchy, by intervals elsewhere."""
    columns = [_column(domain, tuple(own)) for domain, own in zip(table.domains, cuts, strict=True)]
    nodes = [column.nodes[0] for column in columns if isinstance(column, SubtreeRecoding)]
    if len(nodes) == len(columns):
        return SubtreeRecoding(tuple(nodes))
    if not nodes:
        return CutRecoding(tuple(tuple(own) for own in cuts))
    return MixedRecoding(tuple(columns))


def _column(domain: Domain, cuts: tuple[int, ...]) -> CutRecoding | SubtreeRecoding:
    by_cuts = CutRecoding((cuts,))
    if domain.tree is None:
        return by_cuts
    of_interval = nodes_of_intervals(domain)
    return SubtreeRecoding((tuple(of_interval[interval] for interval in by_cuts.intervals(0, domain)),))
