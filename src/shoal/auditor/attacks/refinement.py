"""How far somebody who takes a release to be minimal writes it finer, and how much of that is news."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace

from shoal.auditor.attacks.certain import Certain, Column, Groups, Rows
from shoal.auditor.attacks.chance import LIKELY, expected, likely

Truth = Callable[[int, int], Rows]
"""Gives the rows of each true value of a group in a column."""


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """Rows that are written finer in a column.

    Parameters
    ----------
    tried
        Rows of groups with a label that has finer ones.
    claimed, exact
        Rows whose finer label is certain if the release is minimal, in the best column of each group; and
        rows whose exact value is.
    refuted
        Groups that no minimal release has.
    right
        The claimed rows that truly have the finer label; `None` if the truth is not known.
    by_chance
        How many would be right on average if the group's rows were any rows that the label covers: a value
        that is frequent is no news.
    unlikely, unlikely_right
        Claimed rows whose finer label is less likely than not by chance, and how many of them are right.
    """

    tried: int
    claimed: int
    exact: int
    refuted: int
    right: int | None = None
    by_chance: float | None = None
    unlikely: int | None = None
    unlikely_right: int | None = None


def refinement(
    groups: Groups,
    columns: Mapping[int, Column],
    truth: Truth | None = None,
    values: Mapping[int, Rows] | None = None,
    on_group: Callable[[], None] | None = None,
) -> Refinement:
    """What minimality says about the groups of a release.

    Parameters
    ----------
    groups
        The groups.
    columns
        By place the columns that are reasoned about.
    truth, values
        The true values of each group, and by column the rows of each value in the whole table; both, if it is
        known whether the claims are right.
    on_group
        Called before each group; what it raises ends the attack.
    """
    shares = None if values is None else Shares(columns, values)
    tried = claimed = exact = refuted = 0
    counted = _Counted()
    for group, size in enumerate(groups.sizes):
        if on_group is not None:
            on_group()
        finer = {
            place: certain
            for place, column in columns.items()
            if (certain := groups.certain(group, place, column)) is not None
        }
        if not finer:
            continue
        tried += size
        if not all(each.is_minimal for each in finer.values()):
            refuted += 1
            continue
        best = max(finer, key=lambda place: finer[place].rows)
        claimed += finer[best].rows
        exact += max(each.exact for each in finer.values())
        if truth is not None and shares is not None and finer[best].rows:
            share_of = shares.of(best, groups.label(group, best), finer[best])
            counted.add(columns[best], finer[best], size, share_of, truth(group, best))
    found = Refinement(tried=tried, claimed=claimed, exact=exact, refuted=refuted)
    if truth is None or shares is None:
        return found
    return replace(
        found,
        right=counted.right,
        by_chance=counted.by_chance,
        unlikely=counted.unlikely,
        unlikely_right=counted.unlikely_right,
    )


@dataclass
class _Counted:
    """Sums over groups."""

    right: int = 0
    by_chance: float = 0.0
    unlikely: int = 0
    unlikely_right: int = 0

    def add(
        self,
        column: Column,
        certain: Certain,
        size: int,
        shares: Mapping[Hashable, float],
        values: Rows,
    ) -> None:
        """Count what is claimed about a group, given its true values."""
        for part, share in shares.items():
            least = certain.least[part]
            right = min(least, column.held(part, values))
            self.right += right
            self.by_chance += expected(least, size, share)
            if likely(least, size, share) < LIKELY:
                self.unlikely += least
                self.unlikely_right += right


class Shares:
    """How frequent finer labels are among the rows that a label covers; computed once for each label.

    Parameters
    ----------
    columns
        The columns, by place.
    values
        By column the rows of each value in the whole table.
    """

    def __init__(self, columns: Mapping[int, Column], values: Mapping[int, Rows]) -> None:
        self._columns = columns
        self._values = values
        self._known: dict[tuple[int, int, frozenset[Hashable]], dict[Hashable, float]] = {}

    def of(self, place: int, label: int, certain: Certain) -> dict[Hashable, float]:
        """By finer label that must have rows its share of the rows that the label covers."""
        claimed = frozenset(part for part, least in certain.least.items() if least)
        key = place, label, claimed
        if key not in self._known:
            column, values = self._columns[place], self._values[place]
            covered = column.covered(label, values)
            self._known[key] = {
                part: column.held(part, values) / covered if covered else 0.0
                for part in certain.least
                if part in claimed
            }
        return self._known[key]
