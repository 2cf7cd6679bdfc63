"""What attacks on a release show of themselves in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid
from shoal.formatting.numbers import MISSING, number, percent

if TYPE_CHECKING:
    from shoal.auditor.attacks.report import AttackReport


def attack_card(report: AttackReport) -> Card:
    """Each attack with its success, and those that could not run with the reason."""
    results = report.results
    skipped = Grid(
        caption="Attacks that did not run",
        head=("attack", "because"),
        rows=tuple(report.skipped.items()),
    )
    return Card(
        title="Attacks on the release",
        badges=(_badge(report),),
        facts=(("run", f"{len(results):,}"), ("not run", f"{len(report.skipped):,}")),
        failures=report.failures,
        tables=(
            Grid(
                caption="Attacks that ran",
                head=("attack", "breaks", "tried", "succeeded", "rate", "allowed", "in words"),
                rows=tuple(
                    (
                        each.name,
                        each.criterion,
                        f"{each.tried:,}",
                        number(round(each.succeeded, 1)),
                        percent(each.rate),
                        MISSING if each.threshold is None else percent(each.threshold),
                        each.words,
                    )
                    for each in results
                ),
                numbers=frozenset({2, 3, 4, 5}),
                marked=frozenset(place for place, each in enumerate(results) if not each.holds),
                bars=((4, tuple(each.rate for each in results)),),
            ),
        ),
        folded=(("Attacks that did not run", (skipped,)),) if report.skipped else (),
    )


def _badge(report: AttackReport) -> Badge:
    """Whether the limits hold; where there are none, a release withstands nothing in particular."""
    if not report.holds:
        return Badge(text="above the limits", tone="bad")
    if any(each.judged for each in report.results):
        return Badge(text="within the limits", tone="good")
    return Badge(text="no limits were set")
