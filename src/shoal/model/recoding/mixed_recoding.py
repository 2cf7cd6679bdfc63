"""Recodings by nodes of a hierarchy for columns that have one, and by intervals for the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.model.recoding.recoding import CutRecoding, DomainRecoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.table.domain import Domain


@dataclass(frozen=True)
class MixedRecoding(DomainRecoding):
    """Columns that are each recoded in their own way.

    Parameters
    ----------
    columns
        For each attribute the recoding of a table with only this column.
    also_suppressed
        Groups that are suppressed although they are large enough, each given by its parts.
    """

    columns: tuple[CutRecoding | SubtreeRecoding, ...]
    also_suppressed: tuple[tuple[int, ...], ...] = ()

    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:
        return self.columns[attribute].parts(0, domain)

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        return self.columns[attribute].members(0, domain)

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        return self.columns[attribute].labels(0, domain, released)

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self.columns[attribute].losses(0, domain)

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self.columns[attribute].shares(0, domain)

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self.columns[attribute].steps(0, domain)
