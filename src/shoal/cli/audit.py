"""`shoal audit`: what any table really holds, against what is demanded of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments, flags, table_flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.policy_flags import with_file_flags
from shoal.cli.table_policy import table_policy
from shoal.cli.tables import audit_folder, is_for_several, is_of_several
from shoal.errors import AuditError
from shoal.files.whole_file import write_text
from shoal.formatting.numbers import number
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.table.file_source import file_of

if TYPE_CHECKING:
    from shoal.auditor import Audited
    from shoal.auditor.measure.measured_models import MeasuredModel
    from shoal.auditor.original.comparison import Comparison
    from shoal.model.policy.policy import Policy

SHOWN = 3
"""Offending groups that are printed by default: an audit should fit on a screen."""


@with_file_flags
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
    linkable: Annotated[
        bool,
        typer.Option("--linkable", help="Demand k of the rows of a person together, not of each row alone."),
    ] = False,
    known_events: Annotated[
        str | None,
        typer.Option(
            "--known-events",
            metavar="NUMBER",
            help="With --linkable: how many rows of a person somebody may know; all of them when absent.",
        ),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(
            "--household",
            metavar="COLUMN",
            help="The column that identifies households, where rows are members; demand k households.",
        ),
    ] = None,
    survey_weight: Annotated[
        str | None,
        typer.Option("--survey-weight", metavar="COLUMN", help="How many people a row represents."),
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
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            help="The release that it extends; rows that joined, stayed or left must be k, too (or exit 5).",
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
    **file: Any,
) -> None:
    """Measure the groups of a table from any tool, and every privacy model.

    Rows whose quasi-identifiers all read * count as suppressed and belong to no group.

    A missing value is equal to a missing value, and to nothing else.

    Models that compare with the whole table compare with this one: the source is not known here.

    A manifest next to a file, or in the comment on a table, is checked against it. No cell of the table is
    shown.
    """
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.engines.connection import engine_for
    from shoal.pipeline.audit import OFFENDING, audit_by_policy
    from shoal.pipeline.source import original_of

    with reported():
        if is_for_several(policy) if policy is not None else quasi is None and is_of_several(Path(source)):
            audit_folder(
                Path(source),
                policy,
                {
                    "--table": name,
                    "-q": quasi,
                    "-k": k,
                    "--sensitive": sensitive,
                    "--model": models,
                    "--entity": entity,
                    "--survey-weight": survey_weight,
                    "--hierarchy": hierarchies,
                    "--suppressed-cells": suppressed_cells,
                    "--offending": offending,
                    "--original": original,
                    "--key": key,
                    "--against": against,
                    "--junit": junit,
                    "--sarif": sarif,
                    "--no-manifest": no_manifest,
                    **{f"--{flag}": value for flag, value in file.items()},
                },
                memory=memory,
                temp_directory=temp_directory,
                as_json=as_json,
                quiet=quiet,
            )
            return
        stated = table_policy(
            policy,
            quasi=quasi,
            sensitive=sensitive,
            k=k,
            models=models,
            entity=entity,
            linkable=linkable,
            known_events=known_events,
            household=household,
            survey_weight=survey_weight,
            hierarchies=hierarchies,
        )
        table = arguments.source(source, name, file)
        _check_written(
            stated, {"the table": table, "the original": original, "the policy": policy}, junit, sarif
        )
        with engine_for(table, memory=memory, temp_directory=temp_directory) as engine:
            audited = audit_by_policy(
                engine,
                table,
                stated,
                k=k if policy is None else stated.k,
                suppressed_cells=suppressed_cells,
                offending=OFFENDING if offending is None else offending,
                original=original_of(original, stated),
                key=key,
                manifest=not no_manifest,
                against=against,
                lenient=policy is not None,
            )
        _write(audited, table, junit, sarif)
        if as_json:
            print_json(audited.to_dict())
        if not quiet:
            for line in lines(audited, SHOWN if offending is None else offending):
                say(line)
        if not audited.meets:
            raise AuditError(". Also ".join(audited.failures))
        if strict and audited.warnings:
            raise AuditError(
                f"a strict audit has no warning, and this one has {len(audited.warnings)}; follow them, "
                "or acknowledge them in the policy"
            )


def _check_written(policy: Policy, read: Mapping[str, object], *written: Path | None) -> None:
    """Raise, before any work is done, if a file to write is one that is read, or the other one."""
    from shoal.engines.staging import check_no_input
    from shoal.model.result.manifest import manifest_path
    from shoal.pipeline.source import inputs_of

    files = {what: path for what, place in read.items() if (path := file_of(place)) is not None}
    files |= {f"the manifest of {what}": manifest_path(place) for what, place in files.items()}
    files |= inputs_of(policy, None)
    for path in written:
        if path is not None:
            check_no_input(path, files, "report")
            files["the other report"] = path


def _write(audited: Audited, table: Any, junit: Path | None, sarif: Path | None) -> None:
    """Write the files for pipelines, before anything is printed: an audit that fails writes them, too."""
    from shoal.auditor.formats.junit import junit_xml
    from shoal.auditor.formats.sarif import sarif_json
    from shoal.model.version import version
    from shoal.pipeline.audit import table_name

    if junit is not None:
        write_text(junit, junit_xml(audited, table_name(table)))
    if sarif is not None:
        path = file_of(table)
        place = table_name(table) if path is None else path.as_posix()
        write_text(sarif, sarif_json(audited, place, version()))


def lines(audited: Audited, most: int) -> list[str]:
    """The lines of an audit: the groups, the models, the warnings; not too many offending groups."""
    from shoal.cli.summary import model_lines

    lines = [_line(audited), *model_lines(audited.verdict), *_measured_lines(audited)]
    if audited.linked is not None and audited.linked.warning is None:
        lines.append(f"  rows can be linked by {audited.linked.column!r}: {audited.linked.sentence}")
    if audited.suppressed_cells == "conservative":
        lines.append("  a row with a suppressed cell counts as alone: * hides nothing")
    if audited.demanded is not None and not audited.verdict.meets:
        lines.append(_at_risk_line(audited))
    lines += _offending_lines(audited, most)
    if audited.comparison is not None:
        lines.append(_comparison_line(audited.comparison))
    return lines + [f"shoal: warning: {words}" for words in audited.warnings]


def _line(audited: Audited) -> str:
    verdict, measured = audited.verdict, audited.verdict.measured
    reached = "no group" if verdict.k is None else f"k {verdict.k:,}"
    if verdict.wildcards is not None:
        reached += f" (with * as a wildcard: {verdict.wildcards.smallest})"
    below = (
        ""
        if audited.demanded is None
        else f"   below {audited.demanded}: {measured.groups_below:,} groups, {measured.rows_below:,} rows"
    )
    return (
        f"{reached}   rows {measured.rows:,}   groups {measured.groups:,}   "
        f"suppressed {measured.suppressed:,} rows ({percent(measured.suppressed / measured.rows)}){below}"
    )


def _measured_lines(audited: Audited) -> list[str]:
    """A line per column of the models, with each value that is not printed above."""
    printed = {model.key for model in audited.verdict.models}
    left = [model for model in audited.measured if model.key not in printed]
    lines = [
        f"  {column}: {_values(model for model in left if model.attribute == column)}"
        for column in dict.fromkeys(model.attribute for model in left if model.attribute is not None)
    ]
    others = [model for model in left if model.attribute is None]
    return [*lines, f"  {_values(others)}"] if lines or len(others) > 1 else lines


def _values(measured: Iterable[MeasuredModel]) -> str:
    return ", ".join(
        f"{model.model} {'' if model.variant is None else f'({model.variant}) '}{number(model.value)}"
        for model in measured
    )


def _comparison_line(comparison: Comparison) -> str:
    # The loss called groups is rows minus groups: next to the number of groups it would confuse.
    losses = {
        name: loss for name, loss in comparison.sound_losses.items() if loss is not None and name != "groups"
    }
    lost = [f"{metric} {number(loss)}" for metric, loss in losses.items()]
    return (
        f"  compared with the original, paired by {comparison.matched_by}: {comparison.dropped:,} rows "
        f"dropped, {comparison.untrue_cells:,} cells untrue; losses: {', '.join(lost) or 'none is defined'}"
    )


def _at_risk_line(audited: Audited) -> str:
    counts = [f"below {risk.below}: {risk.rows:,} ({percent(risk.share)})" for risk in audited.at_risk]
    return f"  rows at risk: {', '.join(counts)}"


def _offending_lines(audited: Audited, most: int) -> list[str]:
    lines = []
    for group in audited.offending.described[:most]:
        where = "" if group.first_row is None else f", first in row {group.first_row:,}"
        forms = {"suppressed": group.suppressed, "generalized": group.generalized, "missing": group.missing}
        parts = [f"breaks {', '.join(group.breaks)}"]
        parts += [f"{form} {', '.join(columns)}" for form, columns in forms.items() if columns]
        parts += [f"{count} distinct {column}" for column, count in group.distinct.items()]
        lines.append(f"  group of {group.rows:,} row(s){where}: {'; '.join(parts)}")
    left = audited.offending.groups - len(lines)
    return [*lines, f"  {left:,} further group(s) break a demand"] if lines and left else lines
