"""`shoal demo`: the bundled census table, anonymized before your eyes."""

from __future__ import annotations

import csv
import gzip
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import INTERRUPTED, reported, say
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_hierarchy_path, adult_path
from shoal.errors import EngineError, ShoalWarning
from shoal.model.table.domain import SUPPRESSED

if TYPE_CHECKING:
    from shoal.pipeline.release import Release

SAMPLE = 3


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "demo/adult-k10.csv"
    ),
    seconds: Annotated[float, typer.Option("--seconds", help="Stop searching after this time.")] = 30.0,
    k: Annotated[int, typer.Option("-k", help="Least rows of a group.")] = 10,
) -> None:
    """Anonymize the bundled Adult census table with k = 10.

    Shows the search, rows before and after, and the path of the release.
    """
    # Imported here: `shoal --help` should not wait for DuckDB.
    from shoal.api.anonymize import anonymize
    from shoal.cli.progress import ProgressLine
    from shoal.cli.summary import outcome

    with reported():
        say(f"Adult: 30,162 people of the 1994 census. Others may know {', '.join(ADULT_QUASI_IDENTIFIERS)}.")
        say(f"Every row must hide among at least {k - 1} others. Searching for at most {seconds:g} s ...")
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EngineError(f"cannot make the folder {output.parent}: {error.strerror}") from None
        with ProgressLine(quiet=False) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # printed below, as lines of the command
            release = anonymize(
                adult_path(),
                quasi_identifiers=ADULT_QUASI_IDENTIFIERS,
                hierarchies={name: adult_hierarchy_path(name) for name in ADULT_QUASI_IDENTIFIERS},
                class_attribute="income",
                k=k,
                seconds=seconds,
                path=output,
                on_progress=progress,
            )
        *summary, whereabouts = outcome(release)
        for line in summary:
            say(line)
        _show(release, output)
        say(whereabouts)
        say(f"manifest: {output}.manifest.json")
        for warning in release.warnings:
            say(f"shoal: warning: {warning}")
        say(f"check it: shoal audit {output} -q {','.join(ADULT_QUASI_IDENTIFIERS)} -k {k}")
        if release.result.interrupted:
            raise typer.Exit(INTERRUPTED)


def _show(release: Release, output: Path) -> None:
    """The same few people before and after; suppressed ones in between are left out."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading, least in (("", 14), ("before", 18), ("after", 20)):
        shown.add_column(heading, no_wrap=True, overflow="ellipsis", min_width=least)
    for before, after in islice(_pairs(release, output), SAMPLE):
        for row in zip(ADULT_QUASI_IDENTIFIERS, before, after, strict=True):
            shown.add_row(*row)
        shown.add_row()
    Console(stderr=True, markup=False, highlight=False).print(shown)


def _pairs(release: Release, output: Path) -> Iterator[tuple[list[str], list[str]]]:
    assert release.result.recoding is not None
    label_of = {
        name: {str(value): interval["label"] for interval in intervals for value in interval["values"]}
        for name, intervals in release.manifest.recoding.items()
    }
    with gzip.open(adult_path(), "rt") as source, output.open(newline="") as released:
        after = csv.DictReader(released)
        row = next(after)
        for before in csv.DictReader(source):
            # Of a column that is `*` throughout the manifest names no values.
            recoded = [label_of[name].get(before[name], SUPPRESSED) for name in ADULT_QUASI_IDENTIFIERS]
            if recoded == [row[name] for name in ADULT_QUASI_IDENTIFIERS]:
                yield [before[name] for name in ADULT_QUASI_IDENTIFIERS], recoded
                row = next(after)
