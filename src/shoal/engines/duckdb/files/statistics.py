"""Files of SAS, SPSS and Stata, read in chunks by pyreadstat.

Codes are kept, not their labels: codes have the order that the survey gave them, and not every code has a
label. Values that the file declares missing, tagged ones included, are missing.
"""

from __future__ import annotations

import datetime
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engines.duckdb.files.converted import Converted, Parts, needed
from shoal.engines.duckdb.files.excel import as_text
from shoal.engines.duckdb.files.names import distinct_names
from shoal.engines.duckdb.session import DuckSession, quoted
from shoal.errors import EngineError, PolicyError
from shoal.model.table.file_options import FileOptions
from shoal.model.table.file_reading import FileReading

CHUNK = 50_000
_WHOLE = (".por",)
"""Formats whose reader does not begin at a row."""

_READERS: Mapping[str, str] = {
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
}
_TEMPORAL = (
    *("DATE", "TIME", "ADATE", "EDATE", "JDATE", "SDATE", "YYMMDD", "MMDDYY", "DDMMYY", "TD", "TC"),
    *("DTIME", "MONYY", "MOYR", "QYR", "WKYR", "E8601", "B8601", "TOD", "HHMM"),
)
"""How the formats of dates and times begin."""


def statistics_table(
    session: DuckSession, name: str, path: Path, suffix: str, kind: str, options: FileOptions
) -> Converted:
    """Open a file of SAS, SPSS or Stata.

    Parameters
    ----------
    session
        Where it is read.
    name, path, suffix, kind
        The file, and what it is.
    options
        What the user states: `encoding`.
    """
    try:
        library = importlib.import_module("pyreadstat")
    except ImportError:
        raise PolicyError(needed(name, "pyreadstat", "stats")) from None
    parts, kinds = Parts(session, name), dict[int, set[type]]()
    encoding = {} if options.encoding is None or suffix == ".por" else {"encoding": options.encoding}
    arguments: dict[str, Any] = {"output_format": "dict", **encoding}
    read = getattr(library, _READERS[suffix])
    try:
        for columns, meta in _chunks(read, path, arguments, whole=suffix in _WHOLE):
            if not meta.column_names:
                raise PolicyError(f"{name} has no columns")
            _store(parts, columns, meta, kinds)
    except library.ReadstatError as error:
        raise EngineError(f"{name} cannot be read: {_reason(error)}") from None
    names, renamed = distinct_names(meta.column_names)
    casts = {names[at]: type_ for at, found in kinds.items() if (type_ := _type(found)) is not None}
    labelled = [names[meta.column_names.index(each)] for each in meta.variable_value_labels]
    notes = []
    if labelled:
        shown = ", ".join(labelled[:5]) + (", ..." if len(labelled) > 5 else "")
        notes.append(f"value labels of {shown} are not used: the codes are kept")
    reading = FileReading(
        format=kind, encoding=options.encoding, renamed=renamed, stated=tuple(encoding), notes=tuple(notes)
    )
    return Converted(relation=parts.relation(casts), reading=reading)


def _chunks(
    read: Callable[..., tuple[Any, Any]], path: Path, arguments: Mapping[str, Any], *, whole: bool
) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """The rows of a file, some thousands at a time, with what the file says about its columns."""
    if whole:
        yield read(str(path), **arguments)
        return
    start = 0
    while True:
        columns, meta = read(str(path), row_offset=start, row_limit=CHUNK, **arguments)
        rows = len(next(iter(columns.values()), ()))
        if rows or not start:
            yield columns, meta
        start += rows
        if rows < CHUNK:
            return


def _store(parts: Parts, columns: Mapping[str, Any], meta: Any, kinds: dict[int, set[type]]) -> None:
    names, _ = distinct_names(meta.column_names)
    arrays: dict[str, Any] = {}
    cells: list[str] = []
    for at, (name, before) in enumerate(zip(names, meta.column_names, strict=True)):
        values = np.asarray(columns[before])
        alias = f"c{at}"
        if values.dtype.kind == "f":
            arrays[alias] = values
            cells.append(f"CASE WHEN NOT isnan({alias}) THEN CAST({alias} AS DOUBLE) END AS {quoted(name)}")
            continue
        if values.dtype.kind in "iub":
            arrays[alias] = values
            cells.append(f"CAST({alias} AS DOUBLE) AS {quoted(name)}")
            continue
        known = [None if _is_missing(each) else each for each in values.tolist()]
        kinds.setdefault(at, set()).update(type(each) for each in known if each is not None)
        numbers = meta.readstat_variable_types[before] != "string"
        arrays[alias] = [None if each is None else as_text(each) for each in known]
        is_number = (
            numbers
            and all(isinstance(each, int | float | None) for each in known)
            and not _temporal(meta, before)
        )
        cells.append(f"CAST({alias} AS {'DOUBLE' if is_number else 'VARCHAR'}) AS {quoted(name)}")
    parts.add(arrays, cells)


def _temporal(meta: Any, name: str) -> bool:
    """Whether the file says that a number is a date or a time; a chunk without one does not show it."""
    form = str(meta.original_variable_types.get(name, "")).upper().lstrip("%")
    return form.startswith(
        (
            "DATE",
            "TIME",
            "ADATE",
            "EDATE",
            "JDATE",
            "SDATE",
            "YYMMDD",
            "MMDDYY",
            "DDMMYY",
            "TD",
            "TC",
            "DTIME",
            "MONYY",
            "MOYR",
            "QYR",
            "WKYR",
            "E8601",
            "B8601",
            "TOD",
            "HHMM",
        )
    )


def _is_missing(value: Any) -> bool:
    return (
        value is None
        or value == ""
        or (isinstance(value, float) and math.isnan(value))
        or str(value) == "NaT"
    )


def _type(found: set[type]) -> str | None:
    """The type of a column that is stored as text."""
    if not found or not found <= {datetime.date, datetime.datetime}:
        return None
    return "TIMESTAMP" if datetime.datetime in found else "DATE"


def _reason(error: Exception) -> str:
    text = str(error).lower()
    if "convert" in text or "encoding" in text:
        return "its text is not in the encoding that it states; state the encoding (encoding, --encoding)"
    return "it is not complete, or not what its name says"
