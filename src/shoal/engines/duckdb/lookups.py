"""Lookups in DuckDB without a join.

An ENUM type per column maps a cell to its position by a hash lookup, lists map the position to a number, and
one more ENUM has the keys of groups or distinct rows. All of them are projections: DuckDB keeps the row order
of projections and not that of joins; a join would need a sort, or a row number.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Dictionary, JoinedValue, Register

if TYPE_CHECKING:
    from shoal.engines.duckdb.session import DuckSession

SIEVES = (8_191, 65_521, 524_287)
"""How many bits a sieve has: primes, as keys are sums of multiples."""


class EmptyDictionary(Dictionary):
    """For a column in which every cell is missing."""

    size = 0

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:  # noqa: ARG002
        missing = 0 if of_cell is None else int(of_cell[-1])
        return JoinedValue(exp.cast(sql.number(missing) if missing >= 0 else exp.null(), "INT"))


class _PositionDictionary(Dictionary):
    """A dictionary that finds cells by an expression for their position."""

    def __init__(self, session: DuckSession, size: int) -> None:
        self._session = session
        self.size = size

    @abstractmethod
    def _position(self, cell: exp.Expr) -> exp.Expr:
        """SQL for the position of a cell; NULL for a missing one."""

    def _is_missing(self, cell: exp.Expr) -> exp.Expr:
        """SQL for whether a cell is missing."""
        return sql.fragment(":cell IS NULL", cell=cell)

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:
        number = self._position(cell)
        numbers = np.arange(self.size + 1, dtype=np.int32) if of_cell is None else of_cell
        if (numbers[:-1] != np.arange(self.size)).any():
            listed = self._session.set_list("numbers", numbers[:-1])
            number = sql.fragment("list_extract(:numbers, :position + 1)", numbers=listed, position=number)
        if numbers[-1] < 0:
            return JoinedValue(number)
        # Not by coalesce: an unknown cell is not missing, and has no number.
        return JoinedValue(
            sql.fragment(
                "CASE WHEN :missing THEN :last ELSE :number END",
                missing=self._is_missing(cell),
                last=int(numbers[-1]),
                number=number,
            )
        )


class EnumDictionary(_PositionDictionary):
    """The cells as the values of an ENUM type."""

    def __init__(self, session: DuckSession, type_: str, size: int) -> None:
        super().__init__(session, size)
        self._type = exp.DataType.build(type_, udt=True)

    def _position(self, cell: exp.Expr) -> exp.Expr:
        return exp.cast(sql.fragment("enum_code(:cell)", cell=exp.cast(sql.as_text(cell), self._type)), "INT")


class ListDictionary(_PositionDictionary):
    """A few short cells as a list. DuckDB evaluates a function once for each entry of a Parquet dictionary.

    A cast to an ENUM it evaluates row by row: 0.36 processor seconds for 10 million cells among 20, against
    0.06. Where cells come row by row, the two take the same time up to about a hundred cells.
    """

    MOST, LONGEST = 64, 4096
    """Most cells, and characters in all of them: a constant is copied for every vector of rows."""

    def __init__(self, session: DuckSession, texts: Sequence[str]) -> None:
        super().__init__(session, len(texts))
        self._texts = exp.cast(
            exp.Array(expressions=[sql.text(text) for text in texts]), "VARCHAR[]", dialect="duckdb"
        )

    @classmethod
    def suits(cls, texts: Sequence[str]) -> bool:
        """Whether texts are few and short."""
        return len(texts) <= cls.MOST and sum(map(len, texts)) <= cls.LONGEST

    def _position(self, cell: exp.Expr) -> exp.Expr:
        # A cell that is new since the rows were counted fails a cast, as with an ENUM.
        return sql.fragment(
            "coalesce(CAST(list_position(:texts, :cell) - 1 AS INT), CAST('?' || :cell AS INT))",
            texts=self._texts,
            cell=sql.as_text(cell),
        )


class CodeDictionary(_PositionDictionary):
    """Cells that are already positions; -1 is the missing one."""

    def _position(self, cell: exp.Expr) -> exp.Expr:
        return sql.fragment("nullif(:cell, -1)", cell=cell)

    def _is_missing(self, cell: exp.Expr) -> exp.Expr:
        return sql.fragment(":cell = -1", cell=cell)


@dataclass(frozen=True)
class _Digits:
    """Many numbers as one text, each with the same number of digits.

    A list would be the natural choice, but DuckDB copies it entry by entry for every vector of rows: a
    million rows among 100,000 distinct ones took 1.26 s per column with a list, and 0.07 s with text.
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


