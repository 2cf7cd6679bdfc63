"""A release whose suppressed cells are wildcards: what was asked holds, and nobody is told that more does."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import shoal

POLICY = (
    '[source]\npath = "women.csv"\n[release]\npath = "out.csv"\n[privacy]\nk = 3\n'
    '[attributes.sex]\nrole = "quasi-identifier"\n[attributes.town]\nrole = "quasi-identifier"\n'
    '[objective]\nrecoding_model = "AG_CS"\n[search]\nreading = "wildcard"\n'
)


def test_wildcards_are_published_and_told_apart(tmp_path: Path) -> None:
    """Exit 0: it is what the policy asks for; an audit that knows no wildcards exits with 5."""
    (tmp_path / "women.csv").write_text("sex,town\nf,Delft\nf,Delft\nf,Delft\nf,Gouda\n")
    (tmp_path / "women.toml").write_text(POLICY)
    run = shoal(tmp_path, "anonymize", "women.toml")
    assert run.returncode == 0
    assert "audit holds for wildcards only" in run.stderr
    assert "read as values, 1 group(s) with 1 row(s) are smaller than k = 3" in run.stderr
    assert (tmp_path / "out.csv").read_text().splitlines()[-1] == "f,*"
    found = json.loads((tmp_path / "out.csv.manifest.json").read_text())["audit"]
    assert found == {"k-anonymity": 1, "k-anonymity-wildcard": 4, "holds-wildcard": True, "holds": False}
    assert shoal(tmp_path, "audit", "out.csv", "--policy", "women.toml").returncode == 0
    assert shoal(tmp_path, "audit", "out.csv", "-q", "sex,town", "-k", "3").returncode == 5


def test_an_audit_reads_no_wildcards_for_a_policy_that_cannot_ask_for_them(tmp_path: Path) -> None:
    """Such a policy makes no release, so its audit must not be the easier one."""
    (tmp_path / "out.csv").write_text("sex,town\nf,Delft\nf,Delft\nf,Delft\nf,*\n")
    policy = POLICY.replace('recoding_model = "AG_CS"\n[search]\n', '[search]\nalgorithm = "lattice"\n')
    (tmp_path / "women.toml").write_text(policy)
    run = shoal(tmp_path, "audit", "out.csv", "--policy", "women.toml")
    assert (run.returncode, "'lattice' has no option 'reading'" in run.stderr) == (2, True)
