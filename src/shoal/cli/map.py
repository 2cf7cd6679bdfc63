"""`shoal map`: the cells of a release as shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import table_flags
from shoal.cli.console import print_json, reported, say


def map_cells(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The file of the release.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to write it: .geojson or .svg."),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", metavar="COLUMN", help="The column of cells, if there are several."),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", metavar="FILE", help="Its manifest, if that is not next to it."),
    ] = None,
    as_json: table_flags.AsJson = False,
) -> None:
    """Write the cells of a released point as shapes, each with the number of its rows.

    It has nothing that the release and its manifest do not have, and loads nothing from any network.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.cell_map import cell_map, check_map_path
    from shoal.engines.staging import check_no_input
    from shoal.errors import PolicyError
    from shoal.model.result.manifest import manifest_path

    with reported():
        if output is None and not as_json:
            raise PolicyError("say where the map shall be written: -o cells.geojson or -o cells.svg")
        if output is not None:
            check_map_path(output)
            read = {"the release": release, "the release's manifest": manifest or manifest_path(release)}
            check_no_input(output, read, "map")
        found = cell_map(release, column=column, manifest=manifest)
        if output is not None:
            found.write(output)
            say(f"{output}: {len(found.cells):,} cells of {found.column!r}")
        if as_json:
            print_json(found.to_geojson())
