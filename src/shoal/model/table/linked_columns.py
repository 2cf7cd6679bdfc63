"""Which columns of one of several tables identify, link and describe its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class LinkedColumns:
    """The columns of a table that are read to know who is who.

    Parameters
    ----------
    name
        The table.
    labels
        Its quasi-identifiers.
    key
        The column that identifies its rows, if other tables refer to them.
    parent
        The table that its rows belong to; `None` if they belong to persons, or are persons.
    parent_key
        The column that has the key of the parent's row, or identifies the person; `None` if rows are persons.
    repeats
        Further columns with keys: each with the table whose rows they name, or "" for persons without one.
    """

    name: str
    labels: tuple[str, ...]
    key: str | None = None
    parent: str | None = None
    parent_key: str | None = None
    repeats: Mapping[str, str] = field(default_factory=dict)

    @property
    def needed(self) -> list[str]:
        """All of these columns."""
        linking = (self.key, self.parent_key, *self.repeats)
        return [*self.labels, *(name for name in linking if name is not None)]

    @classmethod
    def stated(cls, name: str, facts: Mapping[str, Any]) -> Self:
        """As the manifest of several tables says."""
        return cls(
            name=name,
            labels=tuple(
                column for column, each in facts["columns"].items() if each["role"] == "quasi-identifier"
            ),
            key=facts["key"],
            parent=facts["parent"],
            parent_key=facts["parent_key"],
            repeats=facts["repeats"],
        )
