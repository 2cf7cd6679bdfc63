"""Lookups in DuckDB: cells by a projection, distinct rows by a join.

An ENUM type per column maps a cell to its position by a hash lookup, lists map the position to a number, and
one more ENUM has the keys of groups, if some are suppressed. All of them are projections, and DuckDB keeps
the order of the rows there. Distinct rows are joined by their keys, which loses the order: whoever needs it
numbers the rows before, and sorts them afterwards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
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
class GroupRegister(Register):
    """Keys of groups as the values of an ENUM type, those that are kept first.

    The type has every key: a failing cast is slow, and so happens only if the source has changed.

    Roads not taken, 10 million rows in 836,000 groups: bits at three hashes of a group (53 s against 12,
    intervals included: DuckDB seems to copy a large constant for every vector of rows), TRY_CAST to the kept
    groups alone (had not ended when stopped), shorter keys (no change). A semi-join would lose the row order.

    Parameters
    ----------
    type
        The ENUM type.
    kept
        The number of kept keys.
    sieve
        Which keys may belong to rows that are not kept, if those are few.
    """

    type: exp.DataType
    kept: int
    sieve: _Sieve | None = None

    @classmethod
    def of(cls, session: DuckSession, keys: NDArray[np.int64], kept: NDArray[np.bool_]) -> GroupRegister:
        """Register the keys of groups."""
        order = np.argsort(~kept, kind="stable")
        arrays = {f"k{index}": column for index, column in enumerate(keys[order].T)}
        table = session.upload("keys", {"i": np.arange(len(keys)), **arrays})
        type_ = session.fresh("groups")
        text = session.rendered(_key([exp.column(name) for name in arrays]))
        session.run(
            f"CREATE TEMP TYPE {type_} AS ENUM (SELECT {text} FROM {table.name} ORDER BY i)", "the groups"
        )
        session.forget(table)
        sieve = _Sieve.of(session, keys[~kept, 0])
        return cls(type=exp.DataType.build(type_, udt=True), kept=int(kept.sum()), sieve=sieve)

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        assert kept is not None, "groups are looked up to see whether they are kept"
        assert not names, "groups have no numbers"
        position = sql.fragment("enum_code(:key)", key=exp.cast(_key(keys), self.type))
        is_kept = sql.fragment(":position < :kept", position=position, kept=self.kept)
        if self.sieve is not None:  # only keys that the sieve stops are looked up
            passes = self.sieve.passes(keys[0])
            is_kept = sql.fragment("CASE WHEN :passes THEN TRUE ELSE :kept END", passes=passes, kept=is_kept)
        return exp.select("*", exp.alias_(is_kept, kept)).from_(sql.rows_of(rows))


@dataclass(frozen=True, kw_only=True)
class JoinRegister(Register):
    """Keys, their numbers and whether they are kept, as a table that rows are joined with by a hash.

    Long lists of texts are looked up here, once per key, as values of an ENUM type: DuckDB copies a constant
    list for every vector of rows (10 million rows among 30,000 texts: 4.4 s a column), while an ENUM is a
    small number in joins and sorts, and its text is read in 0.1 s. A text in the table itself would be sorted
    with the rows: 17 s against 10 for writing 10 million rows.

    Roads not taken: an ENUM of all keys and their numbers as digits of one long text, which keep the order of
    the rows (10 million rows among 2.4 million keys: 101 s).

    Parameters
    ----------
    table, alias
        The table, and what a statement calls it.
    texts
        The columns of the table with the texts of numbers, by position.
    """

    table: exp.Table
    alias: str
    texts: Mapping[int, str]

    FEW = 64
    """Up to so many texts are looked up where they are written."""

    @classmethod
    def of(
        cls,
        session: DuckSession,
        keys: NDArray[np.int64],
        numbers: NDArray[np.integer],
        kept: NDArray[np.bool_] | None,
        texts: Mapping[int, Sequence[str | None]],
    ) -> JoinRegister:
        """Register keys, their numbers, and the texts of some numbers."""
        columns = {f"k{at}": column for at, column in enumerate(keys.T)}
        columns |= {f"n{at}": _narrowed(column) for at, column in enumerate(numbers.T)}
        columns["kept"] = np.ones(len(keys), np.bool_) if kept is None else kept
        uploaded = session.upload("keys", columns)
        rows = exp.select("u.*").from_(exp.alias_(uploaded, "u", table=True))
        listed = []
        for at, labels in texts.items():
            known = [label for label in labels if label is not None]
            if len(labels) <= cls.FEW or len(set(known)) < len(known):
                continue
            places = np.array([number for number, label in enumerate(labels) if label is not None], np.int64)
            table = session.upload("texts", {"i": places, "t": np.array(known, object)})
            type_ = session.fresh("labels")
            session.run(
                f"CREATE TEMP TYPE {type_} AS ENUM (SELECT t FROM {table.name} ORDER BY i)", "the labels"
            )
            text = exp.cast(exp.column("t", f"t{at}"), exp.DataType.build(type_, udt=True))
            own = exp.alias_(table, f"t{at}", table=True)
            rows = rows.select(exp.alias_(text, f"t{at}")).join(
                own, on=sql.fragment(f"t{at}.i = u.n{at}"), join_type="left"
            )
            listed.append((at, table))
        kept_table = session.keep("register", rows, "the distinct rows")
        for table in (uploaded, *(each for _, each in listed)):
            session.forget(table)
        return cls(
            table=kept_table, alias=session.fresh("registered"), texts={at: f"t{at}" for at, _ in listed}
        )

    def text(self, at: int) -> exp.Expr | None:
        return None if at not in self.texts else sql.as_text(exp.column(self.texts[at]))

    def joined(
        self,
        rows: exp.Query,
        keys: Sequence[exp.Expr],
        names: Sequence[str] = (),
        kept: str | None = None,
    ) -> exp.Select:
        columns: dict[str, exp.Expr] = {
            name: exp.cast(self._column(f"n{at}"), "INT") for at, name in enumerate(names)
        }
        if kept is not None:
            columns[kept] = self._column("kept")
        # A key that is new since the rows were counted fails a cast. One column checks it: DuckDB would
        # evaluate a cast that several have in common beforehand, for all keys.
        last, type_ = list(columns)[-1], "INT" if kept is None else "BOOLEAN"
        columns[last] = sql.fragment(
            f"coalesce(:found, CAST('?' || :key AS {type_}))", found=columns[last], key=_key(keys)
        )
        texts = [self._column(text) for text in self.texts.values()]
        equal = [
            exp.EQ(this=exp.column(f"k{at}", self.alias), expression=key.copy())
            for at, key in enumerate(keys)
        ]
        return (
            exp.select("r.*", *texts, *(exp.alias_(each, name) for name, each in columns.items()))
            .from_(sql.rows_of(rows, "r"))
            .join(
                exp.alias_(self.table.copy(), self.alias, table=True), on=exp.and_(*equal), join_type="left"
            )
        )

    def _column(self, name: str) -> exp.Expr:
        return exp.column(name, self.alias)


def _narrowed(numbers: NDArray[np.integer]) -> NDArray[np.integer]:
    """The same numbers, none of them negative, in as few bytes as they need."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _key(numbers: Sequence[exp.Expr]) -> exp.Expr:
    """Numbers as one text."""
    texts = [sql.as_text(number) for number in numbers]
    joined = texts[0]
    for text in texts[1:]:
        joined = sql.fragment(":first || '-' || :next", first=joined, next=text)
    return joined
