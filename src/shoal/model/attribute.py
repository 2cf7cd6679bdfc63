"""A column of the table and the part it plays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import get_args

from shoal.errors import PolicyError
from shoal.model.domain import Kind, Value


class Role(StrEnum):
    """What happens to a column."""

    IDENTIFIER = "identifier"  # names a person by itself: dropped
    QUASI_IDENTIFIER = "quasi-identifier"  # names a person together with others: recoded
    SENSITIVE = "sensitive"  # what must not be learned about a person: kept
    CLASS = "class"  # what a classifier shall predict: kept, and counted by the classification metric
    OTHER = "other"  # kept as it is


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column, its role, and how the search shall see its values.

    Parameters
    ----------
    name
        The column.
    role
        What happens to it.
    type
        Number, date or category; guessed from the values when absent.
    bin
        Width that numbers are put into before the search, anchored at 0.
    order
        The domain's order, for cuts.
    hierarchy
        A file of ever coarser labels, ARX layout; its first column gives the order when `order` does not.
    """

    name: str
    role: Role = Role.OTHER
    type: Kind | None = None
    bin: int | float | None = None
    order: tuple[Value, ...] | None = None
    hierarchy: Path | None = None

    def __post_init__(self) -> None:
        where = f"attribute {self.name!r}"
        if not isinstance(self.name, str):
            raise PolicyError(f"columns are named by text; {self.name!r} is none")
        if self.type is not None and self.type not in get_args(Kind):
            raise PolicyError(
                f"{where}: there is no type {self.type!r}; the types are {', '.join(get_args(Kind))}"
            )
        if self.bin is not None:
            self._check_bin(where)
        if self.order is not None:
            if any(isinstance(entry, list | dict | set) for entry in self.order):
                raise PolicyError(f"{where}: `order` is a list of values, not of lists")
            repeated = len(self.order) - len(set(self.order))
            if repeated:
                raise PolicyError(
                    f"{where}: {repeated} value(s) of `order` are repeated; name each value once"
                )
        shaping = self.type or self.bin or self.order or self.hierarchy
        if shaping and self.role is not Role.QUASI_IDENTIFIER:
            raise PolicyError(
                f"{where}: type, bin, order and hierarchy shape a quasi-identifier, but its role is "
                f"'{self.role}'; change the role or leave them out"
            )

    def _check_bin(self, where: str) -> None:
        assert self.bin is not None
        if (
            isinstance(self.bin, bool)
            or not isinstance(self.bin, int | float)
            or not (math.isfinite(self.bin) and self.bin > 0)
        ):
            raise PolicyError(f"{where}: bin must be a positive number; it is {self.bin!r}")
        if self.type not in (None, "number"):
            raise PolicyError(f"{where}: only numbers can be binned, but its type is '{self.type}'")
        if self.order is not None or self.hierarchy is not None:
            raise PolicyError(
                f"{where}: a bin and an order or hierarchy exclude each other; keep one of them"
            )
