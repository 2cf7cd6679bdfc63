"""`shoal utility`: how useful a release still is, compared with its original."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.api.read_policy import read_policy
from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_flags import with_file_flags
from shoal.errors import PolicyError
from shoal.formatting.numbers import percent_in_line as percent

if TYPE_CHECKING:
    from shoal.auditor.utility import ModelUtility, Utility

_MODELS, _WORK = "Models", "Work"


@with_file_flags
def utility(
    source: flags.AnyTable,
    name: flags.Table = None,
    original: Annotated[
        str | None,
        typer.Option(
            "--original", metavar="TABLE", help="The table that it was made from; else the policy's source."
        ),
    ] = None,
    original_table: Annotated[
        str | None,
        typer.Option("--original-table", metavar="NAME", help="Its table, if it is behind a connection."),
    ] = None,
    quasi: flags.Quasi = None,
    sensitive: flags.Sensitive = None,
    hierarchies: flags.Hierarchies = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="The policy (.toml) of the release, in place of flags.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", metavar="COLUMN", help="A column that is different in every row, if rows were shuffled."
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight",
            metavar="COLUMN",
            help="The column of survey weights that means and tables count rows by.",
        ),
    ] = None,
    class_attribute: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="COLUMN", rich_help_panel=_MODELS, help="The column a classifier predicts."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="COLUMN", rich_help_panel=_MODELS, help="The number a regressor predicts."
        ),
    ] = None,
    models: Annotated[
        bool,
        typer.Option("--models/--no-models", rich_help_panel=_MODELS, help="Whether to train models."),
    ] = True,
    queries: Annotated[
        int | None, typer.Option("--queries", rich_help_panel=_WORK, help="Random queries (500 by default).")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            rich_help_panel=_WORK,
            help="The most rows to read for associations and models (10,000 by default).",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", rich_help_panel=_WORK, help="What makes the random choices.")
    ] = 0,
    as_json: table_flags.AsJson = False,
    quiet: table_flags.Quiet = False,
    **file: Any,
) -> None:
    """Measure what a release is still good for: distributions, means, tables, associations, queries, models.

    A classifier and a regressor are trained on released rows and tested on original ones; they need
    scikit-learn: the extra "utility" of the package.

    Of the original, only figures are shown: counts, means, medians.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.utility import utility as measured
    from shoal.auditor.utility import QUERIES, SAMPLE

    with reported():
        names = arguments.names(quasi)
        if policy is not None:
            refuse_alongside_policy({"-q": quasi, "--sensitive": sensitive, "--hierarchy": hierarchies})
        if original_table is not None and original is None:
            raise PolicyError("--original-table names a table of a database: pass its URL as --original")
        if policy is None and not names:
            raise PolicyError("name the quasi-identifiers: -q age,zip (or use --policy)")
        if policy is None and original is None:
            raise PolicyError("utility is measured against the original: add --original TABLE")
        utilities = measured(
            arguments.source(source, name, file),
            original=None if original is None else arguments.source(original, original_table),
            policy=None if policy is None else read_policy(policy),
            quasi_identifiers=names,
            sensitive=arguments.names(sensitive),
            hierarchies=arguments.pairs("--hierarchy", hierarchies, Path),
            class_attribute=class_attribute,
            target=target,
            models=models,
            key=key,
            weight=weight,
            queries=QUERIES if queries is None else queries,
            sample=SAMPLE if sample is None else sample,
            seed=seed,
        )
        if as_json:
            print_json(utilities.to_dict())
        if not quiet:
            for line in _lines(utilities):
                say(line)


def _lines(utility: Utility) -> Iterator[str]:
    yield f"{utility.rows:,} of {utility.originals:,} rows released"
    for column in utility.columns:
        moved = "" if column.earth_mover is None else f"   moved {percent(column.earth_mover)} of its range"
        yield (
            f"{column.name}: {percent(column.distance)} of rows under another label, "
            f"{percent(column.value_distance)} at another value{moved}"
        )
    by = "" if utility.weight is None else f", weighted by {utility.weight}"
    for summary in utility.summaries:
        figures = {each.name: each for each in summary.figures}
        shown = summary.shown
        texts = [
            f"{name} {shown(each.estimate)} (from {shown(each.lowest)} to {shown(each.highest)}), "
            f"of the original {shown(each.original)}"
            for name in ("mean", "median")
            for each in [figures[name]]
        ]
        left = f"; {summary.unbounded:,} rows without bounds" if summary.unbounded else ""
        yield f"{summary.column}{by}: {'; '.join(texts)}{left}"
    if utility.tables:
        yield _tables_line(utility, by)
    if utility.mean_change is not None:
        yield (
            f"association of {len(utility.pairs):,} pairs of columns: changed by {utility.mean_change:.3f} "
            "in the mean (Cramer's V, 0 to 1)"
        )
    queries = utility.queries
    if queries.median_error is not None and queries.mean_error is not None and queries.worst is not None:
        yield (
            f"{queries.tried:,} random queries: median error {percent(queries.median_error)}, mean "
            f"{percent(queries.mean_error)}, worst {percent(queries.worst)}"
        )
    for model in (utility.classifier, utility.regressor):
        if model is not None:
            yield _model_line(model)
    yield f"seed {utility.seed}; associations and models from at most {utility.sample:,} rows"


def _tables_line(utility: Utility, by: str) -> str:
    count = len(utility.tables)
    left = sum(table.open for table in utility.tables) / count
    moved = sum(table.moved for table in utility.tables) / count
    worst = max(utility.tables, key=lambda table: table.open)
    names = f"{worst.columns[0]} by {worst.columns[1]}"
    most = f" on average, {percent(worst.open)} in {names}" if count > 1 else ""
    tables = f"{count:,} tables of two columns" if count > 1 else f"table of {names}"
    return (
        f"{tables} in coarse cells{by}: the cell of {percent(left)} of the rows is left open{most}; "
        f"{percent(moved)} are estimated in another cell"
    )


def _model_line(model: ModelUtility) -> str:
    also = ""
    if model.also is not None and model.original_also is not None and model.released_also is not None:
        also = f"   {model.also} {model.released_also:.3f}, of the original {model.original_also:.3f}"
    return (
        f"{model.target}, trained on released rows: {model.score} {model.released:.3f}, on original rows "
        f"{model.original:.3f}, without any column {model.baseline:.3f}{also}"
    )
