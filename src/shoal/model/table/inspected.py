"""What Shoal learns about a table before it has a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.model.policy.attribute import Role
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.cell_reading import PLAIN_CATEGORY, CellReading
from shoal.model.table.domain import Kind
from shoal.model.table.file_reading import FileReading
from shoal.model.table.inspected_card import inspected_card
from shoal.model.table.likely_entity import likely_entity
from shoal.model.table.likely_role import Evidence


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """Facts about one column.

    Parameters
    ----------
    name, kind
        The column, and how its values would be read.
    missing, distinct
        Missing cells, and distinct values of the others; approximate in large tables.
    reading
        How its cells are read: the form of numbers and dates, and the markers for missing cells.
    """

    name: str
    kind: Kind
    missing: int
    distinct: int
    reading: CellReading = PLAIN_CATEGORY


@dataclass(frozen=True, kw_only=True)
class InspectedColumn(ColumnFacts):
    """A column and its likely role.

    Parameters
    ----------
    likely_role, reason
        The role that it probably has, and why. A guess, never a decision.
    evidence
        What the guess rests on: the column's name, its cells, its uniqueness alone or together with others,
        or nothing.
    order
        Where the order of its categories would come from if it were a quasi-identifier, in words; `None` if
        it has none, or looks like an identifier or sensitive.
    """

    likely_role: Role
    reason: str
    order: str | None = None
    evidence: Evidence = "nothing"

    @property
    def advice(self) -> str | None:
        """How a column that looks sensitive could be protected; k alone does not."""
        if self.likely_role is not Role.SENSITIVE or self.distinct < 2:
            return None
        return (
            f"{self.name!r} looks sensitive: all rows of a group may share one value; demand several, with "
            f"--model 'distinct-l-diversity attribute={self.name} l={min(3, self.distinct)}'"
        )

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "name": self.name,
            "kind": self.kind,
            "missing": self.missing,
            "distinct": self.distinct,
            "likely_role": self.likely_role.value,
            "reason": self.reason,
            "evidence": self.evidence,
            "order": self.order,
            "reading": self.reading.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class Inspected:
    """The columns of a table, and how well some of them together distinguish its rows.

    Parameters
    ----------
    rows
        Rows of the table.
    columns
        Its columns, in order.
    quasi_identifiers
        The columns that were examined together: the named ones, or else the likely ones.
    groups, unique_rows
        Their distinct combinations, and rows that no other row equals in them; `None` without these columns.
    warnings
        What a release with the policy would warn about in columns that stay unchanged; empty without a
        policy.
    reading
        How the file was read: what was stated, and what was found in it; `None` for any other source.
    """

    rows: int
    columns: tuple[InspectedColumn, ...]
    quasi_identifiers: tuple[str, ...]
    groups: int | None = None
    unique_rows: int | None = None
    warnings: tuple[CodedWarning, ...] = ()
    reading: FileReading | None = None

    def with_role(self, role: Role) -> Sequence[str]:
        """The columns that probably have a role."""
        return [each.name for each in self.columns if each.likely_role is role]

    @property
    def entity(self) -> InspectedColumn | None:
        """The column that probably distinguishes persons, if some seem to have several rows."""
        return likely_entity(self.columns, self.rows)

    @property
    def persons(self) -> str | None:
        """A sentence about persons with several rows; `None` where nothing speaks for them."""
        entity = self.entity
        if entity is None:
            return None
        return (
            f"{entity.name!r} has {entity.distinct:,} values in {self.rows:,} rows: some persons seem to "
            f"have several rows; count persons instead of rows with entity (--entity {entity.name})"
        )

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        combined = {
            "columns": list(self.quasi_identifiers),
            "groups": self.groups,
            "unique_rows": self.unique_rows,
        }
        return {
            "rows": self.rows,
            "columns": [each.to_dict() for each in self.columns],
            "entity": None if self.entity is None else self.entity.name,
            "together": combined if self.quasi_identifiers else None,
            "warnings": [each.to_dict() for each in self.warnings],
            "reading": None if self.reading is None else {"file": self.reading.to_dict()},
        }

    def _repr_html_(self) -> str:
        return inspected_card(self).html()
