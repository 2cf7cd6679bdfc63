"""Composition: looks for people, known by their quasi-identifiers, in two releases of the same people.

Each release hides a person among its own candidates; a reader of both keeps only what is in both. Two people
stay hidden among each other only if every release has the same candidates for them, or suppresses both. And
the sensitive values that a person can have are those that every release leaves: often only one.

It succeeds with those who are left among fewer than k. The facts report for how many people the sensitive
values shrink to one, and how many of these the attacked release alone reveals.

Paper: Ganta, Kasiviswanathan and Smith, KDD 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, OtherTable, Target
from shoal.auditor.attacks._linked import below_k, key, visible_lines
from shoal.auditor.attacks.candidates import NO_CANDIDATE, Candidates, candidate_sets
from shoal.model.table.cell_meaning import Key
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import SUPPRESSED


class Composition(Attack):
    """People who are among fewer than k in the groups that all releases together make."""

    name = "composition"
    criterion = "linkability"
    needs = ("earlier",)

    def lacking(self, target: Target) -> str | None:
        if target.ledger and not target.earlier:
            return None
        absent = super().lacking(target)
        if absent is not None:
            return absent
        people = _people(target)
        if people is None:
            return "neither the original nor an external table says whom to look for"
        if not any(_known(target, people, each.cells) for each in target.earlier):
            return "no earlier release has a quasi-identifier that is known about people"
        for name, table in (("the release", target.release), *((e.name, e.cells) for e in target.earlier)):
            unmatched = _unmatched(target, people, table)
            if unmatched:
                # Nobody would be found there, which looks as safe as suppressing everybody.
                return (
                    f"no cell of {', '.join(map(repr, unmatched))} that is known about people fits {name}: "
                    "they are written differently, or belong to other people"
                )
        return None

    def run(self, target: Target) -> AttackResult:
        if not target.earlier:
            words = "The ledger has no earlier release that this one can be combined with."
            return below_k(self, target, tried=0, succeeded=0, words=words, facts={"releases": 1})
        people = _people(target)
        assert people is not None
        views = [_view(target, people, target.release)]
        others = [each for each in target.earlier if _known(target, people, each.cells)]
        views.extend(_view(target, people, each.cells) for each in others)
        lines = np.column_stack([each.candidates for each in views])
        covered = (lines != NO_CANDIDATE).any(axis=1)
        joint, of_person = distinct_codes((lines[covered] + 1).astype(np.int32))
        counts = people.counts[covered]
        sizes = np.bincount(of_person, counts, len(joint)).astype(np.int64)
        tried, below = int(sizes.sum()), int(sizes[sizes < target.least].sum())
        smallest = int(sizes.min()) if len(sizes) else None
        located = people.lines(np.asarray(covered))
        columns = {
            name: _inferred(name, views, joint - 1, of_person, located)
            for name in target.sensitive
            if any(name in each.columns for each in views[1:])
        }
        shrunk = sum(each["inferred"] or 0 for each in columns.values())
        alone = sum(each["inferred_alone"] or 0 for each in columns.values())
        words = (
            f"With {_counted(others)}, {tried:,} people fall into {len(sizes):,} groups; the smallest has "
            f"{smallest}, and {below:,} people are in groups smaller than {target.least}."
        )
        if columns:
            words += (
                f" {shrunk:,} sensitive cells have one possible value left, {alone:,} of them in this "
                "release alone."
            )
        facts = {
            "releases": len(views),
            "smallest": smallest,
            "groups": len(sizes),
            "without_candidate": people.rows - tried,
            "columns": columns,
        }
        return below_k(self, target, tried=tried, succeeded=below, words=words, facts=facts)


def _people(target: Target) -> CodedCells | None:
    """The people to look for: those of the original, or those of an external table."""
    return target.external if target.original is None else target.original


def _known(target: Target, people: CodedCells, release: CodedCells) -> list[str]:
    """The quasi-identifiers by which people are looked for in a release."""
    both = {*people.columns} & {*release.columns}
    return [name for name in (*target.quasi_identifiers, *target.also_known) if name in both]


def _unmatched(target: Target, people: CodedCells, table: CodedCells) -> tuple[str, ...]:
    """The columns by which nobody can be found in a release; none where it reveals no row."""
    columns = _known(target, people, table)
    release = visible_lines(table, columns)
    if not columns or not release.rows or not people.rows:
        return ()
    return Candidates(release, people, columns, target.reader).unmatched_columns


@dataclass(frozen=True, kw_only=True, eq=False)
class _View:
    """A release as seen by somebody who knows people.

    Parameters
    ----------
    columns
        The columns of the release.
    candidates
        Per person a number, the same for those who have the same candidates; `NO_CANDIDATE` for none.
    values
        Per number and column the values of the candidates; no entry where one is hidden, because it
        may be any.
    """

    columns: tuple[str, ...]
    candidates: NDArray[np.int64]
    values: dict[int, dict[str, frozenset[Key | None]]]


def _view(target: Target, people: CodedCells, table: CodedCells) -> _View:
    columns = _known(target, people, table)
    release = visible_lines(table, columns)
    candidates = Candidates(release, people, columns, target.reader)
    of_line = candidate_sets(candidates)
    sensitive = [name for name in target.sensitive if name in table.columns]
    of_lines = {name: _values_of_lines(release, name, candidates.line_of_row) for name in sensitive}
    values: dict[int, dict[str, frozenset[Key | None]]] = {}
    # One person represents each set; the first set is empty if somebody has no candidate.
    numbers, persons = np.unique(of_line, return_index=True)
    for one, person in zip(numbers.tolist(), persons.tolist(), strict=True):
        if one != NO_CANDIDATE:
            lines = candidates.lines(person).tolist()
            found_values = {
                name: frozenset[Key | None]().union(*(per_line[line] for line in lines))
                for name, per_line in of_lines.items()
            }
            values[one] = {name: each for name, each in found_values.items() if SUPPRESSED not in each}
    return _View(columns=table.columns, candidates=of_line[candidates.line_of_person], values=values)


def _values_of_lines(
    release: CodedCells, name: str, line_of_row: NDArray[np.int64]
) -> dict[int, set[Key | None]]:
    """Per distinct line of the quasi-identifiers the values that its rows have in a column."""
    keys = [key(text) for text in release.texts(name)]
    values: dict[int, set[Key | None]] = {}
    for line, code in zip(line_of_row.tolist(), release.column(name).tolist(), strict=True):
        values.setdefault(line, set()).add(keys[code])
    return values


def _inferred(
    name: str,
    views: Sequence[_View],
    joint: NDArray[np.int32],
    of_person: NDArray[np.int64],
    people: CodedCells,
) -> dict[str, int | None]:
    """How many people have one value left in a column, and how many of those values are right."""
    sets, alone = [], []
    for line in joint.tolist():
        possible = [
            each.values[number][name]
            for each, number in zip(views, line, strict=True)
            if number != NO_CANDIDATE and name in each.values[number]
        ]
        sets.append(frozenset.intersection(*possible) if possible else frozenset())
        own = views[0].values[line[0]].get(name) if line[0] != NO_CANDIDATE else None
        alone.append(own is not None and len(own) == 1)
    one = np.array([len(each) == 1 for each in sets], np.bool_)[of_person]
    right: int | None = None
    if name in people.columns:
        keys = [key(text) for text in people.texts(name)]
        codes, groups = people.column(name)[one].tolist(), of_person[one].tolist()
        true = [keys[code] in sets[group] for code, group in zip(codes, groups, strict=True)]
        right = int(people.counts[one][np.array(true, np.bool_)].sum())
    return {
        "inferred": int(people.counts[one].sum()),
        "inferred_alone": int(people.counts[np.array(alone, np.bool_)[of_person] & one].sum()),
        "right": right,
    }


def _counted(others: Sequence[OtherTable]) -> str:
    return "an earlier release" if len(others) == 1 else f"{len(others)} earlier releases"
