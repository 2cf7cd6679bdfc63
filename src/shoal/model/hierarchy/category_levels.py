"""Levels of categories: sets, built by joining the rarest first, and printed as `{Divorced, Widowed}`.

No two sets, and no set and value, are printed alike: members with braces, commas or quotes in them are quoted
by JSON's rules, and so is the only member of a set if it has any. Here every member is listed; a release
prints large sets by short labels.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from shoal.model.hierarchy.neighbours import AUTOMATIC_LEVELS, Starts
from shoal.model.table.printed_labels import member_text


def set_label(members: Sequence[str]) -> str:
    """The label of a set of categories."""
    if len(members) == 1 and not any(sign in members[0] for sign in '{}"*'):
        return members[0]
    return "{" + ", ".join(member_text(text) for text in members) + "}"


def neighbour_sets(texts: Sequence[str], starts: Starts) -> list[str]:
    """The label of each value when sets of neighbours begin at these codes."""
    ends = (*starts[1:], len(texts))
    return [
        label
        for start, end in zip(starts, ends, strict=True)
        for label in [set_label(texts[start:end])] * (end - start)
    ]


def rarest_first_levels(texts: Sequence[str], counts: Sequence[int]) -> list[list[str]]:
    """Levels with half, a quarter, ... as many sets as values, built by joining the two rarest repeatedly.

    Frequent values stay single the longest; of equally rare sets the one with the first value is joined
    first.
    """
    sets = [(count, code, [code]) for code, count in enumerate(counts)]
    heapq.heapify(sets)
    levels = []
    for halving in range(1, AUTOMATIC_LEVELS + 1):
        target = len(texts) >> halving
        if target < 2:
            break
        while len(sets) > target:
            first, second = heapq.heappop(sets), heapq.heappop(sets)
            codes = sorted(first[2] + second[2])
            heapq.heappush(sets, (first[0] + second[0], codes[0], codes))
        levels.append(_labelled(texts, [codes for _, _, codes in sets]))
    return levels


def _labelled(texts: Sequence[str], sets: Sequence[Sequence[int]]) -> list[str]:
    labels = [""] * len(texts)
    for codes in sets:
        label = set_label([texts[code] for code in codes])
        for code in codes:
            labels[code] = label
    return labels
