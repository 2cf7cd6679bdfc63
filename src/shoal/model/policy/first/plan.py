"""Decides what the first policy states: roles, k, and the column that tells persons apart."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Role
from shoal.model.table.inspected import Inspected, InspectedColumn
from shoal.model.table.likely_role import FEW_VALUES, FREE_TEXT
from shoal.model.table.roles.header import meanings, words_of

USUAL_K = 10
KS = ((200, USUAL_K), (50, 5), (2, 2))
"""Persons from which on a table gets this k. In a small one, 10 would leave little."""


@dataclass(frozen=True, kw_only=True)
class PlannedColumn:
    """A column, and what becomes of it.

    Parameters
    ----------
    column
        What the inspection found.
    role
        The role that the policy states. That of a column without a sign of any role is left open.
    chosen
        Whether it is a quasi-identifier only because no column looked like one.
    hierarchy
        The file of its hierarchy, as the policy states it.
    unfit
        A file that lacks some of its values, so that the policy does not state it.
    """

    column: InspectedColumn
    role: Role
    chosen: bool = False
    hierarchy: str | None = None
    unfit: str | None = None

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def concepts(self) -> frozenset[str]:
        """What the words of its name are about."""
        said = meanings(words_of(self.name))
        return frozenset(each.entry.concept for each in said if not each.entry.doubtful)

    @property
    def is_postcode(self) -> bool:
        return "postcode" in self.concepts or self.column.reason.endswith("postal codes")

    @property
    def is_birth(self) -> bool:
        return "birth" in self.concepts or self.column.reason.endswith("dates of birth")

    @property
    def is_text(self) -> bool:
        return self.column.reason.startswith(FREE_TEXT)

    @property
    def is_survey_weight(self) -> bool:
        return "weighting" in self.concepts or "of a survey" in self.column.reason


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the first policy states.

    Parameters
    ----------
    rows
        Rows of the table.
    columns
        Its columns, in order.
    k
        The least size of a group.
    entity
        The column that tells persons apart, if some seem to have several rows.
    """

    rows: int
    columns: tuple[PlannedColumn, ...]
    k: int
    entity: InspectedColumn | None = None

    def with_role(self, role: Role) -> tuple[PlannedColumn, ...]:
        """The columns with a role."""
        return tuple(each for each in self.columns if each.role is role)


def plan(inspected: Inspected, k: int | None = None) -> Plan:
    """What to state for a table.

    Parameters
    ----------
    inspected
        What is known about it.
    k
        The least size of a group; by the number of persons when absent.
    """
    columns = _columns(inspected)
    entity = inspected.entity
    persons = inspected.rows if entity is None else entity.distinct
    if persons < 2:
        raise PolicyError("the table has one row: nobody can hide in it; a policy needs at least two")
    if k is not None and k > persons:
        what = "rows" if entity is None else f"values of {entity.name!r}"
        raise PolicyError(f"k is {k:,}, and the table has {persons:,} {what}; choose a smaller k")
    found = next(usual for least, usual in KS if persons >= least)
    return Plan(rows=inspected.rows, columns=columns, k=k or found, entity=entity)


def _columns(inspected: Inspected) -> tuple[PlannedColumn, ...]:
    planned = tuple(PlannedColumn(column=each, role=_role(each)) for each in inspected.columns)
    if any(each.role is Role.QUASI_IDENTIFIER for each in planned):
        return planned
    # Better too much recoded than nothing; a policy needs one, and says that it was chosen so.
    chosen = [
        each.name for each in planned if each.role is Role.OTHER and 1 < each.column.distinct <= FEW_VALUES
    ]
    chosen = chosen or [each.name for each in planned if each.role is not Role.IDENTIFIER]
    chosen = chosen or [each.name for each in planned]
    return tuple(
        PlannedColumn(column=each.column, role=Role.QUASI_IDENTIFIER, chosen=True)
        if each.name in chosen
        else each
        for each in planned
    )


def _role(column: InspectedColumn) -> Role:
    """The likely role; but a note that may name people is not released before somebody has read it."""
    return Role.IDENTIFIER if column.reason.startswith(FREE_TEXT) else column.likely_role
