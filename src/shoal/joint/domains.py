"""Domains that come from the policy alone: every leaf of a hierarchy is a value, seen or not.

Costs are as in a run on one table: with a hierarchy that is given, the loss of a label counts leaves, whether
rows have them or not. Units of the price may be finer than there, by the same factor everywhere, because
they also fit values that nobody has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.cost import CostMetric, LevelPrice
from shoal.errors import InternalError
from shoal.joint.policy import JointPolicy
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.pose import weighted_cost


def domains_of(policy: JointPolicy) -> tuple[Domain, ...]:
    """Per quasi-identifier its domain; a code is the place of a leaf in the hierarchy's file."""
    return tuple(
        _domain(attribute.name, hierarchy)
        for attribute, hierarchy in zip(policy.policy.quasi_identifiers, policy.hierarchies, strict=True)
    )


def _domain(name: str, hierarchy: Hierarchy) -> Domain:
    # The empty leaf is the missing value.
    values = tuple(leaf or None for leaf in hierarchy.leaves)
    tree = tree_of(hierarchy.rows, range(len(values)), values, missing=False)
    return Domain(name=name, kind="category", values=values, tree=tree)


def price_of(policy: JointPolicy, domains: Sequence[Domain], rows: int) -> tuple[LevelPrice, CostMetric]:
    """The price of a table of so many rows, and its metric; the fixed prices are yet to be summed."""
    cost = weighted_cost(policy.policy)
    # Units depend on the domains and on the number of rows, and on nothing else of the rows.
    table = FrequencyTable(
        domains=tuple(domains),
        codes=np.zeros((1, len(domains)), np.int32),
        counts=np.array([rows], np.int64),
    )
    cost.check(table)
    price = cost.level_price(table)
    if price is None or price.kind != "cells":
        raise InternalError("a cost that is no sum over cells is priced by masked sums")
    return price, cost
