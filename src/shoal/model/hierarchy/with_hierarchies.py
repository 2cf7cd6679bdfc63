"""Gives every domain of a frequency table a hierarchy: the user's, or one built from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.model.hierarchy.coded_tree import Tree, tree_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import MISSING, SUPPRESSED, Domain
from shoal.model.table.frequency_table import FrequencyTable


def with_hierarchies(
    table: FrequencyTable, attributes: Sequence[Attribute], *, every: bool = True, neighbours: bool = False
) -> FrequencyTable:
    """The table with trees.

    Parameters
    ----------
    table
        The table as counted; it already has the hierarchies that the user gave.
    attributes
        What the policy states about its columns, in the table's order.
    every
        Whether to build one also where the policy states nothing; otherwise only where it states a recipe.
    neighbours
        Whether automatic hierarchies must join only neighbours.
    """
    domains = []
    for column, (domain, attribute) in enumerate(zip(table.domains, attributes, strict=True)):
        recipe = attribute.hierarchy if isinstance(attribute.hierarchy, Recipe) else Recipe()
        if domain.tree is None and (every or recipe is attribute.hierarchy):
            counts = table.margin(column).tolist()
            built = _built(domain, recipe, counts, ordered=domain.is_scale)
            if neighbours and not built.contiguous and recipe is not attribute.hierarchy:
                built = _built(domain, recipe, counts, ordered=True)
            domain = replace(domain, tree=replace(built, by_recipe=recipe is attribute.hierarchy))
        domains.append(domain)
    return replace(table, domains=tuple(domains))


def _built(domain: Domain, recipe: Recipe, counts: Sequence[int], *, ordered: bool) -> Tree:
    size = len(domain) - domain.has_missing
    if size == 0:  # nothing to build on: the missing value, and the top
        return Tree(parts=((0,), (0,)), labels=((None,), (SUPPRESSED,)), leaves=((1,), (1,)))
    rows = _over_missing(recipe.build(domain, counts, ordered=ordered), domain)
    return tree_of(
        rows,
        range(size),
        [row[0] for row in rows],
        missing=domain.has_missing,
        given=False,
    )


def _over_missing(hierarchy: Hierarchy, domain: Domain) -> Sequence[Sequence[str]]:
    """The rows of a hierarchy with a top that is also true of missing cells, if the domain has any."""
    if not domain.has_missing or hierarchy.top == SUPPRESSED:
        return hierarchy.rows
    last = len(domain) - 1
    every = domain.label(0, last) if hierarchy.top == domain.label(0, last - 1) else None
    top = every or f"{hierarchy.top} or {MISSING}"
    return [(*row[: max(1, hierarchy.height)], top) for row in hierarchy.rows]
