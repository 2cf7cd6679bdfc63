"""The method cells: distances of rows that nobody sees, the partition made of them, and the stars."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import shoal
from shoal.algorithms.rows.meyerson_williams import parts_of_distances
from shoal.errors import InfeasibleError, PartyError
from shoal.joint.collect.blinding import IDENTITY, new_scalar
from shoal.joint.collect.cells.encryption import (
    combination,
    differences,
    differs,
    encrypted,
    halves,
    key_share,
    pairs_of,
)
from shoal.joint.collect.terms import COLLECTOR, RELAY
from shoal.joint.collect.wire import DIFFERENCES, DISTANCES
from shoal.network.frames import encoded
from shoal.network.identity import Identity
from shoal.network.meeting import connect
from tests.joint.collect.running import NINE, Collection, ran, running, whole
from tests.joint.collect.test_rows_run import shape

Z1, Z2 = new_scalar(), new_scalar()
Row = Sequence[str]
values = st.sampled_from("abc")
tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[values] * width), min_size=2, max_size=7)
)


def plain_distances(rows: Sequence[Row]) -> NDArray[np.int64]:
    """In how many columns each two rows differ."""
    return np.array([[sum(a != b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows])


def plain_stars(rows: Sequence[Row], part: Sequence[int]) -> list[bool]:
    """Per column whether a part does not agree in it."""
    return [len({rows[row][column] for row in part}) > 1 for column in range(len(rows[0]))]


def hidden(rows: Sequence[Row]) -> list[list[tuple[bytes, bytes]]]:
    """The rows as customers encrypt them."""
    names = [f"column {place}" for place in range(len(rows[0]))]
    shares = [key_share(Z1), key_share(Z2)]
    return [pairs_of(encrypted("digest", names, row, shares)) for row in rows]


@given(tables)
@settings(max_examples=25)
def test_the_matrix_is_the_plain_one(rows: list[tuple[str, ...]]) -> None:
    """And a metric: what two helpers count over hidden rows is the number of differing columns."""
    cells = hidden(rows)
    found = np.zeros((len(rows), len(rows)), np.int64)
    for one, two in itertools.combinations(range(len(rows)), 2):
        opened = [differs(each, Z2) for each in halves(differences(cells[one], cells[two], Z1))]
        found[one, two] = found[two, one] = sum(opened)
    np.testing.assert_array_equal(found, plain_distances(rows))
    for one, two, three in itertools.product(range(len(rows)), repeat=3):
        assert found[one, three] <= found[one, two] + found[two, three]


@given(tables, st.integers(2, 3))
@settings(max_examples=25)
def test_partition_and_stars_are_those_of_a_plain_run(rows: list[tuple[str, ...]], k: int) -> None:
    """Parts of k to 2k - 1 rows that cover each row once; a star where a part does not agree."""
    k = min(k, len(rows))
    parts, cells = parts_of_distances(plain_distances(rows), k), hidden(rows)
    assert sorted(itertools.chain(*parts)) == list(range(len(rows)))
    assert all(k <= len(part) <= 2 * k - 1 for part in parts)
    for part in parts:
        stars = []
        for column in range(len(rows[0])):
            [half] = halves(combination([cells[row] for row in part], column, Z1))
            stars.append(differs(half, Z2))
        assert stars == plain_stars(rows, part)


@given(st.lists(st.tuples(values, values), min_size=2, max_size=40), st.integers(2, 4))
@settings(max_examples=60)
def test_parts_from_distances_have_k_to_2k_minus_1_rows(rows: list[tuple[str, str]], k: int) -> None:
    """Also where a row occurs many times over."""
    k = min(k, len(rows))
    parts = parts_of_distances(plain_distances(rows), k)
    assert sorted(itertools.chain(*parts)) == list(range(len(rows)))
    assert all(k <= len(part) <= 2 * k - 1 for part in parts)


def test_the_worked_example_as_parts() -> None:
    """{1,2,4}, {3,6,8} and {5,7,9}, with the distances of the specification and six stars."""
    rows = [row[:2] for row in NINE]
    distances = plain_distances(rows)
    assert {(5, 3), (5, 6), (5, 7), (5, 8), (5, 9), (7, 3), (7, 6), (7, 8)} == {
        (one, two)
        for one, two in itertools.permutations(range(1, 10), 2)
        if distances[one - 1, two - 1] == 1 and (one == 5 or (one == 7 and two != 5))
    }
    parts = parts_of_distances(distances, 2)
    assert [[row + 1 for row in part] for part in parts] == [[1, 2, 4], [3, 6, 8], [5, 7, 9]]
    assert sum(len(part) * sum(plain_stars(rows, part)) for part in parts) == 6


def test_one_helper_learns_nothing_from_ciphertexts() -> None:
    """Equal cells are encrypted differently, and half-opened differences of equal cells are no identity."""
    [[one], [two]] = hidden([("a",), ("a",)])
    assert one[0] != two[0]
    assert one[1] != two[1]
    [half] = halves(differences([one], [two], Z1))
    assert IDENTITY not in half
    assert differs(half, new_scalar())  # with another key, even equal cells differ
    assert not differs(half, Z2)


def test_columns_are_shuffled_so_that_nobody_learns_which_differ() -> None:
    """Rows that differ in the first of two columns: the second helper sees it in either place."""
    one, two = hidden([("a", "x"), ("b", "x")])
    places = {tuple(differs(each, Z2) for each in halves(differences(one, two, Z1))) for _ in range(60)}
    assert places == {(True, False), (False, True)}


def test_the_worked_example_over_connections(tmp_path: Path) -> None:
    """The release, its manifest with the leaks, and an audit by anybody."""
    collection = Collection(tmp_path, method="cells", k=2)
    ran(whole(collection, NINE))
    assert Counter(row[:2] for row in collection.released) == {
        ("1957", "07028"): 3,
        ("1939", "07030"): 3,
        ("*", "*"): 3,
    }
    assert sorted(row[2] for row in collection.released) == sorted(row[2] for row in NINE)
    manifest = json.loads(collection.output.with_name("release.csv.manifest.json").read_text())
    assert (manifest["cost"], manifest["bound"], manifest["algorithm"]) == (6, 3, "meyerson-williams")
    assert "distances of all pairs of rows" in " ".join(manifest["notes"])
    assert shoal.audit(collection.output, quasi_identifiers=["birth year", "zip"], k=2).meets
    collector = collection.parties[COLLECTOR]
    assert Counter(collector.distances.ravel().tolist()) == Counter(
        plain_distances([row[:2] for row in NINE]).ravel().tolist()
    )
    assert sorted(map(len, collector.parts)) == [3, 3, 3]
    assert not list(collection.folder.rglob("secret.key"))


def test_what_parties_see_is_a_function_of_distances_and_stars(tmp_path: Path) -> None:
    """Two tables with other values in other columns, but the same distances: the same transcripts.

    The numbers that the second helper sends are the distances of rows in a random order; all else is random
    points, of the same shapes.
    """
    one = [("a", "x", "1"), ("a", "y", "2"), ("b", "z", "3"), ("b", "z", "4")]
    other = [("p", "kiwi", "9"), ("q", "kiwi", "8"), ("r", "lime", "7"), ("r", "lime", "6")]
    runs = []
    for number, rows in enumerate((one, other)):
        each = Collection(tmp_path / str(number), method="cells", k=2, customers=4)
        ran(whole(each, rows))
        runs.append(each)
    for party in ("helper1", "helper2", COLLECTOR):
        assert shape(inner(runs[0], party)) == shape(inner(runs[1], party))
    sent = [
        sorted(sorted(row) for row in frame.arrays[0].tolist())
        for each in runs
        for way, frame in each.transcripts["helper2"]
        if way == "sent" and frame.kind == DISTANCES
    ]
    assert sent[0] == sent[1] == [[0, 0, 2, 2], [0, 0, 2, 2], [0, 1, 2, 2], [0, 1, 2, 2]]
    for party, transcript in runs[1].transcripts.items():
        content = b"".join(encoded(frame) for _, frame in transcript)
        assert b"kiwi" not in content, party
        assert b"lime" not in content, party


def inner(collection: Collection, party: str) -> list[Any]:
    """What a party sees of the others, without customers: their order is theirs."""
    return [each for each in collection.transcripts[party] if 12 <= each[1].kind <= 17]


def test_customers_who_do_not_answer_take_their_part_along(tmp_path: Path) -> None:
    """A part of fewer than k answers is not released, and the others are."""
    collection = Collection(tmp_path, method="cells", k=2, customers=4)
    rows = [("a", "x", "1"), ("a", "x", "2"), ("b", "y", "3"), ("b", "y", "4")]

    async def run() -> None:
        async with running(collection):
            staying = [
                asyncio.create_task(collection.submit(number, rows[number - 1])) for number in (1, 2, 3)
            ]
            leaving = asyncio.create_task(collection.submit(4, rows[3]))
            while collection.parties[RELAY].accepted < 4:
                await asyncio.sleep(0.01)
            leaving.cancel()
            await asyncio.gather(*staying)
            if collection.parties[RELAY].answered == 3:
                collection.late = True
            await collection.ended()

    ran(run())
    assert sorted(collection.released)[:2] == [("a", "x", "1"), ("a", "x", "2")]


def test_too_few_rows_are_refused(tmp_path: Path) -> None:
    """At the relay, before anything is compared."""
    collection = Collection(tmp_path, method="cells", k=3)

    async def run() -> None:
        async with running(collection):
            submitting = asyncio.create_task(collection.submit(1, NINE[0]))
            while collection.parties[RELAY].accepted < 1:
                await asyncio.sleep(0.01)
            collection.late = True
            with pytest.raises(InfeasibleError, match="only 1 row came, and k is 3"):
                await collection.ended(RELAY)
            submitting.cancel()

    ran(run())
    assert not collection.output.exists()


def test_a_second_helper_that_is_gone_is_named_and_the_second_run_succeeds(tmp_path: Path) -> None:
    """The rows wait at the relay; nothing is written in between."""
    collection = Collection(tmp_path, method="cells", k=2)

    async def run() -> None:
        async with running(collection, only=(COLLECTOR, "helper2")):
            await collection.start("helper1", seconds=0.3)
            await collection.start(RELAY)
            customers = [asyncio.create_task(collection.submit(each, NINE[each - 1])) for each in range(1, 9)]
            while collection.parties[RELAY].accepted < 8:
                await asyncio.sleep(0.01)
            await collection.submit_encrypted(9, NINE[8])
            await collection.stop("helper2")
            with pytest.raises(PartyError, match=r"helper2: (nobody answers|left)"):
                await collection.ended("helper1")
            with pytest.raises(PartyError, match=r"helper1: (ended the run|left)"):
                await collection.ended(RELAY)
            assert not collection.output.exists()
            for each in customers:
                each.cancel()
            await asyncio.gather(*customers, return_exceptions=True)
            await collection.start("helper2", "helper1", RELAY)
            await collection.submit_all(NINE)
            await collection.ended()

    ran(run())
    assert len(collection.released) == 9


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((3, 4), np.uint8),
        np.array([[0, 9], [9, 0]], np.uint8),
        np.array([[0, 1], [2, 0]], np.uint8),
        np.array([[1, 1], [1, 0]], np.uint8),
        np.array([[0, 0, 1], [0, 0, 2], [1, 2, 0]], np.uint8),
        np.zeros((2, 2), np.uint32),
    ],
)
def test_numbers_that_are_no_distances_are_refused(tmp_path: Path, matrix: NDArray[Any]) -> None:
    """Of a wrong shape, too large, not symmetric, of a row to itself, or equal rows that are not."""
    collection = Collection(tmp_path, method="cells", k=2)

    async def run() -> str:
        async with running(collection, only=(COLLECTOR,)):
            terms = collection.terms
            helper = Identity.load(collection.folder / "helper2", "helper2")
            peer = await connect(*terms.addresses[COLLECTOR], helper, terms.certificates[COLLECTOR])
            await peer.send(DISTANCES, {"collection": terms.digest}, matrix)
            try:
                await peer.receive(15)
            except PartyError as error:
                return str(error)
            finally:
                await peer.close()
            return "accepted"

    assert "collector: ended the run: sent " in ran(run())


def test_hostile_differences_are_refused(tmp_path: Path) -> None:
    """What is no point, or too much, ends the connection of the first helper alone."""
    collection = Collection(tmp_path, method="cells", k=2)

    async def run() -> None:
        async with running(collection, only=(COLLECTOR, "helper2")):
            terms = collection.terms
            first = Identity.load(collection.folder / "helper1", "helper1")
            for rows, table in (
                (2, np.full((1, 128), 255, np.uint8)),
                (2, np.zeros((2, 128), np.uint8)),
                (9000, np.zeros((1, 128), np.uint8)),
                (3, np.zeros((1, 128), np.uint8)),
                (2, np.zeros((1, 64), np.uint8)),
            ):
                peer = await connect(*terms.addresses["helper2"], first, terms.certificates["helper2"])
                await peer.send(DIFFERENCES, {"collection": terms.digest, "rows": rows, "last": True}, table)
                with pytest.raises(PartyError, match="sent a frame that is not as the protocol"):
                    await peer.receive(15)
                await peer.close()
            assert not collection.tasks["helper2"].done()

    ran(run())
