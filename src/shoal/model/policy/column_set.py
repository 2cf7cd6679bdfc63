"""Quasi-identifiers that others know together, apart from the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion

_FORM = 'a list of columns, as in ["age", "zip"], or a table like {columns = ["age", "zip"], k = 20}'


@dataclass(frozen=True, kw_only=True)
class ColumnSet:
    """Columns on which every released row is like at least k released rows.

    Parameters
    ----------
    columns
        The columns.
    k
        Their own k; `None` for that of the policy.
    """

    columns: tuple[str, ...]
    k: int | None = None

    @classmethod
    def of(cls, stated: Any) -> ColumnSet:
        """The set that a policy or an argument states."""
        if isinstance(stated, ColumnSet):
            return stated
        if isinstance(stated, Mapping):
            for key in stated:
                if key not in ("columns", "k"):
                    raise PolicyError(f"one of sets has no {key!r}.{suggestion(str(key), ('columns', 'k'))}")
            return cls(columns=_names(stated.get("columns")), k=stated.get("k"))
        return cls(columns=_names(stated))

    @property
    def stated(self) -> object:
        """The set as a policy states it."""
        return self.columns if self.k is None else {"columns": self.columns, "k": self.k}


def _names(stated: Any) -> tuple[str, ...]:
    names = None if isinstance(stated, str) or not isinstance(stated, Iterable) else tuple(stated)
    if names is None or not all(isinstance(name, str) for name in names):
        raise PolicyError(f"each of sets is {_FORM}; one is {stated!r}")
    return names
