"""How the values of a sensitive column are spread over the groups of a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks.candidates import narrowed
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import SUPPRESSED


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Rows per group and value, for the groups in which some value is visible.

    Parameters
    ----------
    column
        The sensitive column.
    groups
        How many groups there are.
    of_entry, values, counts
        Per entry its group, in increasing order, the code of its value, and how many rows have it.
    texts
        The values by code; `None` is the missing one, and counts as a value.
    """

    column: str
    groups: int
    of_entry: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    texts: tuple[str | None, ...]

    @cached_property
    def hidden(self) -> int | None:
        """The code of `*`, if the column has it: it counts as a value, but finding it reveals nothing."""
        return self.texts.index(SUPPRESSED) if SUPPRESSED in self.texts else None

    @cached_property
    def visible(self) -> NDArray[np.bool_]:
        """Per entry whether its value is visible."""
        return np.asarray(self.values != (-1 if self.hidden is None else self.hidden))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Rows of each group."""
        return self.per_group(self.counts)

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """Distinct values of each group."""
        return np.bincount(self.of_entry, minlength=self.groups)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Per entry the share of its value in its group."""
        return self.counts / self.rows[self.of_entry]

    @cached_property
    def overall(self) -> NDArray[np.float64]:
        """Per value its share in the whole release."""
        counts = np.bincount(self.values, self.counts, len(self.texts))
        return np.asarray(counts / max(1.0, counts.sum()))

    def per_group(self, of_entries: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """The sum of whole numbers over the entries of each group; of truth values, how many are true."""
        return np.bincount(self.of_entry, of_entries, self.groups).astype(np.int64)

    def greatest(self, of_entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """The greatest of numbers over the entries of each group."""
        greatest = np.zeros(self.groups)
        np.maximum.at(greatest, self.of_entry, of_entries)
        return greatest


def spread(target: Target, column: str) -> Spread:
    """How a sensitive column is spread over the groups; groups without a visible value are left out."""
    release, _ = narrowed(target.release, (*target.quasi_identifiers, column))
    of_line = distinct_codes(release.codes[:, :-1])[1]
    stars = release.stars()
    missing = np.array([text is None for text in release.texts(column)], np.bool_)[release.codes[:, -1]]
    # A missing value of a masked row was taken away, as its other cells were.
    silent = stars[:, -1] | (stars[:, :-1].all(axis=1) & missing)
    visible = np.bincount(of_line, ~silent) > 0
    kept = np.flatnonzero(visible[of_line])
    number = np.cumsum(visible) - 1
    order = kept[np.argsort(of_line[kept], kind="stable")]
    return Spread(
        column=column,
        groups=int(visible.sum()),
        of_entry=number[of_line[order]],
        values=release.codes[order, -1].astype(np.int64),
        counts=release.counts[order],
        texts=release.texts(column),
    )


Learned = tuple[NDArray[np.bool_], Mapping[str, object]]
"""Per entry of a spread whether its rows are revealed, and further facts."""


class SpreadAttack(Attack):
    """An attack on each sensitive column by itself, group by group."""

    criterion = "inference"
    needs = ("sensitive",)

    def columns(self, target: Target) -> Sequence[str]:
        """The sensitive columns that it can attack."""
        return target.sensitive

    @abstractmethod
    def learned(self, by_group: Spread, target: Target) -> Learned:
        """Per entry whether its rows are revealed, and further facts."""

    @abstractmethod
    def words(self, target: Target) -> str:
        """What is true of the revealed cells: the words after their number."""

    def stated(self, target: Target) -> Mapping[str, object]:  # noqa: ARG002
        """What the attacker is assumed to know, for programs."""
        return {}

    def run(self, target: Target) -> AttackResult:
        tried = succeeded = 0
        worst = 0.0
        columns: dict[str, object] = {}
        for name in self.columns(target):
            by_group = spread(target, name)
            learned, facts = self.learned(by_group, target)
            learned = learned & by_group.visible
            rows = int(by_group.counts[learned].sum())
            groups = int((by_group.per_group(learned) > 0).sum())
            columns[name] = {"rows": rows, "groups": groups, "of_groups": by_group.groups, **facts}
            visible = int(by_group.counts[by_group.visible].sum())
            tried, succeeded = tried + visible, succeeded + rows
            worst = max(worst, rows / visible if visible else 0.0)
        result = self.result(
            target,
            tried=tried,
            succeeded=succeeded,
            words=f"{succeeded:,} of {tried:,} sensitive cells are {self.words(target)}.",
            facts={**self.stated(target), "columns": columns},
        )
        return replace(result, worst=worst) if len(columns) > 1 else result
