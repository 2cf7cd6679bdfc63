"""The manifest: its fields are a contract with other programs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import shoal
from shoal.model.policy_arguments import policy_of

FIELDS = [
    "shoal",
    "algorithm",
    "cost_metric",
    "k",
    "rows",
    "suppressed",
    "groups",
    "cost",
    "bound",
    "gap",
    "status",
    "seconds",
    "nodes",
    "seed",
    "policy_digest",
    "source_digest",
    "release_digest",
    "recoding",
    "audit",
    "model",
    "truthful",
    "notes",
    "trace",
    "warnings",
]


def test_the_manifest_has_the_fields_of_the_contract(people: Path, tmp_path: Path) -> None:
    """It stands beside the release, and says what was asked, answered and measured."""
    target = tmp_path / "release.csv"
    release = shoal.anonymize(
        people, quasi_identifiers=["age"], k=2, seed=5, path=target, algorithm="exhaustive"
    )
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert list(manifest) == FIELDS
    assert manifest["recoding"] == {
        "age": [{"label": "[30, 31]", "values": [30, 31]}, {"label": "[45, 46]", "values": [45, 46]}]
    }
    assert manifest["audit"] == {"k-anonymity": 3, "holds": True}
    assert (manifest["k"], manifest["rows"], manifest["suppressed"], manifest["groups"]) == (2, 6, 0, 2)
    assert (manifest["cost"], manifest["bound"], manifest["gap"], manifest["status"]) == (
        18,
        18,
        0.0,
        "optimal",
    )
    assert (manifest["algorithm"], manifest["cost_metric"], manifest["seed"]) == (
        "exhaustive",
        "discernibility",
        5,
    )
    assert manifest["source_digest"] == sha256(people.read_bytes()).hexdigest()
    assert manifest["release_digest"] == sha256(target.read_bytes()).hexdigest()
    asked = policy_of(quasi_identifiers=["age"], k=2, seed=5, algorithm="exhaustive")
    assert manifest["policy_digest"] == asked.digest
    assert release.manifest.to_json() == (tmp_path / "release.csv.manifest.json").read_text()


def test_a_release_prints_its_facts(people: Path, tmp_path: Path) -> None:
    """On one line."""
    release = shoal.anonymize(
        people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
    )
    assert "optimal, k=3, cost=18, gap=0.0, rows=6, suppressed=0, groups=2" in repr(release)


def test_fractional_costs_are_numbers_in_json(people: Path, tmp_path: Path) -> None:
    """General loss is a mean between 0 and 1."""
    release = shoal.anonymize(
        people,
        quasi_identifiers=["age"],
        k=2,
        cost="general-loss",
        path=tmp_path / "r.csv",
        algorithm="exhaustive",
    )
    assert isinstance(release.manifest.cost, float)
    assert 0 < release.manifest.cost < 1
