"""Releases that give up groups for an average risk, through the front door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal.privacy import AverageRisk

TEN = pandas.DataFrame({"x": ["a"] + ["b"] * 9, "row": range(10)})
ONE_LEVEL = shoal.Hierarchy((("a", "*"), ("b", "*")))
RISK = {"models": [AverageRisk(threshold=0.12)], "k": 1, "suppression": "10%"}

POLICY = """
[source]
path = "ten.csv"
[attributes.x]
role = "quasi-identifier"
hierarchy = "x.csv"
[privacy]
k = 1
models = [ { name = "average-risk", threshold = 0.12 } ]
[objective]
cost = "general-loss"
suppression = "10%"
[search]
algorithm = "lattice"
[release]
path = "r.csv"
"""


def released(frame: object = TEN, **more: Any) -> shoal.Release:
    """One row with a and nine with b: two groups are a risk of 0.2, the nine alone of 1 / 9."""
    asked: dict[str, Any] = {
        "quasi_identifiers": ["x"],
        "hierarchies": {"x": ONE_LEVEL},
        "cost": "general-loss",
        "algorithm": "lattice",
        **RISK,
        **more,
    }
    return shoal.anonymize(frame, **asked)


@pytest.mark.parametrize(
    "algorithm", ["lattice", "exact", "k-optimize", "subtree", "exhaustive", "suppress-rows"]
)
def test_a_group_is_given_up_where_that_costs_least(algorithm: str) -> None:
    """Joining the two loses everything; without the one a tenth is lost, as with the stricter k = 2."""
    release = released(algorithm=algorithm)
    facts = release.manifest
    assert (facts.status, facts.cost, facts.bound, facts.suppressed) == ("optimal", 0.1, 0.1, 1)
    assert facts.audit["average-risk"] == pytest.approx(1 / 9)
    assert list(release.data["x"]) == ["b"] * 9
    assert facts.cost == released(algorithm=algorithm, k=2).manifest.cost


def test_mingen_gives_up_groups_too() -> None:
    """By precision, which it knows alone."""
    release = released(algorithm="mingen", cost="precision")
    assert (release.manifest.status, release.manifest.cost) == ("optimal", 0.1)


@pytest.mark.parametrize("algorithm", ["incognito", "ola", "flash", "samarati"])
def test_searches_that_climb_refuse_to_choose_groups(algorithm: str) -> None:
    """They would call optimal, or minimal, what giving up a group can beat."""
    with pytest.raises(shoal.PolicyError, match="can require others to be given up; use 'lattice'"):
        released(algorithm=algorithm, cost="height")


def test_equal_groups_are_given_up_in_the_order_of_their_values() -> None:
    """Whatever the order of the rows: the first of them that would do."""
    frame = pandas.DataFrame({"x": ["c", "a", "b"] + ["d"] * 9})
    tree = shoal.Hierarchy(tuple((value, "*") for value in "abcd"))
    asked: dict[str, Any] = {"hierarchies": {"x": tree}, "models": [AverageRisk(threshold=0.21)]}
    for rows in (frame, frame[::-1]):
        assert sorted(released(rows, suppression=2, **asked).data["x"]) == ["c"] + ["d"] * 9


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_a_file_is_released_as_a_frame_is(suppressed: Any, tmp_path: Path) -> None:
    """Written, audited and described; the manifest does not tell the value of the row that went."""
    TEN.to_csv(tmp_path / "ten.csv", index=False)
    released(tmp_path / "ten.csv", path=tmp_path / "r.csv", suppressed=suppressed, algorithm="exact")
    kept = pandas.read_csv(tmp_path / "r.csv", dtype=str)["x"]
    assert list(kept) == (["*"] if suppressed == "mask" else []) + ["b"] * 9
    recoding = json.loads((tmp_path / "r.csv.manifest.json").read_text())["recoding"]
    assert recoding == {"x": [{"label": "b", "values": ["b"]}]}


def test_an_explanation_chooses_groups_as_the_release_does(tmp_path: Path) -> None:
    """Also where the recoding is read from the manifest, which does not tell them."""
    TEN.to_csv(tmp_path / "ten.csv", index=False)
    (tmp_path / "x.csv").write_text("a;*\nb;*\n")
    (tmp_path / "ten.toml").write_text(POLICY)
    shoal.anonymize(policy=tmp_path / "ten.toml")
    for again in (False, True):
        told = shoal.explain(policy=tmp_path / "ten.toml", again=again)
        assert (float(told.cost), told.suppressed) == (0.1, 1)


def test_what_would_help_is_told_where_levels_are_bounded() -> None:
    """One row given up would do: more suppression is named with its number."""
    with pytest.raises(shoal.InfeasibleError, match=r"Raise max_level, allow suppression = 1, or relax it"):
        released(levels={"x": (0, 0)}, suppression=0)


def test_suppression_is_not_advised_where_it_cannot_help() -> None:
    """All ten rows as one group are a risk of 0.1, and fewer rows a greater one."""
    for suppression in (0, 5, "unlimited"):
        with pytest.raises(shoal.InfeasibleError, match="Suppressing rows raises it; relax it") as refused:
            released(models=[AverageRisk(threshold=0.09)], suppression=suppression)
        assert "allow suppression" not in str(refused.value)
