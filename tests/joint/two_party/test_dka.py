"""DkA: rounds, matrices and release are those of a plain run, and tokens tell nothing else."""

from __future__ import annotations

import asyncio
import csv
import json
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.joint.two_party.commutative import hashed
from shoal.joint.two_party.dka import Joinable, first_goes_up, go_up
from shoal.joint.two_party.ladder import Ladder, blocks_at, datafly_ladder, first_rung
from shoal.joint.two_party.site import Site
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.network.frames import Frame
from shoal.network.peer import Peer
from tests.agreement.thoroughness import examples
from tests.patience import PATIENCE

from .two_sites import both_ends, run_both, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")

IDS = list(range(1, 11))
AGE = [21, 24, 27, 29, 33, 36, 38, 44, 47, 49]
ZIP = [f"021{each}" for each in (38, 38, 39, 39, 39, 41, 41, 42, 42, 42)]
SEX = list("FFFMMMMFFM")
AGES = [(str(age), f"{age // 10}0s", "20-39" if age < 40 else "40-59", "*") for age in range(20, 60)]
ZIPS = [(each, f"{each[:4]}*", f"{each[:3]}**", "*") for each in sorted(set(ZIP))]
SEXES = [("F", "*"), ("M", "*")]
Rows = Sequence[Sequence[str]]


def domain_of(name: str, rows: Rows, cells: Sequence[object]) -> tuple[Domain, list[int]]:
    """A domain with a given hierarchy, and the codes of cells."""
    present = [row[0] for row in rows if row[0] in {str(each) for each in cells}]
    places = [next(place for place, row in enumerate(rows) if row[0] == each) for each in present]
    tree = tree_of(rows, places, present, missing=False, given=True)
    domain = Domain(name=name, kind="category", values=tuple(present), tree=tree)
    return domain, [present.index(str(each)) for each in cells]


def site_of(columns: dict[str, tuple[Rows, Sequence[object]]], every: Sequence[str], k: int) -> Site:
    """The site that has some columns."""
    made = [domain_of(name, *each) for name, each in columns.items()]
    people = len(made[0][1])
    quasi = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in every]
    return Site(
        policy=Policy(attributes=tuple(quasi), k=k, algorithm="datafly"),
        columns=tuple(columns),
        others=(),
        ids=tuple(f"{person:03d}" for person in range(people)),
        table=FrequencyTable(
            domains=tuple(domain for domain, _ in made),
            codes=np.array([codes for _, codes in made], np.int32).T.copy(),
            counts=np.ones(people, np.int64),
        ),
        order=np.arange(people),
        digest="",
    )


RUN = b"a run of two"


def run_rounds(
    one: Site, two: Site, ladders: tuple[Ladder, Ladder], frames: list[tuple[str, Frame]]
) -> list[Joinable]:
    """Both sites go up; the frames are those that the first sent and received."""

    def site(place: int) -> Callable[[Peer], Awaitable[Joinable]]:
        def run(peer: Peer) -> Awaitable[Joinable]:
            if place == 0:
                peer.recorder = lambda way, frame: frames.append((way, frame))
            which = (one, two)[place]
            return go_up(peer, which, ladders[place], RUN, first=place == 0, seconds=PATIENCE)

        return run

    return asyncio.run(both_ends(site(0), site(1)))


