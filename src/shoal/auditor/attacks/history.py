"""History: somebody knows events of a person and looks for whom, in the release, they may have happened to.

The attacker knows the quasi-identifiers of m events, from 1 to all, and follows the column of persons through
the released rows. A released person is a candidate if each known event can be another of their rows, in the
order of the events where the release keeps it; whoever knows all events also knows how many they are. The
guess among c candidates is right with a chance of 1/c. Where persons of both tables can be paired, the known
events are some that were released, so that the person is among the candidates; otherwise the chance is an
upper bound, as in record linkage. Many people, and many choices of events of one person, are sampled with a
fixed seed.

A release without a column of persons has rows that nobody can link: one event is all that can be known of a
row. The promises that withstand the attack: docs/promises-about-people.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from shoal.auditor.attacks._base import Attack, AttackPart, AttackResult, Target
from shoal.auditor.attacks._followed import Followed
from shoal.auditor.attacks._known_people import SEED, KnownPeople, is_linkable, known_people, tables
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.history.promise import Unit

CHOICES = 6
"""Choices of known events that are tried for one person and number of events."""
MOST_ROWS = 2_000_000
MANY = {"person": "persons", "household": "households"}


@dataclass(frozen=True, kw_only=True)
class Found:
    """How well people are found by so many known events.

    Parameters
    ----------
    known
        How many; `None` for all, and their number.
    tried, expected
        People who have a candidate, and how many of them a guess finds on average.
    alone, below
        People with one candidate, and with fewer than k, for some choice of their events.
    fewest
        The fewest candidates of anybody.
    """

    known: int | None
    tried: int
    expected: float
    alone: int
    below: int
    fewest: int | None

    @property
    def rate(self) -> float:
        """The chance of a guess on average."""
        return self.expected / self.tried if self.tried else 0.0

    def label(self, unit: Unit) -> str:
        """What is known, in words; rows of a household are its members."""
        row = "event" if unit == "person" else "member"
        if self.known is None:
            return f"all {row}s"
        return f"1 {row}" if self.known == 1 else f"{self.known:,} {row}s"


class History(Attack):
    """People who are found by events that are known of them."""

    name = "history"
    criterion = "linkability"
    finds_who = True
    needs = ("entity", "original")
    uses = ("in_order", "events")

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        if target.known_apart:
            return "k is promised on sets of quasi-identifiers, and a history is of all of them together"
        original = target.original_events if target.original_in_order is None else target.original_in_order
        if original is None or target.entity not in original.columns:
            return f"the original has no column {target.entity!r}, which says whose row it is"
        if max(target.release.rows, original.rows) > MOST_ROWS:
            return (
                f"it follows persons through at most {MOST_ROWS:,} rows, and there are more; attack the "
                "release of some of the persons"
            )
        candidates, _, _ = tables(target)
        if not any(len(candidates.lines(event)) for event in range(len(candidates.people.codes))):
            return (
                "no event of the original fits any released row: they are of other people, or released "
                "values are means of groups, which fit nobody"
            )
        return None

    def run(self, target: Target) -> AttackResult:
        people = known_people(target)
        linkable = is_linkable(target)
        released = people.released
        followed = Followed(people.candidates, released.lines, released.owners, ordered=people.ordered)
        numbers = _numbers(target.known_events, linkable=linkable, whole=people.complete)
        found = _found(people, followed, numbers, target.k)
        judged = [each for each in found if _is_judged(each.known, target.known_events)]
        worst = max(judged, key=lambda each: each.rate)
        exposed = max(each.below for each in judged)
        made = replace(
            self.result(
                target,
                tried=worst.tried,
                succeeded=worst.expected,
                words=_words(target, people, found, linkable=linkable),
                facts={
                    "linkable": linkable,
                    "persons": people.persons,
                    "found": people.found,
                    "paired_by": people.paired_by,
                    "in_order": people.ordered,
                    "judged_up_to": "all" if target.known_events is None else target.known_events,
                    "unsure_rows": people.unsure,
                    "known_events": [_facts(each) for each in found],
                },
            ),
            among=MANY[target.unit] if linkable or people.paired_by else "rows",
            parts=tuple(
                AttackPart(label=each.label(target.unit), tried=each.tried, succeeded=each.expected)
                for each in found
            ),
        )
        # As for linkage: 1/k is promised to each person; a rate that the policy states is over all.
        return made if self.name in target.allowed else replace(made, exposed=exposed if target.k > 1 else 0)


def _numbers(stated: int | None, *, linkable: bool, whole: bool) -> list[int | None]:
    """The numbers of known events that are tried; 1, 2, 3, the stated one and all of them."""
    if not linkable:
        return [1]
    some = sorted({1, 2, 3, *([] if stated is None else [stated])})
    return [*some, None] if whole else [*some]


def _is_judged(known: int | None, stated: int | None) -> bool:
    return stated is None or (known is not None and known <= stated)


def _found(people: KnownPeople, followed: Followed, numbers: Sequence[int | None], k: int) -> list[Found]:
    random = np.random.default_rng(SEED)
    # One person after another: which rows may be an event is looked up once for all choices of theirs.
    counts = [
        [
            [
                count
                for choice in _choices(events, known, random)
                if (count := followed.persons(choice, whole=known is None))
            ]
            for known in numbers
        ]
        for events in people.events
    ]
    return [_of(known, [own[place] for own in counts], k) for place, known in enumerate(numbers)]


def _of(known: int | None, counts: Sequence[Sequence[int]], k: int) -> Found:
    """How well people are found, given the numbers of candidates for each choice of their events."""
    some = [own for own in counts if own]
    fewest = [min(own) for own in some]
    return Found(
        known=known,
        tried=len(some),
        expected=math.fsum(sum(1 / count for count in own) / len(own) for own in some),
        alone=sum(count == 1 for count in fewest),
        below=sum(count < k for count in fewest),
        fewest=min(fewest, default=None),
    )


def _choices(
    events: Sequence[int], known: int | None, random: np.random.Generator
) -> Iterator[tuple[int, ...]]:
    """The events that are known: all, or each choice of so many; some choices, if there are too many."""
    number = len(events) if known is None else min(known, len(events))
    if math.comb(len(events), number) <= CHOICES:
        yield from combinations(events, number)
        return
    draws = (random.choice(len(events), number, replace=False) for _ in range(CHOICES))
    drawn = {tuple(sorted(places.tolist())) for places in draws}
    for places in sorted(drawn):
        yield tuple(events[place] for place in places)


def _facts(found: Found) -> dict[str, object]:
    return {
        "events": "all" if found.known is None else found.known,
        "tried": found.tried,
        "expected": found.expected,
        "rate": found.rate,
        "alone": found.alone,
        "below_k": found.below,
        "fewest_candidates": found.fewest,
    }


def _by(found: Found, target: Target) -> str:
    below = f", {found.below:,} among fewer than {target.k:,}" if target.k > 2 else ""
    chance = f"found with a chance of {percent(found.rate)}"
    return f"by {found.label(target.unit)}: {chance}, {found.alone:,} alone{below}"


def _words(target: Target, people: KnownPeople, found: Sequence[Found], *, linkable: bool) -> str:
    many = MANY[target.unit]
    words = []
    if not linkable:
        words.append(f"The release does not mark {many}, so rows cannot be linked.")
    words.append(
        f"{many.capitalize()} of the original: {people.persons:,}"
        + ("" if people.found is None else f"; known to be in the release: {people.found:,}")
        + f"; tried: {len(people.events):,}"
        + (", a sample." if len(people.events) < (people.found or people.persons) else ".")
    )
    words.append(f"{'; '.join(_by(each, target) for each in found).capitalize()}.")
    if people.paired_by is None:
        hidden = f"{many} of both tables" if linkable else "rows of both tables"
        words.append(
            f"The {hidden} cannot be paired, so chances are upper bounds"
            + ("." if linkable else ", and candidates are rows.")
        )
        if linkable and not people.complete:
            words.append("Rows were left out, nobody knows which, so whole histories were not tried.")
    if people.unsure:
        words.append(f"{people.unsure:,} rows whose person is not certain count as persons of their own.")
    return " ".join(words)
