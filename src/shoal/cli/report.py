"""`shoal report`: a policy or a release in, a page for the signatory out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.api._alongside_policy import refuse_alongside_policy
from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_file import policy_of_file
from shoal.cli.policy_flags import with_file_flags
from shoal.errors import AuditError, EngineError, PolicyError, ShoalError
from shoal.model.table.file_source import FileSource, file_of
from shoal.model.table.table_source import TableSource

if TYPE_CHECKING:
    from shoal.model.policy.policy import Policy
    from shoal.pipeline.release import Release
    from shoal.reports.page import Report


@with_file_flags
def report(
    source: Annotated[
        str,
        typer.Argument(
            metavar="POLICY|RELEASE",
            help="A policy (.toml), whose release is reported with its source as the original; or a "
            "release: a .csv, .tsv or .parquet file, a folder of Parquet files; with --table a database's "
            "URL.",
        ),
    ],
    name: flags.Table = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="What was demanded (.toml), instead of the flags below.")
    ] = None,
    quasi: flags.Quasi = None,
    k: flags.K = None,
    sensitive: flags.Sensitive = None,
    identifiers: flags.Identifiers = None,
    models: flags.Models = None,
    hierarchies: flags.Hierarchies = None,
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The table that the release was made from; not with POLICY."),
    ] = None,
    external: Annotated[
        Path | None,
        typer.Option("--external", help="A table of people that an attacker may have, for record linkage."),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option("--match", metavar="COLUMN=THERE", help="What a column is called in --external."),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option("--earlier", help="An earlier release of the same people; can be repeated."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="Count rows with a risk above this; 1/k when absent.")
    ] = None,
    population_size: Annotated[
        int | None, typer.Option("--population-size", help="How many people the table is a sample of.")
    ] = None,
    explained: Annotated[
        bool,
        typer.Option("--explain", help="Also show what each constraint costs; runs searches; needs POLICY."),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="COLUMN", help="The column that pairs rows of release and original."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page to write; RELEASE.report.html when absent."),
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option(
            "--pdf", metavar="FILE", help="Print it to this file, too; needs Chromium, Chrome or Edge."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The report's title.")] = None,
    author: Annotated[str | None, typer.Option("--author", help="Who prepared it.")] = None,
    date: Annotated[str | None, typer.Option("--date", help="Its date; today's when absent.")] = None,
    signed_by: Annotated[
        str | None,
        typer.Option("--signed-by", help="Name and role of the publisher, printed at the signature."),
    ] = None,
    purpose: Annotated[
        str | None, typer.Option("--purpose", help="What the release is for, and who gets it.")
    ] = None,
    no_manifest: Annotated[
        bool, typer.Option("--no-manifest", help="Ignore the manifest that belongs to the release.")
    ] = False,
    as_json: table_flags.AsJson = False,
    quiet: table_flags.Quiet = False,
    **file: Any,
) -> None:
    """Write the report on a release: proof, risk, attacks, utility, digests and a block to sign.

    One page that needs no network, for people; --json for programs, --pdf for paper.

    Exit code 5 if something that was demanded does not hold; the report is written all the same.
    """
    with reported():
        flagged = {"-q": quasi, "-k": k, "--sensitive": sensitive, "--identifiers": identifiers}
        flagged |= {"--model": models, "--hierarchy": hierarchies}
        release: Any
        first: Any
        demands: dict[str, Any]
        if source.lower().endswith(".toml"):
            alongside = {**flagged, "--table": name, "--policy": policy, "--original": original}
            stated = policy_of_file(Path(source), alongside)
            release, first, demands = _released(stated), stated.source, {"policy": stated}
        else:
            if explained:
                raise PolicyError("--explain searches again and needs the policy (.toml)")
            release, first = arguments.source(source, name, file), original
            demands = _demands(policy, flagged)
        page = output or _report_path(release)
        read = {"the release": release, "the original": first, "the external table": external}
        read |= {f"the earlier release {path.name}": path for path in earlier or ()}
        _check_written(read, [path for path in (page, pdf) if path is not None])
        _check_suffix("--output", page, (".html", ".htm"))
        _check_suffix("--pdf", pdf, (".pdf",))
        # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
        from shoal.api.explain import explain
        from shoal.api.report import report as reported_on

        page_report = reported_on(
            release,
            **demands,
            original=first,
            external=external,
            match=arguments.pairs("--match", match, str),
            earlier=earlier or (),
            key=key,
            threshold=threshold,
            population_size=population_size,
            explanation=explain(policy=demands["policy"]) if explained else None,
            title=title,
            author=author,
            date=date,
            signed_by=signed_by,
            purpose=purpose,
            manifest=not no_manifest,
        )
        for place in (page, pdf):
            if place is not None:
                page_report.save(place)
        if as_json:
            print_json(page_report.facts)
        if not quiet:
            _say(page_report, page, pdf)
        if not page_report.holds:
            raise AuditError(" ".join(page_report.facts["verdict"]["failures"]))


def _released(policy: Policy) -> Path | TableSource:
    """The release of a policy, where `shoal anonymize` puts it."""
    from shoal.cli.anonymize import default_release  # which can write reports, too

    place = policy.release if policy.release is not None else default_release(policy)
    if isinstance(place, str) and isinstance(policy.source, TableSource):
        return TableSource(connection=policy.source.connection, table=place)
    path = Path(place)
    if not path.exists():
        raise EngineError(f"there is no release {path}; make it first: shoal anonymize")
    return path


def _demands(policy: Path | None, flagged: dict[str, Any]) -> dict[str, Any]:
    """The demands, as `shoal.report` takes them: a policy, those of flags, or none."""
    if policy is not None:
        refuse_alongside_policy(flagged)
        return {"policy": policy}
    models = [arguments.model(text) for text in flagged["--model"] or ()]
    constrained = [str(model["attribute"]) for model in models if isinstance(model.get("attribute"), str)]
    names = arguments.names(flagged["-q"])
    private = dict.fromkeys((*arguments.names(flagged["--sensitive"]), *constrained))
    return {
        "quasi_identifiers": names or None,
        "k": flagged["-k"],
        "sensitive": [name for name in private if name not in names],
        "identifiers": arguments.names(flagged["--identifiers"]),
        "models": models,
        "hierarchies": arguments.pairs("--hierarchy", flagged["--hierarchy"], Path),
    }


def _report_path(release: Path | FileSource | TableSource) -> Path:
    if isinstance(release, TableSource):
        return Path(f"{release.name}.report.html")
    path = Path(release)
    return path.parent / f"{path.name}.report.html"


def _check_suffix(flag: str, path: Path | None, kinds: tuple[str, ...]) -> None:
    if path is not None and path.suffix.lower() not in kinds:
        raise PolicyError(f"{flag} writes a {kinds[0]} file, not {path.name!r}")


def _check_written(read: Mapping[str, object], written: list[Path]) -> None:
    """Raise, before any work is done, if a file to write is one that is read, or the same as another one."""
    from shoal.engines.staging import check_no_input
    from shoal.model.result.manifest import manifest_path

    files = {what: path for what, place in read.items() if (path := file_of(place)) is not None}
    if "the release" in files:
        files["the release's manifest"] = manifest_path(files["the release"])
    for path in written:
        if not path.parent.is_dir():
            raise EngineError(f"cannot write {path}: there is no folder {path.parent}")
        check_no_input(path, files, "report")
        files["the report"] = path


def _say(report: Report, page: Path, pdf: Path | None) -> None:
    verdict = report.facts["verdict"]
    say(verdict["line"])
    untried = []
    for part in report.facts["not_measured"]:
        kind, sign, name = part["what"].partition(": ")
        if sign and kind == "attack":
            untried.append(name)
        else:
            say(f"  not measured: {part['what']}. {part['why']}")
    if untried:
        say(f"  attacks that were not tried: {', '.join(untried)}; the report gives the reasons")
    say(f"{page}: open it in a browser, or print it" if pdf is None else f"{page}, and for paper {pdf}")


def check_report(path: Path, policy: Policy) -> None:
    """Raise, before any work is done, if the report of `shoal anonymize` cannot be written there."""
    from shoal.pipeline.source import inputs_of

    if path.suffix.lower() not in (".html", ".htm", ".json", ".pdf"):
        raise PolicyError(f"--report writes an .html, .json or .pdf file, not {path.name!r}")
    _check_written({**inputs_of(policy, policy.source), "the release": policy.release}, [path])


def report_on(release: Release, policy: Policy, path: Path, *, quiet: bool) -> int:
    """Write the report on a release that was published; the exit code that it calls for.

    A report that fails takes nothing back: the release is there, and was audited.
    """
    from shoal.api.report import report as reported_on

    try:
        report = reported_on(release, policy=policy, original=policy.source, path=path)
    except ShoalError as error:
        say(f"shoal: the release is published, but its report could not be written: {error}")
        return EngineError.exit_code
    if report.holds:
        if not quiet:
            say(f"{path}: {report.facts['verdict']['line']}")
        return 0
    broken = " ".join(report.facts["verdict"]["failures"])
    say(f"shoal: the release is published, and its report {path} does not hold: {broken}")
    return AuditError.exit_code
