"""`shoal risk`: what attackers can expect of any table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_flags import with_file_flags
from shoal.cli.suda_scores import check_target, write_scores
from shoal.cli.table_policy import table_policy
from shoal.errors import AuditError

if TYPE_CHECKING:
    from shoal.auditor.risk import Attacker

_POPULATION, _DEMANDS, _SUDA = "Population", "Demands", "SUDA"


@with_file_flags
def risk(
    source: flags.AnyTable,
    name: flags.Table = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "-q",
            "--quasi-identifiers",
            metavar="COLUMNS",
            help="The columns that an attacker is thought to know, separated by commas.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="Take columns, threshold 1/k and population from a policy (.toml)."),
    ] = None,
    hierarchies: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="COLUMN=FILE",
            help="Whose labels the table has; for --population. Can be repeated.",
        ),
    ] = None,
    entity: table_flags.Entity = None,
    linkable: Annotated[
        bool,
        typer.Option(
            "--linkable", help="Readers see that column: a person's risk is that of the whole history."
        ),
    ] = False,
    household: Annotated[
        str | None,
        typer.Option(
            "--household",
            metavar="COLUMN",
            help="The column that identifies households, if rows are members: measure their risk, too.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Count rows with a risk above this (0.2 by default, or 1/k)."),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option("--population-size", rich_help_panel=_POPULATION, help="People of the population."),
    ] = None,
    fraction: Annotated[
        float | None,
        typer.Option(
            "--sampling-fraction", rich_help_panel=_POPULATION, help="The share of them that the rows are."
        ),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option("--population", rich_help_panel=_POPULATION, help="A table of the population."),
    ] = None,
    survey_weight: Annotated[
        str | None,
        typer.Option(
            "--survey-weight",
            metavar="COLUMN",
            rich_help_panel=_POPULATION,
            help="The column with the number of people that a row represents.",
        ),
    ] = None,
    attacker: Annotated[
        str,
        typer.Option(
            "--attacker",
            metavar="prosecutor|journalist|marketer",
            rich_help_panel=_DEMANDS,
            help="Whose risk is demanded to be low.",
        ),
    ] = "prosecutor",
    highest: Annotated[
        float | None,
        typer.Option("--highest", rich_help_panel=_DEMANDS, help="Demand this highest risk (else exit 5)."),
    ] = None,
    average: Annotated[
        float | None,
        typer.Option("--average", rich_help_panel=_DEMANDS, help="Demand this average risk (else exit 5)."),
    ] = None,
    above: Annotated[
        float | None,
        typer.Option(
            "--above",
            rich_help_panel=_DEMANDS,
            help="Demand at most this share of rows above the threshold (else exit 5).",
        ),
    ] = None,
    suda: Annotated[
        bool,
        typer.Option(
            "--suda",
            rich_help_panel=_SUDA,
            help="Look for minimal sample uniques: the smallest combinations that make a row unique.",
        ),
    ] = False,
    suda_size: Annotated[
        int | None,
        typer.Option("--suda-size", rich_help_panel=_SUDA, help="The most columns of such a combination."),
    ] = None,
    suda_scores: Annotated[
        Path | None,
        typer.Option(
            "--suda-scores",
            rich_help_panel=_SUDA,
            help="Write the score of each row to this CSV file. It is as private as the table.",
        ),
    ] = None,
    memory: table_flags.Memory = None,
    temp_directory: table_flags.TempDirectory = None,
    as_json: table_flags.AsJson = False,
    quiet: table_flags.Quiet = False,
    **file: Any,
) -> None:
    """Measure the risk of re-identification in a table, an original or a release, from any tool.

    Shows what a prosecutor, a journalist and a marketer can expect, and how many rows and people are unique;

    which columns do it, and what HIPAA's Safe Harbor would remove.

    No cell of the table is shown.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.risk import risk as measured
    from shoal.engines.connection import engine_for

    with reported():
        table_policy(
            policy,
            quasi=quasi,
            entity=entity,
            linkable=linkable,
            household=household,
            survey_weight=survey_weight,
            hierarchies=hierarchies,
        )
        table = arguments.source(source, name, file)
        switched: dict[str, Any] = {"linkable": True} if linkable else {}  # next to a policy it says nothing
        if suda_scores is not None:
            check_target(suda_scores, table)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            report = measured(
                table,
                policy=policy,
                quasi_identifiers=None if policy is not None else arguments.names(quasi),
                hierarchies=arguments.pairs("--hierarchy", hierarchies, Path) or None,
                entity=entity,
                **switched,
                household=household,
                threshold=threshold,
                population=population,
                population_size=size,
                sampling_fraction=fraction,
                survey_weight=survey_weight,
                attacker=cast("Attacker", attacker),  # checked there
                highest=highest,
                average=average,
                above=above,
                suda=suda or suda_size is not None or suda_scores is not None,
                suda_size=suda_size,
                engine=engine,
            )
            if suda_scores is not None:
                from shoal.api.suda import suda as scored

                write_scores(
                    suda_scores,
                    scored(
                        table,
                        quasi_identifiers=report.quasi_identifiers,
                        size=suda_size,
                        sampling_fraction=None if report.suda is None else report.suda.sampling_fraction,
                        engine=engine,
                    ),
                )
        if as_json:
            print_json(report.to_dict())
        if not quiet:
            for line in report.lines():
                say(line)
        if not report.holds:
            raise AuditError(". Also ".join(report.failures))
