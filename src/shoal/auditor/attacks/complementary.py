"""Complementary release: two releases of one table are joined by the columns that neither has changed.

Both releases contain the sensitive and other columns unchanged. A row of one release is linked with the rows
of the other that have the same values there, and whose generalized cells can be of the same person; then the
finer value of each cell is known. Among the rows of a group those that can be linked with the same group of
the other release stay alike: a person is hidden among them, and no longer among all of the group. It succeeds
with rows that are left among fewer than k, whichever of the groups they are linked with.

A column that did change, such as a row number or a file name, contradicts every link. Where most rows cannot
be linked, each column in turn is left out; the best result is reported.

For the expected success of a guess, each of several groups is taken to be as likely as it has rows.

Paper: Sweeney, "k-anonymity: a model for protecting privacy", 2002, section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, OtherTable, Target
from shoal.auditor.attacks._linked import agreeing, below_k, common_codes, only_equal, visible_lines
from shoal.auditor.attacks.candidates import narrowed
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes

BLOCK = 1 << 20
"""Pairs of rows that are compared together."""


class Complementary(Attack):
    """Rows that are among fewer than k once two releases were joined by their unchanged columns."""

    name = "complementary"
    criterion = "linkability"
    needs = ("earlier", "whole")

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is None and not any(_shared(target, each)[1] for each in target.earlier):
            return "no earlier release shares a column with this one other than quasi-identifiers"
        return absent

    def run(self, target: Target) -> AttackResult:
        others = [each for each in target.earlier if _shared(target, each)[1]]
        joined = [_best(target, each) for each in others]
        worst = max(joined, key=lambda each: (each.below, each.expected))
        words = (
            f"Linked with {worst.name} by {', '.join(worst.columns)}, {worst.linked:,} of {worst.rows:,} "
            f"rows are known in more detail; the smallest group that is left has {worst.smallest}, and "
            f"{worst.below:,} rows are in groups smaller than {target.least}."
        )
        facts = {"releases": [each.to_dict() for each in joined]}
        return below_k(self, target, tried=worst.rows, succeeded=worst.below, words=words, facts=facts)


@dataclass(frozen=True, kw_only=True)
class _Joined:
    """A release joined with another one."""

    name: str
    columns: tuple[str, ...]
    rows: int
    linked: int
    unlinked: int
    expected: float
    smallest: int | None
    below: int

    def to_dict(self) -> dict[str, object]:
        return {
            "release": self.name,
            "linked_by": list(self.columns),
            "rows": self.rows,
            "linked": self.linked,
            "unlinked": self.unlinked,
            "expected": self.expected,
            "smallest": self.smallest,
            "below_k": self.below,
        }


def _shared(target: Target, other: OtherTable) -> tuple[list[str], list[str]]:
    """The columns that both releases have: quasi-identifiers, and others."""
    assert target.whole is not None
    both = [name for name in target.whole.columns if name in other.cells.columns]
    known = target.quasi_identifiers
    return [name for name in both if name in known], [name for name in both if name not in known]


def _best(target: Target, other: OtherTable) -> _Joined:
    """The result of linking by all shared columns or, if they contradict most rows, by all but one."""
    links = _shared(target, other)[1]
    joined = [_joined(target, other, links)]
    if len(links) > 1 and 2 * joined[0].unlinked > joined[0].rows:
        joined.extend(_joined(target, other, [each for each in links if each != out]) for out in links)
    return max(joined, key=lambda each: (each.below, each.expected))


def _joined(target: Target, other: OtherTable, links: Sequence[str]) -> _Joined:
    assert target.whole is not None
    quasi = _shared(target, other)[0]
    release = visible_lines(target.whole, target.quasi_identifiers)
    earlier = visible_lines(other.cells, quasi)
    # Lines of all compared columns; groups are made by the quasi-identifiers of each release.
    own = [*target.quasi_identifiers, *links]
    release, _ = narrowed(release, own)
    earlier, _ = narrowed(earlier, [*quasi, *links])
    _, group = distinct_codes(release.codes[:, : len(target.quasi_identifiers)])
    other_group = (
        distinct_codes(earlier.codes[:, : len(quasi)])[1] if quasi else np.zeros(len(earlier.codes), np.int64)
    )
    left, right = _links(target, release, earlier, [*quasi, *links])
    hidden, chance = _hidden(group, release.counts, left, other_group[right], earlier.counts[right])
    whole = np.bincount(group, release.counts)[group]
    return _Joined(
        name=other.name,
        columns=tuple(links),
        rows=release.rows,
        linked=int(release.counts[hidden < whole].sum()),
        unlinked=release.rows - int(release.counts[np.unique(left)].sum()),
        expected=float((release.counts * chance).sum()),
        smallest=int(hidden.min()) if len(hidden) else None,
        below=int(release.counts[hidden < target.least].sum()),
    )


def _hidden(
    group: NDArray[np.int64],
    counts: NDArray[np.int64],
    linked: NDArray[np.int64],
    others: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per line among how many rows it is hidden at most, and the chance that a guess finds its person.

    Parameters
    ----------
    group, counts
        Per line its group, and its rows.
    linked, others, weights
        Per link its line, the group of the other release, and how many rows it has there.
    """
    # One entry per line and group that it can be linked with.
    width = int(others.max(initial=0)) + 1
    entries, of_link = np.unique(linked * width + others, return_inverse=True)
    line = entries // width
    weight = np.bincount(of_link.reshape(-1), weights, len(entries))
    _, pair = np.unique(group[line] * width + entries % width, return_inverse=True)
    among = np.bincount(pair.reshape(-1), counts[line])[pair.reshape(-1)] if len(line) else np.zeros(0)
    total = np.bincount(line, weight, len(group))
    # Lines that cannot be linked stay among those of their group that cannot either.
    alone = total == 0
    unlinked = np.bincount(group, counts * alone)[group]
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(alone, 1 / unlinked, np.bincount(line, weight / among, len(group)) / total)
    hidden = np.where(alone, unlinked, 0).astype(np.float64)
    np.maximum.at(hidden, line, among)
    return hidden, chance


