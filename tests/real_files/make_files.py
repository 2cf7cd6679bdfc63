"""Writes the files of this folder that no text editor can write, with their expectations; never with Shoal.

Run it from the root: `python -m tests.real_files.make_files`. `old-excel.xls` was written once with xlwt.
"""

from __future__ import annotations

import bz2
import datetime
import gzip
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas
import pyarrow
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet
import pyreadstat

FILES = Path(__file__).parent / "files"
STAYS = "id,age,zip\n1,34,02139\n2,51,02141\n3,28,02142\n"
CELLS = [["1", "34", "02139"], ["2", "51", "02141"], ["3", "28", "02142"]]
CSV = {"format": "csv", "encoding": "utf-8", "delimiter": ",", "header": True, "skip": 0}
PEOPLE = pandas.DataFrame(
    {
        "id": [1, 2, 3],
        "height": [1.75, None, 1.62],
        "town": ["Köln", "Zürich", None],
        "born": pandas.to_datetime(["1950-01-01", "1961-08-15", None]).date,
    }
)
PEOPLE_CELLS = [
    ["1", "1.75", "Köln", "1950-01-01"],
    ["2", None, "Zürich", "1961-08-15"],
    ["3", "1.62", None, None],
]


def expect(name: str, why: str, **facts: Any) -> None:
    """Write what must be read from a file."""
    text = json.dumps({"why": why, "options": {}, **facts}, ensure_ascii=False, indent=2)
    (FILES / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def packed() -> None:
    """Compressed text files."""
    reader = {"name": "pandas.read_csv", "options": {}}
    facts = {"columns": ["id", "age", "zip"], "cells": CELLS, "reader": reader}
    (FILES / "stays.csv.gz").write_bytes(gzip.compress(STAYS.encode(), mtime=0))
    (FILES / "stays.csv.bz2").write_bytes(bz2.compress(STAYS.encode()))
    (FILES / "stays.csv.xz").write_bytes(lzma.compress(STAYS.encode()))
    with pyarrow.CompressedOutputStream(str(FILES / "stays.csv.zst"), "zstd") as stream:
        stream.write(STAYS.encode())
    for suffix, how in (("gz", "gzip"), ("bz2", "bzip2"), ("xz", "xz"), ("zst", "zstandard")):
        options = {"compression": "zstd"} if suffix == "zst" else {}
        also = {**facts, "reader": None if suffix == "zst" else {**reader, "options": options}}
        expect(
            f"stays.csv.{suffix}",
            f"a text file packed with {how}",
            reading={**CSV, "compression": how},
            **also,
        )
    moment = (2019, 1, 2, 3, 4, 6)
    latin = "nom;âge\nZoé;34\nNoël;51\n".encode("latin-1")
    with zipfile.ZipFile(FILES / "mac.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("séjours.csv", moment), latin)
        archive.writestr(zipfile.ZipInfo("__MACOSX/._séjours.csv", moment), b"\0\5\x16\7")
    expect(
        "mac.zip",
        "a text file packed by the Finder of a Mac, with its shadow",
        reading={"format": "csv", "compression": "zip", "encoding": "latin-1", "delimiter": ";"},
        columns=["nom", "âge"],
        cells=[["Zoé", "34"], ["Noël", "51"]],
        reader=None,
    )
    with zipfile.ZipFile(FILES / "bad-two-members.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.csv", moment), STAYS)
        archive.writestr(zipfile.ZipInfo("b.csv", moment), STAYS)
    expect(
        "bad-two-members.zip",
        "two files in one archive",
        error="bad-two-members.zip must have one file inside, and has 2: a.csv, b.csv; unpack it, and name "
        "one of them",
    )
    (FILES / "bad-cut.csv.gz").write_bytes((FILES / "stays.csv.gz").read_bytes()[:30])
    expect(
        "bad-cut.csv.gz",
        "a download that was cut",
        error="bad-cut.csv.gz cannot be read; is it complete, and does its name end rightly?",
    )


def workbooks() -> None:
    """Sheets of Excel."""
    excel = {"name": "openpyxl", "options": {}}
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["id", "admitted", "seen", "weight", "smoker", "zip", "note"])
    sheet.append(
        [1, datetime.date(2019, 1, 2), datetime.datetime(2019, 1, 2, 3, 4), 70.5, True, "02139", None]
    )
    sheet.append([2, datetime.date(2019, 2, 3), None, 81, False, "02141", "Zoë"])
    book.save(FILES / "typed.xlsx")
    columns = ["id", "admitted", "seen", "weight", "smoker", "zip", "note"]
    expect(
        "typed.xlsx",
        "Excel: every type of cell",
        reading={"format": "excel", "sheet": "Sheet", "header": True, "skip": 0},
        columns=columns,
        cells=[
            ["1", "2019-01-02", "2019-01-02 03:04:00", "70.5", "true", "02139", None],
            ["2", "2019-02-03", None, "81.0", "false", "02141", "Zoë"],
        ],
        types={"id": "number", "admitted": "date", "weight": "number"},
        reader=excel,
    )
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Stays"
    for row in (["Stays of 2019"], [], ["Patient", None, "Stay", None], ["id", "age", "ward", "days"]):
        sheet.append(row)
    sheet.merge_cells("A3:B3")
    sheet.merge_cells("C3:D3")
    for row in ([1, 34, "A", 3], [2, "n/a", "B", 7], [3, 28, "A", 1], ["Total", None, None, 11]):
        sheet.append(row)
    book.create_sheet("Legend").append(["A", "surgery"])
    book["Legend"].sheet_state = "hidden"
    book.save(FILES / "merged-header-and-total.xlsx")
    expect(
        "merged-header-and-total.xlsx",
        "Excel: a title, a merged header, text among numbers, a total, and a hidden sheet",
        reading={"format": "excel", "sheet": "Stays", "header": True, "skip": 3},
        notes=["'age' mixes text with numbers", "row 8 looks like a total"],
        columns=["id", "age", "ward", "days"],
        cells=[
            ["1", "34", "A", "3"],
            ["2", "n/a", "B", "7"],
            ["3", "28", "A", "1"],
            ["Total", None, None, "11"],
        ],
        reader={"name": "openpyxl", "options": {"skip": 3}},
    )
    book = openpyxl.Workbook()
    book.active.title = "2019"
    for title, ward in (("2019", "A"), ("2020", "B")):
        sheet = book[title] if title in book.sheetnames else book.create_sheet(title)
        sheet.append(["id", "ward", "ward"])
        sheet.append([1, ward, "x"])
        sheet.append([2, ward, "y"])
    book.save(FILES / "two-sheets.xlsx")
    expect(
        "two-sheets.xlsx",
        "Excel: a sheet per year, and a name twice",
        options={"sheet": "2020"},
        reading={"format": "excel", "sheet": "2020", "stated": ["sheet"], "renamed": {"ward_2": "ward"}},
        columns=["id", "ward", "ward_2"],
        cells=[["1", "B", "x"], ["2", "B", "y"]],
        reader={"name": "openpyxl", "options": {"sheet": "2020"}},
    )
    book.save(FILES / "bad-which-sheet.xlsx")
    expect(
        "bad-which-sheet.xlsx",
        "several sheets, and nobody says which",
        error="bad-which-sheet.xlsx has several sheets with data: '2019', '2020'; say which (sheet, --sheet)",
    )
    (FILES / "bad-cut.xlsx").write_bytes((FILES / "typed.xlsx").read_bytes()[:2000])
    expect(
        "bad-cut.xlsx",
        "a workbook that was cut",
        error="bad-cut.xlsx is not a workbook that can be read; is it complete, and does its name end "
        "rightly?",
    )
    _open_document()
    expect(
        "old-excel.xls",
        "Excel before 2007",
        reading={"format": "excel", "sheet": "Daten", "header": True},
        columns=["Fall", "Alter", "Ort"],
        cells=[["1", "34", "Köln"], ["2", "51", "Zürich"]],
        reader=None,
    )


