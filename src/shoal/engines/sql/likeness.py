"""Learns the order of categories from their rows, and from pairs of columns.

Only quasi-identifiers are looked at. The order of a column can be read from a release, so one that was
learned from a sensitive column would reveal something about it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.engines.sql.tally import CodedColumn, Tally
from shoal.model.order.arrangement import Arrangement
from shoal.model.order.likeness import MOST_COLUMNS, MOST_VALUES, like_with_like, profiles, spread

MOST_COMBINATIONS = 5_000_000
"""With more distinct combinations, likeness is not looked at: each pair of columns is a pass over them."""


def learned_orders(
    tally: Tally, number: int, columns: Sequence[CodedColumn]
) -> dict[int, tuple[list[int], Arrangement]]:
    """By number of a column whose order the data decides: its known codes in that order, and the reason.

    Parameters
    ----------
    tally, number
        The counted combinations, and how many they are.
    columns
        The quasi-identifiers.
    """
    learning = [at for at, column in enumerate(columns) if column.learns]
    if not learning:
        return {}
    margins = tally.margins(columns)
    bins = [column.bins(margin) for column, margin in zip(columns, margins, strict=True)]
    # Those that are spread most evenly can distinguish most.
    ranked = sorted(range(len(columns)), key=lambda at: (-spread(bins[at], margins[at]), at))
    compared = {
        at: sorted([other for other in ranked if other != at][:MOST_COLUMNS])
        for at in learning
        if columns[at].known <= MOST_VALUES and number <= MOST_COMBINATIONS
    }
    pairs = tally.pairs(columns, bins, compared)
    learned = {}
    for at in learning:
        counts, others = margins[at][: columns[at].known], compared.get(at, [])
        tables = [pairs[at, other][: len(counts)] for other in others]
        names = ", ".join(columns[other].coding.domain.name for other in others)
        words = f"by frequency, and likeness in {names}" if names else "by frequency"
        order = like_with_like(counts, profiles(counts, tables))
        learned[at] = order, Arrangement(how="data", words=words)
    return learned
