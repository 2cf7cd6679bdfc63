"""Files as tables that DuckDB reads: what their columns are, and which version was opened."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from shoal.engines.duckdb.session import literal
from shoal.engines.sql import cell_type as cell_types
from shoal.engines.sql.cell_type import CellType
from shoal.errors import EngineError, PolicyError
from shoal.model.table.file_reading import FileReading
from shoal.model.table.half_character import has_half_character

Format = Literal["csv", "parquet"]

SUFFIXES: dict[str, Format] = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet"}
_DATABASES = (".db", ".duckdb", ".ddb")
LONGEST_HEADER = 1 << 20
_DELIMITERS = (",", ";", "\t", "|")
_FLOATS = ("FLOAT", "DOUBLE")
_LISTED = r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)"
_PLAIN = {
    "VARCHAR": cell_types.TEXT,
    "BOOLEAN": cell_types.BOOLEAN,
    "DECIMAL": cell_types.DECIMAL,
    "DATE": cell_types.DATE,
    "TIMESTAMP": cell_types.TIMESTAMP,
    "UUID": cell_types.OPAQUE,
    "BLOB": cell_types.OPAQUE,
}
_INTEGERS = tuple(
    f"{sign}{name}" for name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT") for sign in ("", "U")
)


@dataclass(frozen=True)
class FileFormat:
    """How a file is stored, judging by its name."""

    format: Format
    gzipped: bool
    delimiter: str | None  # None: detected from the header

    @classmethod
    def of(cls, path: Path) -> FileFormat:
        """The format of a path; `PolicyError` for names that Shoal does not know."""
        suffixes = [suffix.lower() for suffix in path.suffixes]
        gzipped = bool(suffixes) and suffixes[-1] == ".gz"
        suffix = "".join(suffixes[-2:-1] if gzipped else suffixes[-1:])
        if suffix not in SUFFIXES or (gzipped and suffix == ".parquet"):
            database = "; a database is named as duckdb:///FILE, with a table" if suffix in _DATABASES else ""
            raise PolicyError(
                f"cannot detect the format of {path.name!r} from its name; "
                f"it must end in {', '.join(SUFFIXES)}, .csv.gz or .tsv.gz{database}"
            )
        return cls(SUFFIXES[suffix], gzipped, "\t" if suffix == ".tsv" else None)


@dataclass(frozen=True, kw_only=True)
class FileTable:
    """A file that DuckDB can select from.

    Parameters
    ----------
    path
        The file.
    stored
        Its format, with the detected delimiter.
    types
        The columns in the file's order, and what their types mean.
    stamp
        Identifies the version of the file that was opened.
    reading
        How it was read.
    """

    path: Path
    stored: FileFormat
    types: Mapping[str, CellType]
    stamp: tuple[int, ...]
    reading: FileReading | None = None

    def digest(self) -> str:
        """SHA-256 of the content."""
        return file_digest(self.path)

    def current_stamp(self) -> tuple[int, ...]:
        """Identifies the current version of the file."""
        return file_stamp(self.path)

    def check_unchanged(self) -> None:
        """Raise `EngineError` if the file has changed: counts and rows must come from the same version."""
        if self.current_stamp() != self.stamp:
            raise EngineError(
                f"{self.path.name} changed while it was read; nothing was published, run it again"
            )

    @property
    def is_text(self) -> bool:
        """Whether cells are text because the format has no other type."""
        return self.stored.format == "csv"


def cell_type(type_: str) -> CellType:
    """What one of DuckDB's types means."""
    if type_ == "VARCHAR":
        return cell_types.TEXT
    if type_ in _FLOATS:
        return cell_types.FLOAT
    if type_ in _INTEGERS:
        return cell_types.INTEGER
    if type_.endswith("]"):
        return cell_types.OTHER
    return next(
        (type_found for start, type_found in _PLAIN.items() if type_.startswith(start)), cell_types.OTHER
    )


