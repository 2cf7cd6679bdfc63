"""Attacks on what Shoal releases itself: the least loss is what some attackers reckon with."""

from __future__ import annotations

from itertools import product
from random import Random

import pandas as pd
import pytest

import shoal
from shoal.auditor.attacks import AttackResult
from shoal.model.hierarchy.hierarchy import Hierarchy

SEX = Hierarchy((("F", "person"), ("M", "person")))
ZIP = Hierarchy(
    (
        ("94138", "9413*", "941**"),
        ("94139", "9413*", "941**"),
        ("94141", "9414*", "941**"),
        ("94142", "9414*", "941**"),
    )
)
HIV = pd.DataFrame(
    {"q": ["q1"] * 2 + ["q2"] * 5, "disease": ["HIV", "HIV", "flu", "cold", "gout", "rash", "asthma"]}
)
QS = Hierarchy((("q1", "Q"), ("q2", "Q")))


def minimality(table: pd.DataFrame, k: int) -> AttackResult:
    """Release a table by levels with at most half HIV in each group, and attack that."""
    half = {"name": "alpha-k-anonymity", "attribute": "disease", "alpha": 0.5, "values": ["HIV"]}
    asked = {
        "quasi_identifiers": ["q"],
        "sensitive": ["disease"],
        "k": k,
        "models": [half],
        "hierarchies": {"q": QS},
    }
    release = shoal.anonymize(table, **asked, algorithm="lattice", suppression=0)
    assert release.data is not None
    report = shoal.attack(release.data, **asked, external=table[["q"]], attacks=["minimality"])
    return report.results[0]


def test_the_finest_release_tells_why_it_is_no_finer() -> None:
    """Wong et al.'s seven people: released as one group, so both of q1 have HIV."""
    assert minimality(HIV, k=2).succeeded == 2


def test_a_k_that_forbids_the_finer_release_tells_nothing() -> None:
    """With k = 3 the two of q1 must be joined to others, whatever they have."""
    assert minimality(HIV, k=3).succeeded == 0


@pytest.mark.parametrize("seed", range(8))
def test_an_optimal_release_by_cells_is_written_finer_rightly(seed: int) -> None:
    """It is minimal, so nothing that downcoding claims is wrong, and it claims nearly everything."""
    random = Random(seed)
    rows = random.sample(list(product("FM", [row[0] for row in ZIP.rows])), random.randint(4, 7))
    original = pd.DataFrame(rows, columns=["sex", "zip"])
    asked = {"quasi_identifiers": ["sex", "zip"], "k": 2, "hierarchies": {"sex": SEX, "zip": ZIP}}
    release = shoal.anonymize(
        original, **asked, algorithm="mingen", options={"cells": True}, cost="precision", suppression=0
    )
    assert release.data is not None
    report = shoal.attack(release.data, **asked, original=original, attacks=["downcoding"])
    found = report.results[0]
    assert found.facts["groups_not_minimal"] == 0
    assert found.succeeded == found.facts["claimed"] >= 4
