"""`shoal audit`: the k that any table really has, and what else is demanded of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import arguments, flags
from shoal.cli.console import percent, print_json, reported, say
from shoal.cli.examined import examined
from shoal.errors import AuditError, PolicyError

if TYPE_CHECKING:
    from shoal.audit import Verdict
    from shoal.model.policy import Policy


def audit(
    source: flags.AnyTable,
    name: flags.Table = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "-q",
            "--quasi-identifiers",
            metavar="COLUMNS",
            help="The columns that make the groups, separated by commas.",
        ),
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="Demand groups of at least this many rows (else exit 5).")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="'NAME KEY=VALUE ...'",
            help="Demand a privacy model, as in 't-closeness attribute=disease t=0.2'; can be repeated.",
        ),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option("--entity", metavar="COLUMN", help="The column that tells persons apart; for -k."),
    ] = None,
    survey_weight: Annotated[
        str | None,
        typer.Option("--survey-weight", metavar="COLUMN", help="How many people a row stands for."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="Demand what a policy (.toml) does, instead of the flags above."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", help="Memory (1GB by default); more is spilled to disk.")
    ] = None,
    temp_directory: Annotated[Path | None, typer.Option("--temp-directory", help="Where to spill.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the measurement on standard output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")] = False,
) -> None:
    """Measure the smallest group of a table, whoever made it, and privacy models.

    Rows whose quasi-identifiers all read * count as suppressed and belong to no group.

    A missing value is equal to a missing value, and to nothing else.

    Models that compare with the whole table compare with this one: the source is not known here.
    """
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.audit import audit as verdict_on
    from shoal.audit import weakest
    from shoal.cli.summary import model_lines
    from shoal.engines.connection import engine_for
    from shoal.request import check_models, evidence_of, models_of

    with reported():
        asked = examined(policy, quasi=quasi, k=k, models=models, entity=entity, survey_weight=survey_weight)
        if policy is not None:
            _check_measurable(asked)
            k = asked.k
        check_models(asked)
        sets = asked.sets or (tuple(each.name for each in asked.quasi_identifiers),)
        evidence = evidence_of(asked)
        table = arguments.source(source, name)
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            _check_columns(engine.columns(table), evidence.read)
            verdict = weakest(
                [
                    verdict_on(
                        engine,
                        table,
                        names,
                        asked.k,
                        models=models_of(asked),
                        evidence=evidence,
                        wildcards=asked.options.get("reading") == "wildcard",
                    )
                    for names in sets
                ]
            )
        if verdict.measured.rows == 0:
            raise PolicyError(f"{table.name} has no rows; there is nothing to audit")
        if as_json:
            print_json(_facts(verdict, k))
        if not quiet:
            say(_line(verdict, k))
            for line in model_lines(verdict):
                say(line)
        if not verdict.meets:
            raise AuditError(". Also ".join(verdict.failures))


def _check_measurable(policy: Policy) -> None:
    """Refuse a policy that demands what a release alone does not tell."""
    from shoal.request import algorithm_of, check_names

    if policy.population is not None:
        raise PolicyError(
            "the release alone does not tell how the population would be printed, so k-map and "
            "delta-presence cannot be measured again; the manifest has what was measured when it was made. "
            "Measure the other models by --model"
        )
    if policy.options.get("reading") is not None:
        check_names(policy)
        algorithm_of(policy)  # no release was made by a policy that tells another algorithm how to read `*`


def _check_columns(columns: tuple[str, ...], needed: tuple[str, ...]) -> None:
    from shoal.model.names import hint

    for name in needed:
        if name not in columns:
            raise PolicyError(
                f"the table has no column {name!r}, so what looks at it cannot be measured: was it dropped? "
                f"The manifest of a release has what was measured when it was made.{hint(name, columns)}"
            )


def _facts(verdict: Verdict, k: int | None) -> dict[str, object]:
    return {**verdict.to_dict(), "demanded": k, "quasi_identifiers": list(verdict.quasi_identifiers)}


def _line(verdict: Verdict, k: int | None) -> str:
    found = verdict.measured
    reached = "no group" if verdict.k is None else f"k {verdict.k:,}"
    if verdict.wildcards is not None:
        reached += f" (with * as a wildcard: {verdict.wildcards.smallest})"
    below = "" if k is None else f"   below {k}: {found.groups_below:,} groups, {found.rows_below:,} rows"
    return (
        f"{reached}   rows {found.rows:,}   groups {found.groups:,}   "
        f"suppressed {found.suppressed:,} rows ({percent(found.suppressed / found.rows)}){below}"
    )
