"""Counts the persons who have each combination of at most m rows.

Whoever has a combination has each part of it, so of one person the combinations of m rows are the rarest, or,
if the person has fewer rows, that of all of them. Combinations grow row by row: of the places where a history
has one, only the first is remembered, because all that can follow another place can follow the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack

from sqlglot import exp

from shoal.engines.duckdb.session import DuckSession
from shoal.model.history.measured_histories import MOST_COMBINATIONS, MeasuredEvents

LONG = 32
"""Rows of a history that may have many equal rows in succession."""

AT_ONCE = 25_000_000
"""Combinations that are counted at once: more are counted in parts, by their first row."""


def events_measured(
    session: DuckSession, histories: str, known_events: Sequence[int], k: int, about: str
) -> tuple[MeasuredEvents, ...]:
    """What somebody who knows some rows finds, for each number of rows.

    Parameters
    ----------
    session
        Where the histories are.
    histories
        A table of distinct histories: the number `i` of each, the list `h` of its rows, and its persons `n`.
    known_events
        The numbers of rows.
    k
        How many persons everybody should hide among.
    about
        What to call the table in messages.
    """
    if not known_events:
        return ()
    with ExitStack() as kept:
        combinations = _Combinations(session, histories, k, about, kept)
        return tuple(combinations.measured(each) for each in known_events)


class _Combinations:
    """The combinations of some histories; all tables end with `kept`."""

    def __init__(self, session: DuckSession, histories: str, k: int, about: str, kept: ExitStack) -> None:
        self._session, self._histories, self._k, self._about = session, histories, k, about
        self._kept = kept
        self._entries = self._keep(kept, "entries", self._listed())
        self._singles = self._keep(
            kept,
            "singles",
            f"SELECT d, sum(n) AS persons FROM (SELECT DISTINCT i, n, d FROM {self._entries}) AS e "
            "GROUP BY d",
        )
        self._fewest = self._number(f"SELECT min(persons) FROM {self._singles}")
        self._rare = self._keep(kept, "rare", "SELECT CAST(NULL AS INTEGER) AS i WHERE FALSE")
        if self._fewest == 1:
            self._leave_out_rare_rows()

    def _listed(self) -> str:
        """The rows of histories: `o` is the place in the history, `c` that among equal rows in succession.

        Of equal rows in succession nobody needs to look at more than are known; only for long histories is it
        worth numbering them.
        """
        entries = (
            "SELECT i, n, len(h) AS l, unnest(h) AS d, CAST(unnest(range(len(h))) AS INTEGER) AS o "
            f"FROM {self._histories} WHERE len(h)"
        )
        begins = "coalesce(d <> lag(d) OVER (PARTITION BY i ORDER BY o), TRUE)"
        begun = f"SELECT *, CASE WHEN {begins} THEN o END AS b FROM ({entries} > {LONG}) AS e"
        numbered = (
            f"SELECT i, n, l, d, o, o - max(b) OVER (PARTITION BY i ORDER BY o) AS c FROM ({begun}) AS e"
        )
        return f"SELECT *, 0 AS c FROM ({entries} <= {LONG}) AS e UNION ALL {numbered}"

    def _leave_out_rare_rows(self) -> None:
        """Go on without rare rows: who has one is found, and no combination has fewer than one person."""
        rare = f"SELECT d FROM {self._singles} WHERE persons < {self._k:d}"
        self._run(f"INSERT INTO {self._rare} SELECT DISTINCT i FROM {self._entries} WHERE d IN ({rare})")
        self._entries = self._keep(
            self._kept, "entries", f"SELECT * FROM {self._entries} WHERE d NOT IN ({rare})"
        )

    def measured(self, events: int) -> MeasuredEvents:
        """Count the combinations of so many rows, and those of all rows of shorter histories."""
        combinations = self._bound(events)
        if combinations > MOST_COMBINATIONS:
            return MeasuredEvents(events=events, too_many=combinations)
        lengths = {length for (length,) in self._rows(f"SELECT DISTINCT l FROM {self._entries}")}
        parts = max(1, math.ceil(combinations / AT_ONCE))
        fewest = self._fewest
        with ExitStack() as kept:
            rare = self._keep(kept, "rare", f"SELECT i FROM {self._rare}")
            for part in range(parts):
                least = self._part(events, lengths, rare, f"d % {parts} = {part}", prune=fewest == 1)
                fewest = least if fewest is None or (least is not None and least < fewest) else fewest
            below = self._number(
                f"SELECT coalesce(sum(n), 0) FROM {self._histories} WHERE i IN (SELECT i FROM {rare})"
            )
        return MeasuredEvents(events=events, fewest=fewest, persons_below=below or 0)

    def _bound(self, events: int) -> int:
        """How many combinations of at most so many rows the histories can have, and are looked at."""
        sizes = self._rows(
            "SELECT l, c, count(*) FROM "
            f"(SELECT sum(t) AS l, count(*) AS c FROM (SELECT i, d, count(*) AS t FROM {self._entries} "
            f"WHERE c < {events:d} GROUP BY i, d) AS e GROUP BY i) AS h GROUP BY l, c"
        )
        return sum(
            times * min(math.comb(length, size), distinct ** (size - 1) * length)
            for length, distinct, times in sizes
            for size in range(1, min(events, length) + 1)
        )

    def _part(self, events: int, lengths: set[int], rare: str, chosen: str, *, prune: bool) -> int | None:
        """The fewest persons of combinations whose first row is chosen; `rare` gets who has a rare one."""
        fewest, rows = None, ["d1"]
        with ExitStack() as kept:
            grown = self._keep(
                kept,
                "grown",
                f"SELECT i, n, l, d AS d1, min(o) AS o FROM {self._entries} WHERE {chosen} "
                "GROUP BY i, n, l, d",
            )
            while True:
                size = len(rows)
                last = size == events
                if last or size in lengths or prune:
                    least = self._judged(grown, rows, rare, last=last, prune=prune and not last)
                    fewest = least if fewest is None or (least is not None and least < fewest) else fewest
                if last:
                    return fewest
                rows.append(f"d{size + 1}")
                known = ", ".join(f"g.{each}" for each in rows[:-1])
                longer = self._keep(
                    kept,
                    "grown",
                    f"SELECT g.i, g.n, g.l, {known}, e.d AS {rows[-1]}, min(e.o) AS o FROM {grown} AS g "
                    f"JOIN {self._entries} AS e ON e.i = g.i AND e.o > g.o AND e.c < {events:d} "
                    f"GROUP BY g.i, g.n, g.l, {known}, e.d",
                )
                self._run(f"DROP TABLE {grown}")
                grown = longer

    def _judged(self, grown: str, rows: Sequence[str], rare: str, *, last: bool, prune: bool) -> int | None:
        """The fewest persons of the combinations of one size.

        Parameters
        ----------
        grown
            The combinations.
        rows
            Their columns.
        rare
            The histories that have a rare one; more are added.
        last
            Whether all combinations count; otherwise those that are whole histories, because the others are
            parts of combinations that are counted later.
        prune
            Whether all rare ones are left out from here on, and who has one is found now.
        """
        columns = ", ".join(rows)
        every = last or prune
        whole = "TRUE" if every else f"bool_or(l = {len(rows):d})"
        with ExitStack() as kept:
            few = self._keep(
                kept,
                "few",
                f"SELECT {columns}, sum(n) AS persons FROM {grown} GROUP BY {columns} HAVING {whole}",
            )
            fewest = self._number(f"SELECT min(persons) FROM {few}")
            if fewest is None or fewest >= self._k:
                return fewest
            found = f"SELECT {columns} FROM {few} WHERE persons < {self._k:d}"
            owners = "" if every else f"l = {len(rows):d} AND "
            self._run(
                f"INSERT INTO {rare} SELECT DISTINCT i FROM {grown} WHERE {owners}({columns}) IN ({found})"
            )
            if prune:
                self._run(f"DELETE FROM {grown} WHERE ({columns}) IN ({found})")
        return fewest

    def _keep(self, kept: ExitStack, what: str, query: str) -> str:
        name = self._session.fresh(what)
        self._run(f"CREATE TEMP TABLE {name} AS {query}")
        kept.callback(lambda: self._session.forget(exp.to_table(name)))
        return name

    def _run(self, statement: str) -> None:
        self._session.run(statement, self._about)

    def _rows(self, query: str) -> list[tuple[int, ...]]:
        return self._session.fetched(query, self._about)

    def _number(self, query: str) -> int | None:
        ((value,),) = self._rows(query)
        return None if value is None else int(value)
