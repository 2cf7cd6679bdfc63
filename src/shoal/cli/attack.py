"""`shoal attack`: how far attackers get with a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_flags import with_file_flags
from shoal.cli.table_policy import table_policy
from shoal.errors import AuditError, PolicyError
from shoal.formatting.numbers import number
from shoal.formatting.numbers import percent_in_line as percent

if TYPE_CHECKING:
    from shoal.auditor.attacks import AttackResult
    from shoal.auditor.attacks.report import AttackReport

_KNOWS = "What the attacker has"
_READ = "How the release is read"
_LOG = "A log of messages"


def _option(*names: str, panel: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, rich_help_panel=panel, help=help, metavar=metavar)


@with_file_flags
def attack(
    source: flags.AnyTable,
    name: flags.Table = None,
    policy: Annotated[
        Path | None, _option("--policy", panel=_READ, help="The policy (.toml) of the release.")
    ] = None,
    quasi: Annotated[
        list[str] | None,
        _option("-q", "--quasi-identifiers", panel=_READ, metavar="COLUMNS", help="Instead of a policy."),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        _option(
            "--sensitive", panel=_READ, metavar="COLUMNS", help="Columns that an attacker wants to learn."
        ),
    ] = None,
    k: Annotated[int | None, _option("-k", panel=_READ, help="The k that the release promises.")] = None,
    models: Annotated[
        list[str] | None,
        _option("--model", panel=_READ, metavar="'NAME KEY=VALUE ...'", help="What else it promises."),
    ] = None,
    entity: Annotated[
        str | None,
        _option("--entity", panel=_READ, metavar="COLUMN", help="The column that identifies persons."),
    ] = None,
    hierarchies: Annotated[
        list[str] | None,
        _option("--hierarchy", panel=_READ, metavar="COLUMN=FILE", help="The hierarchy of a column."),
    ] = None,
    attacks: Annotated[
        list[str] | None,
        typer.Option("--attack", metavar="NAMES", help="Run these; all that can be run by default."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="NAME=RATE", help="The highest success rate of an attack."),
    ] = None,
    external: Annotated[
        Path | None, _option("--external", panel=_KNOWS, help="A table of people, with names or without.")
    ] = None,
    match: Annotated[
        list[str] | None,
        _option("--match", panel=_KNOWS, metavar="COLUMN=THERE", help="What a column is called there."),
    ] = None,
    truth: Annotated[
        str | None,
        _option("--truth", panel=_KNOWS, metavar="COLUMN", help="Who a row truly is, in both tables."),
    ] = None,
    original: Annotated[
        Path | None,
        _option("--original", panel=_KNOWS, help="The private table, to measure which guesses are right."),
    ] = None,
    earlier: Annotated[
        list[Path] | None, _option("--earlier", panel=_KNOWS, help="An earlier release; can be repeated.")
    ] = None,
    views: Annotated[
        list[Path] | None, _option("--view", panel=_KNOWS, help="Another view; can be repeated.")
    ] = None,
    ledger: Annotated[
        Path | None, _option("--ledger", panel=_KNOWS, help="A ledger: its releases are earlier ones.")
    ] = None,
    known_events: Annotated[
        str | None,
        _option("--known-events", panel=_KNOWS, metavar="M|all", help="History: events of a person, or all."),
    ] = None,
    exclude: Annotated[
        int, _option("--exclude", panel=_KNOWS, help="Sensitive values that can be ruled out.")
    ] = 1,
    rise: Annotated[
        float, _option("--rise", panel=_KNOWS, help="Skewness: the factor by which a belief rises.")
    ] = 2.0,
    near: Annotated[
        float, _option("--near", panel=_KNOWS, help="Similarity: a share of a number's range.")
    ] = 0.1,
    senders: Annotated[
        str | None,
        _option("--senders", panel=_LOG, metavar="COLUMN", help="The possible senders of each message."),
    ] = None,
    pseudonym: Annotated[
        str | None,
        _option("--pseudonym", panel=_LOG, metavar="COLUMN", help="Equal cells: messages of one sender."),
    ] = None,
    once: Annotated[
        bool, _option("--once", panel=_LOG, help="Each sender has at most one message, or one pseudonym.")
    ] = False,
    as_json: table_flags.AsJson = False,
    quiet: table_flags.Quiet = False,
    **file: Any,
) -> None:
    """Attack a release, or with --senders a log of messages, and measure how far each attack gets.

    Exit code 5 when an attack does better than the policy or --allow lets it; linkage may have 1/k.
    """
    with reported():
        of_log = _log(senders, pseudonym, once)
        columns: dict[str, Any]
        if of_log and policy is None:
            # A log has none of these: the door says so.
            about = {"quasi_identifiers": quasi, "sensitive": sensitive, "models": models, "entity": entity}
            given = {**about, "hierarchies": hierarchies, "k": k}
            columns = {name: value for name, value in given.items() if value is not None}
        else:
            columns = {
                "policy": table_policy(
                    policy,
                    quasi=quasi,
                    sensitive=sensitive,
                    k=k,
                    models=models,
                    entity=entity,
                    hierarchies=hierarchies,
                )
            }
        # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
        from shoal.api.attack import attack as report_of

        report = report_of(
            arguments.source(source, name, file),
            **columns,
            attacks=arguments.names(attacks) if attacks else None,
            allowed=arguments.pairs("--allow", allow, lambda text: float(arguments.number("--allow", text))),
            external=external,
            match=arguments.pairs("--match", match, str),
            truth=truth,
            original=original,
            earlier=earlier or (),
            views=views or (),
            ledger=ledger,
            known_events=_known(known_events),
            exclude=exclude,
            rise=rise,
            near=near,
            **of_log,
        )
        if as_json:
            print_json(report.to_dict())
        if not quiet:
            for line in _lines(report):
                say(line)
        if not report.results and not report.failures:
            raise PolicyError(
                "no attack can be run with these tables: name sensitive columns (--sensitive), or pass a "
                "table that the attacker has (--external, --earlier)"
            )
        if not report.holds:
            raise AuditError(". Also ".join(report.failures))


def _log(senders: str | None, pseudonym: str | None, once: bool) -> dict[str, Any]:
    """What is said about a log; next to a policy, whatever is said is refused."""
    said = {"senders": senders, "pseudonym": pseudonym, "once": once or None}
    return {name: value for name, value in said.items() if value is not None}


def _known(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _outcome(result: AttackResult) -> str:
    if not result.tried:
        return "nothing to try"
    if not result.judged:
        return ""
    return "withstood" if result.holds else "FAILS"


def _line(result: AttackResult) -> tuple[str, ...]:
    return (
        result.name,
        number(result.tried),
        number(round(result.succeeded, 2)),
        percent(result.rate),
        percent(result.threshold),
        _outcome(result),
    )


def _parts(result: AttackResult) -> list[tuple[str, ...]]:
    """The ways in which an attack was tried, a line each."""
    return [
        (
            f"  {part.label}",
            number(part.tried),
            number(round(part.succeeded, 2)),
            percent(part.rate),
            "",
            "",
        )
        for part in result.parts
    ]


def _lines(report: AttackReport) -> list[str]:
    """The results as a table, then what was not run."""
    head = ("attack", "tried", "succeeded", "rate", "allowed", "")
    lines = [line for result in report.results for line in (_line(result), *_parts(result))]
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    aligned = [
        "  ".join(
            cell.ljust(width) if column in (0, len(head) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, *lines)
    ]
    explained = [f"{attack.name}: {attack.words}" for attack in report.results]
    return [*aligned, *explained, *(f"not run: {name}: {why}" for name, why in report.skipped.items())]
