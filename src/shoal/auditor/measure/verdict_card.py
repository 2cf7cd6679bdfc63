"""What a verdict shows of itself in a notebook: what is demanded, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid
from shoal.formatting.numbers import MISSING, number, percent

if TYPE_CHECKING:
    from shoal.auditor.measure.models import ModelVerdict
    from shoal.auditor.measure.verdict import Verdict


def verdict_card(verdict: Verdict) -> Card:
    """The demands of a verdict with their measurements."""
    return Card(
        title="Verdict",
        badges=(outcome_badge(verdict),),
        facts=group_facts(verdict),
        lines=(f"Groups are rows that read alike in {', '.join(verdict.quasi_identifiers)}.",),
        failures=() if verdict.meets else tuple(verdict.failures),
        tables=(demands(verdict, verdict.demanded),),
    )


def outcome_badge(verdict: Verdict) -> Badge:
    """Whether the demands hold."""
    if verdict.holds:
        return Badge(text="holds", tone="good")
    if verdict.meets:
        return Badge(text="holds with * as a wildcard only", tone="note")
    return Badge(text="does not hold", tone="bad")


def group_facts(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """How large the table and its groups are."""
    measured = verdict.measured
    share = measured.suppressed / measured.rows if measured.rows else 0.0
    facts = [("k measured", MISSING if verdict.k is None else f"{verdict.k:,}")]
    if verdict.wildcards is not None:
        facts.append(("k with * as a wildcard", number(verdict.wildcards.smallest)))
    return (
        *facts,
        ("rows", f"{measured.rows:,}"),
        ("groups", f"{measured.groups:,}"),
        ("suppressed rows", f"{measured.suppressed:,} ({percent(share)})"),
    )


def demands(verdict: Verdict, k: int | None) -> Grid:
    """A row per demand: k, if one is demanded, and the models."""
    measured = verdict.measured
    rows = [_model_row(model) for model in verdict.models]
    failing = [not model.holds for model in verdict.models]
    if k is not None:
        enough = measured.groups_below == 0
        counts = _counts(measured.groups_below, measured.rows_below)
        least = f"groups of at least {k:,} row{'' if k == 1 else 's'}"
        rows.insert(0, ("k-anonymity", least, number(verdict.k), "yes" if enough else "no", counts))
        failing.insert(0, not enough)
    return Grid(
        caption="Demands",
        head=("demand", "in words", "measured", "holds", "breaks it"),
        rows=tuple(rows),
        numbers=frozenset({2}),
        marked=frozenset(place for place, fails in enumerate(failing) if fails),
    )


def _model_row(model: ModelVerdict) -> tuple[str, ...]:
    if model.unmeasured is not None:
        return (model.key, model.demand, "not measured", "unknown", model.unmeasured)
    least = "at least " if model.at_least else ""
    return (
        model.key,
        f"{model.demand} ({model.where})" if model.where else model.demand,
        f"{least}{number(model.measured)}",
        "yes" if model.holds else "no",
        _counts(model.groups_failing, model.rows_failing)
        if model.unit is None
        else model.broken_by
        if model.units_failing
        else "nothing",
    )


def _counts(groups: int, rows: int) -> str:
    return f"{groups:,} groups, {rows:,} rows" if groups or rows else "nothing"
