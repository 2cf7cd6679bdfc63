"""Minimality: somebody who knows that a release is as fine as was allowed learns from how coarse it is.

The attacker knows everybody in the release with their exact quasi-identifiers, the privacy model, and that
each finer release was refused because it broke the model. Of the ways in which the values of a group can
belong to its people, only those remain that explain the refusals; a value can be far more likely for a
person in them than its share in the group, and than the model seems to promise.

What a finer release is depends on the labels. Where they are one level of a hierarchy, or no hierarchy is
known, it is the release with a column one step finer; where they are of several levels, the one in which a
single label is divided; where labels overlap, each group is divided by itself. A finer release that k alone
refuses needs no other explanation and reveals nothing.

Paper: Wong, Fu, Wang and Pei, VLDB 2007. Deviations: docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._refusals import Refusal, refusals
from shoal.auditor.attacks._worlds import MOST_WORLDS, Counts, Worlds, worlds
from shoal.auditor.attacks.candidates import Candidates
from shoal.auditor.attacks.linkage import known_columns, visible_rows
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.people import SensitiveColumn
from shoal.privacy import GroupModel, SensitiveModel

MOST_REFUSALS = 6
"""Finer releases that are reasoned about together: the work doubles with each."""

ALL_WORLDS = 200_000
"""Worlds that are counted over all groups together, if there are not too many groups."""

ALL_PEOPLE = 5_000_000
"""People over all worlds of a group that are counted."""

LEAST_CHANCE = 1e-9
"""Where all refusals together are less likely than this, the release is not taken for minimal."""


class Minimality(Attack):
    """People whose sensitive value is believed more strongly than the privacy model promises."""

    name = "minimality"
    criterion = "inference"
    needs = ("sensitive", "external")

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        models = _of_values(target)
        others = [each for each in target.models if each not in models and not _counts_rows(each)]
        if len({each.attribute for each in models}) != 1 or others or any(each.joint for each in models):
            return "it needs models of one sensitive column, such as distinct-l-diversity, and no others"
        if models[0].attribute not in target.sensitive:
            return "the release lacks the column that its model is about"
        if any(getattr(each, "ground", "equal") != "equal" for each in models):
            return "it does not know distances between values: for t-closeness it supports equal ones only"
        if len(known_columns(target)) < len(target.quasi_identifiers):
            return "the external table lacks quasi-identifiers"
        candidates = _people(target)
        if (candidates.only_lines < 0).any() or (
            candidates.people_of_lines != candidates.release.counts
        ).any():
            return "the external table does not have exactly the people of the release, each in one group"
        return None

    def run(self, target: Target) -> AttackResult:
        view = _View(visible_rows(target), _people(target), _of_values(target))
        sets = refusals(target, view.candidates)
        groups = sum(len({group for each in together for group in each.parts}) for together in sets)
        most = min(MOST_WORLDS, max(1000, ALL_WORLDS // max(1, groups)))
        outcomes = [_learned(each, view, most) for each in sets]
        learned = sum(each.learned for each in outcomes)
        people = view.candidates.people.rows
        return self.result(
            target,
            tried=people,
            succeeded=learned,
            words=f"Knowing all {people:,} people and that no finer release was allowed, one can believe "
            f"a value of {learned:,} of them more than the model promises and their group shows.",
            facts={
                "finer_releases": sum(map(len, sets)),
                "highest_belief": max((each.highest for each in outcomes if each.is_minimal), default=None),
                "not_minimal": sum(not each.is_minimal for each in outcomes),
                "sampled_groups": sum(each.sampled for each in outcomes),
            },
        )


def _counts_rows(model: object) -> bool:
    return isinstance(model, GroupModel) and model.defines("size_alone") and model.size_alone


def _of_values(target: Target) -> tuple[SensitiveModel, ...]:
    return tuple(each for each in target.models if isinstance(each, SensitiveModel))


def _people(target: Target) -> Candidates:
    assert target.external is not None
    return Candidates(visible_rows(target), target.external, target.quasi_identifiers, target.reader)


@dataclass(frozen=True, eq=False)
class _View:
    """What the attacker sees of a sensitive column."""

    release: CodedCells
    candidates: Candidates
    models: tuple[SensitiveModel, ...]

    @cached_property
    def column(self) -> SensitiveColumn:
        name = self.models[0].attribute
        shown = [self.release.texts(name)[code] for code in self._coded[0].tolist()]
        return SensitiveColumn(
            name=name,
            counts=tuple(np.bincount(self._coded[1], self.release.counts).astype(int).tolist()),
            values=tuple("" if text is None else text for text in shown),
        )

    def values(self, group: int) -> dict[int, int]:
        """Rows per value of a group."""
        rows_of_value: dict[int, int] = {}
        for line in self._lines_of[group]:
            value = int(self._coded[1][line])
            rows_of_value[value] = rows_of_value.get(value, 0) + int(self.release.counts[line])
        return rows_of_value

    @cached_property
    def _coded(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The values that occur, and per line which of them it has."""
        codes, of_line = np.unique(self.release.column(self.models[0].attribute), return_inverse=True)
        return codes, of_line.reshape(-1)

    @cached_property
    def _lines_of(self) -> Mapping[int, list[int]]:
        lines: dict[int, list[int]] = {}
        for line, group in enumerate(self.candidates.line_of_row.tolist()):
            lines.setdefault(group, []).append(line)
        return lines

    def admits(self, values: Sequence[int], counts: Counts) -> bool:
        """Whether rows with these values could be released."""
        rows = {value: count for value, count in zip(values, counts, strict=True) if count}
        return all(model.accepts(model.value(rows, self.column)) for model in self.models)

    def limit(self, value: int) -> float:
        """The strongest belief in a value that the models allow; a hidden one is not learned at all."""
        if self.column.values[value] == SUPPRESSED:
            return 1.0
        return min(model.most_belief(value, self.column) for model in self.models)


