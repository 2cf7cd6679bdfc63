"""Recodings: how values change between the source and the release."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.domain import Domain


@dataclass(frozen=True, order=True)
class CutRecoding:
    """Intervals of ordered domains, each given by its cuts.

    A cut is a code that begins a new interval. Code 0 always does and is left out, so the empty tuple
    joins a whole domain, and a recoding is a subset of the alphabet of all cuts (K-Optimize, section 4).

    Parameters
    ----------
    cuts
        Per attribute the increasing cuts.
    """

    cuts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for cuts in self.cuts:
            if any(a >= b for a, b in zip((0, *cuts), cuts, strict=False)):
                raise InternalError(f"cuts must be positive and increasing: {cuts}")

    @classmethod
    def from_sets(cls, cuts: Iterable[Iterable[int]]) -> CutRecoding:
        """The recoding with these cuts, in any order."""
        return cls(tuple(tuple(sorted(set(each))) for each in cuts))

    def starts(self, attribute: int) -> tuple[int, ...]:
        """First codes of the attribute's intervals."""
        return (0, *self.cuts[attribute])

    def interval_of(self, attribute: int, size: int) -> NDArray[np.int32]:
        """For each code of a domain of `size` values the number of its interval."""
        marks = np.zeros(size, np.int32)
        marks[list(self.cuts[attribute])] = 1
        return np.cumsum(marks, dtype=np.int32)

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, list[dict[str, object]]]:
        """The manifest's form: attribute -> intervals with their label and values, in order.

        Parameters
        ----------
        domains
            The domains that the cuts are of.
        released
            Per attribute the codes that released rows have; what only suppressed rows had is left out.
        """
        described: dict[str, list[dict[str, object]]] = {}
        for attribute, domain in enumerate(domains):
            codes = range(len(domain)) if released is None else released[attribute]
            starts = self.starts(attribute)
            ends = (*starts[1:], len(domain))
            intervals = [
                (label, [_plain(domain, code) for code in range(start, end) if code in codes])
                for label, start, end in zip(domain.labels(starts, codes), starts, ends, strict=True)
            ]
            described[domain.name] = [
                {"label": label, "values": values} for label, values in intervals if values
            ]
        return described


def _plain(domain: Domain, code: int) -> object:
    """A value in the form JSON has for it; a bin by its label."""
    value = domain.values[code]
    if domain.bin is not None:
        return domain.label(code, code)
    return value if value is None or isinstance(value, bool | int | float | str) else domain.text(code)
