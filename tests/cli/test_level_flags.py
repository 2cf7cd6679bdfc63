"""Levels, weights, sets and options on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import shoal

RACES = ["asian"] * 5 + ["black"] * 2 + ["white"] * 2
ZIPS = ["94142", "94141", "94139", "94139", "94139", "94138", "94139", "94139", "94141"]
LEVELS = ("-q", "race,zip", "-k", "2", "--hierarchy", "race=race.csv", "--hierarchy", "zip=zip.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The survey's nine people and their hierarchies."""
    rows = [f"{race},{zip}" for race, zip in zip(RACES, ZIPS, strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["race,zip", *rows]) + "\n")
    (tmp_path / "race.csv").write_text("asian;person\nblack;person\nwhite;person\n")
    (tmp_path / "zip.csv").write_text("".join(f"{z};{z[:4]}*;{z[:3]}**\n" for z in sorted(set(ZIPS))))
    return tmp_path


def levels_of(run: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """The levels of a release that was told as JSON."""
    assert run.returncode == 0, run.stderr
    return {name: each["level"] for name, each in json.loads(run.stdout)["recoding"].items()}


def test_a_search_over_levels_is_asked_for_by_flags(folder: Path) -> None:
    """Minimal height with two suppressed rows: [0, 1] has more groups than [1, 0]."""
    run = shoal(
        folder,
        *("anonymize", "people.csv", *LEVELS, "--algorithm", "samarati", "--suppression", "2", "--json"),
        *("--option", "preference=maximum-distribution", "--option", "all_minimal=true"),
    )
    assert levels_of(run) == {"race": 0, "zip": 1}
    assert "minimal" in run.stderr


def test_levels_and_weights_are_flags(folder: Path) -> None:
    """ZIP stays at its first level, race may only go."""
    run = shoal(
        folder,
        *("anonymize", "people.csv", *LEVELS, "--cost", "precision", "--suppression", "0", "--json"),
        *("--level", "zip=:1", "--weight", "race=2"),
    )
    assert levels_of(run) == {"race": 1, "zip": 1}


def test_sets_are_held_one_by_one(folder: Path) -> None:
    """Race and ZIP known apart: neither needs the other to be joined."""
    run = shoal(
        folder,
        *("anonymize", "people.csv", *LEVELS, "--algorithm", "datafly", "--suppression", "0", "--json"),
        *("--set", "race", "--set", "zip"),
    )
    assert levels_of(run) == {"race": 0, "zip": 1}


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--option", "preferrence=x"), 2, "Did you mean 'preference'?"),
        (("--option", "all_minimal=yes"), 2, "is true or false"),
        (("--option", "cells=true"), 2, "algorithm 'lattice' has no option 'cells'"),
        (("--level", "zip=one"), 2, "--level takes COLUMN=LEAST:GREATEST"),
        (("--level", "zip=0:9"), 2, "its hierarchy has levels 0 to 2"),
        (("--level", "zip=0:0", "--level", "race=0", "--suppression", "0"), 3, "stops at level 0 of 2"),
        (("--weight", "zip=much"), 2, "--weight takes numbers"),
        (("--accept-unverified",), 2, "accept_unverified"),
    ],
)
def test_a_slip_in_a_flag_is_one_clear_message(
    folder: Path, flags: tuple[str, ...], code: int, words: str
) -> None:
    """The exit code says whose turn it is, the message what to do, and nothing is written."""
    before = sorted(folder.iterdir())
    run = shoal(folder, "anonymize", "people.csv", *LEVELS, "--algorithm", "lattice", *flags)
    assert (run.returncode, "Traceback" in run.stderr) == (code, False), run.stderr
    assert words in " ".join(run.stderr.split())
    assert sorted(folder.iterdir()) == before


def test_an_untrue_label_is_warned_of(folder: Path) -> None:
    """The release is made, and the warning reads like one of a command."""
    (folder / "ages.csv").write_text("age\n35\n36\n40\n40\n")
    (folder / "age.csv").write_text("35;35-39;*\n36;35-39;*\n40;35-39;*\n")
    run = shoal(
        folder,
        *(
            "anonymize",
            "ages.csv",
            "-q",
            "age",
            "-k",
            "2",
            "--hierarchy",
            "age=age.csv",
            "--algorithm",
            "lattice",
        ),
    )
    assert run.returncode == 0, run.stderr
    assert "shoal: warning: the hierarchy of 'age' has 1 value(s)" in run.stderr
