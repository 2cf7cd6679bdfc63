"""Record linkage: somebody with a table of names looks up people's values among the released rows.

The attacker guesses evenly among the rows that may be a person's, so for a person with c candidates the guess
is right with a chance of 1/c, if the person is in the release at all. People without a candidate are not
tried: they are not in the release, or were suppressed.

Paper: Samarati, TKDE 13(6), 2001; the survey's voter list, Fig. 1 and 2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._linked import common_codes, visible_lines
from shoal.auditor.attacks.candidates import Candidates
from shoal.model.table.coded_cells import CodedCells


class Linkage(Attack):
    """People of an external table who are matched correctly by guessing among their candidates."""

    name = "linkage"
    criterion = "linkability"
    finds_who = True
    needs = ("external",)

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        assert target.external is not None
        if not known_columns(target):
            return "the external table has none of the quasi-identifiers"
        if not target.external.rows:
            return "the external table has no rows"
        candidates = _candidates(target)
        unmatched = candidates.unmatched_columns
        if not unmatched and candidates.release.rows and not candidates.counts.any():
            return (
                "nobody in the external table fits any released row: they are other people, or released "
                "values are means of groups, which fit nobody"
            )
        if unmatched:
            return (
                f"no cell of {', '.join(map(repr, unmatched))} in the external table fits any released one: "
                "they are written differently, or belong to other people"
            )
        if (
            target.key is not None
            and not np.intersect1d(*_keys(target.release, target.external, target.key)).size
        ):
            return f"{target.key!r} should say whose row it is, but no cell of it is in both tables"
        return None

    def run(self, target: Target) -> AttackResult:
        assert target.external is not None
        columns = known_columns(target)
        release, candidates = visible_rows(target), _candidates(target)
        matched = candidates.counts > 0
        people, counts = candidates.people.counts[matched], candidates.counts[matched]
        tried = int(people.sum())
        certain = int(people[counts == 1].sum())
        expected = float((people / counts).sum())
        hits = (
            None if target.key is None else _measured_hits(release, target.external, candidates, target.key)
        )
        without = candidates.people.rows - tried
        words = (
            f"People of the external table with candidates among the released rows, by {', '.join(columns)}: "
            f"{tried:,}; with a single candidate: {certain:,}; with none, so suppressed or not in the "
            f"release: {without:,}."
        )
        below = int(people[counts < target.k].sum())
        found_out = self.result(
            target,
            tried=tried,
            succeeded=expected if hits is None else hits,
            words=words if hits is None else f"{words} Measured by whose rows they are.",
            facts={
                "by": list(columns),
                "people": candidates.people.rows,
                "without_candidate": without,
                "certain": certain,
                "below_k": below,
                "fewest_candidates": int(counts.min()) if len(counts) else None,
                "expected": expected,
                "measured": hits,
                "candidates": _distribution(counts, people),
                "rows_of_one_person": int(candidates.release.counts[candidates.people_of_lines == 1].sum()),
            },
        )
        # 1/k is promised to each person, not on average; a rate that the policy states is over all.
        return found_out if self.name in target.allowed else replace(found_out, exposed=below)


def _candidates(target: Target) -> Candidates:
    assert target.external is not None
    return Candidates(visible_rows(target), target.external, known_columns(target), target.reader)


def known_columns(target: Target) -> tuple[str, ...]:
    """The quasi-identifiers that the external table has."""
    known = () if target.external is None else target.external.columns
    return tuple(name for name in target.quasi_identifiers if name in known)


def visible_rows(target: Target) -> CodedCells:
    """The released rows without those of `*` alone, which reveal nothing."""
    return visible_lines(target.release, target.quasi_identifiers)


def _measured_hits(release: CodedCells, external: CodedCells, candidates: Candidates, key: str) -> float:
    """How many people a guess finds on average, where a column says whose row each one is."""
    mine, theirs = _keys(release, external, key)
    owners = theirs[external.column(key)]
    keys = mine[release.column(key)]
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    first, last = np.searchsorted(sorted_keys, owners), np.searchsorted(sorted_keys, owners, side="right")
    own = np.maximum(last - first, 0)
    people = np.repeat(np.arange(len(owners)), own)
    place = np.arange(len(people)) - np.repeat(np.cumsum(own) - own, own) + np.repeat(first, own)
    rows = order[place]
    lines, persons = candidates.line_of_row[rows], candidates.line_of_person[people]
    right = candidates.may_be(lines, persons)
    chance = release.counts[rows] / np.maximum(1, candidates.counts[persons])
    return float((external.counts[people] * chance)[right].sum())


def _keys(release: CodedCells, external: CodedCells, key: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per text of the key in each table a number, the same for equal ones; a missing key is nobody's."""
    mine, theirs = common_codes(release.texts(key), external.texts(key))
    for numbers, texts, nobody in ((mine, release.texts(key), -1), (theirs, external.texts(key), -2)):
        numbers[[text is None for text in texts]] = nobody
    return mine, theirs


def _distribution(counts: NDArray[np.int64], people: NDArray[np.int64]) -> list[list[int]]:
    """How many people have how many candidates."""
    sizes, of_size = np.unique(counts, return_inverse=True)
    total = np.bincount(of_size.reshape(-1), people, len(sizes)).astype(np.int64)
    return [list(pair) for pair in zip(sizes.tolist(), total.tolist(), strict=True)]