def without_lists(types: Mapping[str, str]) -> dict[str, str]:
    """The DuckDB types that list values, like ENUM, with text in place of the lists."""
    plain = {
        name: re.sub(r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)", "VARCHAR", each) for name, each in types.items()
    }
    return {name: each for name, each in plain.items() if each != types[name]}


def parquet_relation(readable: str) -> str:
    """What to write after FROM for a Parquet file; folder names like `year=2024` add no column."""
    return f"read_parquet({literal(readable)}, hive_partitioning = false)"


def csv_header(name: str, file: IO[str], delimiter: str | None) -> tuple[str, list[str]]:
    """The delimiter and the column names.

    The delimiter is the one that gives the most columns, and as many in the first row as in the header.

    Parameters
    ----------
    name
        What to call the file.
    file
        The file, read as UTF-8 with invalid bytes as surrogates.
    delimiter
        The delimiter, if known.
    """
    try:
        start = file.read(LONGEST_HEADER)
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None
    if not start.strip("\r\n"):
        raise PolicyError(f"{name} is empty: it has no header and no rows")
    first_lines = {sign: _first_lines(start, sign) for sign in ((delimiter,) if delimiter else _DELIMITERS)}
    best, (names, *_) = max(first_lines.items(), key=lambda item: (_is_regular(item[1]), len(item[1][0])))
    # With the wrong delimiter, a header with an open quote reads as a single odd name.
    if len(names) < 2 and any(not lines[0] for lines in first_lines.values()):
        raise EngineError(f"{name}: line 1 is broken: a quote is not closed; correct the file")
    if any("\udc80" <= sign <= "\udcff" for each in names for sign in each):
        raise EngineError(f"line 1 of {name} is not UTF-8 text; convert the file first")
    check_names(names, name)
    return best, names


def _first_lines(start: str, delimiter: str) -> list[list[str]]:
    """The header and, if it can be read, the first row; blank lines do not count."""
    if _is_open(start, delimiter):
        return [[]]
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    lines: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # a field is too long, perhaps because of an open quote
        for fields in reader:
            if fields:
                lines.append(fields)
            if len(lines) == 2:
                break
    return lines or [[]]


def _is_open(start: str, delimiter: str) -> bool:
    """Whether a quote of the header is not closed: rows would become part of a column name."""
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if fields:
                break
    except csv.Error as error:
        return "end of data" in str(error)
    return False


def _is_regular(lines: list[list[str]]) -> bool:
    return len(lines) < 2 or len(lines[0]) == len(lines[1])


def check_names(names: list[str], where: str) -> None:
    """Raise `PolicyError` for columns that SQL cannot distinguish: without a name, or with equal names."""
    for position, each in enumerate(names, 1):
        if not each:
            raise PolicyError(f"column {position} of {where} has no name; give it one in the header")
        if has_half_character(each):
            raise PolicyError(f"the name of column {position} of {where} has half a character; rename it")
    for lowered, count in Counter(each.lower() for each in names).items():
        if count > 1:
            same = [each for each in names if each.lower() == lowered]
            raise PolicyError(f"{where} has {count} columns named {same[0]!r} (ignoring case); rename them")


def check_survives(types: Mapping[str, str], changed: str, where: str) -> None:
    """Raise `PolicyError` for columns whose cells would change.

    Parameters
    ----------
    types
        DuckDB's types of the columns.
    changed
        A pattern for types that would change, also inside nested types.
    where
        What would change them.
    """
    for name, type_ in types.items():
        if re.search(changed, type_):
            raise PolicyError(
                f"column {name!r} is of type {type_}, whose cells {where} would change; cast it to VARCHAR"
            )


def file_stamp(path: Path) -> tuple[int, ...]:
    """Size, modification time and location of a file."""
    try:
        status = path.stat()
    except OSError as error:
        raise EngineError(f"cannot read {path}: {error.strerror}") from None
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read once from front to back."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
