"""Centre of cloak: the user nearest to the middle of the box is taken for the issuer.

That works against boxes that are built around the requester. If a way of cloaking is safe, the issuer is
the nearest of the n users inside in one of n cases, at most in one of k. The check fails if so many hits
or more would come about by chance, with a share of 1/k, in fewer than one of a thousand recordings.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from shoal.formatting.numbers import number, percent
from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.engine import Engine

_CHANCE = 0.001


class Centre(Check):
    """Takes the user nearest to the centre for the issuer."""

    name: ClassVar[str] = "centre"
    words: ClassVar[str] = "takes the user nearest to the centre of the box for the issuer"

    def __init__(self) -> None:
        self._tried = 0
        self._hits = Fraction(0)
        self._least_k = 0
        self._expected = Fraction(0)
        self._ranks: dict[int, int] = {}

    def saw(self, cloak: Cloak, engine: Engine) -> None:
        box, positions = cloak.box, engine.cloaker.positions
        # Distances in halves, so that they stay whole: the centre can lie between two coordinates.
        across, up = box.x_low + box.x_high, box.y_low + box.y_high
        far = {
            user: (2 * place.x - across) ** 2 + (2 * place.y - up) ** 2
            for user, place in positions.items()
            if box.holds(place.x, place.y)
        }
        if cloak.request.user not in far:
            return  # moved out of the box while the request waited: this attacker misses them
        own = far[cloak.request.user]
        nearer = sum(each < own for each in far.values())
        alike = sum(each == own for each in far.values())
        self._tried += 1
        self._hits += 0 if nearer else Fraction(1, alike)
        self._expected += Fraction(1, cloak.k)
        self._ranks[nearer + 1] = self._ranks.get(nearer + 1, 0) + 1

    def result(self) -> CheckResult:
        share = float(self._hits / self._tried) if self._tried else 0.0
        allowed = float(self._expected / self._tried) if self._tried else 0.0
        chance = at_least(int(self._hits), self._tried, allowed)
        return CheckResult(
            name=self.name,
            tried=self._tried,
            failed=None,
            least=None,
            holds=chance >= _CHANCE,
            words=f"the issuer is the nearest to the centre in {percent(share)} of the cloaks; 1/k is "
            f"{percent(allowed)}, and chance gives so many or more with probability {number(chance)}",
            facts={"share": share, "allowed": allowed, "chance": chance, "ranks": _ordered(self._ranks)},
        )


def at_least(hits: int, tried: int, share: float) -> float:
    """The probability of so many hits or more, each with this probability (binomial)."""
    if hits <= 0 or share >= 1:
        return 1.0
    if share <= 0:
        return 0.0
    yes, no = math.log(share), math.log1p(-share)
    whole = math.lgamma(tried + 1)
    return min(
        1.0,
        math.fsum(
            math.exp(whole - math.lgamma(n + 1) - math.lgamma(tried - n + 1) + n * yes + (tried - n) * no)
            for n in range(hits, tried + 1)
        ),
    )


def _ordered(ranks: dict[int, int]) -> dict[str, int]:
    return {str(rank): ranks[rank] for rank in sorted(ranks)}
