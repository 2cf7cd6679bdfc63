"""Query sampling: as effective k, by an attacker who also knows how often everybody asks.

Of the users who would have got a cloak, one who asks ten times as often as another is ten times as
likely. The effective k is then 1 / the probability of the likeliest: the number of equally likely users
that would hide the issuer as well. Frequencies are those of the recording. No way of cloaking helps
somebody who alone asks anything.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from shoal.formatting.numbers import counted, number
from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.attacks._base import Check, CheckResult
from shoal.location.cloaking.engine import Engine


class Sampling(Check):
    """Weighs the users who would have got a cloak by how often they ask."""

    name: ClassVar[str] = "sampling"
    words: ClassVar[str] = "weighs the users who get this cloak by how often they ask"

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._seen: list[tuple[int, frozenset[str]]] = []

    def asked(self, user: str) -> None:
        self._asked[user] += 1

    def saw(self, cloak: Cloak, engine: Engine) -> None:
        self._seen.append((cloak.k, engine.cloaker.issuers(cloak)))

    def result(self) -> CheckResult:
        ks, sizes = [k for k, _ in self._seen], []
        for _, issuers in self._seen:
            often = [self._asked[user] for user in issuers]
            sizes.append(sum(often) / max(often) if any(often) else 0.0)
        failed = sum(size < k for size, k in zip(sizes, ks, strict=True))
        return CheckResult(
            name=self.name,
            tried=len(sizes),
            failed=failed,
            least=min(sizes, default=None),
            holds=not failed,
            words=f"{failed:,} of {counted(len(sizes), 'cloak')} have an issuer who is likelier than 1/k; "
            f"the least effective k, weighed by requests, is {number(min(sizes, default=None))}",
        )
