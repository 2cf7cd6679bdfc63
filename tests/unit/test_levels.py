"""Releases by levels, through the front door."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pandas
import pytest

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.algorithms.option_keys import option_keys
from tests.paper_setting import as_in_the_paper

PEOPLE = pandas.DataFrame(
    {
        "race": ["asian"] * 5 + ["black"] * 2 + ["white"] * 2,
        "zip": ["94142", "94141", "94139", "94139", "94139", "94138", "94139", "94139", "94141"],
        "disease": list("abcdefghi"),
    }
)
RACE = shoal.Hierarchy.from_dict({"person": ["asian", "black", "white"]})
ZIP = shoal.Hierarchy(tuple((zip, zip[:4] + "*", zip[:3] + "**") for zip in sorted(set(PEOPLE["zip"]))))


def released(**more: object) -> shoal.Release:
    """The survey's nine people, k = 2, by levels."""
    asked: dict[str, object] = {
        "quasi_identifiers": ["race", "zip"],
        "k": 2,
        "hierarchies": {"race": RACE, "zip": ZIP},
        "algorithm": "lattice",
        **more,
    }
    return shoal.anonymize(PEOPLE, **as_in_the_paper(**asked))  # type: ignore[arg-type]


def test_a_release_by_levels_prints_the_labels_of_the_hierarchies() -> None:
    """The least discernibility is at [0, 2]: three races, one ZIP region, nobody suppressed."""
    release = released()
    assert release.manifest.recoding == {"race": {"level": 0}, "zip": {"level": 2}}
    assert (release.manifest.cost, release.manifest.status) == (33, "optimal")
    assert list(release.data["zip"]) == ["941**"] * 9
    assert list(release.data["race"]) == list(PEOPLE["race"])
    assert list(release.data["disease"]) == list("abcdefghi")


def test_levels_can_be_bounded() -> None:
    """With ZIP at most one level up, race has to go."""
    release = released(levels={"zip": (0, 1)}, suppression=0)
    assert release.manifest.recoding == {"race": {"level": 1}, "zip": {"level": 1}}


def test_bounds_that_cannot_be_met_are_told_with_the_column_that_stops() -> None:
    """The message names the column, its level and the suppression that would do."""
    with pytest.raises(shoal.InfeasibleError) as refused:
        released(levels={"zip": (0, 1), "race": (0, 0)}, suppression=0)
    assert "2 row(s) stay" in str(refused.value)
    assert "'race' stops at level 0 of 1, 'zip' stops at level 1 of 2" in str(refused.value)
    assert "suppression = 2" in str(refused.value)
    assert refused.value.suppressed == 2


def test_weights_change_what_is_lost() -> None:
    """A race that must not be lost is kept, a ZIP that must not be lost as well."""
    dear_race = released(cost="precision", suppression=0, weights={"race": 9})
    dear_zip = released(cost="precision", suppression=0, weights={"zip": 9})
    assert dear_race.manifest.recoding == {"race": {"level": 0}, "zip": {"level": 2}}
    assert dear_zip.manifest.recoding == {"race": {"level": 1}, "zip": {"level": 1}}


def test_missing_hierarchies_are_built() -> None:
    """Without any hierarchy ZIP codes lose digits from the right, as codes do."""
    release = released(hierarchies={"race": RACE}, suppression=0)
    assert set(release.data["zip"]) <= {"94142", "94141", "94139", "94138", "9414*", "9413*", "941**", "*"}


def test_a_column_kept_as_it_is_has_the_top_as_its_only_other_level() -> None:
    """keep = true: the values, or nothing."""
    release = released(hierarchies={"race": RACE, "zip": shoal.Recipe(keep=True)}, suppression=0)
    assert release.manifest.recoding == {"race": {"level": 0}, "zip": {"level": 1}}
    assert set(release.data["zip"]) == {"*"}


def test_a_table_of_stars_passes_the_audit() -> None:
    """At the top of every hierarchy each row reads like a suppressed one, and hides among all."""
    everything = {
        "race": shoal.Hierarchy.from_dict({"*": ["asian", "black", "white"]}),
        "zip": shoal.Recipe(keep=True),
    }
    release = released(hierarchies=everything, k=9, suppression=0)
    assert (release.data[["race", "zip"]] == "*").all(axis=None)
    assert release.verdict.holds


