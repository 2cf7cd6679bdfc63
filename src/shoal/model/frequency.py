"""The frequency table: all that a search ever sees of the data.

Distinct rows of codes, how often each occurs, and how its rows spread over the class labels. A billion
rows and a thousand rows with the same distinct combinations are the same problem.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.domain import Domain


@dataclass(frozen=True, kw_only=True, eq=False)
class FrequencyTable:
    """Distinct coded rows with their counts.

    Parameters
    ----------
    domains
        One ordered domain per quasi-identifier, in the order of the columns of `codes`.
    codes
        Distinct rows, one column per quasi-identifier; `codes[r, a]` indexes `domains[a].values`.
    counts
        How many rows of the source are equal to each distinct row.
    labels
        The class labels, if a class attribute was named.
    label_counts
        One column per class label; sums over the columns are `counts`.
    """

    domains: tuple[Domain, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    labels: tuple[str, ...] = ()
    label_counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.counts), len(self.domains)):
            raise InternalError("codes, counts and domains of a frequency table do not match")
        if self.labels and self.label_counts.shape != (len(self.counts), len(self.labels)):
            raise InternalError("class labels and their counts do not match")

    @cached_property
    def rows(self) -> int:
        """Rows of the source."""
        return int(self.counts.sum())

    @cached_property
    def sizes(self) -> NDArray[np.int32]:
        """Number of values of each domain."""
        return np.array([len(domain) for domain in self.domains], dtype=np.int32)
