"""`shoal codebook`: the data dictionary of a release."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import table_flags
from shoal.cli.console import print_json, reported, say


def codebook(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The file of the release.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to write it: .html or .md."),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", metavar="FILE", help="Its manifest, if that is not next to it."),
    ] = None,
    as_json: table_flags.AsJson = False,
) -> None:
    """Write the data dictionary of a release: what each column means, its cells, and how to read it.

    Without -o it is printed as Markdown. It has nothing that the release and its manifest do not have.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.codebook import check_codebook_path
    from shoal.api.codebook import codebook as described
    from shoal.engines.staging import check_no_input
    from shoal.model.result.manifest import manifest_path

    with reported():
        if output is not None:
            check_codebook_path(output)
            read = {"the release": release, "the release's manifest": manifest or manifest_path(release)}
            check_no_input(output, read, "codebook")
        book = described(release, manifest=manifest)
        if output is not None:
            book.write(output)
            say(f"{output}: {len(book.columns):,} columns described")
        if as_json:
            print_json(book.to_dict())
        elif output is None:
            sys.stdout.write(book.to_markdown())
