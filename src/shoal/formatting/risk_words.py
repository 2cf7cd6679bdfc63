"""Risks in words: the questions, and the thresholds that regulators and custodians use.

The report and the studio take their tables from here, so that both have the same figures. Risks are given as
`RiskReport.to_dict` returns them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.formatting.numbers import odds, percent

Facts = Mapping[str, Any]

KNOWN_THRESHOLDS = (
    (0.2, "readers within an organisation, or bound by an agreement"),
    (0.09, "public release: European Medicines Agency (policy 0070) and Health Canada"),
    (0.05, "where it must be strict"),
)
"""Highest risks that are in use, and what for. They are conventions; a regulator may name another one."""
THRESHOLD_HEAD = ("Threshold", "Who uses it", "The release")
THRESHOLD_NOTE = (
    "A threshold is the highest chance at which a person may be recognized. Those named are conventions; "
    "which one applies depends on who gets the data."
)
_ROUNDING = 1e-9
"""1/5 is within 0.2, whatever a division makes of it."""


@dataclass(frozen=True, kw_only=True)
class RiskRow:
    """One question about risk.

    Parameters
    ----------
    name, words
        The question, and who asks it.
    before, after
        The answers in the original and in the release, as shares; `None` if not measured.
    """

    name: str
    words: str
    before: float | None
    after: float | None


@dataclass(frozen=True, kw_only=True)
class ThresholdRow:
    """The residual risk next to one threshold.

    Parameters
    ----------
    limit
        The threshold.
    who
        Who uses it.
    highest, average
        Whether the highest and the average risk are within it.
    """

    limit: float
    who: str
    highest: bool
    average: bool

    @property
    def words(self) -> str:
        """What that means, in a sentence."""
        if self.highest:
            return "met for everybody"
        return "met on average, not for everybody" if self.average else "not met"


def risk_rows(before: Facts | None, after: Facts) -> list[RiskRow]:
    """The questions about risk with their answers.

    Parameters
    ----------
    before, after
        The risk in the original, if it was measured, and in the release.
    """
    counted = "persons" if after.get("persons") else "rows"
    threshold = after.get("threshold")
    above = "above the threshold" if threshold is None else f"above {percent(threshold)}"
    alone = (
        "what is known of them, a row or all that can be linked, is of nobody else"
        if counted == "persons"
        else "nobody else has the same values: whoever knows them knows the row"
    )
    wanted = (
        ("prosecutor", "highest", "Easiest to find", "prosecutor, highest: knows who is in the table"),
        ("prosecutor", "average", "On average", f"prosecutor, average over all {counted}"),
        ("prosecutor", "share_above", f"{counted.capitalize()} {above}", "prosecutor, share of them"),
        (
            "journalist",
            "highest",
            "Easiest to find in the population",
            "journalist, highest: does not know who is in the table",
        ),
        ("journalist", "average", "On average in the population", "journalist, average"),
        (
            "journalist",
            "share_above",
            f"{counted.capitalize()} {above} in the population",
            "journalist, share of them",
        ),
        (
            "marketer",
            "average",
            "Right matches",
            "marketer: matches everybody, right about this share",
        ),
        (None, "sample_uniqueness", f"Unique {counted}", alone),
    )
    rows = [
        RiskRow(name=name, words=words, before=_found(before, part, key), after=_found(after, part, key))
        for part, key, name, words in wanted
    ]
    return [row for row in rows if row.after is not None]


def threshold_rows(after: Facts, k: int | None = None) -> list[ThresholdRow]:
    """The residual risk next to the thresholds that people know, and to the policy's own.

    Parameters
    ----------
    after
        The risk in the release.
    k
        The k that the policy demands; its threshold is 1/k.
    """
    highest, average = after["prosecutor"]["highest"], after["prosecutor"]["average"]
    own = () if k is None else ((1 / k, f"the policy: 1/k, with k = {k:,}"),)
    return [
        ThresholdRow(
            limit=limit, who=who, highest=highest <= limit + _ROUNDING, average=average <= limit + _ROUNDING
        )
        for limit, who in (*own, *KNOWN_THRESHOLDS)
    ]


def highest_words(after: Facts) -> str:
    """The highest risk in a sentence."""
    highest = after["prosecutor"]["highest"]
    who = "person" if after.get("persons") else "row"
    if highest >= 1:
        return f"At least one {who} is found for certain by somebody who knows the quasi-identifiers."
    return (
        f"At worst, somebody who knows the quasi-identifiers of a person guesses the right {who} with a "
        f"chance of {percent(highest)} ({odds(highest)})."
    )


def _found(risk: Facts | None, part: str | None, key: str) -> float | None:
    if risk is None:
        return None
    of = risk if part is None else risk.get(part)
    return None if not of else of.get(key)
