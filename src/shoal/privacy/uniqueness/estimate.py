"""An estimated number, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """How many people of the population are unique, by one model of the population.

    Parameters
    ----------
    share
        Estimated share of the population, 0 to 1; `None` if the model gives none.
    reason
        Why there is none.
    """

    share: float | None = None
    reason: str | None = None


def estimated(unique: float, population: int) -> Estimate:
    """A number of unique people as a share; none if it lies outside the population."""
    if not 0 <= unique <= population * (1 + 1e-9):
        return Estimate(reason="the estimate lies outside 0 to the size of the population")
    return Estimate(share=float(min(1.0, unique / population)))
