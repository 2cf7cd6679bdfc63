"""The phases of a run, and what they took in words."""

from __future__ import annotations

from collections.abc import Mapping

COUNT, SEARCH, WRITE, AUDIT = PHASES = ("count", "search", "write", "audit")
"""Reading and counting the table; choosing a recoding, until it can be written; writing it; measuring what
was written."""

LONG = 10.0
"""Seconds of a whole run from which on people are told where they went."""


def phase_words(seconds: Mapping[str, float]) -> str:
    """What each phase took, in a line."""
    return "   ".join(f"{phase} {seconds[phase]:.1f} s" for phase in PHASES if phase in seconds)


def long_run(seconds: Mapping[str, float]) -> list[str]:
    """The line about a run that took so long that people want to know why; none about others."""
    return [phase_words(seconds)] if sum(seconds.values()) >= LONG else []
