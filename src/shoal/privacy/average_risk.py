"""Average re-identification risk: what an attacker may expect to guess right, over all released rows.

Each row of a group of n is guessed right with probability 1 / n, so the mean over all rows is groups over
rows. Agencies state thresholds; some as a risk, some as the size of a group, which is its reciprocal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.suggestion import suggestion
from shoal.privacy._base import ReleaseModel, between
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK

PRESETS = {
    "ema": 0.09,  # European Medicines Agency, policy 0070
    "health-canada": 0.09,  # Health Canada, public release of clinical information
    "cms": 1 / 11,  # Centers for Medicare and Medicaid Services: no cell below 11
    "ons": 1 / 10,  # Office for National Statistics: groups of 10
    "k3": 1 / 3,
    "k5": 1 / 5,
    "k20": 1 / 20,
}


@dataclass(frozen=True, kw_only=True)
class AverageRisk(ReleaseModel):
    """A release with at most `threshold` groups per row.

    Groups may be given up to reach it: those of fewer rows than the threshold's reciprocal raise it.

    Joining released groups lowers it, so it holds on the way up where nothing is suppressed. Where small
    groups may be suppressed it need not: with k = 2, groups of 4, 1 and 1 rows release the first alone, at a
    risk of 1/4; with the last two joined, groups of 4 and 2 are released, at 2/6.

    Parameters
    ----------
    threshold
        The greatest average risk, above 0 and at most 1.
    preset
        The name of a threshold, in its place.
    """

    preset: str | None = field(
        default=None,
        metadata=parameter(
            "Threshold of",
            "An agency's, or one of your own.",
            start="ema",
            choices={
                "ema": "European Medicines Agency: 0.09",
                "health-canada": "Health Canada: 0.09",
                "cms": "CMS: 1 in 11",
                "ons": "ONS: 1 in 10",
                "k3": "A mean group of 3",
                "k5": "A mean group of 5",
                "k20": "A mean group of 20",
            },
        ),
    )
    threshold: float | None = field(
        default=None, metadata=parameter("Average risk", "Groups over rows, above 0 and up to 1.", step=0.01)
    )

    name = "average-risk"
    description = Description(
        title="Average risk",
        short="A limit on the risk of the release as a whole",
        meaning="Somebody who knows everybody's quasi-identifiers and guesses each row finds at most this "
        "share: the number of groups over the number of rows.",
        when="When an agency states a threshold: EMA and Health Canada 0.09, CMS 1/11, ONS 1/10.",
        limits="It says nothing of a single person, who can be in a small group: keep a k as well. A preset "
        "is no certificate.",
        example="0.09: a release of 1,000 rows may have at most 90 groups.",
    )
    measures = "the mean chance that a row is matched to the right person"
    unit = "risk"
    lower_is_safer = True
    largest_hold_first = True

    def __post_init__(self) -> None:
        if (self.threshold is None) == (self.preset is None):
            raise PolicyError(f"{self.name}: state either a threshold or a preset ({', '.join(PRESETS)})")
        if self.preset is not None and self.preset not in PRESETS:
            raise PolicyError(
                f"{self.name}: there is no preset {self.preset!r}.{suggestion(str(self.preset), PRESETS)}"
            )
        if self.threshold is not None:
            between(self.name, "threshold", self.threshold, 0, 1)
            if self.threshold == 0:
                raise PolicyError(f"{self.name}: no release has risk 0; choose a threshold above it")

    @property
    def greatest(self) -> float:
        """The threshold, stated or by its preset."""
        return PRESETS[self.preset] if self.preset is not None else self.threshold or 0.0

    @property
    def demand(self) -> str:
        return f"average re-identification risk at most {self.greatest:.4g}"

    def measure(self, sizes: Sequence[int]) -> float:
        return len(sizes) / sum(sizes) if len(sizes) else 0.0

    def holds(self, sizes: Sequence[int]) -> bool:
        return self.measure(sizes) <= self.greatest + SLACK

    def core_rule(self) -> CoreRule:
        return CoreRule(kind="average-risk", most=self.greatest)

    @classmethod
    def weakest(cls, *, entity: str | None, population: bool) -> Self | None:  # noqa: ARG003
        return cls(threshold=1)
