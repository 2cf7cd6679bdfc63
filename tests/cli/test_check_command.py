"""`shoal anonymize --certificate` and `shoal check`: verdicts, exit codes, and what stays private."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.command import shoal

POLICY = """
[source]
path = "people.csv"
[attributes.age]
role = "quasi-identifier"
[privacy]
k = 2
[objective]
cost = "discernibility"
[release]
path = "release.csv"
"""
CHECK = ("check", "release.csv", "--policy", "policy.toml", "--certificate", "private/proof.gz")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six people, a policy, and a place for the certificate."""
    (tmp_path / "people.csv").write_text("age\n30\n30\n31\n45\n45\n46\n")
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "private").mkdir()
    return tmp_path


def test_a_certificate_is_written_and_verified(folder: Path) -> None:
    """Exit code 0, both numbers, and for programs the digests of what was read."""
    run = shoal(folder, "anonymize", "policy.toml", "--certificate", "private/proof.gz", "--check")
    assert run.returncode == 0, run.stderr
    assert "nodes, proof verified by an independent checker" in run.stderr
    found = shoal(folder, *CHECK, "--json")
    assert (found.returncode, found.stderr) == (
        0,
        "verified: nothing of this kind costs less than 18; this release costs 18\n",
    )
    facts = json.loads(found.stdout)
    manifest = json.loads((folder / "release.csv.manifest.json").read_text())
    assert (facts["word"], facts["bound"], facts["cost"]) == ("verified", 18, 18)
    assert facts["digests"]["release"] == manifest["release_digest"]
    assert facts["digests"]["certificate"] == manifest["certificate"]["digest"]


def test_a_certificate_is_private(folder: Path) -> None:
    """Its owner alone can read it, and nothing of it is next to the release."""
    shoal(folder, "anonymize", "policy.toml", "--certificate", "private/proof.gz")
    assert stat.S_IMODE((folder / "private" / "proof.gz").stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        *("people.csv", "policy.toml", "release.csv", "release.csv.manifest.json"),
    ]
    assert "private" not in (folder / "release.csv.manifest.json").read_text()


def test_the_exit_code_carries_the_verdict(folder: Path) -> None:
    """5 refuted, 4 cannot check, 6 no file, 2 usage."""
    shoal(folder, "anonymize", "policy.toml", "--certificate", "private/proof.gz")
    release = (folder / "release.csv").read_text()
    (folder / "release.csv").write_text(release.replace("[30, 31]", "[30, 30]"))
    assert shoal(folder, *CHECK).returncode == 5
    (folder / "release.csv").write_text(release)
    (folder / "policy.toml").write_text(POLICY.replace("k = 2", 'k = 2\nsurvey_weight = "age"'))
    assert shoal(folder, *CHECK).returncode == 4
    assert shoal(folder, *CHECK[:-1], "private/none.gz").returncode == 6
    assert shoal(folder, "check", "release.csv").returncode == 2
    assert shoal(folder, "anonymize", "people.csv", "-q", "age", "-k", "2", "--check").returncode == 2
    assert shoal(folder, "anonymize", "policy.toml", "--certificate", "people.csv").returncode == 2
