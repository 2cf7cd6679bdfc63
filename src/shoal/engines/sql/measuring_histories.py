"""Measures the histories of persons in a table from its cells alone: no recoding, no search.

A history is the list of a person's rows, as their numbers among the distinct rows of the table: sorted, or
in the order of the table. Equal histories are grouped by these lists, never by a hash alone. As in
`measuring`, a missing value equals only a missing value. A combination of rows is a list, too, and a person
has it if it can be made from the person's list by leaving out entries: for sorted lists these are the parts
of a multiset, for lists in the order of the table those of a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from sqlglot import exp

from shoal.engines.duckdb.session import DuckSession
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.evidence_cells import person_codes
from shoal.engines.sql.known_events import events_measured
from shoal.engines.sql.table import FrameTable, Table
from shoal.errors import EngineError, PolicyError
from shoal.model.history.measured_histories import MeasuredHistories

_MARK = "person_"


def histories_measured(
    table: Table,
    quasi_identifiers: Sequence[str],
    column: str,
    *,
    known_events: Sequence[int],
    ordered: bool,
    k: int,
) -> MeasuredHistories:
    """Two passes over the rows; all else reads the distinct histories.

    Parameters
    ----------
    table, quasi_identifiers
        What to measure.
    column
        The column that identifies persons.
    known_events
        How many rows of a person somebody may know; each number is measured.
    ordered
        Whether the order of rows in the table is known.
    k
        How many persons everybody should hide among.
    """
    if not isinstance(table.session, DuckSession):
        raise PolicyError(
            f"the histories of column {column!r} can only be measured by DuckDB, and {table.about} is "
            "in another database; write the table to a file (.parquet), and audit the file"
        )
    with ExitStack() as kept:
        return _Histories(table, table.session, quasi_identifiers, column, kept, ordered=ordered).measured(
            known_events, k
        )


class _Histories:
    """The distinct histories of a table, kept in the engine until `kept` ends."""

    def __init__(
        self,
        table: Table,
        session: DuckSession,
        quasi_identifiers: Sequence[str],
        column: str,
        kept: ExitStack,
        *,
        ordered: bool,
    ) -> None:
        self._table, self._session, self._kept = table, session, kept
        self._quasi, self._column, self._ordered = list(quasi_identifiers), column, ordered
        self._lines = self._keep("lines", self._distinct_rows())
        self._histories = self._keep("histories", self._distinct_histories())

    def measured(self, known_events: Sequence[int], k: int) -> MeasuredHistories:
        histories, persons, rows, fewest, alone, below = self._row(
            "SELECT count(*), coalesce(sum(n), 0), coalesce(sum(n * len(h)), 0), min(n), "
            "coalesce(sum(n) FILTER (WHERE n = 1), 0), "
            f"coalesce(sum(n) FILTER (WHERE n < {k:d}), 0) FROM {self._histories}"
        )
        (counted,) = self._row(f"SELECT coalesce(sum(n), 0) FROM {self._lines}")
        if counted != rows:
            raise EngineError(f"{self._table.about} changed while it was measured; audit it again")
        fewest_per_row, in_small_groups = self._by_rows(k)
        return MeasuredHistories(
            k=k,
            ordered=self._ordered,
            persons=int(persons),
            rows=int(rows),
            fewest_per_row=None if fewest_per_row is None else int(fewest_per_row),
            persons_in_small_groups=int(in_small_groups),
            histories=int(histories),
            fewest_per_history=None if fewest is None else int(fewest),
            persons_alone=int(alone),
            persons_below=int(below),
            sizes=self._sizes(),
            known=events_measured(self._session, self._histories, known_events, k, self._table.about),
        )

    def _sizes(self) -> tuple[tuple[int, int], ...]:
        """How many histories are shared by how many persons."""
        query = f"SELECT n, count(*) FROM {self._histories} GROUP BY n ORDER BY n"
        found = self._session.fetched(query, self._table.about)
        return tuple((int(persons), int(times)) for persons, times in found)

    def _by_rows(self, k: int) -> tuple[int | None, int]:
        """The fewest persons of a group of rows, and the persons who have a row in one that is too small."""
        groups = self._keep(
            "groups",
            "SELECT d, sum(n) AS persons FROM "
            f"(SELECT unnest(list_distinct(h)) AS d, n FROM {self._histories}) AS e "
            f"WHERE d IN (SELECT d FROM {self._lines} WHERE NOT star) GROUP BY d",
        )
        (fewest,) = self._row(f"SELECT min(persons) FROM {groups}")
        (persons,) = self._row(
            "SELECT coalesce(sum(n), 0) FROM (SELECT DISTINCT i, n FROM "
            f"(SELECT i, n, unnest(h) AS d FROM {self._histories}) AS e "
            f"WHERE d IN (SELECT d FROM {groups} WHERE persons < {k:d})) AS s"
        )
        return fewest, persons

    def _distinct_rows(self) -> str:
        """Number the distinct rows."""
        cells = [exp.alias_(self._table.seen(name), f"g{index}") for index, name in enumerate(self._quasi)]
        star = exp.alias_(sql.every([self._table.is_star(name) for name in self._quasi]), "star")
        relation = self._kept.enter_context(self._selected())
        rows = self._session.rendered(sql.counted([*cells, star], relation))
        return f"SELECT CAST(row_number() OVER () - 1 AS INTEGER) AS d, * FROM ({rows}) AS l"

    def _distinct_histories(self) -> str:
        """List the rows of each person, and group equal lists."""
        relation = self._kept.enter_context(self._selected())
        cells = [exp.alias_(self._table.seen(name), f"c{index}") for index, name in enumerate(self._quasi)]
        number = [sql.fragment("row_number() OVER () AS o")] if self._ordered else []
        rows = self._session.rendered(
            exp.select(*cells, *number, exp.alias_(self._mark(), "p")).from_(relation)
        )
        same = " AND ".join(f"r.c{index} IS NOT DISTINCT FROM l.g{index}" for index in range(len(cells)))
        # In order of the table: one number for a row's place and the row sorts faster than two.
        (size,) = self._row(f"SELECT count(*) FROM {self._lines}")
        entry = f"r.o * {size} + l.d" if self._ordered else "l.d"
        listed = "list_sort(list(e))"
        if self._ordered:
            listed = f"[CAST(x % {size} AS INTEGER) FOR x IN {listed}]"
        entries = f"SELECT r.p, {entry} AS e FROM ({rows}) AS r JOIN {self._lines} AS l ON {same}"
        persons = f"SELECT {listed} AS h FROM ({entries}) AS e GROUP BY p"
        return (
            "SELECT CAST(row_number() OVER () - 1 AS INTEGER) AS i, h, n FROM "
            f"(SELECT h, count(*) AS n FROM ({persons}) AS p GROUP BY h) AS g"
        )

    @contextmanager
    def _selected(self) -> Iterator[exp.Expr]:
        """The rows; those of a frame with the codes of their persons."""
        if not isinstance(self._table, FrameTable):
            with self._table.selected([*self._quasi, self._column]) as relation:
                yield relation
            return
        persons = self._table.factorized(self._column)
        marks = {_MARK: person_codes(persons.cells)[persons.codes]}
        with self._table.weighed(self._quasi, None, marks) as relation:
            yield relation

    def _mark(self) -> exp.Expr:
        """SQL for the mark of a row's person; an empty one counts as missing."""
        if isinstance(self._table, FrameTable):
            return exp.column(_MARK)
        return sql.fragment("nullif(:mark, '')", mark=sql.as_text(self._table.cell(self._column)))

    def _keep(self, what: str, query: str) -> str:
        name = self._session.fresh(what)
        self._session.run(f"CREATE TEMP TABLE {name} AS {query}", self._table.about)
        self._kept.callback(lambda: self._session.forget(exp.to_table(name)))
        return name

    def _row(self, query: str) -> tuple[Any, ...]:
        (row,) = self._session.fetched(query, self._table.about)
        return row
