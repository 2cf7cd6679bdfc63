"""What cloaking costs and gives: success, anonymity, area, interval, delay, throughput."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from shoal.formatting.numbers import number, percent, seconds
from shoal.location.cloaking.answers import Answer, Cloak, Delayed
from shoal.location.cloaking.attacks._base import CheckResult


@dataclass
class Metrics:
    """Figures of a run.

    Parameters
    ----------
    messages, asked, dropped
        How many messages were taken; how many requests there were, and how many were dropped.
    cloaks
        Per cloak: relative anonymity, area, interval, delay.
    of_tolerance
        Per cloak whose request states a tolerance: area and interval as shares of it.
    took
        Seconds that the engine took.
    """

    messages: int = 0
    asked: int = 0
    dropped: int = 0
    cloaks: list[tuple[float, int, int, int]] = field(default_factory=list)
    of_tolerance: list[tuple[float, float]] = field(default_factory=list)
    took: float = 0.0

    def saw(self, answer: Answer, tolerance: tuple[int, int, int] | None) -> None:
        """Count an answer; the tolerance is that of requests that state none."""
        if isinstance(answer, Delayed):
            return
        if not isinstance(answer, Cloak):
            self.dropped += 1
            return
        request, interval = answer.request, answer.end - answer.start
        self.cloaks.append((answer.among / answer.k, answer.box.area, interval, answer.time - request.time))
        usual = tolerance or (None, None, None)
        stated = (request.dx, request.dy, request.dt)
        dx, dy, dt = (there if here is None else here for here, there in zip(stated, usual, strict=True))
        if dx is not None and dy is not None and dt is not None:
            most = (2 * dx + 1) * (2 * dy + 1)
            self.of_tolerance.append((answer.box.area / most, interval / (2 * dt) if dt else 0.0))

    def facts(self, effective: CheckResult | None, historical: CheckResult | None) -> dict[str, Any]:
        """All figures."""
        relative, area, interval, delay = (_column(self.cloaks, place) for place in range(4))
        delays = sorted(each[3] for each in self.cloaks)
        return {
            "messages": self.messages,
            "asked": self.asked,
            "cloaked": len(self.cloaks),
            "dropped": self.dropped,
            "success_rate": len(self.cloaks) / self.asked if self.asked else None,
            "relative_anonymity": relative,
            "area": area,
            "interval": interval,
            "area_of_tolerance": _column(self.of_tolerance, 0),
            "interval_of_tolerance": _column(self.of_tolerance, 1),
            "delay": delay,
            "greatest_delay": delays[-1] if delays else None,
            "effective_k": effective.least if effective else None,
            "effective_k_mean": effective.facts["mean"] if effective else None,
            "below_k": effective.failed if effective else None,
            "historical_k": historical.least if historical else None,
            "messages_per_second": self.messages / self.took if self.took else None,
        }


def _column(rows: list[Any], place: int) -> float | None:
    return fmean(row[place] for row in rows) if rows else None


def lines(facts: dict[str, Any]) -> list[str]:
    """The figures as a table."""
    rows = [
        ("requests", f"{facts['asked']:,}", f"cloaked {facts['cloaked']:,}, dropped {facts['dropped']:,}"),
        ("success rate", percent(facts["success_rate"]), ""),
        ("relative anonymity", _short(facts["relative_anonymity"]), "users counted / k, on average"),
        ("area", _short(facts["area"]), _share("of the tolerance", facts["area_of_tolerance"])),
        ("interval", seconds(facts["interval"]), _share("of the tolerance", facts["interval_of_tolerance"])),
        ("delay", seconds(facts["delay"]), f"at most {seconds(facts['greatest_delay'])}"),
        ("effective k", number(facts["effective_k"]), _below(facts)),
        ("historical k", number(facts["historical_k"]), "users in all boxes of a pseudonym, at the least"),
        ("throughput", f"{_short(facts['messages_per_second'])}/s", "messages"),
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(2)]
    widths[1] = max(widths[1], 11)  # the same from run to run, however fast it was
    return [
        f"{name.ljust(widths[0])}  {value.rjust(widths[1])}  {note}".rstrip() for name, value, note in rows
    ]


def _below(facts: dict[str, Any]) -> str:
    if facts["below_k"] is None:
        return "not measured"
    return f"at the least; {_short(facts['effective_k_mean'])} on average; below k: {facts['below_k']:,}"


def _share(of: str, value: float | None) -> str:
    return "on average" if value is None else f"on average; {percent(value)} {of}"


def _short(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else number(value)
