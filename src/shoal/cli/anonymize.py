"""`shoal anonymize`: a policy, or a data file with flags, in; a release and its manifest out."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import typer

from shoal.cli import arguments, flags
from shoal.cli.console import INTERRUPTED, reported, say
from shoal.cli.policy_file import overridden, policy_of_file
from shoal.cli.policy_flags import overriding, policy_arguments, shaping, with_policy_flags
from shoal.cli.report import check_report, report_on
from shoal.cli.tables import is_for_several, release_tables
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.release_name import release_beside
from shoal.model.table.table_source import TableSource


@with_policy_flags
def anonymize(
    source: flags.Source,
    table: flags.Table = None,
    require_optimal: flags.RequireOptimal = False,
    memory: flags.Memory = None,
    search_memory: flags.SearchMemory = None,
    temp_directory: flags.TempDirectory = None,
    key_file: flags.KeyFile = None,
    certificate: flags.Certificate = None,
    check: flags.Check = False,
    replace: flags.Replace = False,
    report: flags.Report = None,
    as_json: flags.AsJson = False,
    quiet: flags.Quiet = False,
    **stated: Any,
) -> None:
    """Release a table so that every row hides among at least k - 1 others.

    Nothing is published unless the audit of the written file holds.

    Ctrl-C ends the search and releases the best so far; a second Ctrl-C ends everything.
    """
    with reported():
        limits: Any = {"memory": memory, "search_memory": search_memory, "temp_directory": temp_directory}
        shown: Any = {"key_file": key_file, "as_json": as_json, "quiet": quiet}
        proof: Any = {"certificate": certificate, "check": _policy_to_check(source, certificate, check)}
        writing: Any = {"report": report, "replace": replace}
        if is_for_several(source):
            single = {"--table": table, "--report": report, "--require-optimal": require_optimal or None}
            single |= {"--certificate": certificate, "--replace": replace or None}
            release_tables(Path(source), overriding(stated), single | shaping(stated), **limits, **shown)
            return
        policy = _policy(source, table, stated)
        if report is not None:
            check_report(report, policy)
        _run(policy, require_optimal=require_optimal, **writing, **limits, **shown, **proof)


def _policy_to_check(source: str, certificate: Path | None, check: bool) -> Path | bool:
    """The policy's file, which the checker reads, if it shall look."""
    if not check:
        return False
    if certificate is None or not source.lower().endswith(".toml"):
        raise PolicyError(
            "--check reads a policy file and a certificate: shoal anonymize P.toml --certificate FILE"
        )
    return Path(source)


def _policy(source: str, table: str | None, stated: dict[str, Any]) -> Policy:
    """The policy of a file, or of flags, with a place for the release."""
    if source.lower().endswith(".toml"):
        file = policy_of_file(Path(source), {"--table": table, **shaping(stated)})
        policy = overridden(file, overriding(stated))
    else:
        if not stated["quasi_identifiers"] or stated["k"] is None:
            raise PolicyError("name the quasi-identifiers and k: -q age,zip -k 10 (or use a policy file)")
        policy_values: Any = policy_arguments(stated)
        policy = policy_of(source=arguments.source(source, table), **policy_values)
    return (
        policy if policy.release is not None else dataclasses.replace(policy, release=default_release(policy))
    )


def default_release(policy: Policy) -> Path | str:
    """Next to the source, with k in its name."""
    source = policy.source
    if isinstance(source, TableSource):
        if source.table is not None:
            return f"{source.table}_k{policy.k}"
        raise PolicyError("choose where to write the release: --output, or path = ... under [release]")
    assert source is not None
    return release_beside(Path(source), policy.k)


def _run(
    policy: Policy,
    *,
    memory: str | None,
    search_memory: str | None,
    temp_directory: Path | None,
    require_optimal: bool,
    key_file: Path | None,
    certificate: Path | None,
    check: Path | bool,
    report: Path | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.anonymize import anonymize as release_of
    from shoal.cli.columns import show_columns
    from shoal.cli.progress import ProgressLine
    from shoal.cli.reading import show_reading
    from shoal.cli.summary import certificate_line, model_lines, outcome
    from shoal.engines.connection import engine_for

    engine = engine_for(
        policy.source,
        memory=memory,
        threads=policy.threads,
        temp_directory=temp_directory,
        search_memory=search_memory,
    )
    with engine, ProgressLine(quiet=quiet, cost=policy.cost) as progress:
        try:
            warnings.simplefilter("ignore", ShoalWarning)  # printed below, as lines of the command
            release = release_of(
                policy=policy,
                engine=engine,
                require_optimal=require_optimal,
                on_progress=progress,
                key_file=key_file,
                certificate=certificate,
                check=check,
                replace=replace,
            )
        except KeyboardInterrupt:
            # Printed here: a later Ctrl-C finds a release that was published.
            say("shoal: interrupted; nothing was published")
            raise typer.Exit(INTERRUPTED) from None
    if not quiet:
        show_reading(release.reading, policy.source)
        for line in (*outcome(release), *model_lines(release.verdict)):
            say(line)
        show_columns(release.columns)
        for name, reading in release.readings.items():
            if not reading.is_plain:
                say(f"{name!r} was read as {reading.words}")
        for line in release.advice:
            say(line)
        if certificate is not None:
            say(certificate_line(release, certificate))
    for warning in release.warnings:
        say(f"shoal: warning: {warning}")
    if as_json:
        typer.echo(release.manifest.to_json(), nl=False)
    by_report = 0 if report is None else report_on(release, policy, report, quiet=quiet)
    verdict = release.verdict
    if verdict.meets and not verdict.holds:
        say(
            "shoal: k holds only with suppressed cells read as wildcards, as the policy requests; "
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
