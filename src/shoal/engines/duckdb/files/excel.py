"""Workbooks: one sheet as a table, with the types that its cells have.

A column whose cells are all numbers, dates or truth values has that type; any other is text, with numbers and
dates written as a person would. A cell without a value is missing.
"""

from __future__ import annotations

import datetime
import importlib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.engines.duckdb.files.converted import Converted, Parts, needed
from shoal.engines.duckdb.files.header import HeaderGuess, guessed_header
from shoal.engines.duckdb.files.names import distinct_names, generic
from shoal.engines.duckdb.files.preamble import Row, first_row_of_sheet
from shoal.engines.duckdb.session import DuckSession, quoted
from shoal.errors import EngineError, PolicyError
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import FileOptions
from shoal.model.table.file_reading import FileReading

BATCH = 50_000
_JUDGED = 2_000
_OLD = b"\xd0\xcf\x11\xe0"
_TOTALS = (
    "total",
    "sum",
    "grand total",
    "summe",
    "gesamt",
    "insgesamt",
    "somme",
    "suma",
    "razem",
    "totalt",
    "totaal",
    "totale",
)
_DATES = {datetime.date: "DATE", datetime.datetime: "TIMESTAMP"}


def excel_table(session: DuckSession, name: str, path: Path, options: FileOptions) -> Converted:
    """Open a sheet of a workbook.

    Parameters
    ----------
    session
        Where it is read.
    name, path
        The workbook.
    options
        What the user states: `sheet`, `header`, `skip`.
    """
    with _workbook(name, path) as workbook:
        sheet = _sheet(name, workbook, options.sheet)
        rows = sheet.to_python(skip_empty_area=False)
        title = sheet.name
    width = max((at + 1 for row in rows for at, cell in enumerate(row) if cell != ""), default=0)
    if width == 0:
        raise PolicyError(f"sheet {title!r} of {name} is empty")
    return _Sheet(session, name, path, title, [row[:width] for row in rows], options).converted()


def _workbook(name: str, path: Path) -> Any:
    try:
        calamine = importlib.import_module("python_calamine")
    except ImportError:
        raise PolicyError(needed(name, "python-calamine", "excel")) from None
    with path.open("rb") as file:
        is_old = file.read(4) == _OLD
    try:
        return calamine.CalamineWorkbook.from_path(str(path))
    except calamine.PasswordError:
        pass
    except (calamine.CalamineError, calamine.ZipError, calamine.XmlError, OSError):
        if not (is_old and path.suffix.lower() in (".xlsx", ".xlsm", ".xlsb")):
            raise EngineError(
                f"{name} is not a workbook that can be read; is it complete, and does its name end rightly?"
            ) from None
    raise EngineError(
        f"{name} is protected by a password, or is an .xls file with another name; save a copy without a "
        "password in Excel"
    ) from None


def _sheet(name: str, workbook: Any, stated: str | int | None) -> Any:
    names = list(workbook.sheet_names)
    if stated is not None:
        number = stated if isinstance(stated, int) else int(stated) if stated.isdecimal() else None
        if stated in names:
            return workbook.get_sheet_by_name(stated)
        if number is not None and 1 <= number <= len(names):
            return workbook.get_sheet_by_index(number - 1)
        raise PolicyError(f"{name} has no sheet {stated!r}.{suggestion(str(stated), names)}")
    visible = importlib.import_module("python_calamine").SheetVisibleEnum.Visible
    hidden = {each.name for each in workbook.sheets_metadata if each.visible != visible}
    full = [each for each in names if workbook.get_sheet_by_name(each).height > 0]
    shown = [each for each in full if each not in hidden] or full
    if not shown:
        raise PolicyError(f"{name} is empty: no sheet has a cell")
    if len(shown) > 1:
        raise PolicyError(
            f"{name} has several sheets with data: {', '.join(map(repr, shown))}; say which (sheet, --sheet)"
        )
    return workbook.get_sheet_by_name(shown[0])


