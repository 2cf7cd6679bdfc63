"""What an audit shows of itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.auditor.measure.verdict_card import demands, group_facts, outcome_badge
from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.numbers import counted, number, percent

if TYPE_CHECKING:
    from shoal.auditor.measure.audited import Audited
    from shoal.auditor.measure.offending import OffendingGroup


def audited_card(audited: Audited) -> Card:
    """The demands, the rows at risk, every model's value and the groups that break a demand; no cell."""
    verdict = audited.verdict
    requested = audited.demanded is not None or verdict.models
    tables = [demands(verdict, audited.demanded)] if requested else []
    if not audited.meets:
        tables.append(_at_risk(audited))
    return Card(
        title="Audit",
        badges=(_badge(audited),),
        facts=group_facts(verdict),
        lines=tuple(_lines(audited)),
        failures=() if audited.meets else tuple(audited.failures),
        warnings=sentences(audited.warnings),
        tables=tuple(tables),
        folded=tuple(_folded(audited)),
    )


def _badge(audited: Audited) -> Badge:
    if audited.demanded is None and not audited.verdict.models and audited.meets:
        return Badge(text="nothing was demanded")
    if audited.verdict.meets and not audited.meets:
        return Badge(text="does not hold", tone="bad")
    return outcome_badge(audited.verdict)


def _lines(audited: Audited) -> list[str]:
    lines = [f"Groups are rows that read alike in {', '.join(audited.verdict.quasi_identifiers)}."]
    if audited.suppressed_cells == "conservative":
        lines.append("A row with a suppressed cell counts as alone: * hides nothing.")
    if audited.linked is not None:
        lines.append(f"Rows can be linked by {audited.linked.column!r}: {audited.linked.sentence}.")
    comparison = audited.comparison
    if comparison is not None:
        lines.append(
            f"Compared with the original, paired by {comparison.matched_by}: "
            f"{counted(comparison.dropped, 'row')} dropped, "
            f"{counted(comparison.untrue_cells, 'cell')} untrue."
        )
    manifest = audited.manifest
    if manifest is not None and manifest.holds:
        lines.append(f"The table is the one that {manifest.file} describes.")
    return lines


def _at_risk(audited: Audited) -> Grid:
    return Grid(
        caption="Rows that hide among too few",
        head=("hide among fewer than", "rows", "share"),
        rows=tuple((f"{each.below:,}", f"{each.rows:,}", percent(each.share)) for each in audited.at_risk),
        numbers=frozenset({1, 2}),
        bars=((2, tuple(each.share for each in audited.at_risk)),),
    )


def _folded(audited: Audited) -> list[tuple[str, tuple[str | Grid, ...]]]:
    folded: list[tuple[str, tuple[str | Grid, ...]]] = []
    if audited.measured:
        measured = Grid(
            caption="Every privacy model, demanded or not",
            head=("model", "column", "strictest threshold that holds"),
            rows=tuple(
                (
                    each.model if each.variant is None else f"{each.model} ({each.variant})",
                    each.attribute or "",
                    f"{each.unit} = {number(each.value)}",
                )
                for each in audited.measured
            ),
        )
        folded.append((f"{counted(len(audited.measured), 'measured model')}", (measured,)))
    if audited.offending.groups:
        described = audited.offending.described
        groups = Grid(
            caption=f"The smallest {counted(len(described), 'group')} of {audited.offending.groups:,}",
            head=("rows", "first row", "breaks", "suppressed", "generalized"),
            rows=tuple(map(_group, described)),
            numbers=frozenset({0, 1}),
        )
        folded.append((f"{counted(audited.offending.groups, 'group')} that break a demand", (groups,)))
    return folded


def _group(group: OffendingGroup) -> tuple[str, ...]:
    return (
        f"{group.rows:,}",
        "" if group.first_row is None else f"{group.first_row:,}",
        ", ".join(group.breaks),
        ", ".join(group.suppressed),
        ", ".join(group.generalized),
    )
