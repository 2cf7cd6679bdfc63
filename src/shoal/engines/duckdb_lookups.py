"""Lookups that DuckDB does without a join.

An ENUM type per column maps a cell to its position by a hash lookup, lists map the position to a number, and
one more ENUM holds the keys of groups or distinct rows. All of them are projections: DuckDB keeps the row
order of projections and not that of joins; a join would need a sort, or a row number.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines import sql
from shoal.engines.session import Dictionary, Looked, Register

if TYPE_CHECKING:
    from shoal.engines.duckdb_session import DuckSession


class EmptyDictionary(Dictionary):
    """Of a column in which every cell is missing."""

    size = 0

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> Looked:  # noqa: ARG002
        missing = 0 if of_cell is None else int(of_cell[-1])
        return Looked(exp.cast(sql.number(missing) if missing >= 0 else exp.null(), "INT"))


class _PositionDictionary(Dictionary):
    """A dictionary whose cells are found by an expression for their position."""

    def __init__(self, session: DuckSession, size: int) -> None:
        self._session = session
        self.size = size

    @abstractmethod
    def _position(self, cell: exp.Expr) -> exp.Expr:
        """SQL for the position of a cell; NULL for a missing one."""

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> Looked:
        known = self._position(cell)
        position = sql.fragment("coalesce(:known, :size)", known=known, size=self.size)
        if of_cell is None:
            return Looked(position)
        same = of_cell == np.arange(len(of_cell))
        if same[:-1].all() and of_cell[-1] < 0:
            return Looked(known)
        if same.all():
            return Looked(position)
        numbers = self._session.set_list("numbers", of_cell)
        return Looked(
            sql.fragment("list_extract(:numbers, :position + 1)", numbers=numbers, position=position)
        )


class EnumDictionary(_PositionDictionary):
    """The cells as the values of an ENUM type."""

    def __init__(self, session: DuckSession, type_: str, size: int) -> None:
        super().__init__(session, size)
        self._type = exp.DataType.build(type_, udt=True)

    def _position(self, cell: exp.Expr) -> exp.Expr:
        return exp.cast(sql.fragment("enum_code(:cell)", cell=exp.cast(sql.as_text(cell), self._type)), "INT")


class CodeDictionary(_PositionDictionary):
    """Cells that are positions already; -1 is the missing one."""

    def _position(self, cell: exp.Expr) -> exp.Expr:
        return sql.fragment("nullif(:cell, -1)", cell=cell)


@dataclass(frozen=True)
class _Digits:
    """Many numbers as one text, each with the same number of digits.

    A list would be the natural choice, but DuckDB copies it entry by entry for every vector of rows: a
    million rows among 100,000 distinct ones took 1.26 s a column by a list, and 0.07 s by text.
    """

    text: exp.Expr
    width: int

    @classmethod
    def of(cls, session: DuckSession, numbers: NDArray[np.integer]) -> _Digits:
        """The digits of numbers that are not negative."""
        width = len(str(int(numbers.max())))
        return cls(
            session.set_text("released", "".join(f"{each:0{width}d}" for each in numbers.tolist())), width
        )

    def at(self, position: exp.Expr) -> exp.Expr:
        """SQL for the number at a position, counted from 0."""
        return sql.fragment(
            "CAST(substr(:text, :position * :width + 1, :width) AS INT)",
            text=self.text,
            position=position,
            width=self.width,
        )


@dataclass(frozen=True, kw_only=True)
class KeyRegister(Register):
    """Keys as the values of an ENUM type, those that are kept first, and their numbers as digits.

    The type has every key that there is: a cast that fails is slow, and now means that the source has
    changed.

    Roads not taken, 10 million rows in 836,000 groups: bits at three hashes of a group (53 s against 12,
    intervals included: DuckDB seems to copy a large constant for every vector of rows), TRY_CAST to the kept
    groups alone (had not ended when stopped), shorter keys (no change). A semi-join would lose the row order.

    Parameters
    ----------
    type
        The ENUM type; `None` if a key is its own position.
    digits
        The numbers, in the type's order.
    kept
        How many are kept; `None` if a key is its own position.
    flags
        Whether each is kept, as digits, if a key is its own position.
    """

    type: exp.DataType | None
    digits: tuple[_Digits, ...]
    kept: int | None
    flags: _Digits | None

    @classmethod
    def of(
        cls,
        session: DuckSession,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer] | None,
        kept: NDArray[np.bool_] | None,
    ) -> KeyRegister:
        """Register keys and numbers."""
        keep = np.ones(len(keys), np.bool_) if kept is None else kept
        own = keys.shape[1] == 1 and bool((keys[:, 0] == np.arange(len(keys))).all()) and len(keys) > 0
        order = np.arange(len(keys)) if own else np.argsort(~keep, kind="stable")
        columns = [] if numbers is None else list(numbers[order].T)
        digits = tuple(_Digits.of(session, column) for column in columns)
        if own:
            return cls(type=None, digits=digits, kept=None, flags=_Digits.of(session, keep.astype(np.int32)))
        arrays = {f"k{index}": column for index, column in enumerate(keys[order].T)}
        table = session.upload("keys", {"i": np.arange(len(keys)), **arrays})
        type_ = session.fresh("groups")
        text = session.rendered(_key([exp.column(name) for name in arrays]))
        session.run(
            f"CREATE TEMP TYPE {type_} AS ENUM (SELECT {text} FROM {table.name} ORDER BY i)", "the groups"
        )
        session.forget(table)
        built = exp.DataType.build(type_, udt=True)
        return cls(type=built, digits=digits, kept=int(keep.sum()), flags=None)

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        position = (
            keys[0]
            if self.type is None
            else sql.fragment("enum_code(:key)", key=exp.cast(_key(keys), self.type))
        )
        at = exp.column("p_")
        found = [exp.alias_(digits.at(at), name) for digits, name in zip(self.digits, names, strict=True)]
        if kept is not None and self.flags is not None:
            found.append(exp.alias_(sql.fragment(":flag = 1", flag=self.flags.at(at)), kept))
        elif kept is not None:
            found.append(exp.alias_(sql.fragment(":at < :kept", at=at, kept=self.kept or 0), kept))
        placed = exp.select("*", exp.alias_(sql.as_integer(position), "p_")).from_(sql.rows_of(rows))
        return exp.select(exp.Star(except_=[exp.column("p_")]), *found).from_(placed.subquery("r"))


def _key(numbers: Sequence[exp.Expr]) -> exp.Expr:
    """Numbers as one text."""
    texts = [sql.as_text(number) for number in numbers]
    joined = texts[0]
    for text in texts[1:]:
        joined = sql.fragment(":first || '-' || :next", first=joined, next=text)
    return joined