@dataclass(frozen=True)
class _Sieve:
    """Bits at the remainders of some keys; a key whose bit is not set is not among them.

    DuckDB copies a constant for every vector of rows, so a sieve never has more than 64 KB of bits. Writing
    10 million rows in 36,000 groups took 12.2 processor seconds with a cast of every key, 7.4 with the sieve
    before it, and 6.3 without checking groups.
    """

    bits: exp.Expr
    size: int

    @classmethod
    def of(cls, session: DuckSession, keys: NDArray[np.int64]) -> _Sieve | None:
        """The sieve of some keys; `None` if they are so many that it would also stop most others."""
        size = next((each for each in SIEVES if each >= 8 * len(keys)), SIEVES[-1])
        if len(keys) > size // 2:
            return None
        bits = np.full(size, ord("0"), np.uint8)
        bits[keys % size] = ord("1")
        text = session.set_text("sieve", bits.tobytes().decode(), "BIT")
        return cls(text, size)

    def passes(self, key: exp.Expr) -> exp.Expr:
        """SQL for whether a key is certainly not among the keys."""
        return sql.fragment(
            "get_bit(:bits, CAST(:key % :size AS INT)) = 0", bits=self.bits, key=key, size=self.size
        )


@dataclass(frozen=True, kw_only=True)
class KeyRegister(Register):
    """Keys as the values of an ENUM type, those that are kept first, and their numbers as digits.

    The type has every key: a failing cast is slow, and so happens only if the source has changed.

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
        The number of kept keys; `None` if a key is its own position.
    flags
        Whether each is kept, as digits, if a key is its own position.
    sieve
        Which keys may belong to rows that are not kept, if those are few.
    """

    type: exp.DataType | None
    digits: tuple[_Digits, ...]
    kept: int | None
    flags: _Digits | None
    sieve: _Sieve | None = None

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
        sieve = None if numbers is not None else _Sieve.of(session, keys[~keep, 0])
        return cls(type=built, digits=digits, kept=int(keep.sum()), flags=None, sieve=sieve)

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        if self.sieve is not None and kept is not None:
            return exp.select("*", exp.alias_(self._sieved(keys), kept)).from_(sql.rows_of(rows))
        position = keys[0] if self.type is None else self._position(keys)
        at = exp.column("p_")
        numbers = [exp.alias_(digits.at(at), name) for digits, name in zip(self.digits, names, strict=True)]
        if kept is not None and self.flags is not None:
            numbers.append(exp.alias_(sql.fragment(":flag = 1", flag=self.flags.at(at)), kept))
        elif kept is not None:
            numbers.append(exp.alias_(sql.fragment(":at < :kept", at=at, kept=self.kept or 0), kept))
        placed = exp.select("*", exp.alias_(sql.as_integer(position), "p_")).from_(sql.rows_of(rows))
        return exp.select(exp.Star(except_=[exp.column("p_")]), *numbers).from_(placed.subquery("r"))

    def _position(self, keys: Sequence[exp.Expr]) -> exp.Expr:
        assert self.type is not None
        return sql.fragment("enum_code(:key)", key=exp.cast(_key(keys), self.type))

    def _sieved(self, keys: Sequence[exp.Expr]) -> exp.Expr:
        """SQL for whether a key is kept; only keys that the sieve stops are looked up."""
        assert self.sieve is not None
        return sql.fragment(
            "CASE WHEN :passes THEN TRUE ELSE :position < :kept END",
            passes=self.sieve.passes(keys[0]),
            position=self._position(keys),
            kept=self.kept or 0,
        )


def _key(numbers: Sequence[exp.Expr]) -> exp.Expr:
    """Numbers as one text."""
    texts = [sql.as_text(number) for number in numbers]
    joined = texts[0]
    for text in texts[1:]:
        joined = sql.fragment(":first || '-' || :next", first=joined, next=text)
    return joined
