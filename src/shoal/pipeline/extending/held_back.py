"""Which rows of today an extended release has, so that nobody who holds all versions tells rows apart.

Rows that were in the same groups in the same versions are a part; the new version divides parts, and makes
new ones of rows that nobody has seen. Every part that it leaves, also that of the rows which are gone, must
have k rows and be admitted by the models, and no row may change a value that a model examines: so rows that
are alike have the same values in all versions (m-invariance, on parts). The proof:
docs/decisions/0038-extended-releases.md.

1. Rows of a part that have the same label, and the values that they had, stay if they are such a part; the
   others go.
2. If fewer than k rows of a part go, further rows go with them, drawn at random from its largest group: who
   left is then one of k. If that does not do, the whole part goes: it was a good part before.
3. New rows join where they are such a part by themselves. The others wait for a later version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Admits = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Whether each group is admitted: takes rows, and the number of the group of each."""

GONE = -1
"""In place of a group: the row is not released."""
NEVER = -1
"""In place of a part: no version had the row."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Versions:
    """The rows of the version before, and those of today.

    Parameters
    ----------
    k
        The least size of a part.
    part
        Per row of the version before its part.
    today
        Per row of the version before its row of today; `GONE` if it left.
    group
        Per row of today its group by the kept labels; `GONE` where a value has no label.
    barred
        Per row of today whether an earlier version had it, and the one before did not: it never comes back.
    admits_before, admits_today
        The models, on rows of the version before and on rows of today.
    values_before, values_today
        Per row the numbers of its values in the columns that models examine, one line per row.
    draw
        Numbers for the rows of the version before in an order that nobody can guess.
    """

    k: int
    part: NDArray[np.int64]
    today: NDArray[np.int64]
    group: NDArray[np.int64]
    barred: NDArray[np.bool_]
    admits_before: Admits
    admits_today: Admits
    values_before: NDArray[np.int64]
    values_today: NDArray[np.int64]
    draw: NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Chosen:
    """The rows of today that are released.

    Parameters
    ----------
    kept
        Per row of today whether it is released.
    stay, joined, left
        Released rows that the version before had, and that it did not have; rows of it that today's table
        does not have.
    waiting, withdrawn
        Rows of today that are held back: that were never released, and that the version before had.
    unlabelled
        Those waiting whose values have no label.
    """

    kept: NDArray[np.bool_]
    stay: int
    joined: int
    left: int
    waiting: int
    withdrawn: int
    unlabelled: int


def chosen(versions: Versions) -> Chosen:
    """The rows that can be released.

    Parameters
    ----------
    versions
        The rows of both versions.
    """
    old = versions.today
    changed = (versions.values_before != versions.values_today[old]).any(axis=1)
    outcome = np.where((old == GONE) | changed, GONE, versions.group[old])
    outcome = _stays(versions, outcome)
    kept = np.zeros(len(versions.group), np.bool_)
    kept[old[outcome != GONE]] = True
    fresh = ~versions.barred
    fresh[old[old != GONE]] = False
    joins = _joins(versions, fresh)
    kept |= joins
    return Chosen(
        kept=kept,
        stay=int((outcome != GONE).sum()),
        joined=int(joins.sum()),
        left=int((old == GONE).sum()),
        waiting=int((fresh & ~joins).sum()),
        withdrawn=int(((old != GONE) & (outcome == GONE)).sum()),
        unlabelled=int((fresh & (versions.group == GONE)).sum()),
    )


def _joins(versions: Versions, fresh: NDArray[np.bool_]) -> NDArray[np.bool_]:
    rows = np.flatnonzero(fresh & (versions.group != GONE))
    numbers, sizes = _numbered(versions.group[rows][:, None])
    good = (sizes >= versions.k) & versions.admits_today(rows, numbers)
    joins = np.zeros(len(fresh), np.bool_)
    joins[rows[good[numbers]]] = True
    return joins


def _stays(versions: Versions, outcome: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per row of the version before its group of today, or `GONE`."""
    outcome = np.where(_is_part(versions, outcome), outcome, GONE)
    order = np.argsort(versions.part, kind="stable")
    ends = np.flatnonzero(np.diff(versions.part[order])) + 1
    members = {int(versions.part[rows[0]]): rows for rows in np.split(order, ends) if len(rows)}
    for part in np.unique(versions.part[~_is_part(versions, outcome)]).tolist():
        outcome[_to_go(versions, outcome, members[part])] = GONE
    broken = np.unique(versions.part[~_is_part(versions, outcome)])
    return np.where(np.isin(versions.part, broken), GONE, outcome)


def _is_part(versions: Versions, outcome: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Per row of the version before whether the rows that have its part and its outcome are a good part."""
    rows = np.arange(len(outcome))
    numbers, sizes = _numbered(np.column_stack([versions.part, outcome]))
    good = (sizes >= versions.k) & versions.admits_before(rows, numbers)
    here = np.flatnonzero(outcome != GONE)
    if len(here):
        seen = np.unique(numbers[here])
        now = versions.today[here]
        admitted = versions.admits_today(now, np.searchsorted(seen, numbers[here]))
        good[seen] &= admitted
    return good[numbers]


def _to_go(versions: Versions, outcome: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int64]:
    """As many rows of a part's largest group as its gone rows lack, if that leaves k of them; else none."""
    lacking = versions.k - int((outcome[own] == GONE).sum())
    groups, sizes = np.unique(outcome[own][outcome[own] != GONE], return_counts=True)
    if lacking <= 0 or not len(groups) or sizes.max() - lacking < versions.k:
        return own[:0]
    candidates: NDArray[np.int64] = own[outcome[own] == groups[np.argmax(sizes)]]
    return candidates[np.argsort(versions.draw[candidates], kind="stable")[:lacking]]


def _numbered(lines: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per line the number of its content, and how many lines have each."""
    _, numbers, sizes = np.unique(lines, axis=0, return_inverse=True, return_counts=True)
    return numbers.reshape(-1), sizes
