"""Lookups as joins: distinct cells and keys are tables on the driver, sent to the executors.

Sending a table is a job of its own, so the lookups of a statement share one: the cells of all columns are in
one book, by hashes of their texts, which are cheaper to look up than the texts. Equal hashes
of different cells are noticed when a book is made; those cells are then looked up by text.

Every lookup gives its columns names that no source has, because statements do not qualify a source's columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Dictionary, JoinedValue, Register

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from shoal.engines.spark.session import SparkSqlSession

Hashes = NDArray[np.int64]

_MOST_IN_BOOK = 2**18
"""Cells that share a book, three megabytes: a larger dictionary would make all the others slow."""


def hash_of(text: exp.Expr) -> exp.Expr:
    """SQL for the hash of a text."""
    return exp.Anonymous(this="xxhash64", expressions=[text])


class Book:
    """Numbers by hashes, for the cells of several columns.

    Parameters
    ----------
    name
        The table that it becomes; its columns are this name with an ending.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.key, self.number = f"{name}_key", f"{name}_number"
        self._keys: Hashes = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int32)
        self._lookups = 0

    def entered(self, hashes: Hashes, numbers: NDArray[np.int32]) -> int | None:
        """Add the numbers of cells; what their hashes are mixed with, or `None` if there is no room."""
        # A golden section of all numbers of 64 bits: the salts of different columns are far apart.
        salt = int(np.uint64(self._lookups * 0x9E3779B97F4A7C15 % 2**64).astype(np.int64))
        keys = np.concatenate([self._keys, hashes ^ np.int64(salt)])
        too_many = len(self._keys) > 0 and len(keys) > _MOST_IN_BOOK
        if too_many or len(np.unique(keys)) < len(keys):
            return None
        self._keys, self._numbers = keys, np.concatenate([self._numbers, numbers])
        self._lookups += 1
        return salt

    def table(self) -> pa.Table:
        """The entries."""
        import pyarrow as pa

        return pa.table({self.key: self._keys, self.number: self._numbers})


class SparkDictionary(Dictionary):
    """Distinct cells on the driver; a lookup is a join with their hashes, by broadcast if they are few.

    Parameters
    ----------
    session
        Where cells are looked up.
    texts, hashes
        The cells, and what `hash_of` gives for them.
    """

    def __init__(self, session: SparkSqlSession, texts: Sequence[str], hashes: Sequence[int]) -> None:
        self._session = session
        self._texts = texts
        self._hashes = np.array(hashes, np.int64)
        self._distinct = len(np.unique(self._hashes)) == len(texts)
        self.size = len(texts)

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        numbers = np.arange(self.size + 1, dtype=np.int32) if of_cell is None else of_cell
        text = exp.cast(cell.copy(), exp.DataType.Type.TEXT)
        last = int(numbers[-1])
        missing = exp.convert(last) if last >= 0 else exp.null()
        number, join = self._joined(text, numbers[:-1])
        return JoinedValue(exp.Case(default=number).when(cell.copy().is_(exp.null()), missing), join)

    def _joined(self, text: exp.Expr, numbers: NDArray[np.int32]) -> tuple[exp.Expr, exp.Join]:
        known = numbers >= 0  # the others become NULL, like cells that are not there
        if self._distinct:
            book, salt = self._session.entered(self._hashes[known], numbers[known])
            alias = self._session.fresh("cell")
            key = sql.fragment(":hash ^ :salt", hash=hash_of(text), salt=salt)
            table = exp.alias_(exp.to_table(book.name), alias, table=True)
            on = exp.column(book.key, alias).eq(key)
            return exp.column(book.number, alias), exp.Join(this=table, side="LEFT", on=on)
        import pyarrow as pa

        cell, number = self._session.fresh("cell"), self._session.fresh("number")
        texts = pa.array(self._texts, pa.string()).filter(pa.array(known))
        cells = self._session.offer("cells", pa.table({cell: texts, number: pa.array(numbers[known])}))
        return exp.column(number), exp.Join(this=cells, side="LEFT", on=exp.column(cell).eq(text))


class Lists:
    """Lists of texts, kept together as a table of one row.

    Parameters
    ----------
    name
        The table that they become.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lists: list[list[str | None]] = []

    def at(self, texts: Sequence[str | None], position: exp.Expr) -> exp.Expr:
        """SQL for the text at a position of a new list."""
        # A table, not a literal: a statement with thousands of labels is slow to parse. Spark runs the
        # subquery once, before the rows, for all lists.
        whole = exp.select(f"{self.name}_lists").from_(self.name).subquery()
        own = exp.Anonymous(this="get", expressions=[whole, sql.number(len(self._lists))])
        self._lists.append(list(texts))
        return exp.Anonymous(this="get", expressions=[own, position.copy()])

    def table(self) -> pa.Table:
        """The only row."""
        import pyarrow as pa

        lists: Any = pa.array([self._lists], pa.list_(pa.list_(pa.string())))
        return pa.table({f"{self.name}_lists": lists})


class SparkRegister(Register):
    """Keys and their numbers as a table; a lookup is a join with it."""

    def __init__(
        self,
        session: SparkSqlSession,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None,
        kept: NDArray[np.bool_] | None,
    ) -> None:
        import pyarrow as pa

        keep = np.ones(len(keys), np.bool_) if kept is None else kept
        if numbers is None:  # an unknown key is not kept
            keys, keep = keys[keep], keep[keep]
        self._keys = [session.fresh("key") for _ in keys.T]
        self._numbers = [session.fresh("number") for _ in (() if numbers is None else numbers.T)]
        self._kept = session.fresh("kept")
        columns = dict(zip(self._keys, keys.T, strict=True))
        columns |= dict(zip(self._numbers, () if numbers is None else numbers.T, strict=True))
        arrays = {name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()}
        self._table = session.offer("register", pa.table({**arrays, self._kept: pa.array(keep)}))

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        same = [exp.column(mine).eq(key.copy()) for mine, key in zip(self._keys, keys, strict=True)]
        numbers = [exp.alias_(exp.column(n), name) for n, name in zip(self._numbers, names, strict=True)]
        if kept is not None:
            numbers.append(exp.alias_(exp.func("coalesce", exp.column(self._kept), exp.false()), kept))
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("r"))
        joined = exp.select(every, *numbers).from_(rows.subquery("r"))
        return joined.join(exp.Join(this=self._table.copy(), side="LEFT", on=exp.and_(*same)))
