"""Columns of degrees and of times as arrays, one entry per row, whatever they are stored as.

DuckDB reads the cells of files, tables and frames alike, in its own threads: a list of texts with one Python
object per row would take longer than everything else. Where a cell cannot be read, the message has its row,
and never the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.engines.sql.row_places import rows_named
from shoal.engines.sql.table import DatabaseTable, FrameTable
from shoal.errors import PolicyError
from shoal.model.cells.missing_markers import MARKERS
from shoal.model.table.measured_column import Moments

_NUMBERS = ("NULL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_MISSING = -(2**62)
_OF_DAY = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"


def degrees_read(
    session: DuckSession, table: DatabaseTable | FrameTable, column: str, markers: Sequence[str] | None
) -> NDArray[np.float64]:
    """A column of degrees, NaN where the cell is missing; `PolicyError` if a cell is no number.

    Parameters
    ----------
    session, table, column
        The column.
    markers
        The texts that mean "missing"; the usual ones when absent.
    """
    with _Column(session, table, column) as read:
        if read.type == "VARCHAR":
            value, known = "TRY_CAST(trim(c) AS DOUBLE)", read.known(markers)
        elif read.type.strip('"').removeprefix("U").partition("(")[0] in _NUMBERS:
            value, known = "CAST(c AS DOUBLE)", "c IS NOT NULL"
        else:
            raise PolicyError(f"column {column!r} has coordinates in degrees, and its cells are no numbers")
        arrays = read.arrays(
            f"CASE WHEN {known} THEN {value} END", f"{known} AND {value} IS NULL", "'nan'::DOUBLE"
        )
    _check_read(column, arrays["unread"], "a number of degrees, as in 52.5219")
    return np.asarray(arrays["v"], np.float64)


def moments_read(
    session: DuckSession, table: DatabaseTable | FrameTable, column: str, markers: Sequence[str] | None
) -> Moments:
    """A column of moments or of times of day; `PolicyError` if a cell is neither.

    Parameters
    ----------
    session, table, column, markers
        As for `degrees_read`.
    """
    with _Column(session, table, column) as read:
        stored, known = read.type, read.known(markers) if read.type == "VARCHAR" else "c IS NOT NULL"
        if stored == "VARCHAR":
            is_time = f"regexp_full_match(trim(c), {literal(_OF_DAY)})"
            times = read.count(f"{known} AND {is_time}")
            of_day = times > 0
            text = "'1970-01-01 ' || trim(c)" if of_day else "trim(c)"
            # A date without a time would say midnight, which nobody knows.
            moment = (
                f"CASE WHEN contains(c, ':') AND {is_time} = {of_day} THEN TRY_CAST({text} AS TIMESTAMP) END"
            )
        elif stored.startswith("TIMESTAMP") or stored == "TIME":
            of_day = stored == "TIME"
            moment = "CAST('1970-01-01' AS DATE) + c" if of_day else "CAST(c AS TIMESTAMP)"
        else:
            raise PolicyError(
                f'column {column!r} is to be read as times, and has none; give it type = "date" if its cells '
                "are dates alone"
            )
        seconds = f"CAST(floor(epoch({moment})) AS BIGINT)"
        arrays = read.arrays(
            f"CASE WHEN {known} THEN {seconds} END", f"{known} AND {moment} IS NULL", str(_MISSING)
        )
    like = "a time of day, as in 07:45" if of_day else "a time with its day, as in 2024-05-17 07:45"
    _check_read(column, arrays["unread"], like)
    seconds_read = np.asarray(arrays["v"], np.int64)
    return Moments(seconds=seconds_read, missing=seconds_read == _MISSING, of_day=of_day)


class _Column:
    """A column as something to select from, for as long as the `with` statement lasts."""

    def __init__(self, session: DuckSession, table: DatabaseTable | FrameTable, column: str) -> None:
        self._session, self._about = session, f"{table.about}, column {column!r}"
        self._frame: exp.Table | None = None
        if isinstance(table, FrameTable):
            native = table.frame.without([name for name in table.columns if name != column]).native
            self._frame = session.upload_frame("column", native, self._about)
            relation: exp.Expr = self._frame
        else:
            relation = table.relation
        # Numbered where they are read: a test against a list of markers becomes a join, whose rows come in
        # any order.
        numbered = f"{quoted(column)} AS c, row_number() OVER () AS r"
        self._selected = f"(SELECT {numbered} FROM {session.rendered(relation)})"

    def __enter__(self) -> _Column:
        described = self._session.fetched(f"DESCRIBE SELECT c FROM {self._selected}", self._about)
        self.type = str(described[0][1])
        return self

    def __exit__(self, *_: object) -> None:
        if self._frame is not None:
            self._session.forget(self._frame)

    def known(self, markers: Sequence[str] | None) -> str:
        """SQL for whether a text is there and means no missing value."""
        listed = MARKERS if markers is None else {each.strip() for each in markers} | {""}
        text = "lower(trim(c))" if markers is None else "trim(c)"
        return f"(c IS NOT NULL AND {text} NOT IN ({', '.join(map(literal, sorted(listed)))}))"

    def count(self, condition: str) -> int:
        """How many rows meet a condition."""
        return int(
            self._session.fetched(f"SELECT count(*) FROM {self._selected} WHERE {condition}", self._about)[0][
                0
            ]
        )

    def arrays(self, value: str, unread: str, missing: str) -> dict[str, NDArray[Any]]:
        """The values in the order of the rows, and which cells could not be read."""
        fetched = self._session.fetched_arrays(
            f"SELECT coalesce({value}, {missing}) AS v, coalesce({unread}, FALSE) AS unread, r "
            f"FROM {self._selected}",
            self._about,
        )
        place = np.asarray(fetched["r"], np.int64) - 1
        arrays = {}
        for name in ("v", "unread"):
            arrays[name] = np.empty_like(np.asarray(fetched[name]))
            arrays[name][place] = fetched[name]
        return arrays


def _check_read(column: str, unread: NDArray[Any], like: str) -> None:
    rows = np.flatnonzero(np.asarray(unread, np.bool_))
    if len(rows):
        where = rows_named((rows[:3] + 1).tolist())
        raise PolicyError(
            f"column {column!r} has {len(rows):,} cell(s) that are not {like}{where}; "
            "correct them, or list under missing = [...] what means that a value is missing"
        )
