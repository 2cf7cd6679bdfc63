"""Counted combinations, summed up by codes: where they are, by statements, or here after one fetch.

Both give the same numbers. Statements fetch nothing but sums, but each pair of columns is a pass over the
combinations, and in an engine where a statement takes a second to start that is most of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import HashedRows
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coded_lines import Coded, Codes, coded_lines
from shoal.engines.sql.coding import Coding
from shoal.engines.sql.recoding import Chunks, chunks_of, key_of, keys_of
from shoal.engines.sql.session import Session
from shoal.engines.sql.table import Cells, Table
from shoal.errors import InternalError
from shoal.model.order.likeness import BINS, binned
from shoal.model.recoding.groups import distinct, places_among

PAIRS_AT_ONCE = 32
"""Pairs of columns that one statement counts."""

Counts = NDArray[np.int64]
Compared = Mapping[int, Sequence[int]]
"""By number of a column the numbers of those that it is compared with."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of counted combinations.

    Parameters
    ----------
    cells, coding
        Its distinct cells, and their codes.
    """

    cells: Cells
    coding: Coding

    @property
    def learns(self) -> bool:
        """Whether the data decides its order."""
        arrangement = self.coding.domain.arrangement
        return arrangement is not None and arrangement.how == "data"

    @property
    def known(self) -> int:
        """The number of its values without the missing one."""
        return len(self.coding.domain) - self.coding.domain.has_missing

    def margin(self) -> Counts | None:
        """The rows of each code, if those of the cells are known."""
        if self.cells.counts is None:
            return None
        rows = np.zeros(len(self.coding.domain), np.int64)
        coded = self.coding.codes >= 0  # -1: no cell is missing
        np.add.at(rows, self.coding.codes[coded], self.cells.counts[coded])
        return rows

    def bins(self, counts: Counts) -> NDArray[np.int32]:
        """The bin of each code, as the other columns are compared in it."""
        domain = self.coding.domain
        ordered = domain.kind != "category" or domain.is_scale
        return binned(counts, ordered=ordered, missing=domain.has_missing)


class Tally(Protocol):
    """Counted combinations."""

    def margins(self, columns: Sequence[CodedColumn]) -> list[Counts]:
        """The rows of each code of each column."""

    def pairs(
        self, columns: Sequence[CodedColumn], bins: Sequence[NDArray[np.int32]], compared: Compared
    ) -> dict[tuple[int, int], Counts]:
        """The rows of each code of a column and each bin of another."""

    def summed(self, coded: Sequence[Coded]) -> dict[str, NDArray[Any]]:
        """Combinations by codes, equal ones merged, sorted: codes by name, rows `n`, any weights `m`."""


class EngineTally:
    """Combinations that stay in the engine.

    Parameters
    ----------
    table
        The table that the combinations belong to.
    combinations
        Where they are kept: `x0`, `x1`, ... are the cells of the columns, and `n` their rows.
    weighs
        Whether they have weights `m` to sum up.
    """

    def __init__(self, table: Table, combinations: exp.Table, *, weighs: bool = False) -> None:
        self._session = table.session
        self._about = table.about
        self._combinations = combinations
        self._counts = ["n", "m"] if weighs else ["n"]

    def margins(self, columns: Sequence[CodedColumn]) -> list[Counts]:
        counted = [column.margin() for column in columns]
        if all(each is not None for each in counted):
            return [each for each in counted if each is not None]
        queries = []
        for at, column in enumerate(columns):
            codes = {"v": Coded("v", at, column.cells, column.coding.codes)}
            lines = coded_lines(self._combinations, codes, ["n"]).subquery("l", copy=False)
            queries.append(_summed(lines, f"{at} AS p", "v"))
        margins = [np.zeros(len(column.coding.domain), np.int64) for column in columns]
        for found in _united(self._session, queries, self._about):
            for number, margin in enumerate(margins):
                here = found["p"] == number
                margin[found["v"][here]] = found["n"][here]
        return margins

    def pairs(
        self, columns: Sequence[CodedColumn], bins: Sequence[NDArray[np.int32]], compared: Compared
    ) -> dict[tuple[int, int], Counts]:
        wanted, session = _wanted(compared), self._session
        if not wanted:
            return {}
        needed = {f"v{at}": _coded(columns, at, None) for at in compared}
        needed |= {f"w{other}": _coded(columns, other, bins[other]) for _, other in wanted}
        # Kept, so that each cell is looked up once and not once for each pair.
        kept = session.keep("likeness", coded_lines(self._combinations, needed, ["n"]), self._about)
        queries = [
            _summed(kept, f"{number} AS p", f"v{at} AS v", f"w{other} AS w")
            for number, (at, other) in enumerate(wanted)
        ]
        tables = {
            pair: np.zeros((len(columns[pair[0]].coding.domain), BINS + 1), np.int64) for pair in wanted
        }
        for found in _united(session, queries, self._about):
            for number in np.unique(found["p"]).tolist():
                here = found["p"] == number
                tables[wanted[number]][found["v"][here], found["w"][here]] = found["n"][here]
        session.forget(kept)
        return tables

    def summed(self, coded: Sequence[Coded]) -> dict[str, NDArray[Any]]:
        # One number in place of all codes: with it DuckDB groups and sorts 1.8 million combinations of eight
        # codes in 1.6 processor seconds, and with the codes in 3.1. The first code is the most significant.
        back = list(reversed(coded))
        lines = coded_lines(
            self._combinations, {f"b{at}": each for at, each in enumerate(back)}, self._counts
        )
        sizes = [int(each.codes.max()) + 1 for each in back]
        chunks = chunks_of(sizes)
        keys = [exp.alias_(key, f"k{at}") for at, key in enumerate(key_of(chunks, "b"))]
        names = [key.alias for key in reversed(keys)]
        keyed = exp.select(*keys, *self._counts).from_(lines.subquery("l"))
        sums = [exp.alias_(sql.as_integer(sql.fragment(f"sum({name})")), name) for name in self._counts]
        summed = exp.select(*names, *sums).from_(keyed.subquery("k")).group_by(*names).order_by(*names)
        arrays = _whole(self._session.arrays(summed, self._about))
        keys_found = np.column_stack([arrays[f"k{at}"] for at in range(len(chunks))])
        codes = dict(zip([each.name for each in back], _codes_of(keys_found, chunks, sizes), strict=True))
        return {**{name: arrays[name] for name in self._counts}, **codes}


class FetchedTally:
    """Combinations of which the position of each cell was fetched.

    Parameters
    ----------
    positions
        For each column the position of each combination's cell among the distinct ones; the missing one is
        the last.
    counts
        The rows `n` of each combination, and the weights `m`, if any.
    hashes
        A hash of the first cells of each combination, if the engine finds rows by it.
    """

    def __init__(
        self,
        positions: Sequence[NDArray[np.int32]],
        counts: Mapping[str, Counts],
        hashes: Counts | None = None,
    ) -> None:
        self._positions = positions
        self._counts = counts
        self._hashes = hashes

    @classmethod
    def fetched(
        cls,
        table: Table,
        combinations: exp.Table,
        cells: Sequence[Cells],
        *,
        weighs: bool,
        hashed: Sequence[exp.Expr] = (),
    ) -> FetchedTally:
        """The combinations as `EngineTally` has them.

        Parameters
        ----------
        table, combinations
            As in `EngineTally`.
        cells
            Those of all columns of the combinations.
        weighs
            Whether they have weights.
        hashed
            The columns of the combinations whose hash is also fetched.
        """
        sizes = [len(each.cells) + 1 for each in cells]
        chunks = chunks_of(sizes)
        own = [np.arange(size, dtype=np.int32) for size in sizes]
        coded = {f"b{at}": Coded("", at, each, own[at]) for at, each in enumerate(cells)}
        counts = ["n", "m"] if weighs else ["n"]
        lines = coded_lines(combinations, coded, counts)
        keys = [exp.alias_(key, f"k{at}") for at, key in enumerate(key_of(chunks, "b"))]
        whole_numbers = [exp.alias_(sql.as_integer(exp.column(name)), name) for name in counts]
        if hashed:
            lines = lines.select(exp.alias_(table.session.hashed(hashed), "h"))
            whole_numbers.append(exp.column("h"))
        keyed = exp.select(*keys, *whole_numbers).from_(lines.subquery("l"))
        arrays = _whole(table.session.arrays(keyed, table.about))
        keys_found = np.column_stack([arrays[f"k{at}"] for at in range(len(chunks))])
        positions = _codes_of(keys_found, chunks, sizes)
        return cls(positions, {name: arrays[name] for name in counts}, arrays.get("h"))

    def hashed_rows(self, codings: Sequence[Coding], known: NDArray[np.int32]) -> HashedRows | None:
        """The distinct rows by their hashes; `None` without hashes, or if two rows share one.

        Parameters
        ----------
        codings
            Those of the hashed columns.
        known
            The codes of the distinct rows.
        """
        if self._hashes is None:
            return None
        positions = np.column_stack(self._positions[: len(codings)])
        first, of_line = distinct(positions)
        hashes = self._hashes[first]
        # A hash belongs to one row, and a row has one hash however its other columns divide it.
        if len(np.unique(hashes)) < len(first) or (hashes[of_line] != self._hashes).any():
            return None
        codes = [coding.codes[positions[first, at]] for at, coding in enumerate(codings)]
        places = places_among(known, np.column_stack(codes))
        if (places < 0).any():
            raise InternalError("a distinct row was not counted")
        return HashedRows(hashes, places)

    def margins(self, columns: Sequence[CodedColumn]) -> list[Counts]:
        margins = []
        for at, column in enumerate(columns):
            margin = np.zeros(len(column.coding.domain), np.int64)
            np.add.at(margin, column.coding.codes[self._positions[at]], self._counts["n"])
            margins.append(margin)
        return margins

    def pairs(
        self, columns: Sequence[CodedColumn], bins: Sequence[NDArray[np.int32]], compared: Compared
    ) -> dict[tuple[int, int], Counts]:
        rows, found = self._counts["n"], {}
        for at, other in _wanted(compared):
            size = len(columns[at].coding.domain)
            codes = columns[at].coding.codes[self._positions[at]].astype(np.int64)
            binned_codes = _coded(columns, other, bins[other]).codes[self._positions[other]]
            # Sums of whole numbers in doubles are exact below 2^53, which is more than any number of rows.
            sums = np.bincount(codes * (BINS + 1) + binned_codes, rows, size * (BINS + 1))
            found[at, other] = sums.astype(np.int64).reshape(size, BINS + 1)
        return found

    def summed(self, coded: Sequence[Coded]) -> dict[str, NDArray[Any]]:
        # The first code is the most significant.
        codes = np.column_stack([each.codes[self._positions[each.column]] for each in reversed(coded)])
        if (codes < 0).any():
            raise InternalError("a cell has no code")
        keys = keys_of(codes, chunks_of((codes.max(axis=0) + 1).tolist()))
        order = np.lexsort(keys.T)
        keys = keys[order]
        first = np.ones(len(keys), np.bool_)
        first[1:] = (keys[1:] != keys[:-1]).any(axis=1)
        begins = np.flatnonzero(first)
        sums = {name: np.add.reduceat(counts[order], begins) for name, counts in self._counts.items()}
        lines = codes[order[begins]].T
        return {**sums, **dict(zip([each.name for each in reversed(coded)], lines, strict=True))}


def _whole(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Counts]:
    """Columns of whole numbers without a NULL."""
    if any(np.ma.is_masked(array) for array in arrays.values()):
        raise InternalError("a cell has no code")
    return {name: np.asarray(array, np.int64) for name, array in arrays.items()}


def _codes_of(keys: Counts, chunks: Chunks, sizes: Sequence[int]) -> list[NDArray[np.int32]]:
    """The numbers that keys consist of; what `keys_of` makes keys of."""
    numbers = [np.zeros(len(keys), np.int32) for _ in sizes]
    for at, chunk in enumerate(chunks):
        rest = keys[:, at]
        for place, _ in chunk:
            rest, codes = np.divmod(rest, sizes[place])
            numbers[place] = codes.astype(np.int32)
    return numbers


def _wanted(compared: Compared) -> list[tuple[int, int]]:
    return [(at, other) for at, others in compared.items() for other in others]


def _coded(columns: Sequence[CodedColumn], at: int, bins: NDArray[np.int32] | None) -> Coded:
    codes: Codes = columns[at].coding.codes
    if bins is not None:
        codes = np.where(codes < 0, -1, bins[codes]).astype(np.int32)  # -1: no cell is missing
    return Coded("", at, columns[at].cells, codes)


def _summed(lines: exp.Expr, *names: str) -> exp.Select:
    """The rows of each combination of codes; the first of the names is a constant."""
    columns = [name.split(" AS ")[0] for name in names[1:]]
    total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n", copy=False)
    return sql.query(*names, total, of=lines, by=columns)


def _united(session: Session, queries: Sequence[exp.Query], about: str) -> list[dict[str, Counts]]:
    """The results of queries with the same columns, some at a time in one statement."""
    found = []
    for first in range(0, len(queries), PAIRS_AT_ONCE):
        some = queries[first : first + PAIRS_AT_ONCE]
        united = reduce(_both, some)
        arrays = session.arrays(united, about)
        found.append({name: np.asarray(array, np.int64) for name, array in arrays.items()})
    return found


def _both(one: exp.Query, two: exp.Query) -> exp.Query:
    return exp.union(one, two, distinct=False, copy=False)
