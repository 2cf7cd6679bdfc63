"""What an attack on a release answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Criterion = Literal["singling out", "linkability", "inference"]
"""What of a person an attack breaks, in the words of the Article 29 Working Party (WP216)."""


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """How well an attack did.

    Parameters
    ----------
    name
        The attack.
    criterion
        What it breaks where it succeeds.
    tried
        People, rows or values that it tried to learn something of.
    succeeded
        How many of them it learned; an expectation where the attacker can only guess among candidates.
    threshold
        The highest success rate that the policy allows; `None` if it allows none in particular.
    words
        What was tried and what came of it, in a sentence or two without a private value.
    facts
        Further figures, for programs: plain numbers, texts and lists.
    """

    name: str
    criterion: Criterion
    tried: int
    succeeded: float
    threshold: float | None = None
    words: str
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of what was tried that succeeded; 0 if there was nothing to try."""
        return self.succeeded / self.tried if self.tried else 0.0

    @property
    def holds(self) -> bool:
        """Whether the release withstands, as far as the policy demands it."""
        # A share like 1/3 and its float are one.
        return self.threshold is None or self.rate <= self.threshold + 1e-9

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "criterion": self.criterion,
            "tried": self.tried,
            "succeeded": self.succeeded,
            "rate": self.rate,
            "threshold": self.threshold,
            "holds": self.holds,
            "words": self.words,
            **self.facts,
        }