def _open_document() -> None:
    cell = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'

    def row(*cells: object) -> str:
        inside = "".join(
            cell.format("float", f'office:value="{each}"', each)
            if isinstance(each, int | float)
            else cell.format("string", "", each)
            for each in cells
        )
        return f"<table:table-row>{inside}</table:table-row>"

    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in (("office", "office"), ("table", "table"), ("text", "text"))
    )
    rows = row("nom", "âge", "poids") + row("Zoé", 34, 61.5) + row("Noël", 51, 80)
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.2">'
        f'<office:body><office:spreadsheet><table:table table:name="Feuille1">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>'
        "</manifest:manifest>"
    )
    moment = (2019, 1, 2, 3, 4, 6)
    with zipfile.ZipFile(FILES / "libreoffice.ods", "w") as archive:
        archive.writestr(
            zipfile.ZipInfo("mimetype", moment), "application/vnd.oasis.opendocument.spreadsheet"
        )
        archive.writestr(zipfile.ZipInfo("content.xml", moment), content)
        archive.writestr(zipfile.ZipInfo("META-INF/manifest.xml", moment), manifest)
    expect(
        "libreoffice.ods",
        "LibreOffice",
        reading={"format": "excel", "sheet": "Feuille1", "header": True},
        columns=["nom", "âge", "poids"],
        cells=[["Zoé", "34", "61.5"], ["Noël", "51", "80.0"]],
        reader=None,
    )


