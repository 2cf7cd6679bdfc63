"""Lookups as joins: distinct cells and keys are tables on the driver, sent to the executors.

Every lookup gives its columns names that no source has, because statements do not qualify a source's columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql.session import Dictionary, JoinedValue, Register

if TYPE_CHECKING:
    from shoal.engines.spark.session import SparkSqlSession


class SparkDictionary(Dictionary):
    """Distinct cells as a table on the driver; a lookup is a join with it, by broadcast if it is small."""

    def __init__(self, session: SparkSqlSession, texts: Sequence[str]) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]

        self._session = session
        self._texts = pa.array(texts, pa.string())
        self.size = len(texts)

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        import pyarrow as pa

        numbers = np.arange(self.size + 1, dtype=np.int32) if of_cell is None else of_cell
        key, number = self._session.fresh("cell"), self._session.fresh("number")
        values = pa.array(numbers[:-1], mask=numbers[:-1] < 0)
        cells = self._session.offer("cells", pa.table({key: self._texts, number: values}))
        text = exp.cast(cell.copy(), exp.DataType.Type.TEXT)
        last = int(numbers[-1])
        missing = exp.convert(last) if last >= 0 else exp.null()
        value = exp.Case(default=exp.column(number)).when(cell.copy().is_(exp.null()), missing)
        return JoinedValue(value, exp.Join(this=cells, side="LEFT", on=exp.column(key).eq(text)))


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
