"""The histories of persons, counted where the rows are, and the place of each row in its history.

Each distinct row has a number; a person's numbers, in order, are their history; equal lists are one history.
Lists are grouped as lists, so that no hash decides who is like whom. Nothing of a row leaves the engine but
the distinct histories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Counted
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.recoding import (
    Chunks,
    Lookup,
    Numbers,
    chunks_of,
    coded_cells,
    key_of,
    keys_of,
    numbered,
)
from shoal.engines.sql.session import JoinedValue, Register, Session
from shoal.engines.sql.table import Table
from shoal.errors import PolicyError
from shoal.model.history.histories import Histories
from shoal.model.recoding.groups import LARGEST_KEY, Groups


@dataclass(frozen=True, kw_only=True, eq=False)
class RowNumbers:
    """How the rows of a table become rows of histories.

    Parameters
    ----------
    column
        The column that identifies persons.
    codes, chunks, distinct
        The codes of a row's quasi-identifiers, and the register of the distinct rows.
    sensitive, values, sizes
        The sensitive columns that models look at, their codes, and how many codes each has.
    ordered
        Whether the rows of a person are in the order of the source.
    """

    column: str
    codes: tuple[Numbers, ...]
    chunks: Chunks
    distinct: Register
    sensitive: tuple[str, ...]
    values: tuple[JoinedValue, ...]
    sizes: tuple[int, ...]
    ordered: bool

    @property
    def size(self) -> int:
        """How many combinations of sensitive values there can be."""
        return int(np.prod(self.sizes, dtype=object)) if self.sizes else 1

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        """The rows with their person `e_`, their place in the source `o_`, and the number `n_`."""
        person = sql.fragment("nullif(:cell, '')", cell=table.cell(self.column)) if table.is_text else None
        own = [
            exp.alias_(table.cell(self.column) if person is None else person, "e_"),
            *(exp.alias_(each.value, f"g{at}") for at, each in enumerate(self.values)),
        ]
        more = [*joins, *(each.join for each in self.values if each.join is not None)]
        rows = numbered(table, [*cells, *own], relation, more, self.codes, "q")
        rows = exp.select("*", sql.fragment("row_number() OVER () AS o_")).from_(rows.subquery("r"))
        rows = self.distinct.joined(rows, key_of(self.chunks, "q"), ["d_"])
        number: exp.Expr = sql.as_integer(exp.column("d_"))
        for at, size in enumerate(self.sizes):
            number = sql.fragment(
                ":number * :size + :value", number=number, size=size, value=exp.column(f"g{at}")
            )
        return exp.select("*", exp.alias_(number, "n_")).from_(rows.subquery("r"))

    @property
    def order(self) -> str:
        """In which order the rows of a person are, as SQL."""
        return "o_" if self.ordered else "n_, o_"


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedHistories:
    """Histories, and how to find the row of a history that a row of the source is.

    Parameters
    ----------
    histories
        The distinct histories.
    numbers
        How rows are numbered.
    persons
        For each person `e` where the rows of their history begin: `f_`.
    """

    histories: Histories
    numbers: RowNumbers
    persons: exp.Table


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedRows:
    """Which line of a frequency table each row of a history is.

    Parameters
    ----------
    counted
        The histories.
    line_of
        For each row of a history the line of the table whose lines are released alike.
    """

    counted: CountedHistories
    line_of: NDArray[np.int64]

    def lookup(self, session: Session, released: NDArray[np.int32], grouped: Groups) -> PlaceLookup:
        """How to find the released values of a row."""
        columns = {f"i{at}": released[self.line_of, at] for at in range(released.shape[1])}
        places = session.upload(
            "places",
            {
                "h_": np.arange(len(self.line_of), dtype=np.int64),
                **columns,
                "kept": grouped.kept[grouped.of_row][self.line_of],
            },
        )
        return PlaceLookup(self.counted, places)


@dataclass(frozen=True)
class PlaceLookup(Lookup):
    """Released values that depend on whose row it is, and which of their rows.

    Parameters
    ----------
    counted
        How to find the row of a history.
    places
        For each row of a history `h_` the numbers of its released values, and `kept`.
    """

    counted: CountedHistories
    places: exp.Table

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.counted.numbers.column, *self.counted.numbers.sensitive)

    def rows(
        self,
        table: Table,
        cells: Sequence[exp.Expr],
        relation: exp.Expr,
        joins: Sequence[exp.Join] = (),
    ) -> exp.Select:
        numbers = self.counted.numbers
        rows = numbers.rows(table, cells, relation, joins)
        place = sql.fragment(f"row_number() OVER (PARTITION BY e_ ORDER BY {numbers.order}) - 1 AS j_")
        rows = exp.select("*", place).from_(rows.subquery("r"))
        same = sql.fragment("e_ IS NOT DISTINCT FROM p.e")
        rows = (
            exp.select("r.*", sql.fragment("p.f_ + r.j_ AS h_"))
            .from_(rows.subquery("r"))
            .join(exp.alias_(self.counted.persons.copy(), "p", table=True), on=same)
        )
        released = [exp.column(f"i{at}", "p") for at in range(len(numbers.codes))]
        found = (
            exp.select("r.*", *released, exp.column("kept", "p"))
            .from_(rows.subquery("r"))
            .join(exp.alias_(self.places.copy(), "p", table=True), on=sql.fragment("r.h_ = p.h_"))
        )
        return found.order_by("o_")  # windows and joins lose the order of the rows


def count_histories(table: Table, counted: Counted, column: str, *, ordered: bool) -> CountedHistories:
    """The distinct histories of the persons of a counted table.

    Parameters
    ----------
    table, counted
        The table, and how it was counted.
    column
        The column that identifies persons.
    ordered
        Whether the order of a person's rows matters.
    """
    session, frequencies = table.session, counted.frequencies
    chunks = chunks_of([len(domain) for domain in frequencies.domains])
    numbers = RowNumbers(
        column=column,
        codes=coded_cells(counted),
        chunks=chunks,
        distinct=session.register(
            keys_of(frequencies.codes, chunks), np.arange(len(frequencies.counts), dtype=np.int64)[:, None]
        ),
        sensitive=tuple(counted.evidence.columns),
        values=tuple(counted.facts[name] for name in counted.evidence.columns),
        sizes=tuple(len(each.counts) for each in frequencies.people.columns),
        ordered=ordered,
    )
    if numbers.size * len(frequencies.counts) > LARGEST_KEY:
        raise PolicyError(
            "the sensitive columns that the models look at have too many values together for linkable rows; "
            "demand models of fewer columns"
        )
    names = [*(domain.name for domain in frequencies.domains), *counted.evidence.columns, column]
    with table.selected(list(dict.fromkeys(names))) as relation:
        rows = numbers.rows(table, [], relation)
        listed = exp.select("e_", sql.fragment(f"list(n_ ORDER BY {numbers.order}) AS l_")).from_(
            rows.subquery("r")
        )
        persons = session.keep("persons", listed.group_by("e_"), table.about)
    grouped = exp.select("l_", sql.fragment("count(*) AS c_")).from_(persons).group_by("l_")
    begins = "coalesce(sum(len(l_)) OVER (ORDER BY l_ ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"
    placed = exp.select("l_", "c_", sql.fragment(f"CAST({begins} AS BIGINT) AS f_")).from_(
        grouped.subquery("g")
    )
    lists = session.keep("histories", placed, table.about)
    ordered_lists = exp.select(sql.fragment("len(l_) AS s_"), "c_", "f_").from_(lists).order_by("f_")
    sizes = session.arrays(ordered_lists, table.about)
    unnested = exp.select(
        sql.fragment("unnest(l_) AS n_"), "f_", sql.fragment("generate_subscripts(l_, 1) AS j_")
    )
    flat = exp.select("n_").from_(unnested.from_(lists).subquery("u")).order_by("f_", "j_")
    numbered_rows = np.asarray(session.arrays(flat, table.about)["n_"], np.int64)
    found = (
        exp.select(sql.fragment("p.e_ AS e"), sql.fragment("h.f_ AS f_"))
        .from_(exp.alias_(persons.copy(), "p", table=True))
        .join(exp.alias_(lists.copy(), "h", table=True), on=sql.fragment("p.l_ = h.l_"))
    )
    begins_of_persons = session.keep("persons", found, table.about)
    session.forget(persons)
    session.forget(lists)
    lengths = np.asarray(sizes["s_"], np.int64)
    return CountedHistories(
        histories=Histories.of_one_table(
            frequencies,
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            (numbered_rows // numbers.size).astype(np.int32),
            np.asarray(sizes["c_"], np.int64),
            values=_values(numbered_rows % numbers.size, numbers.sizes) if numbers.sizes else None,
            ordered=ordered,
        ),
        numbers=numbers,
        persons=begins_of_persons,
    )


def _values(combined: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.int32]:
    """The codes of each sensitive column, from their combinations."""
    columns = []
    for size in reversed(sizes):
        combined, codes = np.divmod(combined, size)
        columns.append(codes)
    return np.column_stack(columns[::-1]).astype(np.int32)
