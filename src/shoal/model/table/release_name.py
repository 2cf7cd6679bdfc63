"""The name of a release that the user does not name: next to its source, with k in it."""

from __future__ import annotations

import re
from pathlib import Path

_WRITTEN = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")
_TEXT = (
    ".txt",
    ".tab",
    ".dat",
    ".asc",
    ".xlsx",
    ".xlsm",
    ".xlsb",
    ".xls",
    ".ods",
    ".json",
    ".jsonl",
    ".ndjson",
)
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def release_beside(source: Path, k: int) -> Path:
    """The path of a release.

    Text, workbooks and JSON become .csv, and files with types .parquet, unless the source is already one that
    Shoal writes.

    Parameters
    ----------
    source
        The file, the folder or the pattern that is released.
    k
        The policy's k.
    """
    name = re.sub(r"[-_. ]?[*?\[\]]+[-_ ]?", "", source.name) or "files"
    stem, dot, rest = name.partition(".")
    suffix = f"{dot}{rest}"
    if suffix and not suffix.lower().endswith(_WRITTEN):
        inner = suffix.lower()
        while inner.endswith(_PACKED):
            inner = inner.rpartition(".")[0]
        is_text = not inner or inner.endswith((*_TEXT, ".csv", ".tsv"))
        suffix = ".tsv" if inner.endswith(".tsv") else ".csv" if is_text else ".parquet"
    return source.parent / f"{stem or 'files'}-k{k}{suffix}"
