"""The file of a hierarchy: ARX's layout, one line per value, `value;level 1;...;*`, without a header.

The delimiter is detected: the first of `;`, tab, `|` and comma that occurs outside quotes and splits every
line into the same number of cells. The comma comes last because labels contain commas, as in `[20, 29]`.
Written files read back unchanged: cells that contain a delimiter tried earlier are quoted.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why

DELIMITERS = (";", "\t", "|", ",")
_BYTE_ORDER_MARK = "\ufeff"
_QUOTED = re.compile(r'(?:^|(?<=[;\t|,\r\n]))"(?:[^"]|"")*"')


def parse_rows(text: str, delimiter: str | None, name: str) -> tuple[list[tuple[str, ...]], list[int]]:
    """The rows of a text, and the line in which each ends.

    Parameters
    ----------
    text
        The content of a file.
    delimiter
        The character between cells; detected when absent.
    name
        What to call the hierarchy in messages.
    """
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if not text.strip():
        raise PolicyError(f"{name} is empty; it needs a line for each value: value;label;...;*")
    if delimiter is not None:
        _check_delimiter(delimiter)
        return _split(text, delimiter, name)
    splits = []
    bare = _QUOTED.sub("", text)
    for sign in [sign for sign in DELIMITERS if sign in bare] or DELIMITERS[:1]:
        try:
            rows, lines = _split(text, sign, name)
        except PolicyError as error:
            problem = error
            continue
        if len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows):
            return rows, lines
        splits.append((rows, lines))
    if not splits:
        raise problem
    # Nothing fits. The delimiter that splits the first line is probably right; the check reports the lines
    # that differ.
    return next((each for each in splits if len(each[0][0]) > 1), splits[0])


def _check_delimiter(delimiter: str) -> None:
    if len(delimiter) != 1 or delimiter in '"\r\n ':
        raise PolicyError(f"a delimiter is one character, like ; or |; it is {delimiter!r}")


def _split(text: str, delimiter: str, name: str) -> tuple[list[tuple[str, ...]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        for cells in reader:
            rows.append(tuple(cells))
            lines.append(reader.line_num)
    except csv.Error as error:
        raise PolicyError(f"{name}, line {reader.line_num}: this is not CSV: {error}") from None
    while rows and _is_blank(rows[-1]):
        rows.pop()
        lines.pop()
    for row, line in zip(rows, lines, strict=True):
        if _is_blank(row):
            raise PolicyError(f"{name}, line {line}: the line is blank; remove it")
    return rows, lines


def _is_blank(row: Sequence[str]) -> bool:
    return not row or (len(row) == 1 and row[0].isspace())


def to_text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """The rows as lines of a file."""
    _check_delimiter(delimiter)
    earlier = DELIMITERS[: DELIMITERS.index(delimiter)] if delimiter in DELIMITERS else DELIMITERS
    special = (*earlier, delimiter, '"', "\r", "\n", _BYTE_ORDER_MARK)
    return "".join(delimiter.join(_cell(label, special) for label in row) + "\n" for row in rows)


def _cell(label: str, special: Sequence[str]) -> str:
    if not label or label.isspace() or any(sign in label for sign in special):
        return '"' + label.replace('"', '""') + '"'
    return label


def read_text(path: Path) -> str:
    """The text of a hierarchy's file."""
    try:
        # Not read_text: line ends within quotes must stay unchanged.
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError(f"the hierarchy {path.name} is not UTF-8 text; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise EngineError(f"cannot read the hierarchy {path}: {why(error)}") from None
