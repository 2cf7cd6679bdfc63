"""The flags of `shoal anonymize`, by the part of a policy that they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_ROLES, _PRIVACY, _SHAPES, _SEARCH, _RELEASE = "Roles", "Privacy", "Values", "Search", "Release"


def _option(*flags: str, panel: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags, rich_help_panel=panel, help=help, metavar=metavar)


Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A policy (.toml); or a .csv, .tsv or .parquet file, a folder of Parquet files, or with --table "
        "the URL of a database (duckdb:///file.db, postgres://user@host/db, spark://host:port), with flags.",
    ),
]
AnyTable = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A .csv, .tsv or .parquet file, a folder of Parquet files; with --table a database's URL.",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="The table behind a connection, as schema.table if need be."
    ),
]
Quasi = Annotated[
    list[str] | None,
    _option(
        "-q",
        "--quasi-identifiers",
        panel=_ROLES,
        metavar="COLUMNS",
        help="Columns that others may know of a person, separated by commas. They are recoded.",
    ),
]
K = Annotated[
    int | None, _option("-k", panel=_ROLES, help="Least rows of a group with the same quasi-identifiers.")
]
ClassAttribute = Annotated[
    str | None,
    _option(
        "--class",
        panel=_ROLES,
        metavar="COLUMN",
        help="The column that a classifier shall predict; for --cost classification.",
    ),
]
Sensitive = Annotated[
    list[str] | None,
    _option(
        "--sensitive",
        panel=_ROLES,
        metavar="COLUMNS",
        help="Columns that must not be learned of a person. They are kept.",
    ),
]
Identifiers = Annotated[
    list[str] | None,
    _option(
        "--identifiers",
        panel=_ROLES,
        metavar="COLUMNS",
        help="Columns that name a person by themselves. They are dropped.",
    ),
]
Other = Annotated[
    list[str] | None,
    _option(
        "--other",
        panel=_ROLES,
        metavar="COLUMNS",
        help="Columns that are kept on purpose, so that nothing is warned of; those not named are kept, too.",
    ),
]
Sets = Annotated[
    list[str] | None,
    _option(
        "--set",
        panel=_ROLES,
        metavar="COLUMNS",
        help="Quasi-identifiers that others know apart from the rest; once per set (datafly).",
    ),
]
Models = Annotated[
    list[str] | None,
    _option(
        "--model",
        panel=_PRIVACY,
        metavar="'NAME KEY=VALUE ...'",
        help="A further privacy model, as in 'distinct-l-diversity attribute=disease l=3'; can be repeated.",
    ),
]
Entity = Annotated[
    str | None,
    _option(
        "--entity",
        panel=_PRIVACY,
        metavar="COLUMN",
        help="The column that tells persons apart, where one has several rows; k then counts persons.",
    ),
]
SurveyWeight = Annotated[
    str | None,
    _option(
        "--survey-weight",
        panel=_PRIVACY,
        metavar="COLUMN",
        help="How many people of the population a row stands for; for k-map and delta-presence.",
    ),
]
Population = Annotated[
    Path | None,
    _option(
        "--population",
        panel=_PRIVACY,
        help="A table of the population, with the quasi-identifiers; for k-map and delta-presence.",
    ),
]
Types = Annotated[
    list[str] | None,
    _option(
        "--type",
        panel=_SHAPES,
        metavar="COLUMN=TYPE",
        help="number, date or category; guessed when absent.",
    ),
]
Bins = Annotated[
    list[str] | None,
    _option(
        "--bin",
        panel=_SHAPES,
        metavar="COLUMN=WIDTH",
        help="Put numbers into bins of this width before the search.",
    ),
]
Orders = Annotated[
    list[str] | None,
    _option(
        "--order",
        panel=_SHAPES,
        metavar="COLUMN=A,B,C",
        help="The order of a column's values; sorted when absent.",
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    _option(
        "--hierarchy",
        panel=_SHAPES,
        metavar="COLUMN=FILE",
        help="A hierarchy file in ARX's layout; its leaves give the order, its levels the labels.",
    ),
]
Levels = Annotated[
    list[str] | None,
    _option(
        "--level",
        panel=_SHAPES,
        metavar="COLUMN=LEAST:GREATEST",
        help="Levels of a column's hierarchy that are allowed, as in age=1:3; either end may be left out.",
    ),
]
Weights = Annotated[
    list[str] | None,
    _option(
        "--weight",
        panel=_SHAPES,
        metavar="COLUMN=NUMBER",
        help="What a column's cells weigh in costs that are means over cells; 1 when absent.",
    ),
]
Cost = Annotated[
    str | None,
    _option(
        "--cost",
        panel=_SEARCH,
        help="What to minimize: discernibility (the default), classification, general-loss, ncp, entropy; "
        "over levels also precision, height, relative-height, groups, average-group-size, suppressed-rows; "
        "of cells suppressed-cells; of means sse.",
    ),
]
RecodingModel = Annotated[
    str | None,
    _option(
        "--recoding-model",
        panel=_SEARCH,
        metavar="NAME",
        help="The model of the release: AG_TS, AG_ (columns generalized; rows suppressed or not), AG_CS, "
        "CG_, _CS (cells generalized or suppressed one by one), _TS, _AS (only rows or columns suppressed).",
    ),
]
Suppression = Annotated[
    str | None,
    _option(
        "--suppression",
        panel=_SEARCH,
        metavar="LIMIT",
        help='Most rows to suppress: a number, "5%", or unlimited (the default).',
    ),
]
Algorithm = Annotated[
    str | None,
    _option(
        "--algorithm",
        panel=_SEARCH,
        help="The search; auto by default. Over cuts: exact, k-optimize, hill-climb; over hierarchies: "
        "lattice, subtree, genetic, anneal, tds, bug, samarati, incognito, mingen, datafly, ola, flash; row "
        "by row: local, mondrian, k-member; of cells, columns, rows: cells, forest, meyerson-williams, "
        "matching, levels-and-cells, mu-argus, suppress-columns, suppress-rows; by means: microaggregate.",
    ),
]
Options = Annotated[
    list[str] | None,
    _option(
        "--option",
        panel=_SEARCH,
        metavar="NAME=VALUE",
        help="An option of the algorithm, as in preference=minimum-suppression.",
    ),
]
Seconds = Annotated[float | None, _option("--seconds", panel=_SEARCH, help="Stop searching after this time.")]
Nodes = Annotated[int | None, _option("--nodes", panel=_SEARCH, help="Stop after this many search nodes.")]
Gap = Annotated[
    float | None,
    _option("--gap", panel=_SEARCH, help="Stop at this gap between cost and bound, as in 0.01."),
]
Threads = Annotated[int | None, _option("--threads", panel=_SEARCH, help="Threads; all by default.")]
Seed = Annotated[int | None, _option("--seed", panel=_SEARCH, help="Seed of randomized searches.")]
AcceptUnverified = Annotated[
    bool,
    _option(
        "--accept-unverified",
        panel=_SEARCH,
        help="Publish although the audit fails (exit 5); for mu-argus, which does not guarantee k.",
    ),
]
RequireOptimal = Annotated[
    bool,
    _option("--require-optimal", panel=_SEARCH, help="Publish nothing unless it is proved optimal (exit 4)."),
]
Strict = Annotated[
    bool,
    _option("--strict", panel=_RELEASE, help="Publish nothing if there is a warning (exit 5)."),
]
Output = Annotated[
    str | None,
    _option(
        "-o",
        "--output",
        panel=_RELEASE,
        metavar="NAME",
        help="The file to write, or a table where the source lives; NAME-k10.csv or NAME_k10 when absent.",
    ),
]
Suppressed = Annotated[
    str | None,
    _option(
        "--suppressed",
        panel=_RELEASE,
        metavar="drop|mask",
        help="Drop suppressed rows (the default), or keep them as rows of *.",
    ),
]
Ledger = Annotated[
    Path | None,
    _option(
        "--ledger",
        panel=_RELEASE,
        metavar="FILE",
        help="The file of releases (.jsonl): this one is written down, earlier ones are told of.",
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
