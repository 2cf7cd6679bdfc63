"""The recoding of an earlier release, kept word for word for the rows of the next version.

A label is not spelled again from the values that are there now: if `[20, 29]` became `[20, 28]` because the
one person of 29 left, the two versions together would tell that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.recoding import DomainRecoding, not_on_levels
from shoal.model.table.domain import SUPPRESSED, Domain


@dataclass(frozen=True)
class KeptRecoding(DomainRecoding):
    """Values with the labels that they had.

    Parameters
    ----------
    of_code
        For each attribute the label of each code of its domain; `None` is a missing cell.
    represented
        For each attribute by label the values that it represented in the version before. The manifest lists
        them still: two manifests would else tell which value vanished.
    """

    of_code: tuple[tuple[str | None, ...], ...]
    represented: tuple[Mapping[str | None, Sequence[object]], ...] = field(compare=False)

    def _numbers(self, attribute: int) -> dict[str | None, int]:
        return {label: number for number, label in enumerate(dict.fromkeys(self.of_code[attribute]))}

    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:  # noqa: ARG002  one label per code
        numbers = self._numbers(attribute)
        return np.array([numbers[label] for label in self.of_code[attribute]], np.int32)

    def labels(
        self,
        attribute: int,
        domain: Domain,  # noqa: ARG002
        released: Collection[int] | None = None,  # noqa: ARG002  an earlier release has printed them
    ) -> tuple[str | None, ...]:
        return tuple(self._numbers(attribute))

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        described: dict[str, Any] = super().describe(domains, released)
        for domain, labels, before in zip(domains, self.of_code, self.represented, strict=True):
            entries = described[domain.name]
            for entry in entries:
                if entry["label"] != SUPPRESSED:
                    entry["values"] = list(dict.fromkeys([*before.get(entry["label"], ()), *entry["values"]]))
            if SUPPRESSED in labels and all(entry["label"] != SUPPRESSED for entry in entries):
                entries.append({"label": SUPPRESSED, "values": []})  # whose codes a manifest may not name
        return described

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._priced(
            attribute, domain, [domain.span_loss(each) for each in self.members(attribute, domain)]
        )

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._priced(
            attribute, domain, [domain.span_share(each) for each in self.members(attribute, domain)]
        )

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:  # noqa: ARG002
        raise not_on_levels(domain)

    def informative(self, attribute: int, domain: Domain) -> Sequence[bool]:
        return [label != SUPPRESSED for label in self.labels(attribute, domain)]

    def _priced(self, attribute: int, domain: Domain, losses: list[Fraction]) -> list[Fraction]:
        """A star loses everything, however few values it represents now."""
        return [
            loss if informative else Fraction(1)
            for loss, informative in zip(losses, self.informative(attribute, domain), strict=True)
        ]
