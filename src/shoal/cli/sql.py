"""`shoal sql`: a policy in, its recoding as SQL out, for a warehouse that Shoal does not run in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from shoal.cli import flags
from shoal.cli.console import INTERRUPTED, reported, say
from shoal.cli.policy_file import overridden, policy_of_file
from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.formatting.detail import figures
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.policy.policy import Policy

if TYPE_CHECKING:
    from shoal.api.recoding_sql import RecodingSql
    from shoal.warehouse import Form

_SQL = "SQL"


def sql(
    source: Annotated[Path, typer.Argument(metavar="POLICY", help="A policy (.toml).")],
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            rich_help_panel=_SQL,
            help="The warehouse's SQL, by sqlglot's name: postgres, snowflake, bigquery, redshift, spark, "
            "databricks, tsql, mysql, oracle, trino, clickhouse, duckdb and more. By default the source's.",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--as", metavar="view|select|dbt", rich_help_panel=_SQL, help="A view, a query, or a dbt model."
        ),
    ] = "view",
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            rich_help_panel=_SQL,
            help="The table in the warehouse, as in schema.table; the source's own name when absent. "
            "For dbt a model (ref) or source.table (source).",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", rich_help_panel=_SQL, help="The view; as in TABLE_k10 when absent."
        ),
    ] = None,
    exact_names: Annotated[
        bool,
        typer.Option(
            "--exact-names",
            rich_help_panel=_SQL,
            help="Quote names exactly as the source spells them. By default age is AGE in Snowflake and "
            "Oracle, as it is without quotes.",
        ),
    ] = False,
    algorithm: flags.Algorithm = None,
    options: flags.Options = None,
    seconds: flags.Seconds = None,
    nodes: flags.Nodes = None,
    gap: flags.Gap = None,
    threads: flags.Threads = None,
    seed: flags.Seed = None,
    require_optimal: flags.RequireOptimal = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", rich_help_panel=_SQL, help="The file to write; standard output when absent."
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--manifest", metavar="FILE", rich_help_panel=_SQL, help="Write the facts of the search, too."
        ),
    ] = None,
    memory: flags.Memory = None,
    temp_directory: flags.TempDirectory = None,
    quiet: flags.Quiet = False,
) -> None:
    """Print the recoding as SQL, for a warehouse that Shoal does not run in.

    It counts and searches as anonymize does, and writes no row. The view that it prints recodes the table in
    the warehouse, and shows only groups with at least k rows, also when rows come and go.

    It has values of the quasi-identifiers in it: keep it where the table is kept.
    """
    with reported():
        if source.suffix.lower() != ".toml":
            raise PolicyError(f"shoal sql takes a policy (.toml); given was {source.name!r}")
        policy = overridden(
            policy_of_file(source),
            {
                "algorithm": algorithm,
                "options": options,
                "threads": threads,
                "seed": seed,
                "seconds": seconds,
                "nodes": nodes,
                "gap": gap,
            },
        )
        _check_written(policy, source, output, manifest)
        # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
        from shoal.api.recoding_sql import recoding_sql
        from shoal.cli.progress import ProgressLine
        from shoal.engines.connection import engine_for

        engine = engine_for(
            policy.source, memory=memory, threads=policy.threads, temp_directory=temp_directory
        )
        with engine, ProgressLine(quiet=quiet, cost=policy.cost) as progress:
            recoding = recoding_sql(
                policy=policy,
                dialect=dialect,
                form=cast("Form", form),
                table=table,
                name=name,
                exact_names=exact_names,
                require_optimal=require_optimal,
                on_progress=progress,
                engine=engine,
            )
        if output is None:
            sys.stdout.write(recoding.text)
        else:
            write_text(output, recoding.text)
        if manifest is not None:
            write_text(manifest, recoding.manifest.to_json())
    _summarize(recoding, output, quiet=quiet)
    if recoding.result.interrupted:
        say("shoal: the search was interrupted; this is the best recoding so far")
        raise typer.Exit(INTERRUPTED)


def _check_written(policy: Policy, file: Path, output: Path | None, manifest: Path | None) -> None:
    """Raise, before any work is done, if a file to write is one that is read, or the same as another one."""
    from shoal.engines.staging import check_no_input
    from shoal.pipeline.source import inputs_of

    read = {**inputs_of(policy, policy.source), "the policy": file}
    for what, path in (("SQL file", output), ("manifest", manifest)):
        if path is not None:
            check_no_input(path, read, what)
            read[f"the {what}"] = path


def _summarize(recoding: RecodingSql, output: Path | None, *, quiet: bool) -> None:
    facts = recoding.manifest
    if not quiet:
        say(
            f"{facts.status}   {figures(facts.cost_metric, facts.cost, facts.bound, facts.gap)}   "
            f"nodes {facts.nodes:,}   "
            f"suppressed {facts.suppressed:,} rows ({percent(facts.suppressed / facts.rows)})"
        )
        if output is not None:
            say(f"{output}: SQL for {recoding.script.dialect}; nothing was released")
    if recoding.unchecked:
        say(
            f"shoal: warning: the SQL does not check {'; '.join(recoding.unchecked)}: it holds for the rows "
            "that were counted"
        )
    for warning in recoding.warnings:
        say(f"shoal: warning: {warning}")
