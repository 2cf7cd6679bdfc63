"""`shoal demo`: the bundled census table, anonymized before your eyes in both ways."""

from __future__ import annotations

import csv
import gzip
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import INTERRUPTED, reported, say
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_hierarchy_path, adult_path
from shoal.errors import EngineError, ShoalWarning
from shoal.model.policy.recoding_model import DEFAULT_COST

if TYPE_CHECKING:
    from shoal.pipeline.release import Release

PEOPLE = (0, 9, 25)
"""The rows that are shown: people who differ in many columns."""

DROPPED = ("fnlwgt", "education-num")
"""A weight that is nearly unique, and education once more: both would undo the work."""


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "demo/adult-k10.csv"
    ),
    seconds: Annotated[
        float, typer.Option("--seconds", help="Stop searching after this time, for each of the two releases.")
    ] = 15.0,
    k: Annotated[int, typer.Option("-k", help="Least rows of a group.")] = 10,
) -> None:
    """Anonymize the bundled Adult census table with k = 10: row by row, and with one recoding per column.

    Shows the searches, rows before and after, what is proved, and the paths of the releases.
    """
    consistent = output.with_name(f"{output.name.partition('.')[0]}-consistent{''.join(output.suffixes)}")
    with reported():
        say(f"Adult: 30,162 people of the 1994 census. Others may know {', '.join(ADULT_QUASI_IDENTIFIERS)}.")
        say(f"Every row must hide among at least {k - 1} others, and no row may disappear.")
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EngineError(f"cannot make the folder {output.parent}: {error.strerror}") from None
        say("\nRow by row, the default: each row becomes only as coarse as it must.")
        by_row = _released(output, k, seconds, consistent=False)
        say("\nOne recoding per column (--consistent): easier to count with, and coarser.")
        per_column = _released(consistent, k, seconds, consistent=True)
        say("\nThree of the people:")
        _show((output, consistent))
        say(f"check them: shoal audit {output} -q {','.join(ADULT_QUASI_IDENTIFIERS)} -k {k}")
        if by_row.result.interrupted or per_column.result.interrupted:
            raise typer.Exit(INTERRUPTED)


def _released(output: Path, k: int, seconds: float, *, consistent: bool) -> Release:
    # Imported here: `shoal --help` should not wait for DuckDB.
    from shoal.api.anonymize import anonymize
    from shoal.cli.columns import show_columns
    from shoal.cli.progress import ProgressLine
    from shoal.cli.summary import outcome

    with ProgressLine(quiet=False, cost=DEFAULT_COST) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # printed below, as lines of the command
        release = anonymize(
            adult_path(),
            quasi_identifiers=ADULT_QUASI_IDENTIFIERS,
            identifiers=DROPPED,
            hierarchies={name: adult_hierarchy_path(name) for name in ADULT_QUASI_IDENTIFIERS},
            class_attribute="income",
            k=k,
            consistent=consistent,
            seconds=seconds,
            path=output,
            on_progress=progress,
        )
    for line in outcome(release):
        say(line)
    show_columns(release.columns)
    for warning in release.warnings:
        say(f"shoal: warning: {warning}")
    return release


def _show(outputs: Sequence[Path]) -> None:
    """The same few people before, and after in both ways; no row is suppressed, so all keep their places."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for heading, least in (("", 14), ("before", 18), ("row by row", 22), ("per column", 20)):
        shown.add_column(heading, no_wrap=True, overflow="ellipsis", min_width=least)
    with gzip.open(adult_path(), "rt") as source:
        before = _people(source)
    after = []
    for output in outputs:
        with output.open(newline="") as released:
            after.append(_people(released))
    for person in zip(before, *after, strict=True):
        for name in ADULT_QUASI_IDENTIFIERS:
            shown.add_row(name, *(row[name] for row in person))
        shown.add_row()
    Console(stderr=True, markup=False, highlight=False).print(shown)


def _people(lines: Iterator[str]) -> list[dict[str, str]]:
    rows = islice(csv.DictReader(lines), PEOPLE[-1] + 1)
    return [row for place, row in enumerate(rows) if place in PEOPLE]
