"""Three holders without a desk release what `lattice` releases of the union; each is a process of its own."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import shoal

from .three_holders import NAMES, Three

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")

ZIPS = ["02138", "02139", "02141", "02142"]
EXAMPLE = [
    ["02138"] * 2 + ["02139", "02141"],
    ["02138", "02139"] + ["02142"] * 3,
    ["02139", "02141"],
]
AGES = "".join(f"{age};{age // 10}0s;{'young' if age < 40 else 'old'};*\n" for age in range(20, 60, 3))


def column(name: str) -> str:
    return f'[attributes.{name}]\nrole = "quasi-identifier"\nhierarchy = "{name}-levels.csv"\n'


def demand(k: int, suppression: int) -> str:
    return f"[privacy]\nk = {k}\n[objective]\nsuppression = {suppression}\n"


def example(folder: Path, **stated: object) -> tuple[Three, str]:
    """The worked example of the specification."""
    folder.mkdir(exist_ok=True)
    (folder / "zip-levels.csv").write_text("".join(f"{each};{each[:4]}*;*\n" for each in ZIPS))
    policy = column("zip") + demand(3, 2)
    return Three(folder, policy, ["\n".join(["zip", *rows]) + "\n" for rows in EXAMPLE], **stated), policy


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return sorted(csv.reader(file))


def test_the_worked_example_after_a_run_that_failed(tmp_path: Path) -> None:
    """First a holder has another policy: exit code 6, and nothing is written. Then level 0 is released."""
    three, policy = example(tmp_path)
    places = (tmp_path / "policy.toml").read_text().split("[joint]")[1]
    (tmp_path / "other.toml").write_text(policy.replace("k = 3", "k = 2") + "\n[joint]" + places)
    failed = three.run({"west": "other.toml"})
    assert {each.code for each in failed.values()} == {6}, failed
    assert "has another policy" in failed["west"].said
    assert not (tmp_path / "release.csv").exists()
    three.write(policy)
    ended = three.run()
    assert {name: each.code for name, each in ended.items()} == dict.fromkeys(NAMES, 0), ended
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert manifest["recoding"] == {"zip": {"level": 0}}
    assert (manifest["suppressed"], manifest["groups"], manifest["audit"]["k-anonymity"]) == (2, 3, 3)
    assert rows_of(tmp_path / "release.csv") == sorted(
        [["zip"]] + [["02138"]] * 3 + [["02139"]] * 3 + [["02142"]] * 3
    )
    assert "each holder" in manifest["joint"]["learns"]
    for each in ended.values():
        assert not any(code in each.said for code in ZIPS)


@pytest.mark.slow
def test_three_holders_release_what_lattice_releases(tmp_path: Path) -> None:
    """Levels, cost, bound, nodes and the multiset of rows are those of the central run."""
    draw = random.Random(1)
    (tmp_path / "age-levels.csv").write_text(AGES)
    (tmp_path / "sex-levels.csv").write_text("f;*\nm;*\n")
    (tmp_path / "zip-levels.csv").write_text("".join(f"{each};{each[:4]}*;*\n" for each in ZIPS))
    policy = "".join(map(column, ("age", "sex", "zip"))) + demand(3, 4)

    def line() -> Sequence[str]:
        return [str(draw.randrange(20, 60, 3)), draw.choice("fm"), draw.choice(ZIPS), draw.choice("uvw")]

    rows = [line() for _ in range(60)]
    head = ["age", "sex", "zip", "note"]

    def text(own: Sequence[Sequence[str]]) -> str:
        return "".join(",".join(each) + "\n" for each in [head, *own])

    (tmp_path / "all.csv").write_text(text(rows))
    (tmp_path / "central.toml").write_text(policy + '[search]\nalgorithm = "lattice"\n')
    central = shoal.anonymize(tmp_path / "all.csv", tmp_path / "central.toml", path=tmp_path / "central.csv")
    owners = [draw.randrange(3) for _ in rows]
    parts = [[each for each, owner in zip(rows, owners, strict=True) if owner == who] for who in range(3)]
    three = Three(tmp_path, policy, list(map(text, parts)))
    ended = three.run()
    assert {name: each.code for name, each in ended.items()} == dict.fromkeys(NAMES, 0), ended
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    one, other = central.manifest, manifest
    assert (other["recoding"], other["cost"], other["bound"], other["status"], other["nodes"]) == (
        *(one.recoding, one.cost, one.bound, one.status, one.nodes),
    )
    assert (other["suppressed"], other["groups"]) == (one.suppressed, one.groups)
    assert rows_of(tmp_path / "release.csv") == rows_of(tmp_path / "central.csv")


def test_no_admissible_levels_are_nobodys_fault(tmp_path: Path) -> None:
    """More is demanded than there are rows: all three end with exit code 3."""
    three, policy = example(tmp_path)
    three.write(policy.replace("k = 3", "k = 12").replace("suppression = 2", "suppression = 0"))
    ended = three.run()
    assert {each.code for each in ended.values()} == {3}, ended
    assert not (tmp_path / "release.csv").exists()


def test_a_holder_that_dies_is_named(tmp_path: Path) -> None:
    """The others end with exit code 6 and its name, and write nothing."""
    three, _ = example(tmp_path)
    others = [three.start(name) for name in ("north", "south")]
    west = three.start("west")
    assert west.stderr is not None
    assert "all three holders are there" in west.stderr.readline()
    west.kill()
    west.communicate()
    for process in others:
        _, said = process.communicate()
        assert process.returncode == 6, said
        assert "west" in said
    assert not (tmp_path / "release.csv").exists()