@dataclass(frozen=True, kw_only=True)
class _Learned:
    """How many people a set of refusals reveals, and the highest belief."""

    learned: int = 0
    highest: float = 0.0
    sampled: int = 0
    is_minimal: bool = True


def _learned(together: Sequence[Refusal], view: _View, most: int) -> _Learned:
    """What follows from finer releases that were all refused."""
    groups = sorted({group for each in together for group in each.parts})
    atoms, may_be = {}, {}
    for group in groups:
        atoms[group], divisions = _atoms(together, group, view.candidates)
        counts = view.values(group)
        values = sorted(counts)
        may_be[group] = worlds(
            atoms[group],
            [counts[value] for value in values],
            divisions,
            lambda held, values=values: view.admits(values, held),  # type: ignore[misc]
            most=min(most, max(200, ALL_PEOPLE // sum(atoms[group]))),
        )
    sampled = sum(each.sampled for each in may_be.values())
    beliefs = _beliefs(list(may_be.values()), len(together))
    if beliefs is None:
        return _Learned(sampled=sampled, is_minimal=False)
    learned, highest = 0, 0.0
    for group, belief in zip(groups, beliefs, strict=True):
        counts = view.values(group)
        shown = np.array([counts[value] for value in sorted(counts)]) / sum(counts.values())
        limits = np.array([view.limit(value) for value in sorted(counts)])
        broken = (belief > np.maximum(limits, shown) + 1e-9).any(axis=1)
        learned += int(np.array(atoms[group])[broken].sum())
        highest = max(highest, float(belief.max()))
    return _Learned(learned=learned, highest=highest, sampled=sampled)


def _atoms(
    together: Sequence[Refusal], group: int, candidates: Candidates
) -> tuple[list[int], list[list[list[int]]]]:
    """People of each atom of a group, and per refusal the atoms of each part."""
    people = candidates.people_in[group]
    parts = np.column_stack([each.parts.get(group, np.zeros(len(people), np.int64)) for each in together])
    lines, of_person = np.unique(parts, axis=0, return_inverse=True)
    sizes = np.bincount(of_person.reshape(-1), candidates.people.counts[people], len(lines)).astype(int)
    divisions = [
        [np.flatnonzero(column == part).tolist() for part in np.unique(column)] for column in lines.T
    ]
    return sizes.tolist(), divisions


def _beliefs(groups: Sequence[Worlds], refused: int) -> list[NDArray[np.float64]] | None:
    """Per group the share of each value in each atom, given that every refusal has a reason somewhere.

    `None` if it has none: the release was not minimal. Groups are independent of each other, so the chance
    that others give a reason for what a world of one group does not is found by inclusion and exclusion.
    """
    chosen = _most_revealing(groups, refused)
    sets = 1 << len(chosen)
    signs = np.array([(-1.0) ** each.bit_count() for each in range(sets)])
    spared = np.ones((len(groups), sets))  # the chance that a group gives no reason for any refusal of a set
    for number, group in enumerate(groups):
        for each in range(sets):
            spared[number, each] = sum(
                chance
                for ruled_out, chance in group.chances.items()
                if not _narrowed(ruled_out, chosen) & each
            )
    before = np.vstack([np.ones(sets), np.cumprod(spared, axis=0)])
    after = np.vstack([np.cumprod(spared[::-1], axis=0)[::-1], np.ones(sets)])
    whole = float((signs * before[-1]).sum())
    if whole < LEAST_CHANCE:
        return None
    beliefs = []
    for number, group in enumerate(groups):
        others = signs * before[number] * after[number + 1]
        belief = np.zeros_like(next(iter(group.shares.values())))
        for ruled_out, shares in group.shares.items():
            open_refusals = (sets - 1) & ~_narrowed(ruled_out, chosen)
            subsets = [each for each in range(sets) if each & ~open_refusals == 0]
            belief += shares * others[subsets].sum()
        beliefs.append(belief / whole)
    return beliefs


def _most_revealing(groups: Sequence[Worlds], refused: int) -> list[int]:
    """The refusals that are least likely by chance, and so reveal most."""
    spared = np.ones(refused)
    for group in groups:
        for each in range(refused):
            spared[each] *= sum(
                chance for ruled_out, chance in group.chances.items() if not ruled_out >> each & 1
            )
    return [int(each) for each in np.argsort(-spared, kind="stable")[:MOST_REFUSALS]]


def _narrowed(ruled_out: int, chosen: Sequence[int]) -> int:
    """The chosen refusals among those that a world gives a reason for."""
    return sum(1 << place for place, each in enumerate(chosen) if ruled_out >> each & 1)
