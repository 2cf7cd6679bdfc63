"""The flags that commands share; those of policy keys come from the description of the keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.policy_flags import flag

_SEARCH, _RELEASE = "Search", "Release"


def _option(*flags: str, panel: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags, rich_help_panel=panel, help=help, metavar=metavar)


Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A policy (.toml); or with flags a text file, a workbook, a Parquet, JSON, Arrow, SAS, SPSS or "
        "Stata file, a pattern like 'stays-*.csv', a folder of Parquet files, or with --table the URL of a "
        "database (duckdb:///file.db, postgres://user@host/db, spark://host:port).",
    ),
]
AnyTable = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A text file, a workbook, a Parquet, JSON, Arrow, SAS, SPSS or Stata file, a pattern like "
        "'stays-*.csv', a folder of Parquet files; with --table a database's URL.",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="The table behind a connection, as schema.table if need be."
    ),
]
Quasi = Annotated[list[str] | None, flag("quasi_identifiers")]
Sensitive = Annotated[list[str] | None, flag("sensitive")]
Identifiers = Annotated[list[str] | None, flag("identifiers")]
K = Annotated[int | None, flag("k")]
Models = Annotated[list[str] | None, flag("models")]
Entity = Annotated[str | None, flag("entity")]
Hierarchies = Annotated[list[str] | None, flag("hierarchies")]
Consistent = Annotated[bool, flag("consistent")]
Algorithm = Annotated[str | None, flag("algorithm")]
Options = Annotated[list[str] | None, flag("options")]
Seconds = Annotated[str | None, flag("seconds")]
Nodes = Annotated[int | None, flag("nodes")]
Gap = Annotated[float | None, flag("gap")]
Threads = Annotated[int | None, flag("threads")]
Seed = Annotated[int | None, flag("seed")]
Certificate = Annotated[
    Path | None,
    _option(
        "--certificate",
        panel=_RELEASE,
        metavar="FILE",
        help="Write the proof of the bound for `shoal check`; confidential, and packed if it ends with .gz.",
    ),
]
Check = Annotated[
    bool,
    _option(
        "--check",
        panel=_RELEASE,
        help="Publish only if the independent checker verifies the certificate.",
    ),
]
Replace = Annotated[
    bool,
    _option(
        "--replace",
        panel=_RELEASE,
        help="Replace a file that is not a release of Shoal; earlier releases are replaced in any case.",
    ),
]
RequireOptimal = Annotated[
    bool,
    _option("--require-optimal", panel=_SEARCH, help="Publish nothing unless it is proved optimal (exit 4)."),
]
KeyFile = Annotated[
    Path | None,
    _option(
        "--key-file",
        panel=_RELEASE,
        metavar="FILE",
        help="A secret key of at least 16 bytes, for treatments and the order of rows; else that of the "
        "environment variable SHOAL_KEY, or a fresh one.",
    ),
]
Memory = Annotated[
    str | None,
    _option(
        "--memory",
        panel=_RELEASE,
        help="Memory for counting and writing (1GB by default); more is spilled to disk.",
    ),
]
SearchMemory = Annotated[
    str | None,
    _option(
        "--search-memory",
        panel=_RELEASE,
        help="Memory for the search (half of the machine's by default); one that would take more is refused, "
        "or asks the engine node by node.",
    ),
]
TempDirectory = Annotated[Path | None, _option("--temp-directory", panel=_RELEASE, help="Where to spill.")]
Report = Annotated[
    Path | None,
    _option(
        "--report",
        panel=_RELEASE,
        metavar="FILE",
        help="Write a report on the release to this .html, .json or .pdf file, when it is published.",
    ),
]
AsJson = Annotated[bool, _option("--json", panel=_RELEASE, help="Print the manifest on standard output.")]
Quiet = Annotated[bool, _option("--quiet", panel=_RELEASE, help="Say nothing but errors.")]
