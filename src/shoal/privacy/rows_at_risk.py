"""Rows at risk: a limit on the share of rows whose own re-identification risk is above a threshold.

A row of a group of n is found with chance 1 / n. ARX calls it records at risk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.privacy._at_risk import ShareAtRisk, least_safe_size
from shoal.privacy._base import between
from shoal.privacy._core_rule import CoreRule


@dataclass(frozen=True, kw_only=True)
class RowsAtRisk(ShareAtRisk):
    """A release in which at most a share `most` of the rows has a risk above `threshold`.

    Parameters
    ----------
    threshold
        The risk above which a row is at risk, above 0 and at most 1.
    """

    threshold: float = field(
        metadata=parameter("Risk of a row", "A row in a group of 5 has 0.2.", start=0.2, step=0.01)
    )

    name = "rows-at-risk"
    description = Description(
        title="Rows at risk",
        short="A limit on the share of rows in small groups",
        meaning="Of the released rows at most this share may have a risk above the threshold: one over the "
        "rows of their group.",
        when="When a few rows may be in smaller groups than the others, as in ARX's records at risk.",
        limits="It protects no single row: those few are at the risk that k allows.",
        example="threshold 0.2, most 0.05: of 1,000 rows at most 50 are in groups of fewer than 5.",
    )
    measures = "the share of rows whose own risk is above the threshold"

    def __post_init__(self) -> None:
        super().__post_init__()
        between(self.name, "threshold", self.threshold, 0, 1)
        if self.threshold == 0:
            raise PolicyError(f"{self.name}: every row has a risk above 0; choose a threshold above it")

    @property
    def at_risk_below(self) -> int:
        return least_safe_size(self.threshold)

    @property
    def demand(self) -> str:
        return f"at most {self.most:.4g} of the rows with a risk above {self.threshold:.4g}"

    def core_rule(self) -> CoreRule:
        return CoreRule(kind="rows-at-risk", most=self.most, from_=self.at_risk_below)
