"""The method rows over real connections: the worked example, and what parties see."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import InfeasibleError, PolicyError
from shoal.joint.collect.founding import found
from shoal.joint.collect.message import TAG, Message
from shoal.joint.collect.sealing import SealingKey
from shoal.joint.collect.terms import COLLECTOR, RELAY, Terms
from shoal.joint.collect.tickets import new_token, ticket
from shoal.network.frames import encoded
from tests.joint.collect.running import NINE, Collection, Transcript, ran, running, whole

HELPERS = ("helper2", "helper1")
OPEN = sorted(row for row in NINE if row[:2] in {("1957", "07028"), ("1939", "07030")})


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Nine customers, k = 3, two helpers."""
    return Collection(tmp_path)


def test_the_worked_example_is_published_with_its_leaks(collection: Collection) -> None:
    """Six rows in an audited release; the manifest says what every party learned; nothing is left behind."""
    ran(whole(collection, NINE))
    assert sorted(collection.released) == OPEN
    manifest = json.loads(collection.output.with_name("release.csv.manifest.json").read_text())
    assert manifest["audit"] == {"k-anonymity": 3, "holds": True}
    said = " ".join(manifest["notes"])
    for words in ("6 rows opened", "3 rows in smaller groups stayed closed", "sizes of the closed groups"):
        assert words in said
    audited = shoal.audit(collection.output, quasi_identifiers=["birth year", "zip"], k=3)
    assert audited.meets
    left = {path.name for path in collection.folder.rglob("*") if path.is_file()}
    assert not left & {"secret.key", "sealing.key", "waiting.bin"}
    assert not any(name.endswith(".pending") for name in left)


def test_one_helper_or_five_make_no_difference(tmp_path: Path) -> None:
    """z is the sum of as many scalars as there are helpers."""
    for helpers in (1, 5):
        several = Collection(tmp_path / str(helpers), helpers=helpers)
        ran(whole(several, NINE))
        assert sorted(several.released) == OPEN


def test_nothing_opens_where_no_group_has_k(collection: Collection) -> None:
    """That is an outcome: exit 3, nothing written, and the key is destroyed all the same."""

    async def run() -> None:
        async with running(collection):
            await collection.submit_all([(str(number), "x", "y") for number in range(9)])
            with pytest.raises(InfeasibleError, match="none of 9 rows opened"):
                await collection.ended(COLLECTOR)
            await collection.ended(RELAY)

    ran(run())
    assert not collection.output.exists()
    with pytest.raises(PolicyError, match="evaluated once"):
        collection.made(COLLECTOR)


def shape(transcript: Transcript) -> list[Any]:
    """What a transcript shows apart from bytes that must be random, and the digest of the terms."""
    return [
        (way, frame.kind, sorted(frame.head), [(str(each.dtype), each.shape) for each in frame.arrays])
        for way, frame in transcript
    ]


def seen(transcript: Transcript) -> bytes:
    return b"".join(encoded(frame) for _, frame in transcript)


def table_of(prefix: str, *sizes: int) -> list[tuple[str, str, str]]:
    """Groups of these sizes."""
    return [(f"{prefix}{group}", prefix, f"{row}") for group, size in enumerate(sizes) for row in range(size)]


def test_what_parties_see_is_a_function_of_what_the_page_says(tmp_path: Path) -> None:
    """Two tables with the same opened rows and the same closed sizes: the same transcripts, up to randomness.

    The helpers' and the relay's depend on the number of customers alone, so a third table, with nothing in
    common but that, leaves them as they are.
    """
    same = table_of("open", 3)
    tables = [same + table_of("one", 2, 1), table_of("other", 1, 2) + same, table_of("different", 6)]
    runs, rows = [], []
    for number, table in enumerate(tables):
        each = Collection(tmp_path / str(number), customers=6)
        ran(whole(each, table))
        runs.append(each)
        rows.append(sorted(each.released))
    for party in ("helper1", "helper2", "relay"):
        assert shape(runs[0].transcripts[party]) == shape(runs[1].transcripts[party])
        assert shape(runs[0].transcripts[party]) == shape(runs[2].transcripts[party])
    assert rows[0] == rows[1] == sorted(same)
    assert shape(runs[0].transcripts[COLLECTOR]) == shape(runs[1].transcripts[COLLECTOR])
    for each in runs[:2]:
        for party, transcript in each.transcripts.items():
            for word in (b"one0", b"other0", b"open0"):
                assert word not in seen(transcript), f"{party} saw a value"


