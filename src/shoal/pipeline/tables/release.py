"""What a run of several tables hands out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.auditor.tables.audited import tables_grid
from shoal.auditor.tables.measured import MeasuredTables
from shoal.formatting.card import Badge, Card, sentences
from shoal.formatting.detail import figures
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.result.phases import long_run
from shoal.model.result.tables_manifest import TablesManifest


@dataclass(frozen=True, kw_only=True, eq=False)
class TablesRelease:
    """A release of several tables.

    Parameters
    ----------
    data
        Table -> its released data frame; empty where files were written.
    path
        The folder that was written, if one was.
    paths
        Table -> its file in the folder.
    manifest
        The facts that outlive the run; written next to the folder.
    measured
        What the audit measured in what was written.
    warnings
        What the user should look at: texts, each a `CodedWarning`.
    interrupted
        Whether Ctrl-C ended the search; the best answer so far was released.
    """

    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    path: Path | None = None
    paths: Mapping[str, Path] = field(default_factory=dict)
    manifest: TablesManifest
    measured: MeasuredTables
    warnings: tuple[CodedWarning, ...] = ()
    interrupted: bool = False

    def __str__(self) -> str:
        return "\n".join(tables_lines(self))

    def _repr_html_(self) -> str:
        facts, measured = self.manifest, self.measured
        return Card(
            title="Release of several tables" if self.path is None else f"Release {self.path}",
            badges=(Badge(text=facts.status), Badge(text="audit holds", tone="good")),
            facts=(
                ("k across the tables", f"{measured.smallest:,}"),
                ("persons", f"{measured.persons:,} of {facts.persons:,}"),
                ("loss", f"{facts.cost:.4g}"),
                ("suppressed", f"{facts.suppressed:,} rows ({percent(facts.suppressed / facts.rows)})"),
                ("search", facts.algorithm),
            ),
            lines=(str(facts.promise["sentence"]),),
            warnings=sentences(self.warnings),
            tables=(tables_grid(measured),),
        ).html()


def tables_lines(release: TablesRelease) -> list[str]:
    """The outcome, what holds across the tables, and a line for each of them."""
    facts, measured = release.manifest, release.measured
    where = "" if release.path is None else f"{release.path}: "
    shared = (
        "nobody is released"
        if measured.smallest is None
        else f"at least {measured.smallest:,} share the same rows in all of them"
    )
    lines = [
        f"{facts.status}   {figures(facts.cost_metric, facts.cost, facts.bound, facts.gap)}   "
        f"suppressed {facts.suppressed:,} rows ({percent(facts.suppressed / facts.rows)})   "
        f"audit {'holds' if facts.audit['holds'] else 'fails'}",
        f"{where}{len(facts.tables)} tables of {measured.persons:,} of {facts.persons:,} persons, of whom "
        f"{shared}",
    ]
    width = max(map(len, facts.tables))
    for name, each in facts.tables.items():
        released, own = each["rows"] - each["suppressed"], measured.per_table[name]
        lines.append(
            f"  {name:<{width}}  {released:,} of {each['rows']:,} rows   loss {each['cost']:.3g}"
            + ("" if own is None else f"   by itself k {own:,}")
        )
    return [*lines, *long_run(facts.phases)]