def _links(
    target: Target, release: CodedCells, earlier: CodedCells, columns: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of lines that may be of one person: equal where cells are values, overlapping elsewhere."""
    equal = [
        name for name in columns if only_equal(target.reader(name), release.texts(name), earlier.texts(name))
    ]
    keys = [common_codes(release.texts(name), earlier.texts(name)) for name in equal]
    mine = [codes[release.column(name)] for (codes, _), name in zip(keys, equal, strict=True)]
    theirs = [codes[earlier.column(name)] for (_, codes), name in zip(keys, equal, strict=True)]
    lines = len(release.codes)
    numbers = np.zeros(lines + len(earlier.codes), np.int64)
    if equal:
        stacked = np.vstack([np.column_stack(mine), np.column_stack(theirs)])
        numbers = distinct_codes(stacked.astype(np.int32))[1]
    rest = [name for name in columns if name not in equal]
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first, second in _pairs(numbers[:lines], numbers[lines:]):
        kept = agreeing(target, (release, earlier), rest, first, second)
        left.append(first[kept])
        right.append(second[kept])
    return np.concatenate(left), np.concatenate(right)


def _pairs(
    one: NDArray[np.int64], two: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs of lines with equal numbers, block by block."""
    order = np.argsort(two, kind="stable")
    ordered = two[order]
    first = np.searchsorted(ordered, one)
    counts = np.searchsorted(ordered, one, side="right") - first
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(one):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + BLOCK, side="right")))
        size = counts[begin:end]
        lines = np.repeat(np.arange(begin, end), size)
        place = np.arange(len(lines)) - np.repeat(np.cumsum(size) - size, size)
        yield lines, order[np.repeat(first[begin:end], size) + place]
        begin = end
