"""Which rows an extended release may have, against an attacker who tries everybody in all versions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.pipeline.extending import held_back
from shoal.pipeline.extending.held_back import GONE, Chosen, Versions, chosen
from tests.agreement.thoroughness import examples

K, L = 3, 2
Table = dict[int, tuple[int, str]]
"""A version of the source: person -> group by the kept labels, sensitive value."""


@dataclass
class World:
    """All versions that were released: per person the group in each, `None` where the release lacks them."""

    histories: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    sources: list[Table] = field(default_factory=list)

    def release(self, source: Table, choose: Callable[[Versions], Chosen], *, models: bool) -> Chosen | None:
        """Extend by a version; the first one releases every group that may be."""
        people, before = list(source), self.sources[-1] if self.sources else {}
        versions = len(self.sources)
        past = [person for person, history in self.histories.items() if history[-1] is not None]
        parts: dict[tuple[int | None, ...], int] = {}
        place = {person: row for row, person in enumerate(people)}
        barred = [person in self.histories and person not in past for person in people]
        answer = choose(
            Versions(
                k=K,
                part=np.array(
                    [parts.setdefault(self.histories[each], len(parts)) for each in past], np.int64
                ),
                today=np.array([place.get(each, GONE) for each in past], np.int64),
                group=np.array([source[each][0] for each in people], np.int64),
                barred=np.array(barred, np.bool_),
                admits_before=_diverse([before[each][1] for each in past], on=models),
                admits_today=_diverse([source[each][1] for each in people], on=models),
                values_before=_numbers([before[each][1] for each in past], on=models),
                values_today=_numbers([source[each][1] for each in people], on=models),
                draw=np.random.default_rng(1).integers(0, 2**60, len(past)).astype(np.uint64),
            )
        )
        kept = dict(zip(people, answer.kept.tolist(), strict=True))
        for person in {*self.histories, *(each for each in people if kept[each])}:
            history = self.histories.get(person, (None,) * versions)
            now = source[person][0] if kept.get(person) else None
            self.histories[person] = (*history, now)
        self.sources.append(source)
        return answer

    def fitting(self, person: int) -> list[int]:
        """The released rows, lined up over all versions, that can be a person's.

        A row is a thread with a label per version. It fits if the person was in the source whenever the
        release had the row, with values that the label covers.
        """
        return [
            thread
            for thread, history in self.histories.items()
            if all(
                group is None or (person in source and source[person][0] == group)
                for group, source in zip(history, self.sources, strict=True)
            )
        ]

    def parts(self) -> dict[tuple[int | None, ...], list[int]]:
        """Rows that were in the same groups in the same versions."""
        found: dict[tuple[int | None, ...], list[int]] = defaultdict(list)
        for person, history in self.histories.items():
            found[history].append(person)
        return found

    def values(self, version: int, people: list[int]) -> Counter[str]:
        """The sensitive values of rows in a version."""
        return Counter(self.sources[version][each][1] for each in people)


def _diverse(values: list[str], *, on: bool) -> held_back.Admits:
    def admits(rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        count = int(numbers.max()) + 1 if len(numbers) else 0
        seen: list[set[str]] = [set() for _ in range(count)]
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            seen[number].add(values[row])
        return np.array([not on or len(each) >= L for each in seen], np.bool_)

    return admits


def _numbers(values: list[str], *, on: bool) -> np.ndarray:
    return np.array([[ord(each)] for each in values] if on else [[]] * len(values), np.int64).reshape(
        len(values), -1 if on and values else int(on)
    )


def everybody(versions: Versions) -> Chosen:
    """The guard turned off: all rows are released that have a label."""
    return Chosen(kept=versions.group != GONE, stay=0, joined=0, left=0, waiting=0, withdrawn=0, unlabelled=0)


@st.composite
def sources(draw: st.DrawFn) -> list[Table]:
    """Two to four versions of a table: people join, leave, come back, move, and change their values."""
    versions = draw(st.integers(2, 4))
    cells = st.tuples(st.integers(0, 1), st.sampled_from("abc"))
    table: Table = dict(enumerate(draw(st.lists(cells, min_size=8, max_size=16))))
    found = [dict(table)]
    for _ in range(versions - 1):
        for person in draw(st.sets(st.integers(0, 20), max_size=4)):
            table.pop(person, None)
        new = draw(st.lists(cells, max_size=8))
        table |= {len(table) + 30 * len(found) + number: each for number, each in enumerate(new)}
        for person in draw(st.sets(st.integers(0, 20), max_size=2)):
            if person in found[0]:
                table[person] = draw(cells)
        found.append(dict(table))
    return found


@settings(max_examples=examples(400), deadline=None)
@given(sources())
def test_nobody_is_found_among_fewer_than_k_in_all_versions(tables: list[Table]) -> None:
    """Whoever is released in any version is one of k whom nothing in all versions distinguishes."""
    world = World()
    for table in tables:
        world.release(table, chosen, models=False)
    assume(len(world.histories) > 0)
    for people in world.parts().values():
        assert len(people) >= K
        # Any two of them can be exchanged: no reasoning about everybody at once excludes one of the k.
        assert all({*people} <= {*world.fitting(person)} for person in people)


@settings(max_examples=examples(400), deadline=None)
@given(sources())
def test_no_value_is_found_among_fewer_than_l_in_all_versions(tables: list[Table]) -> None:
    """Rows with the same history have l values in each version, and the same ones in all (m-invariance)."""
    world = World()
    for table in tables:
        world.release(table, chosen, models=True)
    assume(len(world.histories) > 0)
    for history, people in world.parts().items():
        seen = [
            set(world.values(version, people)) for version, group in enumerate(history) if group is not None
        ]
        assert all(len(each) >= L for each in seen)
        assert all(each == seen[0] for each in seen)


def test_without_the_guard_the_attacker_finds_somebody() -> None:
    """The attack is no straw man: one who joins alone, and one who leaves alone, are found."""
    first: Table = {person: (0, "ab"[person % 2]) for person in range(6)}
    joined, left = {**first, 9: (0, "a")}, {person: first[person] for person in range(5)}
    for second, found in ((joined, 9), (left, 5)):
        world = World()
        world.release(first, everybody, models=False)
        world.release(second, everybody, models=False)
        assert len(world.fitting(found)) == 1 or min(map(len, world.parts().values())) == 1
        guarded = World()
        for table in (first, second):
            guarded.release(table, chosen, models=False)
        assert min(map(len, guarded.parts().values())) >= K


def test_as_few_rows_go_as_possible() -> None:
    """One who leaves a group of ten takes k - 1 others along, not the whole group."""
    first: Table = dict.fromkeys(range(10), (0, "a"))
    world = World()
    world.release(first, chosen, models=False)
    answer = world.release({person: first[person] for person in range(9)}, chosen, models=False)
    assert answer is not None
    assert (answer.stay, answer.left, answer.withdrawn) == (7, 1, 2)


def test_new_rows_wait_until_there_are_k_of_them() -> None:
    """Two newcomers wait; with a third one in the next version all three join."""
    table: Table = dict.fromkeys(range(5), (0, "a"))
    world = World()
    world.release(table, chosen, models=False)
    table |= {10: (0, "a"), 11: (0, "a")}
    second = world.release(dict(table), chosen, models=False)
    table[12] = (0, "a")
    third = world.release(dict(table), chosen, models=False)
    assert second is not None
    assert third is not None
    assert (second.joined, second.waiting) == (0, 2)
    assert (third.joined, third.waiting) == (3, 0)


def test_who_was_withdrawn_never_comes_back() -> None:
    """A row that vanished once stays away, also if it is in the source again."""
    first: Table = {person: (person // 4, "a") for person in range(8)}
    world = World()
    world.release(first, chosen, models=False)
    world.release({person: cells for person, cells in first.items() if person != 0}, chosen, models=False)
    answer = world.release(first, chosen, models=False)
    assert answer is not None
    assert answer.kept.tolist() == [False] * 4 + [True] * 4
    assert answer.withdrawn == 0  # the version before did not have them
    assert not answer.kept[:4].any()
