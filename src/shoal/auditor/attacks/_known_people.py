"""The people whom a history attack tries to find: which of their events were released, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.attacks._alignment import matched, matched_in_order
from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks._whose import (
    NO_MARK,
    EventRows,
    PairedBy,
    by_mark,
    by_rows,
    owners_of,
    row_pairs,
    some_rows,
)
from shoal.auditor.attacks.candidates import Candidates
from shoal.auditor.original.pairing import NOBODY
from shoal.model.table.coded_cells import CodedCells

SEED = 0
MOST_TRIED = 2_000
LEAST_TRIED = 500
WORK = 40_000_000
"""Released rows times people tried, above which fewer people are tried."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownPeople:
    """Some people of the original, with the events that an attacker may know of them.

    Parameters
    ----------
    candidates
        Which released line may be which event.
    released
        The released rows that reveal anything. Their owners are the persons that candidates are counted in.
    events
        For each person who is tried their events in order, as lines of the candidates' people: those that
        were released, if it is known which.
    persons
        How many persons the original has.
    found
        How many of them are known to be in the release; `None` if nobody knows whose rows are whose.
    paired_by
        How persons of both tables were paired, if they were.
    ordered
        Whether the release has the rows of each person in the order of the original.
    complete
        Whether `events` are all released rows of each person.
    unsure
        Released rows whose person is not certain, where no column marks persons.
    """

    candidates: Candidates
    released: EventRows
    events: tuple[tuple[int, ...], ...]
    persons: int
    found: int | None
    paired_by: PairedBy | None
    ordered: bool
    complete: bool
    unsure: int = 0


def known_people(target: Target) -> KnownPeople:
    """The people to find, of a target that lacks nothing."""
    candidates, released, original = tables(target)
    shown = ~_silent(target, released.cells)
    visible = some_rows(released, shown)
    if not is_linkable(target):
        pairs = _row_pairs(target, candidates, released, original)
        if pairs is None:
            return _unpaired(candidates, visible, original, complete=False)
        return _unlinked(candidates, visible, original, pairs[0][shown], pairs[1])
    marked = by_mark(released, original)
    if marked is not None:
        found = _linked(target, candidates, visible, original, marked, "mark")
        if found is not None:
            return found
    pairs = _row_pairs(target, candidates, released, original)
    person_of = None if pairs is None else by_rows(pairs[0], released, original)
    if pairs is not None and person_of is not None:
        found = _linked(target, candidates, visible, original, person_of, pairs[1])
        if found is not None:
            return found
    return _unpaired(candidates, visible, original, complete=len(released.lines) == len(original.lines))


def tables(target: Target) -> tuple[Candidates, EventRows, EventRows]:
    """Both tables as events, and which may be which."""
    release, original = rows_of(target)
    candidates = Candidates(release, original, target.quasi_identifiers, target.reader)
    assert target.entity is not None
    nobody = np.arange(len(release.codes)), ()
    owners, marks = owners_of(release, target.entity) if is_linkable(target) else nobody
    theirs, their_marks = owners_of(original, target.entity)
    return (
        candidates,
        EventRows(
            cells=release,
            lines=candidates.line_of_row,
            owners=owners,
            marks=marks,
            in_order=target.in_order is not None,
        ),
        EventRows(
            cells=original,
            lines=candidates.line_of_person,
            owners=theirs,
            marks=their_marks,
            in_order=target.original_in_order is not None,
        ),
    )


def rows_of(target: Target) -> tuple[CodedCells, CodedCells]:
    """The rows of the release and of the original one by one, in order where they have one."""
    release = target.events if target.in_order is None else target.in_order
    original = target.original_events if target.original_in_order is None else target.original_in_order
    assert release is not None
    assert original is not None
    return _one_by_one(release), _one_by_one(original)


def is_linkable(target: Target) -> bool:
    """Whether the release marks the rows of persons, in at least two ways."""
    release = target.events if target.in_order is None else target.in_order
    if release is None or target.entity is None or target.entity not in release.columns:
        return False
    texts = release.texts(target.entity)
    used = np.unique(release.column(target.entity)).tolist()
    return len({texts[code] for code in used} - {*NO_MARK}) > 1


def _one_by_one(cells: CodedCells) -> CodedCells:
    if (cells.counts == 1).all():
        return cells
    return replace(
        cells,
        codes=np.repeat(cells.codes, cells.counts, axis=0),
        counts=np.ones(cells.rows, np.int64),
    )


