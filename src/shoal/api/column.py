"""`shoal.column`: one column with its hierarchy, and the rows of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.api._door import door
from shoal.engines.connection import using
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.cells.respelled import respelled
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.order.arrangement import OrderRule
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.suggestion import suggestion
from shoal.model.table.column import Column
from shoal.model.table.domain import Kind, Value
from shoal.pipeline.placing import placed
from shoal.pipeline.source import source_of


@door
def column(
    source: Any,
    name: str,
    *,
    table: str | None = None,
    type: Kind | None = None,
    format: str | None = None,
    missing: Sequence[str] | None = None,
    bin: int | float | None = None,
    order: Sequence[Value] | OrderRule | None = None,
    hierarchy: HierarchyLike | None = None,
    like: Sequence[str] = (),
    engine: SqlEngine | None = None,
) -> Column:
    """The values of a column with their hierarchy: as given, or built as a search over levels would build it.

    Parameters
    ----------
    source, table
        As of `anonymize`.
    name
        The column.
    type, format, missing, bin, order, hierarchy
        As of a quasi-identifier in `anonymize`.
    like
        The other quasi-identifiers: where the data decides the order of categories, those that are alike in
        them are neighbours.
    engine
        An engine with other limits than the default.

    Examples
    --------
    >>> column = shoal.column("stays.csv", "age", type="number")
    >>> column.hierarchy.height
    """
    policy = policy_of(
        quasi_identifiers=[name, *like],
        k=1,
        types={} if type is None else {name: type},
        formats={} if format is None else {name: format},
        missing=None if missing is None else {name: missing},
        bins={} if bin is None else {name: bin},
        orders={} if order is None else {name: order},
        hierarchies={} if hierarchy is None else {name: hierarchy},
    )
    first, *others = policy.attributes
    return column_of(source_of(source, table, None), first, like=others, engine=engine)


def column_of(
    source: Any, attribute: Attribute, *, like: Sequence[Attribute] = (), engine: SqlEngine | None = None
) -> Column:
    """The column that an attribute of a policy describes.

    Parameters
    ----------
    source
        A path, a data frame or a `TableSource`.
    attribute
        The settings of the column.
    like
        The settings of the other quasi-identifiers.
    engine
        An engine with other limits than the default.
    """
    recipe = attribute.hierarchy if isinstance(attribute.hierarchy, Recipe) else Recipe()
    with using(engine, source) as opened:
        table, policy = placed(opened, opened.open(source), Policy(attributes=(attribute, *like), k=1))
        attribute, *like = policy.quasi_identifiers
        stated = attribute.given_hierarchy()
        for name in (attribute.name, *(each.name for each in like)):
            if name not in table.columns:
                raise PolicyError(f"the table has no column {name!r}.{suggestion(name, table.columns)}")
        # The others are counted only where the order depends on them; too many rows may stay in the engine.
        counted = opened.count(table, [attribute]).frequencies
        arrangement = counted.domains[0].arrangement
        if like and arrangement is not None and arrangement.how == "data":
            counted = opened.count(table, [attribute, *like], remote=True).frequencies
        domain, counts = counted.domains[0], counted.margin(0)
    known = len(domain) - domain.has_missing
    if stated is not None and domain.reading is not None:
        stated = respelled(stated, domain.reading.form)
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
