"""A copy of a text file that DuckDB can read: UTF-8, one kind of line end, nothing odd before the table.

The copy is private and streamed. Lines keep their numbers, so that a message about the copy is true of the
file.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import IO

from shoal.engines.duckdb.files.dialect import Dialect
from shoal.engines.duckdb.files.encoding import Opener, TextFacts
from shoal.errors import EngineError
from shoal.model.table.file_options import NO_QUOTE

_CHUNK = 1 << 20
_END = "\x1a"


def decoder_of(encoding: str) -> str:
    """The codec that reads an encoding and drops its mark."""
    return "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding


def decoded(opened: Opener, encoding: str) -> io.TextIOWrapper:
    """A file as text, with its own line ends."""
    return io.TextIOWrapper(opened(), encoding=decoder_of(encoding), errors="strict", newline="")


def not_decoded(name: str, opened: Opener, encoding: str) -> EngineError:
    """What to say of a file that is not in its encoding: the first line that is not."""
    line = 1
    with io.TextIOWrapper(
        opened(), encoding=decoder_of(encoding), errors="surrogateescape", newline=""
    ) as text:
        try:
            while chunk := text.read(_CHUNK):
                broken = re.search("[\udc80-\udcff]", chunk)
                if broken is not None:
                    line += _lines(chunk[: broken.start()])
                    break
                line += _lines(chunk)
        except UnicodeDecodeError:
            pass
    return EngineError(
        f"line {line:,} of {name} is not {encoding} text; state another encoding (encoding, --encoding), or "
        "correct the line"
    )


def _lines(text: str) -> int:
    return text.count("\n") or text.count("\r")


def copy_text(
    name: str, opened: Opener, target: Path, facts: TextFacts, dialect: Dialect, skipped: int
) -> None:
    """Write the copy.

    Parameters
    ----------
    name, opened
        The file.
    target
        The copy.
    facts, dialect
        What is known of the file.
    skipped
        Lines before the first row; the copy has that many lines with nothing of interest.
    """
    try:
        with (
            decoded(opened, facts.encoding) as text,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            for _ in range(skipped):
                text.readline()
                copy.write(f"x{facts.line_end}")
            _copy_rows(text, copy, dialect, facts)
    except UnicodeError:
        raise not_decoded(name, opened, facts.encoding) from None


def _copy_rows(text: IO[str], copy: IO[str], dialect: Dialect, facts: TextFacts) -> None:
    quote = None if dialect.quote == NO_QUOTE else dialect.quote
    before = r"(?<!\\)" if dialect.escape else ""
    sign = None if quote is None else re.compile(before + re.escape(quote))
    within = False
    held = ""
    while chunk := text.read(_CHUNK):
        chunk, held = held + chunk, ""
        if chunk[-1] in "\r\x1a":
            chunk, held = chunk[:-1], chunk[-1]
        if facts.mixed_ends:
            parts = [chunk] if sign is None else sign.split(chunk)
            for index, part in enumerate(parts):
                if index:
                    within = not within
                if not within:
                    parts[index] = part.replace("\r\n", "\n").replace("\r", "\n")
            chunk = (quote or "").join(parts)
        copy.write(chunk)
    copy.write("\n" if held == "\r" and facts.mixed_ends else held.removesuffix(_END))