def test_the_collector_sees_sizes_of_tags_and_nothing_that_repeats(tmp_path: Path) -> None:
    """Unsealed messages: tags repeat by group size; every other byte string of any two messages differs."""
    collection = Collection(tmp_path, customers=6)
    key = SealingKey(collection.folder / COLLECTOR / "sealing.key")
    ran(whole(collection, table_of("g", 3, 2, 1)))
    [batch] = [frame.arrays[0] for way, frame in collection.transcripts[COLLECTOR] if way == "received"]
    texts = [key.unsealed(row.tobytes(), collection.terms.digest) or b"" for row in batch]
    assert sorted(Counter(text[:TAG] for text in texts).values()) == [1, 2, 3]
    messages = [Message.from_bytes(text) for text in texts]
    for attribute in ("u", "v", "nonce", "content"):
        assert len({getattr(each, attribute) for each in messages}) == 6


def test_tickets_of_one_token_have_nothing_in_common(tmp_path: Path) -> None:
    """Parties cannot tell by comparing tickets and lists which belong together."""
    token = bytes.fromhex(new_token())
    assert len({ticket(token, name) for name in ("helper1", "helper2", RELAY)}) == 3
    collection = Collection(tmp_path, customers=3)
    lists = [
        set((collection.folder / name / "tickets.txt").read_text().split())
        for name in (*collection.terms.helper_names, RELAY)
    ]
    assert not set.intersection(*lists)
    assert [len(each) for each in lists] == [3, 3, 3]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"k": 1}, "k is a whole number"),
        ({"k": 10}, "more than the 9 customers"),
        ({"method": "cell"}, "Did you mean 'cells'"),
        ({"method": "cells", "customers": 3001}, "takes at most 3,000"),
        ({"method": "cells", "helpers": 3}, "two helpers"),
        ({"quasi_identifiers": []}, "at least one quasi-identifier"),
        ({"others": ["zip"]}, "named twice"),
        ({"row_bytes": 3}, "row_bytes"),
        ({"helpers": 0}, "helpers"),
    ],
)
def test_terms_that_make_no_sense_are_refused_before_anything_is_made(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    """One sentence, and no folder."""
    usual = Collection(tmp_path / "usual").terms
    facts: dict[str, Any] = {
        "method": "rows",
        "k": 3,
        "closes": usual.closes,
        "customers": 9,
        "quasi_identifiers": ["zip"],
        "others": ["disease"],
    }
    with pytest.raises(PolicyError, match=why):
        found(tmp_path / "new", **(facts | change))
    assert not (tmp_path / "new").exists()


def test_terms_are_read_back_and_known_by_their_digest(collection: Collection) -> None:
    """Every folder has the same; an address may change, a certificate may not."""
    loaded = [Terms.load(collection.folder / name) for name in ("customers", "relay", "helper1", "collector")]
    assert {each.digest for each in loaded} == {collection.terms.digest}
    moved = dataclasses.replace(loaded[0], addresses=dict.fromkeys(loaded[0].addresses, ("::1", 1)))
    assert moved.digest == loaded[0].digest
    moved.write(collection.folder / "customers")
    assert Terms.load(collection.folder / "customers").addresses["relay"] == ("::1", 1)
    loaded[0].certificates["relay"] = loaded[0].certificates["helper1"]
    assert loaded[0].digest != loaded[1].digest
