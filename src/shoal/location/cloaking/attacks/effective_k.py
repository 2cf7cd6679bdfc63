"""Effective k: how many users would have got this very cloak.

The attacker knows all positions and the way of cloaking, runs it for every user, and keeps those for whom
it gives the cloak at hand.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.formatting.numbers import counted, number
from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.engine import Engine


class EffectiveK(Check):
    """Runs the way of cloaking for every user."""

    name: ClassVar[str] = "effective-k"
    words: ClassVar[str] = "runs the way of cloaking for every user, and keeps those who get this cloak"

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._failed = 0

    def saw(self, cloak: Cloak, engine: Engine) -> None:
        issuers = len(engine.cloaker.issuers(cloak))
        self._sizes.append(issuers)
        self._failed += issuers < cloak.k

    def result(self) -> CheckResult:
        sizes = self._sizes
        mean = sum(sizes) / len(sizes) if sizes else None
        return CheckResult(
            name=self.name,
            tried=len(sizes),
            failed=self._failed,
            least=min(sizes, default=None),
            holds=not self._failed,
            words=f"{self._failed:,} of {counted(len(sizes), 'cloak')} have fewer than k possible issuers; "
            f"{number(mean)} on average",
            facts={"mean": mean},
        )
