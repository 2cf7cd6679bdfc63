"""`shoal audit`: what any table really holds, against what is demanded of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import number, percent, print_json, reported, say
from shoal.cli.examined import examined
from shoal.errors import AuditError
from shoal.files.whole_file import write_text

if TYPE_CHECKING:
    from shoal.auditor import Audited
    from shoal.auditor.measure.measured_models import MeasuredModel
    from shoal.auditor.original.comparison import Comparison
    from shoal.model.policy.policy import Policy

SHOWN = 3
"""Offending groups that are told in words if nothing else is said: an audit is to fit on a screen."""


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
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive",
            metavar="COLUMNS",
            help="Columns of which every privacy model is measured, separated by commas.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="'NAME KEY=VALUE ...'",
            help="Demand a privacy model, as in 't-closeness attribute=disease t=0.2'; can be repeated.",
        ),
    ] = None,
    entity: table_flags.Entity = None,
    survey_weight: Annotated[
        str | None,
        typer.Option("--survey-weight", metavar="COLUMN", help="How many people a row stands for."),
    ] = None,
    hierarchies: Annotated[
        list[str] | None,
        typer.Option("--hierarchy", metavar="COLUMN=FILE", help="A hierarchy that a column's labels are of."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="Demand what a policy (.toml) does, instead of the flags above."),
    ] = None,
    suppressed_cells: Annotated[
        str | None,
        typer.Option(
            "--suppressed-cells",
            metavar="value|wildcard|conservative",
            help="Read * as a value (the default), as like everything, or as what hides nothing.",
        ),
    ] = None,
    offending: Annotated[
        int | None,
        typer.Option(
            "--offending",
            metavar="INT",
            help="Describe so many groups that break a demand; 20 in files and JSON, 3 in words when absent.",
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The table it was made from; each cell must be true (or exit 5).",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="The column by which rows of both are paired; by order when absent.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, a test case per demand.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0, a rule per demand.")
    ] = None,
    no_manifest: Annotated[
        bool,
        typer.Option("--no-manifest", help="Measure the table alone, also where a manifest belongs to it."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail (exit 5) also if there is a warning.")
    ] = False,
    memory: table_flags.Memory = None,
    temp_directory: table_flags.TempDirectory = None,
    as_json: table_flags.AsJson = False,
    quiet: table_flags.Quiet = False,
) -> None:
    """Measure the groups of a table, whoever made it, and every privacy model.

    Rows whose quasi-identifiers all read * count as suppressed and belong to no group.

    A missing value is equal to a missing value, and to nothing else.

    Models that compare with the whole table compare with this one: the source is not known here.

    A manifest beside a file, or in the comment on a table, is held against it. No cell of the table is shown.
    """
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.api.audit import OFFENDING, audit_by_policy
    from shoal.engines.connection import engine_for

    with reported():
        asked = examined(
            policy,
            quasi=quasi,
            sensitive=sensitive,
            k=k,
            models=models,
            entity=entity,
            survey_weight=survey_weight,
            hierarchies=hierarchies,
        )
        table = arguments.source(source, name)
        _check_written(
            asked, {"the table": table, "the original": original, "the policy": policy}, junit, sarif
        )
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            found = audit_by_policy(
                engine,
                table,
                asked,
                k=k if policy is None else asked.k,
                suppressed_cells=suppressed_cells,
                offending=OFFENDING if offending is None else offending,
                original=original,
                key=key,
                manifest=not no_manifest,
                lenient=policy is not None,
            )
        _write(found, table, junit, sarif)
        if as_json:
            print_json(found.to_dict())
        if not quiet:
            for line in lines(found, SHOWN if offending is None else offending):
                say(line)
        if not found.meets:
            raise AuditError(". Also ".join(found.failures))
        if strict and found.warnings:
            raise AuditError(
                f"a strict audit has no warning, and this one has {len(found.warnings)}; do what they say, "
                "or acknowledge them in the policy"
            )


def _check_written(policy: Policy, read: Mapping[str, object], *written: Path | None) -> None:
    """Raise, before any work is done, if a file to write is one that is read, or the other one."""
    from shoal.engines.staging import check_no_input
    from shoal.model.result.manifest import manifest_path
    from shoal.pipeline.release import inputs_of

    files = {what: place for what, place in read.items() if isinstance(place, Path)}
    files |= {f"the manifest of {what}": manifest_path(place) for what, place in files.items()}
    files |= inputs_of(policy, None)
    for path in written:
        if path is not None:
            check_no_input(path, files, "report")
            files["the other report"] = path


def _write(found: Audited, table: Any, junit: Path | None, sarif: Path | None) -> None:
    """Write the files for pipelines, before anything is said: an audit that fails has them, too."""
    from shoal.api.audit import table_name
    from shoal.auditor.formats.junit import junit_xml
    from shoal.auditor.formats.sarif import sarif_json
    from shoal.model.version import version

    if junit is not None:
        write_text(junit, junit_xml(found, table_name(table)))
    if sarif is not None:
        place = table.as_posix() if isinstance(table, Path) else table_name(table)
        write_text(sarif, sarif_json(found, place, version()))


def lines(found: Audited, most: int) -> list[str]:
    """What an audit says: the groups, the models, what to look at; of offending groups not too many."""
    from shoal.cli.summary import model_lines

    said = [_line(found), *model_lines(found.verdict), *_measured_lines(found)]
    if found.suppressed_cells == "conservative":
        said.append("  a row with a suppressed cell counts as alone: * hides nothing")
    if found.demanded is not None and not found.verdict.meets:
        said.append(_at_risk_line(found))
    said += _offending_lines(found, most)
    if found.comparison is not None:
        said.append(_comparison_line(found.comparison))
    return said + [f"shoal: warning: {words}" for words in found.warnings]


def _line(found: Audited) -> str:
    verdict, measured = found.verdict, found.verdict.measured
    reached = "no group" if verdict.k is None else f"k {verdict.k:,}"
    if verdict.wildcards is not None:
        reached += f" (with * as a wildcard: {verdict.wildcards.smallest})"
    below = (
        ""
        if found.demanded is None
        else f"   below {found.demanded}: {measured.groups_below:,} groups, {measured.rows_below:,} rows"
    )
    return (
        f"{reached}   rows {measured.rows:,}   groups {measured.groups:,}   "
        f"suppressed {measured.suppressed:,} rows ({percent(measured.suppressed / measured.rows)}){below}"
    )


def _measured_lines(found: Audited) -> list[str]:
    """A line per column that models look at, with the value of each that is not told already."""
    told = {each.key for each in found.verdict.models}
    left = [each for each in found.measured if each.key not in told]
    said = [
        f"  {column}: {_values(each for each in left if each.attribute == column)}"
        for column in dict.fromkeys(each.attribute for each in left if each.attribute is not None)
    ]
    others = [each for each in left if each.attribute is None]
    return [*said, f"  {_values(others)}"] if said or len(others) > 1 else said


def _values(measured: Iterable[MeasuredModel]) -> str:
    return ", ".join(
        f"{each.model} {'' if each.variant is None else f'({each.variant}) '}{number(each.value)}"
        for each in measured
    )


def _comparison_line(found: Comparison) -> str:
    # The loss that is called groups is rows less groups: beside the number of groups it would confuse.
    told = {name: loss for name, loss in found.sound_losses.items() if loss is not None and name != "groups"}
    lost = [f"{metric} {number(loss)}" for metric, loss in told.items()]
    return (
        f"  beside the original, paired by {found.matched_by}: {found.dropped:,} rows dropped, "
        f"{found.untrue_cells:,} cells untrue; losses: {', '.join(lost) or 'none is defined'}"
    )


def _at_risk_line(found: Audited) -> str:
    told = [f"below {each.below}: {each.rows:,} ({percent(each.share)})" for each in found.at_risk]
    return f"  rows at risk: {', '.join(told)}"


def _offending_lines(found: Audited, most: int) -> list[str]:
    said = []
    for each in found.offending.described[:most]:
        where = "" if each.first_row is None else f", first in row {each.first_row:,}"
        forms = {"suppressed": each.suppressed, "generalized": each.generalized, "missing": each.missing}
        parts = [f"breaks {', '.join(each.breaks)}"]
        parts += [f"{form} {', '.join(columns)}" for form, columns in forms.items() if columns]
        parts += [f"{count} distinct {column}" for column, count in each.distinct.items()]
        said.append(f"  group of {each.rows:,} row(s){where}: {'; '.join(parts)}")
    left = found.offending.groups - len(said)
    return [*said, f"  {left:,} further group(s) break a demand"] if said and left else said
