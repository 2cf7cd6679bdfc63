"""Points become cells and times become slots, before anything is counted.

The table that is counted, searched, written and audited has one column of finest cells in place of two of
coordinates, and the policy a hierarchy over them, as if both had been given so: no algorithm and no audit
knows a place from any other category with a hierarchy. Coordinates are not in that table, so they cannot be
released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.row_places import rows_named
from shoal.errors import PolicyError
from shoal.location.cell_systems import cells_of
from shoal.location.hierarchies import cell_leaves, slot_leaves
from shoal.location.time_slots import TimeSlots
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.place import MINUTES, SLOTS_OF_DAY, SLOTS_OF_MOMENTS
from shoal.model.policy.policy import Policy
from shoal.model.suggestion import suggestion
from shoal.model.table.new_cells import NewCells


def placed(engine: SqlEngine, table: Any, policy: Policy) -> tuple[Any, Policy]:
    """The table with cells and slots in place of points and times, and the policy with their hierarchies.

    Parameters
    ----------
    engine, table
        The source.
    policy
        What is requested; it names points or times, or nothing changes.
    """
    if not policy.unmade:
        return table, policy
    table = engine.open(table)
    _check(engine, table, policy)
    new: dict[str, NewCells] = {}
    hierarchies: dict[str, Hierarchy] = {}
    for each in policy.made:
        made = _cells(engine, table, each) if each.type == "point" else _slots(engine, table, each)
        new[each.name], hierarchies[each.name] = made
    attributes = tuple(
        replace(each, hierarchy=hierarchies[each.name]) if each.name in hierarchies else each
        for each in policy.attributes
    )
    columns = released_columns(table.columns, policy)
    return engine.with_columns(table, new, columns), replace(policy, attributes=attributes)


def released_columns(columns: Sequence[str], policy: Policy) -> list[str]:
    """The columns of a table once each point is in the place of its first coordinate.

    Parameters
    ----------
    columns
        The columns of the source.
    policy
        The points.
    """
    names: dict[str | None, str] = {}
    for point in policy.points:
        first, second = sorted((point.latitude or "", point.longitude or ""), key=list(columns).index)
        names[first], names[second] = point.name, ""
    return [made for name in columns if (made := names.get(name, name))]


def refuse_made(policy: Policy, what: str) -> None:
    """Raise `PolicyError` if a policy has points or times; for what reads the columns of the source."""
    if policy.unmade:
        made = policy.unmade[0]
        raise PolicyError(
            f"column {made.name!r} is a {made.type}, whose cells or slots are made while "
            f"a table is released, and {what} reads the source as it is; release it with `shoal anonymize`"
        )


def _check(engine: SqlEngine, table: Any, policy: Policy) -> None:
    if policy.row_key is not None:
        refuse_made(policy, "a release that can be extended")
    if policy.population is not None:
        refuse_made(policy, "a population")
    reason = engine.why_not_treated(table)
    if reason is not None:
        raise PolicyError(
            "points and times are read from files, data frames and tables of DuckDB, and the source "
            f"{reason}; write it to a file first"
        )
    for each in policy.made:
        needed = (each.latitude, each.longitude) if each.type == "point" else (each.name,)
        for column in needed:
            if column not in table.columns:
                raise PolicyError(
                    f"the source has no column {column!r}.{suggestion(str(column), table.columns)}"
                )
        if each.type == "point" and each.name in table.columns and each.name not in needed:
            raise PolicyError(
                f"the source has a column {each.name!r} already, which is the name of a point made from "
                f"{each.latitude!r} and {each.longitude!r}; give the point another name"
            )


def _cells(engine: SqlEngine, table: Any, point: Attribute) -> tuple[NewCells, Hierarchy]:
    assert point.latitude is not None
    assert point.longitude is not None
    latitudes = _degrees(engine, table, point, point.latitude, 90)
    longitudes = _degrees(engine, table, point, point.longitude, 180)
    known = ~(np.isnan(latitudes) | np.isnan(longitudes))
    system = cells_of(point)
    finest = system.finest(latitudes[known], longitudes[known])
    distinct, places = np.unique(finest, return_inverse=True)
    _check_any(point, distinct)
    leaves = cell_leaves(system, distinct, point.released or "index")
    return _new_cells(leaves.texts, places, known), leaves.hierarchy


def _degrees(engine: SqlEngine, table: Any, point: Attribute, column: str, most: int) -> NDArray[np.float64]:
    degrees = engine.degrees(table, column, point.missing)
    beyond = np.flatnonzero(np.abs(degrees) > most)  # infinite ones, too; not NaN, which is missing
    if len(beyond):
        raise PolicyError(
            f"column {column!r} has {len(beyond):,} value(s) outside of -{most} to {most} degrees"
            f"{rows_named((beyond[:3] + 1).tolist())}; correct them, remove those rows, or exchange latitude "
            "and longitude if they were named the wrong way round"
        )
    return degrees


def _slots(engine: SqlEngine, table: Any, time: Attribute) -> tuple[NewCells, Hierarchy]:
    moments = engine.moments(table, time.name, time.missing)
    slots = time.slots or (SLOTS_OF_DAY if moments.of_day else SLOTS_OF_MOMENTS)
    coarse = [slot for slot in slots if slot not in MINUTES]
    if moments.of_day and coarse:
        raise PolicyError(
            f"column {time.name!r} has times of day without dates, so it has no {coarse[0]}; leave that out "
            f"of slots of [attributes.{time.name}]"
        )
    system = TimeSlots(slots=slots, of_day=moments.of_day)
    known = ~moments.missing
    distinct, places = np.unique(system.finest(moments.seconds[known]), return_inverse=True)
    _check_any(time, distinct)
    leaves = slot_leaves(system, distinct)
    return _new_cells(leaves.texts, places, known), leaves.hierarchy


def _new_cells(texts: Sequence[str], places: NDArray[np.int64], known: NDArray[np.bool_]) -> NewCells:
    """The column: per known row the text of its place, and a missing cell in every other row."""
    choices = np.full(len(known), len(texts), np.int64)
    choices[known] = places
    return NewCells(texts=(*texts, None), choices=choices)


def _check_any(attribute: Attribute, distinct: NDArray[np.int64]) -> None:
    if not len(distinct):
        raise PolicyError(
            f"column {attribute.name!r} has only missing values; a {attribute.type} needs at least one"
        )
