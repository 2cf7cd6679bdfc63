"""A release and its manifest stay within small multiples of their source."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import shoal

ROWS = 8_000
TAILS = 4_000


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight thousand flights by four thousand aircraft, each of which flies about twice."""
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("flights") / "flights.csv"
    lines = []
    for _ in range(ROWS):
        tail, carrier, day = draw.randrange(TAILS), draw.randrange(14), draw.randrange(1, 32)
        lines.append(f"N{10_000 + tail},C{carrier},{day},{draw.randrange(300)}")
    path.write_text("\n".join(["tail,carrier,day,delay", *lines, ""]))
    return path


@pytest.mark.parametrize(("algorithm", "k"), [("mondrian", 10), ("mondrian", 200), ("lattice", 10)])
def test_release_and_manifest_are_not_much_larger_than_the_source(
    flights: Path, tmp_path: Path, algorithm: str, k: int
) -> None:
    """With thousands of categories, whether groups are many or large."""
    target = tmp_path / "release.csv"
    release = shoal.anonymize(
        flights,
        quasi_identifiers=["tail", "carrier", "day"],
        k=k,
        algorithm=algorithm,
        cost="general-loss",
        suppression=0,
        seconds=5,
        path=target,
    )
    manifest = tmp_path / "release.csv.manifest.json"
    size = flights.stat().st_size
    assert target.stat().st_size < 5 * size
    assert manifest.stat().st_size < 2 * size
    # What makes it small is not what it leaves out: every value of every set is listed.
    entries = json.loads(manifest.read_text())["recoding"]["tail"]
    if algorithm == "mondrian":
        values = {value for entry in entries for value in entry["values"]}
        assert len(values) == release.columns[0].values > 3_000


def test_a_manifest_has_a_line_for_each_released_value_and_not_for_each_value(
    flights: Path, tmp_path: Path
) -> None:
    """So that people can read it, and it is no list of single values."""
    target = tmp_path / "release.csv"
    shoal.anonymize(
        flights, quasi_identifiers=["tail", "day"], k=500, algorithm="mondrian", suppression=0, path=target
    )
    text = (tmp_path / "release.csv.manifest.json").read_text()
    facts = json.loads(text)
    released = sum(len(entries) for entries in facts["recoding"].values())
    assert text.count("\n") < released + len(facts["trace"]) + 70
    assert text.startswith('{\n  "shoal": ')
