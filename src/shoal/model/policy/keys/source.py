"""The keys of [source]: where the table is, and how its file is written."""

from __future__ import annotations

from shoal.model.policy.keys.key import Argument, PolicyKey

_FOUND = "found in the file"

FILE = (
    PolicyKey(
        table="source",
        name="encoding",
        kinds=(str,),
        words="The encoding of a text file, as in `windows-1252`.",
        otherwise=_FOUND,
        label="Encoding",
        hint="Such as utf-8 or windows-1252",
        argument=Argument(annotation="str", flags=("--encoding",), panel="File", overrides=True),
    ),
    PolicyKey(
        table="source",
        name="delimiter",
        kinds=(str,),
        words="The sign between the cells of a text file; also `tab` or `space`.",
        otherwise=_FOUND,
        may_be_blank=True,
        label="Delimiter",
        hint="One sign, tab or space",
        argument=Argument(annotation="str", flags=("--delimiter",), panel="File", overrides=True),
    ),
    PolicyKey(
        table="source",
        name="quote",
        kinds=(str,),
        words="The sign around cells of a text file; `none` if there is none.",
        otherwise=_FOUND,
        label="Quote",
        hint="One sign, or none",
        argument=Argument(annotation="str", flags=("--quote",), panel="File", overrides=True),
    ),
    PolicyKey(
        table="source",
        name="header",
        kinds=(bool,),
        words="Whether the first line of a file has the names of the columns.",
        more="Without names, columns are `column_1`, `column_2` and so on.",
        otherwise=_FOUND,
        label="First line has the names",
        argument=Argument(annotation="bool", flags=("--header/--no-header",), panel="File", overrides=True),
    ),
    PolicyKey(
        table="source",
        name="skip",
        kinds=(int,),
        words="Lines of a text file, or rows of a sheet, to skip before the header or the first row.",
        otherwise=_FOUND,
        least=0,
        label="Lines to skip",
        hint="Before the names or the first row",
        argument=Argument(annotation="int", flags=("--skip",), panel="File", overrides=True),
    ),
    PolicyKey(
        table="source",
        name="sheet",
        kinds=(str, int),
        words="The sheet of a workbook: its name, or its number from 1 on.",
        otherwise="the only one with data",
        label="Sheet",
        hint="Its name, or its number",
        argument=Argument(annotation="str | int", flags=("--sheet",), panel="File", overrides=True),
    ),
)
"""How a file is written; each key is stated where Shoal finds something else."""

SOURCE = (
    PolicyKey(
        table="source",
        name="path",
        kinds=(str,),
        words="The table: a text file (.csv, .tsv, .txt), a workbook, a .parquet, .jsonl, Arrow, ORC, SAS, "
        "SPSS or Stata file, a pattern like `stays-*.csv`, or a folder of Parquet files.",
        more="[Which files](../how-to/read-real-files.md). The folder may be partitioned "
        "(`people/year=2024/part.parquet` has a column `year`). With a Spark connection: a file or folder "
        "that its workers can read.",
        otherwise="none: pass the table to `shoal.anonymize`",
    ),
    *FILE,
    PolicyKey(
        table="source",
        name="connection",
        kinds=(str,),
        words="The URL of a database, in place of a path.",
        more="[Which databases](../how-to/databases.md)",
        otherwise="none",
    ),
    PolicyKey(
        table="source",
        name="table",
        kinds=(str,),
        words="The table or view behind the connection, with its schema before a dot if it needs one.",
        otherwise="none",
    ),
    PolicyKey(
        table="source",
        name="missing",
        kinds=(list,),
        words="Texts that mean `missing` in all columns; a column's own list replaces them.",
        otherwise="among numbers and dates the usual ones: NA, ?, NULL, ...",
        items={"type": "string"},
    ),
)
