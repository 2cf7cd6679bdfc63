"""What one try of the fuzzer is made of: a table, a request and a door.

An instance prints itself as Python that makes it again, so that a finding can be handed on as a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

ROW = "row"
"""The column by which released rows are told from each other; every table has it."""


@dataclass(frozen=True)
class Column:
    """A column's name, what its cells are in a typed table, and the cells; `None` is missing."""

    name: str
    kind: str
    cells: tuple[Any, ...]


@dataclass(frozen=True)
class Instance:
    """One try.

    Parameters
    ----------
    columns
        The table.
    request
        Arguments of `shoal.anonymize`; hierarchies as rows of labels, or as the keys of a recipe.
    door
        How the request reaches Shoal.
    then
        What is done with the release: doors that look at it.
    reads
        Quasi-identifiers that are written as files from elsewhere do it: cell -> its value, or missing.
    file
        How a file of text is written, where not as usual: encoding, delimiter, quote, lines to skip.
    """

    columns: tuple[Column, ...]
    request: Mapping[str, Any]
    door: str
    then: tuple[str, ...] = field(default=())
    reads: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    file: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return len(self.columns[0].cells)

    @property
    def quasi_identifiers(self) -> list[str]:
        return list(self.request["quasi_identifiers"])

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def asking(self, **changed: Any) -> Instance:
        """The same with other arguments; `None` leaves one out."""
        request = {name: value for name, value in {**self.request, **changed}.items() if value is not None}
        return replace(self, request=request)
