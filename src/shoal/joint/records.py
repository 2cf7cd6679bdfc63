"""Lines of a release as text: taken from the holders' parts, mixed, and written as one file.

Cells are not read, only moved: what is quoted stays quoted, so that an empty text and a missing cell stay
different.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

_FIELD = re.compile(rb'\t|(?:"(?:[^"]|"")*"|[^\t"])+')


def records(path: Path) -> Iterator[bytes]:
    """The records of a part, without their line ends; a quoted cell may have line ends in it."""
    with path.open("rb") as part:
        held = b""
        for line in part:
            held += line
            if held.count(b'"') % 2 == 0:
                yield held.rstrip(b"\r\n")
                held = b""
        if held:
            yield held.rstrip(b"\r\n")


def cells(record: bytes) -> list[bytes]:
    """The cells of a record that is divided by tabs, as they are written."""
    if b'"' not in record:
        return record.split(b"\t")
    found, cell = [], b""
    for token in _FIELD.findall(record):
        if token == b"\t":
            found.append(cell)
            cell = b""
        else:
            cell = token
    return [*found, cell]


def with_commas(record: bytes) -> bytes:
    """The same record, divided by commas."""
    if b'"' not in record and b"," not in record:
        return record.replace(b"\t", b",")
    return b",".join(
        each if each.startswith(b'"') or b"," not in each else b'"' + each + b'"' for each in cells(record)
    )


def write_mixed(header: bytes, rows: Sequence[bytes], target: Path) -> None:
    """Write rows in a random order: nobody can say any more whose part a row was in."""
    order = np.argsort(np.frombuffer(os.urandom(8 * len(rows)), np.uint64), kind="stable")
    with target.open("wb") as written:
        written.write(header + b"\n")
        written.writelines(rows[place] + b"\n" for place in order.tolist())