class _Sheet:
    def __init__(
        self,
        session: DuckSession,
        name: str,
        path: Path,
        title: str,
        rows: Sequence[Sequence[Any]],
        options: FileOptions,
    ) -> None:
        self._session, self._name, self._path, self._title = session, name, path, title
        self._options = options
        skipped = options.skip or 0
        texts = [
            Row(number, 1, tuple(map(as_text, row)))
            for number, row in enumerate(rows[: skipped + _JUDGED], 1)
            if number > skipped
        ]
        if not any(row.known for row in texts):
            raise PolicyError(f"sheet {title!r} of {name} has no row after the {skipped} that are skipped")
        at = first_row_of_sheet(texts, judge=options.skip is None)
        first, below = texts[at], [row.cells for row in texts[at + 1 :] if row.known]
        stated = options.header
        self._header = guessed_header(first.cells, below) if stated is None else HeaderGuess(header=stated)
        self._first = first
        start = first.line if self._header.header else first.line - 1
        self._rows = [
            (number, row)
            for number, row in enumerate(rows[start:], start + 1)
            if any(cell != "" for cell in row)
        ]
        self._notes: list[str] = []

    def converted(self) -> Converted:
        width = len(self._first.cells)
        found = (
            list(self._first.cells)
            if self._header.header
            else [generic(each) for each in range(1, width + 1)]
        )
        kept = [at for at in range(width) if found[at].strip() or any(row[at] != "" for _, row in self._rows)]
        names, renamed = distinct_names([found[at] for at in kept])
        if self._header.note is not None:
            self._notes.append(self._header.note.format(line=f"{self._first.line:,}").replace("line", "row"))
        types = {each: self._type(each, at) for each, at in zip(names, kept, strict=True)}
        self._note_traps(kept)
        reading = FileReading(
            format="excel",
            header=self._header.header,
            skip=self._first.line - 1,
            sheet=self._title,
            renamed=renamed,
            stated=tuple(each for each in self._options.stated if each in ("sheet", "header", "skip")),
            notes=tuple(self._notes),
        )
        return Converted(relation=self._stored(names, kept, types), reading=reading)

    def _type(self, name: str, at: int) -> str:
        kinds = {_kind(row[at]) for _, row in self._rows} - {None}
        if not kinds:
            return "VARCHAR"
        if kinds == {"number"}:
            return "DOUBLE"
        if kinds == {"truth"}:
            return "BOOLEAN"
        if kinds <= {"date", "moment"}:
            return "TIMESTAMP" if "moment" in kinds else "DATE"
        if "text" in kinds and len(kinds) > 1:
            number = next(number for number, row in self._rows if _kind(row[at]) == "text")
            self._notes.append(
                f"column {name!r} mixes text with numbers or dates, and is read as text (text first in row "
                f"{number:,})"
            )
        return "VARCHAR"

    def _note_traps(self, kept: Sequence[int]) -> None:
        if self._rows:
            number, last = self._rows[-1]
            first = next((as_text(last[at]) for at in kept if last[at] != ""), "")
            if first.strip().rstrip(":").lower() in _TOTALS:
                self._notes.append(f"row {number:,} looks like a total, and is read as a row")
        if _has_empty_formulas(self._path):
            self._notes.append(
                "the workbook has formulas whose values were never computed, which are read as missing: open "
                "and save it in Excel"
            )

    def _stored(self, names: Sequence[str], kept: Sequence[int], types: dict[str, str]) -> str:
        parts = Parts(self._session, self._name)
        cells = [f"CAST(c{at} AS {types[each]}) AS {quoted(each)}" for at, each in enumerate(names)]
        for start in range(0, max(1, len(self._rows)), BATCH):
            batch = self._rows[start : start + BATCH]
            columns = {
                f"c{at}": [None if row[place] == "" else as_text(row[place]) for _, row in batch]
                for at, place in enumerate(kept)
            }
            parts.add(columns, cells)
        return parts.relation({})


def _kind(cell: Any) -> str | None:
    if cell == "" and isinstance(cell, str):
        return None
    if isinstance(cell, bool):
        return "truth"
    if isinstance(cell, int | float):
        return "number"
    if isinstance(cell, datetime.datetime):
        return "moment"
    return "date" if isinstance(cell, datetime.date) else "text" if isinstance(cell, str) else "other"


def as_text(cell: Any) -> str:
    """A cell as a person would write it."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, datetime.timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return cell.isoformat() if isinstance(cell, datetime.date | datetime.time) else str(cell)


def _has_empty_formulas(path: Path) -> bool:
    """Whether a program wrote formulas without computing them; Excel itself always stores the values."""
    if path.suffix.lower() not in (".xlsx", ".xlsm"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            for each in archive.namelist():
                if each.startswith("xl/worksheets/sheet"):
                    content = archive.read(each)
                    if b"</f><v></v>" in content or b"</f><v/>" in content or b"</f></c>" in content:
                        return True
    except (OSError, zipfile.BadZipFile):
        return False
    return False
