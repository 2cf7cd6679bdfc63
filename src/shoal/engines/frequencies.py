"""From the counted combinations, sorted by their codes, to a frequency table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.domain import Domain
from shoal.model.frequency import FrequencyTable

MOST_LABEL_COUNTS = 2**27
"""One gigabyte: a class with more labels than that is no class."""


def frequencies(
    domains: Sequence[Domain],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    labels: Sequence[str],
    label_codes: NDArray[np.int32] | None,
) -> FrequencyTable:
    """The frequency table.

    Parameters
    ----------
    domains
        One per column of `codes`.
    codes
        Coded combinations, sorted; with a class attribute, one line per combination and label.
    counts
        Rows per line.
    labels, label_codes
        The class labels and the label of each line, if there is a class attribute.
    """
    if label_codes is None:
        return FrequencyTable(domains=tuple(domains), codes=codes, counts=counts)
    begins = np.ones(len(codes), np.bool_)
    begins[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    distinct = np.cumsum(begins) - 1
    combinations = int(begins.sum())
    if combinations * len(labels) > MOST_LABEL_COUNTS:
        raise PolicyError(f"the class attribute has {len(labels):,} distinct labels, too many for a class")
    histogram = np.zeros((combinations, len(labels)), np.int64)
    np.add.at(histogram, (distinct, label_codes), counts)
    return FrequencyTable(
        domains=tuple(domains),
        codes=np.ascontiguousarray(codes[begins]),
        counts=histogram.sum(axis=1),
        labels=tuple(labels),
        label_counts=histogram,
    )
