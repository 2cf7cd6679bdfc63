"""Recorded messages: newline-delimited JSON, or CSV with a header of the same fields."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why
from shoal.location.cloaking.messages import FIELDS, Message, message_of, whole_of

JSON_ENDINGS = (".jsonl", ".ndjson", ".json")


def read_messages(path: Path) -> Iterator[Message]:
    """The messages of a file, in its order; requests without an identifier get the number of their line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = _json_lines(file) if path.suffix.lower() in JSON_ENDINGS else _csv_lines(file)
            for number, fields in lines:
                try:
                    yield message_of(fields, name=str(number))
                except PolicyError as error:
                    raise PolicyError(f"{path}, line {number}: {error}") from None
    except OSError as error:
        raise EngineError(f"cannot read {path}: {why(error)}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"{path} is not a text in UTF-8") from None
    except _LineError as error:
        raise PolicyError(f"{path}, line {error}") from None


def fields_of(line: str | bytes) -> dict[str, object]:
    """The fields of one JSON object; PolicyError if it is none."""
    try:
        fields = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise PolicyError("not a JSON object on one line") from None
    if not isinstance(fields, dict):
        raise PolicyError("not a JSON object on one line")
    return fields


class _LineError(Exception):
    """What is wrong with a line, after its number."""


def _json_lines(lines: Iterator[str]) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, fields_of(line)
            except PolicyError as error:
                raise _LineError(f"{number}: {error}") from None


def _csv_lines(lines: Iterator[str]) -> Iterator[tuple[int, dict[str, object]]]:
    reader = csv.reader(lines, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if not {"type", "user", "time"} <= set(header) <= set(FIELDS) or len(set(header)) < len(header):
            raise _LineError(
                f"1: it must name the columns: type, user and time, and any of {', '.join(FIELDS[3:])}"
            )
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise _LineError(f"{reader.line_num}: {len(row)} cells under {len(header)} names of columns")
            cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
            yield reader.line_num, {name: _cell(name, cell) for name, cell in cells.items() if cell}
    except csv.Error:
        raise _LineError(f"{reader.line_num}: not a line of CSV") from None


def _cell(name: str, cell: str) -> object:
    return cell if name in ("type", "user", "id") else whole_of(cell)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
