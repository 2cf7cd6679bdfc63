"""The flags of commands that examine a table from any tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.policy_flags import flag

Memory = Annotated[
    str | None, typer.Option("--memory", help="Memory (1GB by default); more is spilled to disk.")
]
TempDirectory = Annotated[Path | None, typer.Option("--temp-directory", help="Where to spill.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the facts on standard output.")]
Missing = Annotated[list[str] | None, flag("missing")]
Formats = Annotated[list[str] | None, flag("formats")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")]
Entity = Annotated[
    str | None,
    typer.Option(
        "--entity",
        metavar="COLUMN",
        help="The column that identifies persons, where one has several rows; persons are then counted.",
    ),
]