def columnar() -> None:
    """Arrow, Feather, ORC, Parquet and JSON."""
    table = pyarrow.Table.from_pandas(PEOPLE, preserve_index=False)
    facts = {
        "columns": list(PEOPLE.columns),
        "cells": PEOPLE_CELLS,
        "types": {"id": "number", "born": "date"},
    }
    polars = {"name": "polars.read_ipc", "options": {}}
    pyarrow.feather.write_feather(table, FILES / "people.feather", compression="lz4")
    expect("people.feather", "Feather", reading={"format": "arrow"}, reader=polars, **facts)
    with pyarrow.ipc.new_stream(FILES / "people.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    streamed = {"name": "polars.read_ipc_stream", "options": {}}
    expect(
        "people.arrow",
        "Arrow's stream, in two batches",
        reading={"format": "arrow"},
        reader=streamed,
        **facts,
    )
    pyarrow.orc.write_table(table, FILES / "people.orc")
    expect(
        "people.orc",
        "ORC of a Hadoop cluster",
        reading={"format": "orc"},
        reader={"name": "pandas.read_orc", "options": {}},
        **facts,
    )
    twice = pyarrow.table([[1, 2], [3, 4], [5, 6]], names=["a", "a", "b"])
    pyarrow.parquet.write_table(twice, FILES / "names-twice.parquet")
    expect(
        "names-twice.parquet",
        "Parquet with a name twice",
        reading={"format": "parquet", "renamed": {"a_2": "a"}},
        columns=["a", "a_2", "b"],
        cells=[["1", "3", "5"], ["2", "4", "6"]],
        reader={"name": "pyarrow.parquet", "options": {}},
    )
    lines = [
        {"id": 1, "zip": "02139", "born": "1950-01-01", "ill": True},
        {"id": 2, "zip": "02141", "ill": None, "note": "Zoë"},
    ]
    (FILES / "people.jsonl").write_text(
        "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines), encoding="utf-8"
    )
    (FILES / "people-list.json").write_text(json.dumps(lines, ensure_ascii=False, indent=1), encoding="utf-8")
    cells = [["1", "02139", "1950-01-01", "true", None], ["2", "02141", None, None, "Zoë"]]
    for name, why in (
        ("people.jsonl", "JSON lines with absent keys"),
        ("people-list.json", "a list of JSON objects"),
    ):
        expect(
            name,
            why,
            reading={"format": "json"},
            columns=["id", "zip", "born", "ill", "note"],
            cells=cells,
            reader={"name": "json", "options": {"lines": name.endswith("l")}},
        )
    (FILES / "bad-cut.jsonl").write_text('{"id": 1, "zip": "02139"}\n{"id": 2, "zi')
    expect(
        "bad-cut.jsonl",
        "JSON lines that were cut",
        error="bad-cut.jsonl is not JSON with one object per row; is each line complete, and is it UTF-8?",
    )


def statistics() -> None:
    """SPSS, Stata and SAS."""
    frame = pandas.DataFrame(
        {
            "id": [1.0, 2.0, 3.0],
            "sex": [1.0, 2.0, 9.0],
            "bmi": [22.5, None, 31.0],
            "town": ["Köln", "", "Zürich"],
            "born": [datetime.date(1950, 1, 1), datetime.date(1961, 8, 15), None],
        }
    )
    columns = list(frame.columns)
    labels = {"sex": {1.0: "male", 2.0: "female", 9.0: "refused"}}
    cells = [
        ["1", "1", "22.5", "Köln", "1950-01-01"],
        ["2", "2", None, None, "1961-08-15"],
        ["3", None, "31.0", "Zürich", None],
    ]
    notes = ["value labels of sex are not used"]
    for name, compress in (("survey.sav", False), ("survey.zsav", True)):
        pyreadstat.write_sav(
            frame,
            str(FILES / name),
            variable_value_labels=labels,
            missing_ranges={"sex": [9.0]},
            compress=compress,
        )
        expect(
            name,
            "SPSS: value labels, and a code declared missing",
            reading={"format": "spss"},
            notes=notes,
            columns=columns,
            cells=cells,
            types={"sex": "number", "born": "date"},
            reader={"name": "pyreadstat.read_sav", "options": {}},
        )
    whole = [[*row[:1], code, *row[2:]] for row, code in zip(cells, ("1", "2", "9"), strict=True)]
    pyreadstat.write_dta(frame, str(FILES / "survey.dta"), variable_value_labels=labels, version=15)
    expect(
        "survey.dta",
        "Stata: value labels",
        reading={"format": "stata"},
        notes=notes,
        columns=columns,
        cells=whole,
        reader={"name": "pandas.read_stata", "options": {}},
    )
    tagged = pandas.DataFrame({"id": [1, 2, 3], "income": [1200.5, "a", None]})
    pyreadstat.write_dta(tagged, str(FILES / "tagged-missing.dta"), missing_user_values={"income": ["a"]})
    expect(
        "tagged-missing.dta",
        "Stata: a tagged missing value",
        reading={"format": "stata"},
        columns=["id", "income"],
        cells=[["1", "1200.5"], ["2", None], ["3", None]],
        reader={"name": "pandas.read_stata", "options": {}},
    )
    plain = frame.drop(columns=["born"]).assign(town=["Koeln", "", "Zuerich"])
    pyreadstat.write_xport(plain, str(FILES / "survey.xpt"), file_format_version=5)
    expect(
        "survey.xpt",
        "SAS: transport file",
        reading={"format": "sas"},
        columns=["id", "sex", "bmi", "town"],
        cells=[["1", "1", "22.5", "Koeln"], ["2", "2", None, None], ["3", "9", "31.0", "Zuerich"]],
        reader={"name": "pandas.read_sas", "options": {}},
    )
    pyreadstat.write_por(plain, str(FILES / "survey.por"))
    expect(
        "survey.por",
        "SPSS: portable file",
        reading={"format": "spss"},
        columns=["ID", "SEX", "BMI", "TOWN"],
        cells=[["1", "1", "22.5", "Koeln"], ["2", "2", None, None], ["3", "9", "31.0", "Zuerich"]],
        reader={"name": "pyreadstat.read_por", "options": {}},
    )
    (FILES / "bad-cut.sav").write_bytes((FILES / "survey.sav").read_bytes()[:100])
    expect(
        "bad-cut.sav",
        "a file of SPSS that was cut",
        error="bad-cut.sav cannot be read: it is not complete, or not what its name says",
    )


if __name__ == "__main__":
    for made in (packed, workbooks, columnar, statistics):
        made()