def plain_matrix(one: Site, two: Site, levels: Sequence[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """How many people each two blocks share, from the plain join."""
    blocks = [blocks_at(site.table, own).tolist() for site, own in zip((one, two), levels, strict=True)]
    return Counter(zip(*blocks, strict=True))


def plain_loop(one: Site, two: Site, ladders: tuple[Ladder, Ladder], k: int) -> list[list[int]]:
    """The rungs of both sites in each round, from the plain join."""
    rungs = [first_rung(site.table, ladder, k) for site, ladder in zip((one, two), ladders, strict=True)]
    rounds = []
    while True:
        rounds.append([int(rung or 0) for rung in rungs])
        levels = [ladder.rungs[rung or 0] for ladder, rung in zip(ladders, rungs, strict=True)]
        if min(plain_matrix(one, two, levels).values()) >= k:
            return rounds
        shares = [ladder.share(rung or 0) for ladder, rung in zip(ladders, rungs, strict=True)]
        up = 0 if first_goes_up(*shares) else 1
        rungs[up] = (rungs[up] or 0) + 1


def matrices(frames: Sequence[tuple[str, Frame]]) -> list[list[list[int]]]:
    """Per round the matrix that tokens show, as the first site sees it."""
    found = []
    for number in range(max(frame.head["round"] for _, frame in frames) + 1):
        of = {(way, frame.kind): frame for way, frame in frames if frame.head["round"] == number}
        sizes = [of[way, 5].arrays[0] for way in ("sent", "received")]
        tokens = [of["received", 6].arrays[0], of["received", 7].arrays[0]]
        blocks = [
            {
                token.tobytes(): block
                for token, block in zip(lines, np.repeat(np.arange(len(size)), size).tolist(), strict=True)
            }
            for lines, size in zip(tokens, sizes, strict=True)
        ]
        matrix = np.zeros((len(sizes[0]), len(sizes[1])), int)
        for token, block in blocks[0].items():
            matrix[block, blocks[1][token]] += 1
        found.append(matrix.tolist())
    return found


def sorted_matrix(counts: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """A matrix as a multiset of lines, each without the order of its cells."""
    return sorted(tuple(sorted(line)) for line in counts)


def example() -> tuple[Site, Site, tuple[Ladder, Ladder]]:
    """The worked example: the second site goes up in an order of its own."""
    every = ["age", "zip", "sex"]
    one = site_of({"age": (AGES, AGE)}, every, 2)
    two = site_of({"zip": (ZIPS, ZIP), "sex": (SEXES, SEX)}, every, 2)
    own = Ladder(((0,), (1,), (2,), (3,)), (3,))
    other = Ladder(((0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 1)), (3, 1))
    return one, two, (own, other)


def test_the_worked_example_has_four_rounds() -> None:
    """Matrices, who goes up and where it ends are as computed by hand."""
    one, two, ladders = example()
    frames: list[tuple[str, Frame]] = []
    ends = run_rounds(one, two, ladders, frames)
    expected = [
        [[2, 2, 0, 0], [0, 1, 2, 0], [0, 0, 0, 3]],
        [[3, 1, 0, 0], [0, 1, 2, 0], [0, 0, 1, 2]],
        [[4, 0], [1, 2], [0, 3]],
        [[5, 2], [0, 3]],
    ]
    assert [sorted_matrix(each) for each in matrices(frames)] == [sorted_matrix(each) for each in expected]
    assert [end.rung for end in ends] == [2, 3]
    assert plain_loop(one, two, ladders, 2) == [[1, 1], [1, 2], [1, 3], [2, 3]]


def test_tokens_differ_in_every_round_and_never_are_plain_hashes() -> None:
    """No token occurs in two rounds, and H(id), which anybody with the run's label could try, in none."""
    one, two, ladders = example()
    frames: list[tuple[str, Frame]] = []
    run_rounds(one, two, ladders, frames)
    plain = {each.tobytes() for each in hashed(RUN, one.ids)}
    rounds: dict[bytes, set[int]] = {}
    for _, frame in frames:
        for token in frame.arrays[-1]:
            rounds.setdefault(token.tobytes(), set()).add(frame.head["round"])
    assert all(len(each) == 1 for each in rounds.values())
    assert not plain & rounds.keys()
    # 4 rounds of 10 people: encrypted by either site, and by both.
    assert len(rounds) == 4 * 30


TREES: dict[str, Rows] = {
    "p": [(each, each[0], "*") for each in ("a1", "a2", "a3", "b1", "b2")],
    "q": [(str(each), f"{each // 2} pair", f"{each // 4} four", "*") for each in range(8)],
    "r": [("x", "*"), ("y", "*")],
}


@st.composite
def two_sites(draw: st.DrawFn) -> tuple[Site, Site, int]:
    people = draw(st.integers(2, 16))
    names = draw(st.permutations(sorted(TREES)))
    cut = draw(st.integers(1, 2))
    k = draw(st.integers(1, min(4, people)))

    def column(name: str) -> tuple[Rows, list[str]]:
        leaves = [row[0] for row in TREES[name]]
        return TREES[name], draw(st.lists(st.sampled_from(leaves), min_size=people, max_size=people))

    every = sorted(TREES)
    sites = [
        site_of({name: column(name) for name in every if name in part}, every, k)
        for part in (names[:cut], names[cut:])
    ]
    return sites[0], sites[1], k


@given(two_sites())
@settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))
def test_rounds_are_those_of_a_plain_run(case: tuple[Site, Site, int]) -> None:
    """Rungs and matrices of each round equal those of the joined table; there are not too many rounds."""
    one, two, k = case
    ladders = datafly_ladder(one), datafly_ladder(two)
    frames: list[tuple[str, Frame]] = []
    ends = run_rounds(one, two, ladders, frames)
    expected = plain_loop(one, two, ladders, k)
    assert [end.rung for end in ends] == expected[-1]
    assert ends[0].rounds == ends[1].rounds == len(expected)
    assert len(expected) <= sum(ladders[0].heights) + sum(ladders[1].heights) + 1
    for rungs, seen in zip(expected, matrices(frames), strict=True):
        levels = [ladder.rungs[rung] for ladder, rung in zip(ladders, rungs, strict=True)]
        plain = plain_matrix(one, two, levels)
        assert Counter(each for line in seen for each in line if each) == Counter(plain.values())
    np.testing.assert_array_equal(ends[0].matrix, ends[1].matrix)


@given(two_sites(), st.randoms(use_true_random=False))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_a_transcript_is_a_function_of_what_the_page_says(case: tuple[Site, Site, int], random: Any) -> None:
    """Other people, but equal matrices and heights, give the same transcript up to tokens."""
    one, two, _ = case
    other = list(range(len(one.ids)))
    random.shuffle(other)

    def moved(site: Site) -> Site:
        renamed = tuple(f"other {each}" for each in site.ids)
        codes = np.ascontiguousarray(site.table.codes[other])
        return replace(site, ids=renamed, table=replace(site.table, codes=codes))

    seen = []
    for first, second in ((one, two), (moved(one), moved(two))):
        frames: list[tuple[str, Frame]] = []
        run_rounds(first, second, (datafly_ladder(first), datafly_ladder(second)), frames)
        heads = [(way, frame.kind, frame.head) for way, frame in frames]
        shapes = [
            (sorted(each.tolist()) if each.ndim == 1 else each.shape)
            for _, frame in frames
            for each in frame.arrays
        ]
        seen.append(
            (sorted(map(repr, heads)), sorted(map(repr, shapes)), list(map(sorted_matrix, matrices(frames))))
        )
    assert seen[0] == seen[1]


def files(folder: Path) -> tuple[Policy, Path, Path]:
    """The worked example as files; the second site goes up by Datafly's rule."""
    for name, rows in (("age", AGES), ("zip", ZIPS), ("sex", SEXES)):
        (folder / f"{name}.csv").write_text("".join(";".join(row) + "\n" for row in rows))
    policy = Policy(
        attributes=(
            Attribute(name="id", role=Role.IDENTIFIER),
            *(
                Attribute(name=name, role=Role.QUASI_IDENTIFIER, hierarchy=folder / f"{name}.csv")
                for name in ("age", "zip", "sex")
            ),
        ),
        k=2,
        algorithm="datafly",
        release=folder / "both.csv",
    )
    one = write_csv(folder / "one.csv", {"id": IDS, "age": AGE})
    two = write_csv(folder / "two.csv", {"zip": ZIP[::-1], "sex": SEX[::-1], "id": IDS[::-1]})
    return policy, one, two


def test_the_release_has_the_rows_of_the_plain_join() -> None:
    """Labels are those of the levels at which the loop ended, and the manifest says what leaked."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        policy, one, two = files(folder)
        both = run_both(policy, one, two, protocol="dka")
        manifest = json.loads((folder / "both.csv.manifest.json").read_text())
        levels = {column: each["level"] for column, each in manifest["recoding"].items()}
        with (folder / "both.csv").open() as file:
            released = Counter(tuple(row.items()) for row in csv.DictReader(file))
        trees = {"age": AGES, "zip": ZIPS, "sex": SEXES}
        label = {column: {row[0]: row[levels[column]] for row in rows} for column, rows in trees.items()}
        plain = Counter(
            (("age", label["age"][str(age)]), ("zip", label["zip"][code]), ("sex", label["sex"][sex]))
            for age, code, sex in zip(AGE, ZIP, SEX, strict=True)
        )
        assert released == plain
        assert min(plain.values()) >= 2
        assert manifest["audit"]["k-anonymity"] == min(plain.values())
        assert both.first.release is not None
        assert any("reveals more than its release" in note for note in manifest["notes"])
        assert both.first.transcript == both.second.transcript


def test_the_lower_site_goes_up_and_the_first_on_a_tie() -> None:
    """Heights are compared as exact shares."""
    assert first_goes_up(Fraction(1, 3), Fraction(1, 3))
    assert first_goes_up(Fraction(1, 3), Fraction(1, 2))
    assert not first_goes_up(Fraction(1, 3), Fraction(1, 4))
