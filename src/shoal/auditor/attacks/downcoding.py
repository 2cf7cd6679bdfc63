"""Downcoding: somebody who assumes that a release is minimal can make some of its cells finer again.

In a minimal release no row could have been given a finer label with every group still of k rows. Take a group
of n rows and a label that is finer than the group's in one column. Were enough rows of the group under the
finer label to be a group of their own, or to join one that is there, and could n - k rows be spared or were
all rows under it, then they would have been released that way. That limits the rows under each finer label;
what its sibling labels cannot hold must be under the last one. Of an interval both ends, and of a set every
member, are some row's value. The attacker writes these rows finer, and needs nothing but the release, k and,
for labels, the hierarchies.

Paper: Cohen, USENIX Security 2022. The proof, and what is left out: docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from collections import Counter

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._truth import Values, true_values
from shoal.auditor.attacks.certain import Column, DividedColumn, Groups, Rows
from shoal.auditor.attacks.divisions import Divisions
from shoal.auditor.attacks.linkage import visible_rows
from shoal.auditor.attacks.named_values import NamedColumn
from shoal.auditor.attacks.refinement import Refinement, refinement
from shoal.model.table.coded_cells import CodedCells


class Downcoding(Attack):
    """Generalized rows whose finer value is certain, one column at a time."""

    name = "downcoding"
    criterion = "singling out"
    uses = ("in_order",)

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        if target.k <= 1:
            return "no k above 1 is stated"
        if any(name in target.hierarchies for name in target.quasi_identifiers):
            return None
        columns = columns_of(target, target.release.of(target.quasi_identifiers)).values()
        if any(isinstance(column, NamedColumn) and column.names_any for column in columns):
            return None
        return "no quasi-identifier has a hierarchy, and no cell is an interval or a set"

    def run(self, target: Target) -> AttackResult:
        release = visible_rows(target).of(target.quasi_identifiers)
        groups = Groups(release.codes, release.counts, target.k)
        columns = columns_of(target, release)
        truth = true_values(target, release)
        if truth is None:
            found = refinement(groups, columns)
        else:
            names = release.columns
            found = refinement(
                groups, columns, lambda group, place: truth[group][names[place]], _together(truth, names)
            )
        return self.result(
            target,
            tried=found.tried,
            succeeded=found.claimed if found.right is None else found.right,
            words=_words(found),
            facts={
                "claimed": found.claimed,
                "claimed_exactly": found.exact,
                "groups_not_minimal": found.refuted,
                "measured": found.right is not None,
                **_measured(found),
            },
        )


def _measured(found: Refinement) -> dict[str, object]:
    if found.by_chance is None:
        return {}
    return {
        "right_by_chance": round(found.by_chance, 1),
        "unlikely": found.unlikely,
        "unlikely_right": found.unlikely_right,
    }


def columns_of(target: Target, release: CodedCells) -> dict[int, Column]:
    """By place the columns whose labels have finer ones: those of a hierarchy, and intervals and sets."""
    columns: dict[int, Column] = {}
    for place, name in enumerate(release.columns):
        texts, reader = release.cells[place], target.reader(name)
        if name not in target.hierarchies:
            columns[place] = NamedColumn(reader, texts)
        elif None not in texts or texts.index(None) not in release.codes[:, place]:
            # A missing value is under no finer label.
            divisions = Divisions(target.hierarchies[name], reader)
            columns[place] = divided(divisions, texts)
    return columns


def divided(divisions: Divisions, texts: tuple[str | None, ...]) -> DividedColumn:
    """A column of a hierarchy's labels, by their texts."""
    return DividedColumn(divisions, lambda label: divisions.node(texts[label]), divisions.place_of)


def _together(truth: list[Values], names: tuple[str, ...]) -> dict[int, Rows]:
    """By place the rows of each value in all groups."""
    totals: dict[int, Rows] = {}
    for place, name in enumerate(names):
        total: Counter[str | None] = Counter()
        for values in truth:
            total.update(values[name])
        totals[place] = total
    return totals


def _words(found: Refinement) -> str:
    words = (
        f"Assuming a minimal release makes {found.claimed:,} of {found.tried:,} generalized rows finer "
        "in a column, whoever they are."
    )
    if found.right is None or found.by_chance is None:
        return words
    return (
        f"{words} {found.right:,} of them are right; guesses by how frequent the values are would get "
        f"{found.by_chance:,.0f} right. Of those that are less likely than not, {found.unlikely_right:,} of "
        f"{found.unlikely:,} are right."
    )