def test_an_untrue_label_is_warned_of() -> None:
    """40 under "35-39" would release an untruth."""
    ages = pandas.DataFrame({"age": [35, 36, 39, 40]})
    hierarchy = shoal.Hierarchy(tuple((str(age), "35-39", "*") for age in (35, 36, 39, 40)))
    with pytest.warns(shoal.ShoalWarning, match="'age' has 1 value.* the first in line 4"):
        release = shoal.anonymize(
            ages, quasi_identifiers=["age"], k=2, hierarchies={"age": hierarchy}, algorithm="lattice"
        )
    assert [(each.code, each.columns) for each in release.warnings] == [("untrue-labels", ("age",))]


def test_auto_means_levels_where_only_they_will_do() -> None:
    """A cost that cuts do not have, or bounded levels."""
    assert released(algorithm="auto", cost="height", suppression=2).manifest.algorithm == "lattice"
    assert released(algorithm="auto", levels={"zip": (1, 2)}).manifest.algorithm == "lattice"


def test_the_options_of_a_policy_are_those_of_the_algorithms() -> None:
    """One table of options; a function cannot be stated in a file."""
    of_algorithms = {field.name for algorithm in ALGORITHMS.values() for field in fields(algorithm)}
    by_policy = {"identification", "linking", "ordered", "tolerance"}  # said per column
    assert of_algorithms - by_policy - {"choose"} == {key.name for key in option_keys()}


def test_levels_are_written_to_files(tmp_path: Path) -> None:
    """CSV in, CSV out, rows in order, the other column untouched."""
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    shoal.anonymize(
        tmp_path / "people.csv",
        quasi_identifiers=["race", "zip"],
        k=2,
        hierarchies={"race": RACE, "zip": ZIP},
        types={"zip": "category"},
        algorithm="samarati",
        suppression=2,
        suppressed="mask",
        path=tmp_path / "release.csv",
    )
    written = pandas.read_csv(tmp_path / "release.csv", dtype=str)
    assert list(written["zip"].dropna()) == ["9414*"] * 2 + ["9413*"] * 5 + ["*"] * 2
    assert list(written["disease"].fillna("-")) == [*"abcdefg", "-", "-"]


def test_the_suppressed_top_is_switched_by_the_policy(tmp_path: Path) -> None:
    """Sweeney's hierarchies have it, Samarati's do not; it changes what a level loses of precision."""
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    RACE.write(tmp_path / "race.csv")
    text = (
        '[source]\npath = "people.csv"\n[privacy]\nk = 2\n[objective]\ncost = "precision"\nsuppression = 0\n'
        '[release]\npath = "release.csv"\n[attributes.race]\nrole = "quasi-identifier"\n'
        'hierarchy = "race.csv"\n'
        "min_level = 1\nsuppressed_top = "
    )
    costs = {}
    for switched in ("true", "false"):
        (tmp_path / "policy.toml").write_text(text + switched + "\n")
        release = shoal.anonymize(policy=shoal.read_policy(tmp_path / "policy.toml"))
        costs[switched] = release.manifest.cost
    assert costs == {"true": 0.5, "false": 1.0}


def test_a_top_is_true_of_missing_cells() -> None:
    """Joined with the known values, a missing one is said to be missing."""
    ages = pandas.DataFrame({"age": [10, 20, None, None]})
    for hierarchy in (shoal.Hierarchy((("10", "10-20"), ("20", "10-20"))), shoal.Recipe(suppressed=False)):
        release = shoal.anonymize(
            ages, quasi_identifiers=["age"], k=4, hierarchies={"age": hierarchy}, algorithm="lattice"
        )
        assert {label.removesuffix(" or missing") for label in release.data["age"]} < {"10-20", "[10, 20]"}
        assert all(label.endswith(" or missing") for label in release.data["age"])


def test_subtrees_are_built_of_neighbours() -> None:
    """Categories without order or hierarchy are joined as the alphabet has them."""
    release = released(hierarchies={"zip": ZIP}, algorithm="subtree", suppression=0)
    assert release.manifest.status == "optimal"
    assert release.verdict.holds


def test_a_label_over_cuts_tells_of_no_suppressed_row() -> None:
    """`bcd` would say that some row has c; the only one that has it is suppressed."""
    frame = pandas.DataFrame({"v": [*"bb", "c", *"dd", *"eeee"], "s": ["F", "F", "M", *"FFFFFF"]})
    release = shoal.anonymize(
        frame,
        suppression="unlimited",
        algorithm="exact",
        quasi_identifiers=["v", "s"],
        k=4,
        cost="general-loss",
        hierarchies={"v": {"*": {"bcd": ["b", "c", "d"], "E": ["e"]}}},
    )
    assert set(release.data["v"]) == {"{b, d}", "e"}
