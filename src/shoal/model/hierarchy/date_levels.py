"""Levels of dates: the calendar's own steps.

Labels follow ISO 8601 where it defines them: `2024-05-17`, `2024-W20`, `2024-05`, `2024-Q2`, `2024`,
`2020-2029`, `2000-2099`. Decades and centuries follow the digits of the year, so that they nest.

ISO weeks nest in nothing coarser: a week can begin in one month, quarter or year and end in the next.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Domain


def _week(day: datetime.date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def _years(day: datetime.date, length: int) -> str:
    first = day.year // length * length
    return f"{first:04d}-{first + length - 1:04d}"


STEPS: dict[str, Callable[[datetime.date], str]] = {
    "day": lambda day: f"{day.year:04d}-{day.month:02d}-{day.day:02d}",
    "week": _week,
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: _years(day, 10),
    "century": lambda day: _years(day, 100),
}
"""From fine to coarse."""

AUTOMATIC_STEPS = ("day", "month", "year", "decade")


def check_steps(steps: Sequence[str]) -> None:
    """Raise `PolicyError` unless the steps exist and nest."""
    for step in steps:
        if not isinstance(step, str) or step not in STEPS:
            raise PolicyError(f"unknown step {step!r}.{suggestion(str(step), STEPS)}")
    if len(set(steps)) < len(steps):
        raise PolicyError("a step is named twice; name each once")
    coarser = [step for step in steps if step not in ("day", "week")]
    if "week" in steps and coarser:
        raise PolicyError(
            f"weeks do not nest in a {coarser[0]}: a week can begin in one {coarser[0]} and end in the next; "
            f"leave out week or {coarser[0]}"
        )


def date_levels(domain: Domain, steps: Sequence[str]) -> list[list[str]]:
    """The label of each known date at each step, from fine to coarse."""
    days = [value for value in domain.values if isinstance(value, datetime.date)]
    return [[label(day) for day in days] for step, label in STEPS.items() if step in steps]
