"""Counts, where the rows are, what the order of categories is learned from: their rows, and pairs of columns.

Only quasi-identifiers are looked at. The order of a column can be read from a release, so one that was
learned from a sensitive column would reveal something about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coded_lines import Coded, Codes, coded_lines
from shoal.engines.sql.coding import Coding
from shoal.engines.sql.session import Session
from shoal.engines.sql.table import Cells
from shoal.model.order.arrangement import Arrangement
from shoal.model.order.likeness import (
    BINS,
    MOST_COLUMNS,
    MOST_VALUES,
    binned,
    like_with_like,
    profiles,
    spread,
)

PAIRS_AT_ONCE = 32
"""Pairs of columns that one statement counts."""

MOST_COMBINATIONS = 5_000_000
"""With more distinct combinations, likeness is not looked at: each pair of columns is a pass over them."""

Counts = NDArray[np.int64]


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

    def bins(self, counts: Counts) -> NDArray[np.int32]:
        """The bin of each code, as the other columns are compared in it."""
        domain = self.coding.domain
        ordered = domain.kind != "category" or domain.is_scale
        return binned(counts, ordered=ordered, missing=domain.has_missing)


def learned_orders(
    session: Session, combinations: exp.Table, number: int, columns: Sequence[CodedColumn], about: str
) -> dict[int, tuple[list[int], Arrangement]]:
    """By number of a column whose order the data decides: its known codes in that order, and the reason.

    Parameters
    ----------
    session, combinations, number
        The counted combinations, and how many they are: `x0`, `x1`, ... are the cells of the columns, and `n`
        their rows.
    columns
        The quasi-identifiers.
    about
        What to call the table in messages.
    """
    learning = [at for at, column in enumerate(columns) if column.learns]
    if not learning:
        return {}
    margins = _margins(session, combinations, columns, about)
    bins = [column.bins(margin) for column, margin in zip(columns, margins, strict=True)]
    # Those that are spread most evenly can distinguish most.
    ranked = sorted(range(len(columns)), key=lambda at: (-spread(bins[at], margins[at]), at))
    compared = {
        at: sorted([other for other in ranked if other != at][:MOST_COLUMNS])
        for at in learning
        if columns[at].known <= MOST_VALUES and number <= MOST_COMBINATIONS
    }
    pairs = _pairs(session, combinations, columns, bins, compared, about)
    learned = {}
    for at in learning:
        counts, others = margins[at][: columns[at].known], compared.get(at, [])
        tables = [pairs[at, other][: len(counts)] for other in others]
        names = ", ".join(columns[other].coding.domain.name for other in others)
        words = f"by frequency, and likeness in {names}" if names else "by frequency"
        order = like_with_like(counts, profiles(counts, tables))
        learned[at] = order, Arrangement(how="data", words=words)
    return learned


def _margins(
    session: Session, combinations: exp.Table, columns: Sequence[CodedColumn], about: str
) -> list[Counts]:
    """The rows of each code of each column."""
    queries = []
    for at, column in enumerate(columns):
        codes = {"v": Coded("v", at, column.cells, column.coding.codes)}
        lines = coded_lines(combinations, codes, ["n"]).subquery("l", copy=False)
        queries.append(_summed(lines, f"{at} AS p", "v"))
    margins = [np.zeros(len(column.coding.domain), np.int64) for column in columns]
    for found in _united(session, queries, about):
        for number, margin in enumerate(margins):
            here = found["p"] == number
            margin[found["v"][here]] = found["n"][here]
    return margins


def _pairs(
    session: Session,
    combinations: exp.Table,
    columns: Sequence[CodedColumn],
    bins: Sequence[NDArray[np.int32]],
    compared: Mapping[int, Sequence[int]],
    about: str,
) -> dict[tuple[int, int], Counts]:
    """The rows of each code of a column and each bin of another."""
    wanted = [(at, other) for at, others in compared.items() for other in others]
    if not wanted:
        return {}
    needed = {f"v{at}": _coded(columns, at, None) for at in compared}
    needed |= {f"w{other}": _coded(columns, other, bins[other]) for _, other in wanted}
    # Kept, so that each cell is looked up once and not once for each pair.
    kept = session.keep("likeness", coded_lines(combinations, needed, ["n"]), about)
    queries = [
        _summed(kept, f"{number} AS p", f"v{at} AS v", f"w{other} AS w")
        for number, (at, other) in enumerate(wanted)
    ]
    tables = {pair: np.zeros((len(columns[pair[0]].coding.domain), BINS + 1), np.int64) for pair in wanted}
    for found in _united(session, queries, about):
        for number in np.unique(found["p"]).tolist():
            here = found["p"] == number
            tables[wanted[number]][found["v"][here], found["w"][here]] = found["n"][here]
    session.forget(kept)
    return tables


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
