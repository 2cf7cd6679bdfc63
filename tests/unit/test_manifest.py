"""The manifest: its fields are a contract with other programs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pandas
import pytest

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.formatting.detail import claim
from shoal.model.policy.policy_arguments import policy_of
from tests.paper_setting import as_in_the_paper

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
    "orders",
    "choice",
    "columns",
    "treatments",
    "order",
    "truthful_recoding",
    "reading",
    "promise",
    "certificate",
    "phases",
    "versions",
    "joint",
]


def test_the_manifest_has_the_fields_of_the_contract(people: Path, tmp_path: Path) -> None:
    """It stands beside the release, and says what was asked, answered and measured."""
    target = tmp_path / "release.csv"
    release = shoal.anonymize(
        people,
        cost="discernibility",
        suppression="unlimited",
        quasi_identifiers=["age"],
        k=2,
        seed=5,
        path=target,
        algorithm="exhaustive",
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
    asked = policy_of(
        cost="discernibility",
        suppression="unlimited",
        quasi_identifiers=["age"],
        k=2,
        seed=5,
        algorithm="exhaustive",
    )
    assert manifest["policy_digest"] == asked.digest
    assert release.manifest.to_json() == (tmp_path / "release.csv.manifest.json").read_text()


def test_a_release_prints_its_facts(people: Path, tmp_path: Path) -> None:
    """On one line."""
    release = shoal.anonymize(
        people,
        cost="discernibility",
        suppression="unlimited",
        quasi_identifiers=["age"],
        k=2,
        path=tmp_path / "r.csv",
        algorithm="exhaustive",
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


DIFFERS = {"seconds", "trace", "phases"}
"""What the reference says can differ between equal runs."""


@pytest.mark.parametrize("algorithm", ["exact", "k-optimize", "lattice", "genetic", "mondrian", "local"])
def test_equal_runs_make_equal_manifests_but_for_the_clock(
    algorithm: str, people: Path, tmp_path: Path
) -> None:
    """Whatever the number of threads; `seconds`, `trace` and `phases` are the clock's."""
    made = []
    for threads in (1, 2):
        target = tmp_path / f"{threads}.csv"
        shoal.anonymize(
            people,
            cost="discernibility",
            suppression="unlimited",
            quasi_identifiers=["age", "zip"],
            k=2,
            seed=3,
            threads=threads,
            path=target,
            algorithm=algorithm,
        )
        facts = json.loads(target.with_name(f"{target.name}.manifest.json").read_text())
        assert set(facts) >= DIFFERS
        made.append(
            ({name: each for name, each in facts.items() if name not in DIFFERS}, target.read_bytes())
        )
    assert made[0] == made[1]


def test_the_reference_names_every_field() -> None:
    """A field that is not documented is no contract."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "manifest.md"
    rows = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    assert {line.split("`")[1] for line in rows} >= set(FIELDS)


def test_a_trace_tells_costs_and_bounds_over_nodes(people: Path, tmp_path: Path) -> None:
    """It ends with the answer."""
    made = shoal.anonymize(people, quasi_identifiers=["age", "zip"], k=2, path=tmp_path / "r.csv").manifest
    assert all(set(each) == {"seconds", "cost", "bound", "nodes"} for each in made.trace)
    assert (made.trace[-1]["cost"], made.trace[-1]["nodes"]) == (made.cost, made.nodes)


def test_every_algorithm_says_among_which_recodings_it_looks() -> None:
    """A proof names its kind, also that of an algorithm to come."""
    assert all(algorithm.searches for algorithm in ALGORITHMS.values())


@pytest.mark.parametrize("algorithm", ["genetic", "anneal", "tds", "bug"])
def test_heuristics_along_hierarchies_claim_no_proof(algorithm: str) -> None:
    """They look among cuts along the hierarchies, end without a bound, and nothing is claimed of others."""
    table = pandas.DataFrame({"age": [1, 2, 3, 4] * 3, "sex": list("fm") * 6, "ill": list("abb") * 4})
    asked = {"quasi_identifiers": ["age", "sex"], "class_attribute": "ill", "k": 2, "algorithm": algorithm}
    found = shoal.anonymize(table, **as_in_the_paper(**asked)).manifest
    assert (found.status, found.bound, found.kind) == ("feasible", None, "cuts along the hierarchies")
    assert claim("discernibility", found.status, found.cost, found.bound, found.gap, found.kind) is None


def test_mingen_on_cells_claims_more_than_levels(tmp_path: Path) -> None:
    """The form of its recoding tells: labels chosen row by row."""
    table = pandas.DataFrame({"age": [1, 1, 2, 3, 4, 4]})
    (tmp_path / "age.csv").write_text("1;low;*\n2;low;*\n3;high;*\n4;high;*\n")
    asked = {"quasi_identifiers": ["age"], "k": 2, "algorithm": "mingen", "cost": "precision"}
    asked |= {"hierarchies": {"age": tmp_path / "age.csv"}}
    found = shoal.anonymize(table, options={"cells": True}, **asked).manifest
    assert claim("precision", found.status, found.cost, found.bound, found.gap, found.kind) == (
        "a cell keeps 66.6 % of its detail on average; proved: no other row-by-row recodings with values of "
        "this form keep more under this policy"
    )
    assert shoal.anonymize(table, **asked).manifest.kind == "levels of the hierarchies"


def test_a_gap_names_its_kind() -> None:
    """What could still be saved could be saved by recodings of one kind, as far as is proved."""
    said = claim("discernibility", "feasible", 100, 50.2, 0.498, "cuts")
    assert said == "not proved: other cuts could cost up to 49.8 % less"
