"""`shoal anonymize`: a policy, or a data file with flags, in; a release and its manifest out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import typer

from shoal.cli import arguments, flags
from shoal.cli.console import INTERRUPTED, reported, say
from shoal.cli.report import check_report, report_on
from shoal.cli.requested import policy_of_file, searching
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.policy.suppression import Suppression
from shoal.model.table.domain import Kind
from shoal.model.table.table_source import TableSource, release_place


def anonymize(
    source: flags.Source,
    table: flags.Table = None,
    quasi: flags.Quasi = None,
    k: flags.K = None,
    class_attribute: flags.ClassAttribute = None,
    sensitive: flags.Sensitive = None,
    identifiers: flags.Identifiers = None,
    other: flags.Other = None,
    sets: flags.Sets = None,
    models: flags.Models = None,
    entity: flags.Entity = None,
    survey_weight: flags.SurveyWeight = None,
    population: flags.Population = None,
    types: flags.Types = None,
    bins: flags.Bins = None,
    orders: flags.Orders = None,
    hierarchies: flags.Hierarchies = None,
    levels: flags.Levels = None,
    weights: flags.Weights = None,
    cost: flags.Cost = None,
    suppression: flags.Suppression = None,
    recoding_model: flags.RecodingModel = None,
    algorithm: flags.Algorithm = None,
    options: flags.Options = None,
    seconds: flags.Seconds = None,
    nodes: flags.Nodes = None,
    gap: flags.Gap = None,
    threads: flags.Threads = None,
    seed: flags.Seed = None,
    accept_unverified: flags.AcceptUnverified = False,
    require_optimal: flags.RequireOptimal = False,
    strict: flags.Strict = False,
    output: flags.Output = None,
    suppressed: flags.Suppressed = None,
    ledger: flags.Ledger = None,
    memory: flags.Memory = None,
    search_memory: flags.SearchMemory = None,
    temp_directory: flags.TempDirectory = None,
    report: flags.Report = None,
    as_json: flags.AsJson = False,
    quiet: flags.Quiet = False,
) -> None:
    """Release a table so that every row hides among at least k - 1 others.

    Nothing is published unless the audit of the written file holds.

    Ctrl-C ends the search and releases the best so far; a second Ctrl-C ends everything.
    """
    shaping = {
        "--table": table,
        "-q": quasi,
        "-k": k,
        "--class": class_attribute,
        "--sensitive": sensitive,
        "--identifiers": identifiers,
        "--other": other,
        "--model": models,
        "--entity": entity,
        "--survey-weight": survey_weight,
        "--population": population,
        "--type": types,
        "--bin": bins,
        "--order": orders,
        "--set": sets,
        "--hierarchy": hierarchies,
        "--level": levels,
        "--weight": weights,
        "--cost": cost,
        "--suppression": suppression,
        "--recoding-model": recoding_model,
        "--suppressed": suppressed,
    }
    with reported():
        if source.lower().endswith(".toml"):
            policy = policy_of_file(Path(source), shaping)
        else:
            if not quasi or k is None:
                raise PolicyError(
                    "name the quasi-identifiers and k: -q age,zip -k 10 (or give a policy file)"
                )
            policy = policy_of(
                source=arguments.source(source, table),
                quasi_identifiers=arguments.names(quasi),
                k=k,
                sensitive=arguments.names(sensitive),
                class_attribute=class_attribute,
                identifiers=arguments.names(identifiers),
                other=arguments.names(other),
                types=arguments.pairs("--type", types, lambda text: cast(Kind, text)),
                bins=arguments.pairs("--bin", bins, partial(arguments.number, "--bin")),
                orders=arguments.pairs("--order", orders, arguments.values),
                hierarchies=arguments.pairs("--hierarchy", hierarchies, Path),
                levels=arguments.pairs("--level", levels, arguments.levels),
                weights=arguments.pairs("--weight", weights, partial(arguments.number, "--weight")),
                sets=[arguments.names([each]) for each in sets or ()],
                models=[arguments.model(each) for each in models or ()],
                entity=entity,
                survey_weight=survey_weight,
                population=population,
                cost=cost,
                model=recoding_model,
                suppression=Suppression.parse("unlimited" if suppression is None else suppression),
                suppressed=cast(SuppressedRows, "drop" if suppressed is None else suppressed),
            )
        policy = searching(
            policy,
            algorithm=algorithm,
            options=options,
            budget=Budget(seconds=seconds, nodes=nodes, gap=gap),
            threads=threads,
            seed=seed,
        )
        policy = replace(
            policy,
            release=policy.release if output is None else release_place(output, policy.source),
            accept_unverified=accept_unverified or policy.accept_unverified,
            ledger=policy.ledger if ledger is None else ledger,
            strict=strict or policy.strict,
        )
        if policy.release is None:
            policy = replace(policy, release=default_release(policy))
        if report is not None:
            check_report(report, policy)
        _run(
            policy,
            memory=memory,
            search_memory=search_memory,
            temp_directory=temp_directory,
            require_optimal=require_optimal,
            report=report,
            as_json=as_json,
            quiet=quiet,
        )


def default_release(policy: Policy) -> Path | str:
    """Beside the source, with k in its name."""
    source = policy.source
    if isinstance(source, TableSource):
        if source.table is not None:
            return f"{source.table}_k{policy.k}"
        raise PolicyError("say where the release shall be written: --output, or path = ... under [release]")
    assert source is not None
    stem, dot, rest = source.name.partition(".")
    return source.parent / f"{stem}-k{policy.k}{dot}{rest}"


def _run(
    policy: Policy,
    *,
    memory: str | None,
    search_memory: str | None,
    temp_directory: Path | None,
    require_optimal: bool,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.api.anonymize import anonymize as release_of
    from shoal.cli.progress import ProgressLine
    from shoal.cli.summary import model_lines, outcome
    from shoal.engines.connection import engine_for

    engine = engine_for(
        policy.source,
        memory=memory,
        threads=policy.threads,
        temp_directory=temp_directory,
        search_memory=search_memory,
    )
    with engine, ProgressLine(quiet=quiet) as progress:
        try:
            warnings.simplefilter("ignore", ShoalWarning)  # they are said below, in the manner of a command
            release = release_of(
                policy=policy, engine=engine, require_optimal=require_optimal, on_progress=progress
            )
        except KeyboardInterrupt:
            # Said here: a Ctrl-C that comes later finds a release that was published.
            say("shoal: interrupted; nothing was published")
            raise typer.Exit(INTERRUPTED) from None
    if not quiet:
        for line in (*outcome(release), *model_lines(release.verdict)):
            say(line)
    for warning in release.warnings:
        say(f"shoal: warning: {warning}")
    if as_json:
        typer.echo(release.manifest.to_json(), nl=False)
    by_report = 0 if report is None else report_on(release, policy, report, quiet=quiet)
    verdict = release.verdict
    if verdict.meets and not verdict.holds:
        say(
            "shoal: k holds only with suppressed cells read as wildcards, as the policy asks; "
            f"read as values, {'. Also '.join(verdict.failures)}"
        )
    elif not verdict.holds:
        say(
            f"shoal: the audit does not hold: {'. Also '.join(verdict.failures)}; "
            "the release was accepted unverified"
        )
        raise typer.Exit(AuditError.exit_code)
    if release.result.interrupted:
        say("shoal: the search was interrupted; the best recoding so far was released, and its audit holds")
        raise typer.Exit(INTERRUPTED)
    if by_report:
        raise typer.Exit(by_report)
