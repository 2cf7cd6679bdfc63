"""`shoal.column`: one column with its hierarchy, and the rows of each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.api._door import door
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.suggestion import suggestion
from shoal.model.table.column import Column
from shoal.model.table.domain import Kind, Value
from shoal.pipeline.source import source_of


@door
def column(
    source: Any,
    name: str,
    *,
    table: str | None = None,
    type: Kind | None = None,
    bin: int | float | None = None,
    order: Sequence[Value] | None = None,
    hierarchy: HierarchyLike | None = None,
    engine: SqlEngine | None = None,
) -> Column:
    """The values of a column with their hierarchy: as given, or built as a search over levels would build it.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    name
        The column.
    type, bin, order, hierarchy
        As of a quasi-identifier in `anonymize`.
    engine
        An engine with other limits than the default.
    """
    policy = policy_of(
        quasi_identifiers=[name],
        k=1,
        types={} if type is None else {name: type},
        bins={} if bin is None else {name: bin},
        orders={} if order is None else {name: order},
        hierarchies={} if hierarchy is None else {name: hierarchy},
    )
    return column_of(source_of(source, table, None), policy.attributes[0], engine=engine)


def column_of(source: Any, attribute: Attribute, *, engine: SqlEngine | None = None) -> Column:
    """The column that an attribute of a policy describes.

    Parameters
    ----------
    source
        A path, a data frame or a `TableSource`.
    attribute
        The settings of the column.
    engine
        An engine with other limits than the default.
    """
    stated = attribute.given_hierarchy()
    recipe = attribute.hierarchy if isinstance(attribute.hierarchy, Recipe) else Recipe()
    plain = attribute if stated is not None else replace(attribute, hierarchy=None)
    with using(engine, source) as opened:
        table = opened.open(source)
        if attribute.name not in table.columns:
            raise PolicyError(
                f"the table has no column {attribute.name!r}.{suggestion(attribute.name, table.columns)}"
            )
        counted = opened.count(table, [plain]).frequencies
    domain = counted.domains[0]
    counts = np.zeros(len(domain), np.int64)
    np.add.at(counts, counted.codes[:, 0], counted.counts)
    known = len(domain) - domain.has_missing
    if stated is None:
        stated = recipe.build(domain, counts.tolist(), ordered=domain.is_scale)
    return Column(
        name=attribute.name,
        kind=domain.kind,
        values=tuple(domain.label(code, code) or "" for code in range(known)),
        counts=tuple(counts[:known].tolist()),
        missing=int(counts[known:].sum()),
        hierarchy=stated,
        domain=domain,
        ordered=domain.is_scale,
    )
