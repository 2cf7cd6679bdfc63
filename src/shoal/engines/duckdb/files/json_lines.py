"""JSON files, one object per line or one list of objects, read by DuckDB in place.

A text is never taken for a date or a number: 02139 stays 02139. A key that an object lacks is missing.
"""

from __future__ import annotations

from pathlib import Path

from shoal.engines.duckdb.files.converted import Converted
from shoal.engines.duckdb.files.names import distinct_names
from shoal.engines.duckdb.session import DuckSession, literal, quoted
from shoal.errors import EngineError, PolicyError
from shoal.model.table.file_reading import FileReading

_GUESSED = ("DATE", "TIME", "TIMESTAMP", "UUID")


def json_table(session: DuckSession, name: str, path: Path, *, gzipped: bool) -> Converted:
    """Open a JSON file.

    Parameters
    ----------
    session
        Where it is read.
    name, path
        The file.
    gzipped
        Whether it is compressed, in the way that DuckDB reads.
    """
    place = literal(session.readable(path))
    form = "auto" if path.name.lower().removesuffix(".gz").endswith(".json") else "newline_delimited"
    settings = f"format = '{form}', compression = '{'gzip' if gzipped else 'none'}'"
    try:
        described = session.fetched(
            f"DESCRIBE SELECT * FROM read_json({place}, {settings}, records = true, sample_size = -1)", name
        )
    except EngineError:
        raise EngineError(
            f"{name} is not JSON with one object per row; is each line complete, and is it UTF-8?"
        ) from None
    if not described:
        raise PolicyError(f"{name} is empty: it has no rows")
    types = {
        row[0]: "VARCHAR" if row[1].split("(")[0].split(" ")[0] in _GUESSED else row[1] for row in described
    }
    columns = ", ".join(f"{literal(each)}: {literal(type_)}" for each, type_ in types.items())
    relation = f"read_json({place}, {settings}, records = true, columns = {{{columns}}})"
    names, renamed = distinct_names(list(types), trim=False)
    if renamed:
        cells = [f"{quoted(old)} AS {quoted(new)}" for old, new in zip(types, names, strict=True)]
        relation = f"(SELECT {', '.join(cells)} FROM {relation})"
    nested = [new for new, kind in zip(names, types.values(), strict=True) if _is_nested(kind)]
    reading = FileReading(format="json", renamed=renamed, notes=_notes(nested))
    return Converted(relation=relation, reading=reading)


def _is_nested(kind: str) -> bool:
    return kind.startswith(("STRUCT", "MAP", "JSON")) or kind.endswith("]")


def _notes(nested: list[str]) -> tuple[str, ...]:
    if not nested:
        return ()
    several = len(nested) > 1
    return (
        f"{', '.join(nested)} {'have' if several else 'has'} objects or lists inside, and "
        f"{'are' if several else 'is'} read as text as a whole; to recode what is in "
        f"{'them' if several else 'it'}, write it to columns of its own first",
    )
