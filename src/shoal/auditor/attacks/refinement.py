"""How far somebody who takes a release to be minimal writes it finer, and how much of that is news."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from shoal.auditor.attacks.certain import Certain, Column, Groups, Rows
from shoal.auditor.attacks.chance import expected

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
    """

    tried: int
    claimed: int
    exact: int
    refuted: int
    right: int | None
    by_chance: float | None

    @property
    def news(self) -> float:
        """Rows that are right beyond chance; of those claimed, where the truth is not known."""
        rows = self.claimed if self.right is None else self.right
        return max(0.0, rows - (self.by_chance or 0.0))


def refinement(
    groups: Groups,
    columns: Mapping[int, Column],
    truth: Truth | None = None,
    values: Mapping[int, Rows] | None = None,
) -> Refinement:
    """What minimality says about the groups of a release.

    Parameters
    ----------
    groups
        The groups.
    columns
        By place the columns that are reasoned about.
    truth
        The true values of each group, if they are known.
    values
        By column the rows of each value in the whole table, if they are known.
    """
    shares = Shares(columns, values or {})
    tried = claimed = exact = refuted = right = 0
    chance = 0.0
    for group, size in enumerate(groups.sizes):
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
        if truth is not None and finer[best].rows:
            right += columns[best].right(finer[best], truth(group, best))
        if values is not None and finer[best].rows:
            chance += shares.by_chance(best, groups.label(group, best), size, finer[best])
    return Refinement(
        tried=tried,
        claimed=claimed,
        exact=exact,
        refuted=refuted,
        right=None if truth is None else right,
        by_chance=None if values is None else chance,
    )


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

    def by_chance(self, place: int, label: int, size: int, certain: Certain) -> float:
        """How many of the claimed rows of a group are right by chance."""
        shares = self.of(place, label, certain)
        return sum(expected(certain.least[part], size, share) for part, share in shares.items())
