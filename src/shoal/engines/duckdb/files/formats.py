"""Which format a source file has, judging by its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from shoal.errors import PolicyError

SourceKind = Literal["csv", "parquet", "excel", "json", "arrow", "orc", "sas", "spss", "stata"]

SUFFIXES: dict[str, SourceKind] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".tab", ".dat", ".asc"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "excel"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "json"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    ".orc": "orc",
    **dict.fromkeys((".sas7bdat", ".xpt"), "sas"),
    **dict.fromkeys((".sav", ".zsav", ".por"), "spss"),
    ".dta": "stata",
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstandard", ".zip": "zip"}
_TABS = (".tsv", ".tab")
_DATABASES = (".db", ".duckdb", ".ddb")


@dataclass(frozen=True)
class SourceFormat:
    """The format of a file.

    Parameters
    ----------
    kind
        What it is; `None` for a `.zip` whose name does not say what is inside.
    compression
        How it is compressed, if it is.
    suffix
        The suffix of the format itself.
    """

    kind: SourceKind | None
    compression: str | None
    suffix: str

    @property
    def delimiter(self) -> str | None:
        """The delimiter that the name implies."""
        return "\t" if self.suffix in _TABS else None

    @classmethod
    def of(cls, path: Path) -> SourceFormat:
        """The format of a path; `PolicyError` for names that Shoal does not know."""
        suffixes = [suffix.lower() for suffix in path.suffixes]
        compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
        if compression is not None:
            suffixes.pop()
        suffix = suffixes[-1] if suffixes else ""
        kind = SUFFIXES.get(suffix)
        if kind is None and compression != "zip":
            database = "; a database is named as duckdb:///FILE, with a table" if suffix in _DATABASES else ""
            raise PolicyError(
                f"cannot detect the format of {path.name!r} from its name; it must end in "
                f"{', '.join(SUFFIXES)}, perhaps followed by {', '.join(COMPRESSIONS)}{database}"
            )
        return cls(kind, compression, suffix)
