"""What a risk report shows of itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid
from shoal.formatting.numbers import number, odds, percent

if TYPE_CHECKING:
    from shoal.auditor.risk.attackers import Risk
    from shoal.auditor.risk.report import RiskReport


def risk_card(report: RiskReport) -> Card:
    """What each attacker can expect, and which columns distinguish rows; no cell."""
    sizes = report.sizes
    facts = [("rows", f"{report.rows:,}")]
    if report.persons is not None:
        facts.append(("persons", f"{report.persons.count:,}"))
    linkable = report.persons is not None and report.persons.linkable
    facts += [
        ("histories" if linkable else "groups", f"{sizes.count:,}"),
        ("suppressed rows", f"{sizes.suppressed:,}"),
        (f"unique {report.counted}", percent(report.sample_uniqueness)),
        ("highest risk", odds(report.prosecutor.highest)),
    ]
    if report.population is not None:
        facts.append(("population", f"{report.population.size:,}"))
        facts.append(("unique in the population", percent(report.population.share)))
    if report.household is not None:
        facts.append(("highest risk of a household", odds(report.household.highest)))
        facts.append(("households expected to be found", f"{report.household.expected_households:,.1f}"))
    return Card(
        title="Risk of re-identification",
        badges=_badges(report),
        facts=tuple(facts),
        lines=(
            *(() if report.persons is None else (f"{report.persons.sentence()}.",)),
            f"An attacker is assumed to know {', '.join(report.quasi_identifiers)}.",
            *report.notes,
        ),
        failures=tuple(report.failures),
        tables=(_attackers(report),),
        folded=tuple(_folded(report)),
    )


def _badges(report: RiskReport) -> tuple[Badge, ...]:
    if not report.limits.demands:
        return (Badge(text="nothing was demanded"),)
    if report.holds:
        return (Badge(text="within the limits", tone="good"),)
    return (Badge(text="above the limits", tone="bad"),)


def _attackers(report: RiskReport) -> Grid:
    attackers: dict[str, Risk | None] = {
        "prosecutor": report.prosecutor,
        "journalist": report.journalist,
        "marketer": report.marketer,
        "individual": report.individual,
    }
    known = {name: risk for name, risk in attackers.items() if risk is not None}
    counted = report.counted
    return Grid(
        caption="What attackers can expect",
        head=(
            "attacker",
            "highest",
            "average",
            f"{counted} above {percent(report.threshold)}",
            f"{counted} guessed right",
            "known from",
        ),
        rows=tuple(
            (
                name,
                percent(risk.highest),
                percent(risk.average),
                percent(risk.share_above),
                number(round(risk.expected, 1)),
                f"the {risk.by}",
            )
            for name, risk in known.items()
        ),
        numbers=frozenset({1, 2, 3, 4}),
        bars=((3, tuple(risk.share_above for risk in known.values())),),
    )


def _folded(report: RiskReport) -> list[tuple[str, tuple[str | Grid, ...]]]:
    folded: list[tuple[str, tuple[str | Grid, ...]]] = []
    shown = [each for each in report.subsets if len(each.columns) == 1 or each is report.subsets[-1]]
    if shown:
        subsets = Grid(
            caption="How well columns distinguish rows: each alone, and all together",
            head=("columns", "distinct combinations", "pairs distinguished", "unique rows"),
            rows=tuple(
                (
                    ", ".join(each.columns),
                    percent(each.distinction),
                    percent(each.separation),
                    percent(each.uniqueness),
                )
                for each in shown
            ),
            numbers=frozenset({1, 2, 3}),
        )
        folded.append(("Which columns distinguish people", (subsets,)))
    found = [(each.column, "identifying", each.reason) for each in report.identifying]
    found += [(each.column, f"Safe Harbor: {each.identifier}", each.reason) for each in report.safe_harbor]
    if found:
        columns = Grid(
            caption="By their names and values", head=("column", "finding", "because"), rows=tuple(found)
        )
        folded.append((f"Columns to look at ({len(found)})", (columns,)))
    return folded
