"""What released values cost one row, as the core counts them: nodes of hierarchies, intervals and sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from shoal import _core
from shoal.cost import CellMetric
from shoal.cost.general_loss import GeneralLoss
from shoal.cost.ncp import Ncp
from shoal.errors import PolicyError
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.parameter import parameter
from shoal.model.recoding.local_recoding import LocalRecoding, Node, Vocabulary
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.frequency_table import FrequencyTable

Values = Literal["given", "hierarchy", "sets"]
"""What rows may be released as."""

VALUES_WORDS = parameter(
    "What cells are released as",
    choices={
        "given": "labels of the hierarchies that are given; other columns as intervals and sets",
        "hierarchy": "labels of the hierarchies; those that are not given are built",
        "sets": "intervals and sets of values",
    },
)

SPAN_METRICS = (Ncp, GeneralLoss)
"""Metrics that give an interval or a set a price."""


def check_values(values: object) -> None:
    """Raise `PolicyError` unless it is one of `Values`."""
    if values not in get_args(Values):
        raise PolicyError(
            f"[search]: values is one of {', '.join(map(repr, get_args(Values)))}; it is {values!r}"
        )


def by_node(domain: Domain, values: str) -> bool:
    """Whether a column is released as labels of its hierarchy; otherwise as intervals or sets."""
    if values == "given":
        return domain.tree is not None and domain.tree.stated
    return values == "hierarchy" and domain.tree is not None


def vocabulary(domains: Sequence[Domain], values: str) -> list[Vocabulary]:
    """Per column what its values may be released as."""
    return ["nodes" if by_node(domain, values) else "spans" for domain in domains]


def span_prices(
    metric: CellMetric, table: FrequencyTable, words: Sequence[Vocabulary]
) -> list[_core.LocalSpan | None]:
    """Per column what its intervals or sets cost; `None` where it is released as nodes."""
    return [span_price(metric, table, a) if own == "spans" else None for a, own in enumerate(words)]


def node_price(metric: CellMetric, table: FrequencyTable) -> _core.Price:
    """What a cell costs on each level, released row by row."""
    units = node_units(metric, table)
    return _core.Price("cells", suppressed_row=metric.row_units(table), fixed=[], units=units)


def node_units(metric: CellMetric, table: FrequencyTable) -> list[list[list[int]]]:
    """Per attribute, level and part what a cell costs: a top that reads `*` is a suppressed cell."""
    nodes: list[tuple[Node | None, ...]] = []
    for domain in table.domains:
        tree = domain.hierarchy
        least = [tree.steps(level) for level in range(tree.height + 1)]
        firsts = [[codes[0] for codes in tree.members(level)] for level in range(tree.height + 1)]
        # A node with the same label as one on a lower level counts as that one, as in a recoding.
        nodes.append(
            tuple(
                None
                if level == tree.height and tree.labels[level] == (SUPPRESSED,)
                else (least[level][part], tree.parts[least[level][part]][firsts[level][part]])
                for level in range(tree.height + 1)
                for part in range(len(tree.labels[level]))
            )
        )
    recoding = LocalRecoding(values=np.zeros((0, len(nodes)), np.int32), nodes=tuple(nodes))
    units = []
    for attribute, domain in enumerate(table.domains):
        flat = iter(metric.cell_units(table, recoding, attribute))
        units.append([[next(flat) for _ in labels] for labels in domain.hierarchy.labels])
    return units


def node_names(tree: Tree) -> list[list[int]]:
    """Per level and part a number, equal where a release prints the same."""
    numbers: dict[tuple[int, int], int] = {}
    named = []
    for level in range(tree.height + 1):
        least = zip(tree.steps(level), (codes[0] for codes in tree.members(level)), strict=True)
        named.append([numbers.setdefault((at, tree.parts[at][code]), len(numbers)) for at, code in least])
    return named


def span_price(metric: CellMetric, table: FrequencyTable, attribute: int) -> _core.LocalSpan:
    """What intervals or sets of an attribute cost."""
    assert isinstance(metric, SPAN_METRICS)
    domain = table.domains[attribute]
    units, weight = metric.units(table), metric.whole_weights(table)[attribute]

    def price(loss: Fraction) -> int:
        return math.floor(loss * units) * weight

    size, known = len(domain), len(domain) - domain.has_missing
    if domain.kind == "category":
        counts = [0, *(price(domain.span_share(range(count))) for count in range(1, size + 1))]
        return _core.LocalSpan(
            ordered=False, position=[], of_count=counts, missing=-1, with_missing=0, missing_is_all=False
        )
    position = [price(_loss(metric, domain, range(last + 1))) for last in range(known)]
    joined, with_missing, whole = domain.has_missing and known > 0, 0, False
    if joined:
        # With the missing value some metrics count everything as lost, others count it as one more value.
        both = [price(_loss(metric, domain, (*range(last + 1), known))) for last in (0, known - 1)]
        whole = known > 1 and both[0] == both[1]
        with_missing = both[0]
    return _core.LocalSpan(
        ordered=True,
        position=position,
        of_count=[],
        missing=known if domain.has_missing else -1,
        with_missing=with_missing,
        missing_is_all=whole,
    )


def _loss(metric: CellMetric, domain: Domain, codes: range | tuple[int, ...]) -> Fraction:
    return domain.span_share(codes) if isinstance(metric, Ncp) else domain.span_loss(codes)


def is_exact(metric: CellMetric, table: FrequencyTable) -> bool:
    """Whether no loss was rounded to the core's units, so that its sums are the metric's."""
    assert isinstance(metric, SPAN_METRICS)
    units = metric.units(table)
    return all(
        (loss * units).denominator == 1
        for attribute in range(len(table.domains))
        for loss in metric.possible_losses(table, attribute)
    )