def _silent(target: Target, release: CodedCells) -> NDArray[np.bool_]:
    chosen = [release.position(name) for name in target.quasi_identifiers]
    return np.asarray(release.stars()[:, chosen].all(axis=1))


def _kept(target: Target) -> tuple[str, ...]:
    """The other columns of both tables that have no cell in the release that the original lacks."""
    release, original = rows_of(target)
    return tuple(
        name
        for name in release.columns
        if name in original.columns
        and name not in (*target.quasi_identifiers, target.entity)
        and set(release.texts(name)) <= set(original.texts(name))
    )


def _row_pairs(
    target: Target, candidates: Candidates, released: EventRows, original: EventRows
) -> tuple[NDArray[np.int64], PairedBy] | None:
    return row_pairs(candidates, released, original, _kept(target)) if target.ordered else None


def _linked(
    target: Target,
    candidates: Candidates,
    released: EventRows,
    original: EventRows,
    person_of: NDArray[np.int64],
    paired_by: PairedBy,
) -> KnownPeople | None:
    """The people by a pairing of persons; `None` if it is untrue of somebody who is tried."""
    there = np.unique(released.owners)
    there = there[person_of[there] != NOBODY]
    tried = _sample(there, len(released.lines))
    events = _events(original, person_of[tried])
    of_both = zip(tried.tolist(), events, strict=True)
    fits = [_fits(candidates, released.lines_of(one), own) for one, own in of_both]
    in_order = released.in_order and original.in_order and target.ordered
    places = [matched_in_order(own) if in_order else None for own in fits]
    ordered = all(held is not None for held in places)
    if not ordered:
        places = [matched(own) for own in fits]
    chosen = tuple(
        tuple(own[place] for place in sorted(held))
        for own, held in zip(events, places, strict=True)
        if held is not None
    )
    if len(chosen) < len(fits) or not chosen:
        return None
    return KnownPeople(
        candidates=candidates,
        released=released,
        events=chosen,
        persons=original.persons,
        found=len(there),
        paired_by=paired_by,
        ordered=ordered,
        complete=True,
    )


def _unlinked(
    candidates: Candidates,
    released: EventRows,
    original: EventRows,
    pairs: NDArray[np.int64],
    paired_by: PairedBy,
) -> KnownPeople:
    """The people of a release without a column of persons, by pairs of rows."""
    sure = pairs != NOBODY
    # A row whose person is not certain counts as a person: nobody is said to be found who may be hidden.
    owners = original.persons + np.arange(len(pairs))
    owners[sure] = original.owners[pairs[sure]]
    held = np.zeros(len(original.lines), np.bool_)
    held[pairs[sure]] = True
    known = some_rows(original, held)
    there = np.unique(known.owners)
    return KnownPeople(
        candidates=candidates,
        released=replace(released, owners=owners),
        events=_events(known, _sample(there, len(released.lines))),
        persons=original.persons,
        found=len(there),
        paired_by=paired_by,
        ordered=False,
        complete=False,
        unsure=int((~sure).sum()),
    )


def _unpaired(
    candidates: Candidates, released: EventRows, original: EventRows, *, complete: bool
) -> KnownPeople:
    """The people of the original where nobody knows whose rows are whose."""
    return KnownPeople(
        candidates=candidates,
        released=released,
        events=_events(original, _sample(np.arange(original.persons), len(released.lines))),
        persons=original.persons,
        found=None,
        paired_by=None,
        ordered=False,
        complete=complete,
    )


def _events(rows: EventRows, persons: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(rows.lines_of(person).tolist()) for person in persons.tolist())


def _sample(persons: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    most = max(LEAST_TRIED, min(MOST_TRIED, WORK // max(1, rows)))
    if len(persons) <= most:
        return persons
    return np.sort(np.random.default_rng(SEED).choice(persons, most, replace=False))


def _fits(candidates: Candidates, lines: NDArray[np.int64], events: Sequence[int]) -> NDArray[np.bool_]:
    """Per released row of a person and event of theirs whether the one may be the other."""
    rows, known = np.repeat(lines, len(events)), np.tile(np.array(events, np.int64), len(lines))
    return candidates.may_be(rows, known).reshape(len(lines), len(events))
