"""Intersection over time: who was in all boxes of a pseudonym.

The number of users whose histories meet every box and interval of a pseudonym is its historical k
(Bettini, Wang and Jajodia, 2005).
"""

from __future__ import annotations

from typing import ClassVar

from shoal.formatting.numbers import counted, number
from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.tracks import Tracks


class Intersection(Check):
    """Keeps the users who were in all boxes of a pseudonym."""

    name: ClassVar[str] = "intersection"
    words: ClassVar[str] = "keeps the users who were in all boxes of a pseudonym"

    def __init__(self) -> None:
        self._tracks = Tracks()
        self._left: dict[str, frozenset[str]] = {}
        self._ks: dict[str, int] = {}

    def moved(self, user: str, time: int, place: tuple[int, int] | None) -> None:
        self._tracks.add(user, time, place)

    def saw(self, cloak: Cloak, engine: Engine) -> None:  # noqa: ARG002
        name, tracks = cloak.pseudonym, self._tracks
        self._ks[name] = max(cloak.k, self._ks.get(name, 0))
        if name in self._left:
            self._left[name] = frozenset(
                user for user in self._left[name] if tracks.met(user, cloak.box, cloak.start, cloak.end)
            )
        else:
            self._left[name] = tracks.all_met(cloak.box, cloak.start, cloak.end)

    def result(self) -> CheckResult:
        sizes = {name: len(left) for name, left in self._left.items()}
        failed = sum(size < self._ks[name] for name, size in sizes.items())
        least = min(sizes.values(), default=None)
        return CheckResult(
            name=self.name,
            tried=len(sizes),
            failed=failed,
            least=least,
            holds=not failed,
            words=f"{failed:,} of {counted(len(sizes), 'pseudonym')} fit fewer than k users in all of their "
            f"boxes; the least historical k is {number(least)}",
        )
