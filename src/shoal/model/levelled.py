"""Gives every domain of a frequency table a hierarchy: the user's, or one built from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.model.attribute import Attribute
from shoal.model.coded_tree import Tree, tree_of
from shoal.model.domain import SUPPRESSED, Domain
from shoal.model.frequency import FrequencyTable
from shoal.model.recipe import Recipe


def levelled(table: FrequencyTable, attributes: Sequence[Attribute], *, every: bool = True) -> FrequencyTable:
    """The table with trees.

    Parameters
    ----------
    table
        The table as it was counted: hierarchies that the user gave are there.
    attributes
        What the policy says of its columns, in the table's order.
    every
        Whether to build one also where the policy says nothing; else only where it states a recipe.
    """
    domains = []
    for column, (domain, attribute) in enumerate(zip(table.domains, attributes, strict=True)):
        recipe = attribute.hierarchy if isinstance(attribute.hierarchy, Recipe) else Recipe()
        if domain.tree is None and (every or recipe is attribute.hierarchy):
            counts = np.bincount(table.codes[:, column], table.counts, len(domain))
            built = _built(
                domain, recipe, counts.astype(np.int64).tolist(), ordered=attribute.order is not None
            )
            domain = replace(domain, tree=built)
        domains.append(domain)
    return replace(table, domains=tuple(domains))


def _built(domain: Domain, recipe: Recipe, counts: Sequence[int], *, ordered: bool) -> Tree:
    known = len(domain) - domain.has_missing
    if known == 0:  # nothing to build on: the missing value, and the top
        return Tree(parts=((0,), (0,)), labels=((None,), (SUPPRESSED,)), leaves=((1,), (1,)))
    hierarchy = recipe.build(domain, counts, ordered=ordered)
    return tree_of(
        hierarchy.rows,
        range(known),
        [row[0] for row in hierarchy.rows],
        missing=domain.has_missing,
        given=False,
    )
