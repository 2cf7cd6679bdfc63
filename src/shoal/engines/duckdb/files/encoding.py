"""The encoding of a text file, found by reading all of it: the first megabyte says nothing about the rest.

A byte order mark decides. Without one, a zero byte in every second place means UTF-16. Otherwise a file that
is valid UTF-8 to its end is UTF-8: other texts with accents are hardly ever valid by chance. Anything else
has one byte per character, and `single_byte` chooses among those encodings by the words of the file.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from shoal.engines.duckdb.files.single_byte import Words, best_single_byte
from shoal.errors import EngineError

CHUNK = 1 << 22
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HIGH = bytes(range(0x80, 0x100))
_NO_ASCII = dict.fromkeys(range(0x80))
_LOOKED_AT = 1 << 16

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True, kw_only=True)
class TextFacts:
    """What one pass over a text file shows.

    Parameters
    ----------
    encoding
        Its name, for people and for Python.
    marked
        Whether a byte order mark states it.
    other
        Another encoding that fits almost as well, in which the text would read differently.
    ends
        How lines end, perhaps only within quotes; empty if that was not looked at.
    end_sign
        Whether the last byte is the end-of-file sign of DOS.
    """

    encoding: str
    marked: bool = False
    other: str | None = None
    ends: frozenset[str] = frozenset()
    end_sign: bool = False

    @property
    def mixed_ends(self) -> bool:
        """Whether lines end in more than one way."""
        return len(self.ends) > 1

    @property
    def line_end(self) -> str:
        """How a line ends."""
        return next(iter(self.ends)) if len(self.ends) == 1 else "\n"


def line_ends(text: str) -> frozenset[str]:
    """How the lines of a text end."""
    pairs = text.count("\r\n")
    found = {"\r\n": pairs, "\n": text.count("\n") - pairs, "\r": text.count("\r") - pairs}
    return frozenset(end for end, times in found.items() if times > 0)


def text_facts(name: str, opened: Opener, stated: str | None) -> TextFacts:
    """The encoding, and how lines end.

    Parameters
    ----------
    name
        What to call the file.
    opened
        Opens its bytes.
    stated
        The encoding, if the user states it; then only lines are looked at.
    """
    with opened() as file:
        start = file.read(_LOOKED_AT)
    mark = next(((sign, found) for sign, found in _MARKS if start.startswith(sign)), None)
    if stated is None and mark is None and (wide := _wide(start)) is not None:
        return TextFacts(encoding=wide)
    if stated is None and mark is not None and mark[1] != "utf-8":
        return TextFacts(encoding=mark[1], marked=True)
    seen = _Pass()
    with opened() as file:
        while chunk := file.read(CHUNK):
            seen.add(chunk)
    seen.end()
    end_sign = seen.last == 0x1A
    if stated is not None:
        marked = mark is not None and codecs.lookup(stated).name.replace("-sig", "") == mark[1]
        is_wide = codecs.lookup(stated).name.startswith(("utf-16", "utf-32"))
        ends = frozenset[str]() if is_wide else seen.ends
        return TextFacts(encoding=stated, marked=marked, ends=ends, end_sign=end_sign)
    if seen.is_utf8:
        return TextFacts(encoding="utf-8", marked=mark is not None, ends=seen.ends, end_sign=end_sign)
    words, sequences, lone = _words(opened)
    if mark is not None or sequences >= lone:
        raise EngineError(
            f"line {seen.first_line:,} of {name} is not UTF-8 text, although other lines are: parts of the "
            "file have different encodings. Correct that line, or state the encoding of the whole file "
            "(encoding, --encoding)"
        )
    best, other = best_single_byte(words)
    return TextFacts(encoding=best, other=other, ends=seen.ends, end_sign=end_sign)


def _wide(start: bytes) -> str | None:
    """UTF-16 without a mark: in texts of our alphabets every second byte is mostly zero."""
    pairs = len(start) // 2
    if pairs < 2:
        return None
    even, odd = start[0 : 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    if odd > 0.4 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.4 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return None


def _words(opened: Opener) -> tuple[Words, int, int]:
    """The words beyond ASCII, the valid sequences of UTF-8, and the bytes beyond ASCII outside of them."""
    words, sequences, lone = Words(), 0, 0
    with opened() as file:
        while chunk := file.read(CHUNK):
            if not chunk.isascii():
                high = len(chunk) - len(chunk.translate(None, _HIGH))
                valid = chunk.decode("utf-8", "ignore").translate(_NO_ASCII)
                sequences += len(valid)
                lone += high - len(valid.encode())
                words.add(chunk)
    return words, sequences, lone


class _Pass:
    """What is counted while the bytes go by."""

    def __init__(self) -> None:
        self.is_utf8 = True
        self.first_line = 0
        self.last = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._lines = 0
        self._ends = {"\r\n": False, "\n": False, "\r": False}
        self._tail = b""

    def add(self, chunk: bytes) -> None:
        if self.is_utf8:
            self._check(chunk, final=False)
        self._count_ends(chunk)
        self._lines += chunk.count(b"\n")
        self.last = chunk[-1]

    def end(self) -> None:
        if self.is_utf8:
            self._check(b"", final=True)

    def _check(self, chunk: bytes, *, final: bool) -> None:
        if chunk.isascii() and not final and not self._decoder.getstate()[0]:
            return
        try:
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            self.is_utf8 = False
            self.first_line = self._lines + bytes(error.object[: error.start]).count(b"\n") + 1

    def _count_ends(self, chunk: bytes) -> None:
        carriage = b"\r" in chunk
        if not carriage:
            if chunk.startswith(b"\n") and self.last == 0x0D:
                self._ends["\r\n"] = True
                chunk = chunk[1:]
            self._ends["\n"] = self._ends["\n"] or b"\n" in chunk
            return
        pairs = chunk.count(b"\r\n")
        feeds, returns = chunk.count(b"\n") - pairs, chunk.count(b"\r") - pairs
        if chunk.startswith(b"\n") and self.last == 0x0D:
            pairs, feeds = pairs + 1, feeds - 1
        if chunk.endswith(b"\r"):  # its feed may be next
            returns -= 1
        self._ends["\r\n"] |= pairs > 0
        self._ends["\n"] |= feeds > 0
        self._ends["\r"] |= returns > 0

    @property
    def ends(self) -> frozenset[str]:
        return frozenset(end for end, seen in self._ends.items() if seen)
