"""A release that hides too little: refused, or published with the exit code that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import shoal

RARE_PAIR = "sex,race\nf,black\nf,black\nf,white\nm,white\nm,white\n"
"""Every value occurs twice; the third row loses a cell, and what is left of it is alone."""

FLAGS = ("anonymize", "rare.csv", "-q", "sex,race", "-k", "2", "--algorithm", "mu-argus", "-o", "out.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table and a policy."""
    (tmp_path / "rare.csv").write_text(RARE_PAIR)
    (tmp_path / "rare.toml").write_text(
        '[source]\npath = "rare.csv"\n[release]\npath = "out.csv"\n[privacy]\nk = 2\n'
        '[attributes.sex]\nrole = "quasi-identifier"\nidentification = "most"\n'
        '[attributes.race]\nrole = "quasi-identifier"\n'
        '[search]\nalgorithm = "mu-argus"\naccept_unverified = true\n'
    )
    return tmp_path


def test_an_unverified_release_is_refused(folder: Path) -> None:
    """Exit 5, and nothing is published."""
    run = shoal(folder, *FLAGS)
    assert run.returncode == 5
    assert "1 group(s) with 1 row(s) are smaller than k = 2" in run.stderr
    assert "accept_unverified" in run.stderr
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("arguments", [(*FLAGS, "--accept-unverified"), ("anonymize", "rare.toml")], ids=len)
def test_an_accepted_release_is_published_and_still_exits_with_5(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    """Exit 0 would say that the audit holds; the manifest says that it does not."""
    run = shoal(folder, *arguments)
    assert run.returncode == 5
    assert "shoal: the audit does not hold: 1 group(s) with 1 row(s) are smaller than k = 2" in run.stderr
    assert (folder / "out.csv").read_text().splitlines()[3] == "*,white"
    manifest = json.loads((folder / "out.csv.manifest.json").read_text())
    assert manifest["audit"] == {"k-anonymity": 1, "holds": False}
    assert (manifest["status"], manifest["suppressed"], manifest["groups"]) == ("feasible", 0, 3)


def test_a_release_that_hides_enough_exits_with_0(folder: Path) -> None:
    """Accepting is no demand."""
    (folder / "rare.csv").write_text(RARE_PAIR + "f,white\n")
    assert shoal(folder, *FLAGS, "--accept-unverified").returncode == 0


def test_all_combinations_need_no_acceptance(folder: Path) -> None:
    """The lone row is suppressed as a whole, and the audit holds."""
    policy = (folder / "rare.toml").read_text().replace("accept_unverified = true", 'combinations = "all"')
    policy += "[objective]\nsuppression = 1\n"
    (folder / "all.toml").write_text(policy)
    run = shoal(folder, "anonymize", "all.toml")
    assert run.returncode == 0, run.stderr
    assert (folder / "out.csv").read_text() == RARE_PAIR.replace("f,white\n", "")


def test_other_algorithms_refuse_to_be_accepted(folder: Path) -> None:
    """They guarantee k; the flag is a slip."""
    flags = ["exact" if each == "mu-argus" else each for each in FLAGS]
    run = shoal(folder, *flags, "--accept-unverified")
    assert run.returncode == 2
    assert "accept_unverified is for algorithms that do not guarantee k (mu-argus)" in run.stderr
