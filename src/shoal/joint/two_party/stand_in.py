"""Stand-ins: cells that take the place of the other site's, for the site that writes the release.

The other site tells, per released value, the values that the manifest lists under it, and per group the
released value; never whose cell is which. The writing site spreads these values over the people of the
released value, so that each occurs. Recoded as agreed, such a cell is printed as the true cell would be, and
the ordinary road from a table to an audited release can be taken. A value that stands alone is the true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError, PartyError, PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.new_cells import NewCells

_KINDS = ("number", "date", "category")
_PAIRS: dict[str, tuple[str, str]] = {
    "number": ("0", "1"),
    "date": ("2000-01-01", "2000-01-02"),
    "category": ("a", "b"),
}


@dataclass(frozen=True)
class ToldColumn:
    """What a site tells about one of its columns.

    Parameters
    ----------
    name, kind
        The column, and the kind of its values.
    values
        Per released value the texts of the values below it, `None` for the missing one; `None` altogether
        where the column is released as `*`.
    """

    name: str
    kind: Literal["number", "date", "category"]
    values: tuple[tuple[str | None, ...], ...] | None

    @classmethod
    def of(cls, domain: Domain, cuts: Sequence[int], labels: Sequence[str | None]) -> ToldColumn:
        """What is told of a domain that is cut; a single label `*` tells nothing."""
        if domain.bin is not None and not domain.integral:
            raise PolicyError(
                f"column {domain.name!r}: two sites cannot print bins of numbers that are not whole; leave "
                "out bin, or give the column a hierarchy"
            )
        if list(labels) == [SUPPRESSED]:
            return cls(domain.name, domain.kind, None)
        starts, ends = (0, *cuts), (*cuts, len(domain))
        parts = [
            tuple(None if domain.values[code] is None else domain.text(code) for code in range(first, end))
            for first, end in zip(starts, ends, strict=True)
        ]
        return cls(domain.name, domain.kind, tuple(parts))

    def to_json(self) -> dict[str, object]:
        """As it is sent."""
        values = None if self.values is None else [list(part) for part in self.values]
        return {"name": self.name, "kind": self.kind, "values": values}

    @classmethod
    def from_json(cls, sent: object, party: str) -> ToldColumn:
        """What was received; `PartyError` if it is none."""
        match sent:
            case {"name": str(name), "kind": str(kind), "values": None} if kind in _KINDS:
                return cls(name, kind, None)  # type: ignore[arg-type]  # one of the kinds
            case {"name": str(name), "kind": str(kind), "values": [*parts]} if kind in _KINDS:
                if all(isinstance(part, list) and part and _are_texts(part) for part in parts):
                    return cls(name, kind, tuple(tuple(part) for part in parts))  # type: ignore[arg-type]
        raise PartyError(party, "sent columns that are none")

    @property
    def cuts(self) -> tuple[int, ...]:
        """Where released values begin among the codes of all stand-ins."""
        sizes = [2] if self.values is None else [len(part) for part in self.values]
        return tuple(np.cumsum(sizes)[:-1].tolist())


def _are_texts(part: Sequence[object]) -> bool:
    return all(each is None or isinstance(each, str) for each in part)


def stand_ins(
    told: ToldColumn, attribute: Attribute, parts: NDArray[np.int64], party: str
) -> tuple[tuple[str | None, ...], NDArray[np.int64]]:
    """Texts, and per person the number of the one that takes the place of the person's cell.

    Parameters
    ----------
    told
        What the other site told about the column.
    attribute
        What the policy says of it.
    parts
        Per person the number of the released value.
    party
        The other site.
    """
    values: tuple[tuple[str | None, ...], ...]
    values = (joined_pair(told.kind, attribute),) if told.values is None else told.values
    texts = [text for part in values for text in part]
    chosen = np.zeros(len(parts), np.int64)
    first = 0
    for number, part in enumerate(values):
        people = np.flatnonzero(parts == number)
        if len(people) < len(part):
            raise PartyError(party, f"told more values of {told.name!r} than people have")
        chosen[people] = first
        chosen[people[: len(part)]] = first + np.arange(len(part))
        first += len(part)
    return tuple(texts), chosen


def joined_pair(kind: str, attribute: Attribute) -> tuple[str, str]:
    """Two values of a column whose values are all joined; which ones, the release does not show."""
    hierarchy = attribute.given_hierarchy()
    if hierarchy is not None:
        return _apart(hierarchy, attribute.name)
    if isinstance(attribute.order, tuple):
        listed = [str(each) for each in attribute.order if each is not None]
        if len(listed) > 1:
            return listed[0], listed[1]
    if attribute.bin is not None:
        return "0", str(attribute.bin)
    return _PAIRS[kind]


def _apart(hierarchy: Hierarchy, name: str) -> tuple[str, str]:
    """Two leaves that only the top joins."""
    below = max(0, hierarchy.height - 1)
    rows: Sequence[Any] = hierarchy.rows
    first = rows[0]
    for row in rows:
        if row[below] != first[below]:
            return str(first[0]), str(row[0])
    raise InternalError(f"the hierarchy of {name!r} joins all its values below its top")


def new_cells(texts: tuple[str | None, ...], chosen: NDArray[np.int64], order: NDArray[np.int64]) -> NewCells:
    """Cells by row of the writing site's file."""
    return NewCells(texts=texts, choices=chosen[order])
