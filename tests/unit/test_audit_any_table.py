"""The audit of any table: every model, three readings of `*`, offending groups, manifests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import duckdb
import pandas
import pytest

import shoal
from shoal.model.policy.policy_arguments import policy_of
from tests.unit.test_privacy_models import FIGURE_15

Write = Callable[..., Path]
Reading = Literal["value", "wildcard", "conservative"]

STARS = "age,zip,ill\n1,x,flu\n1,x,hiv\n1,*,flu\n1,*,flu\n2,y,cold\n"


def survey() -> pandas.DataFrame:
    """The survey, Fig. 15, row by row."""
    rows = [(*key, disease) for key, diseases in FIGURE_15.items() for disease in diseases]
    return pandas.DataFrame(rows, columns=["race", "sex", "disease"])


def test_every_model_is_measured_without_a_threshold() -> None:
    """The survey, Fig. 15, by hand: diseases 3, 1, 1, 2 in groups of 3, 2, 2, 2."""
    audited = shoal.audit(survey(), quasi_identifiers=["race", "sex"], sensitive=["disease"])
    found = {each.key: each.value for each in audited.measured}
    assert found == {
        "distinct-l-diversity(disease)": 1,
        "entropy-l-diversity(disease)": 1,
        "recursive-l-diversity(disease, c=3)": 1,
        "t-closeness(disease)": pytest.approx(2 / 3),
        "p-sensitivity(disease)": 1,
        "alpha-k-anonymity(disease)": 1,
        "beta-likeness(disease)": None,  # obesity gains 2, and -ln(1/3) is the most that any beta allows
        "beta-likeness(disease, basic)": pytest.approx(2),
        "delta-disclosure(disease)": None,  # no group has every disease
        "average-risk": pytest.approx(4 / 9),
    }
    assert audited.sizes.pairs == [(2, 3), (3, 1)]
    assert [(each.below, each.rows) for each in audited.at_risk] == [(2, 0), (3, 6), (5, 9), (10, 9), (20, 9)]
    assert (audited.meets, audited.demanded, audited.k) == (True, None, 2)


def test_values_with_a_hierarchy_are_as_far_apart_as_it_says(write: Write) -> None:
    """By hand: in each group a third moves from a1 to a2 or back, which meet halfway up."""
    path = write("age,ill\n1,a1\n1,a1\n1,b\n2,a2\n2,a2\n2,b\n")
    tree = {"*": {"A": ["a1", "a2"], "B": ["b"]}}
    audited = shoal.audit(path, quasi_identifiers=["age"], sensitive=["ill"], hierarchies={"ill": tree})
    found = {each.key: each.value for each in audited.measured}
    assert found["t-closeness(ill)"] == pytest.approx(1 / 3)
    assert found["t-closeness(ill, hierarchical)"] == pytest.approx(1 / 6)


def test_offending_groups_are_described_without_a_cell() -> None:
    """Fig. 15: two groups have one disease each; sizes, places and counts are told, nothing else."""
    audited = shoal.audit(
        survey(),
        quasi_identifiers=["race", "sex"],
        k=2,
        sensitive=["disease"],
        models=[{"name": "distinct-l-diversity", "attribute": "disease", "l": 2}],
    )
    assert not audited.meets
    assert [each.to_dict() for each in audited.offending.described] == [
        {
            "rows": 2,
            "hidden_among": 2,
            "breaks": ["distinct-l-diversity"],
            "first_row": row,
            "suppressed": [],
            "generalized": [],
            "missing": [],
            "distinct": {"disease": 1},
        }
        for row in (4, 6)
    ]
    told = json.dumps(audited.to_dict()) + str(audited.failures)
    assert not any(value in told for column in survey() for value in survey()[column])


@pytest.mark.parametrize(
    ("reading", "smallest", "at_risk", "diverse"),
    [
        ("value", [(1, 1), (2, 2)], [1, 5], 1),
        ("wildcard", [(1, 1), (2, 2)], [1, 1], 1),
        ("conservative", [(1, 3), (2, 1)], [3, 5], 1),
    ],
)
def test_suppressed_cells_are_read_in_three_ways(
    reading: Reading, smallest: list[tuple[int, int]], at_risk: list[int], diverse: int, write: Write
) -> None:
    """Two rows of x, two of *, and one apart: groups, and rows that hide among fewer than two and three."""
    audited = shoal.audit(
        write(STARS), quasi_identifiers=["age", "zip"], sensitive=["ill"], suppressed_cells=reading
    )
    assert audited.sizes.pairs == smallest
    assert [each.rows for each in audited.at_risk[:2]] == at_risk
    assert audited.measured[0].value == diverse
    assert audited.to_dict()["semantics"] == reading


@pytest.mark.parametrize(("reading", "k"), [("value", 2), ("wildcard", 4), ("conservative", 1)])
def test_a_demand_is_judged_as_suppressed_cells_are_read(reading: Reading, k: int, write: Write) -> None:
    """Without the row apart the table has k 2, 4 or 1."""
    path = write(STARS.replace("2,y,cold\n", ""))
    for demanded in (k, k + 1):
        audited = shoal.audit(
            path, quasi_identifiers=["age", "zip"], k=demanded, suppressed_cells=reading, offending=1
        )
        assert audited.meets == (demanded == k)
        assert [each.holds for each in audited.findings if each.key == "k-anonymity"] == [demanded == k]
        assert (audited.offending.groups > 0) == (demanded > k)
        assert len(audited.offending.described) == min(1, audited.offending.groups)


def test_a_column_that_is_suppressed_as_a_whole_tells_nobody_apart(write: Write) -> None:
    """Read conservatively, too: it is like one that was dropped. Rows of stars alone stay suppressed."""
    path = write("age,zip\n1,*\n1,*\n2,*\n2,*\n*,*\n")
    audited = shoal.audit(path, quasi_identifiers=["age", "zip"], suppressed_cells="conservative")
    assert (audited.verdict.k, audited.verdict.measured.suppressed) == (2, 1)


@pytest.mark.parametrize(
    ("stars", "k", "flagged"), [(0, 3, False), (2, 3, True), (3, 3, False), (1, None, True)]
)
def test_suppressed_rows_that_are_fewer_than_k_are_flagged(
    stars: int, k: int | None, flagged: bool, write: Write
) -> None:
    """Who is known to be suppressed hides among them alone; without a demand, less than others do."""
    path = write("age\n" + "1\n" * 3 + "*\n" * stars)
    audited = shoal.audit(path, quasi_identifiers=["age"], k=k)
    assert audited.meets
    assert [f"{stars} suppressed row(s) are fewer than k = 3" in words for words in audited.warnings] == (
        [True] if flagged else []
    )
    assert audited.to_dict()["suppressed_rows"] == {"rows": stars, "fewer_than_k": flagged}


def test_survey_weights_cannot_be_split(write: Write) -> None:
    """The conservative reading refuses a demand on them, and measures without them what it can."""
    path = write("age,zip,w\n1,x,2\n1,*,2\n")
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "survey_weight": "w"}
    assert "k-map" in [each.model for each in shoal.audit(path, **asked).measured]
    conservative = shoal.audit(path, **asked, suppressed_cells="conservative")
    assert [each.model for each in conservative.measured] == ["average-risk"]
    with pytest.raises(shoal.PolicyError, match="survey weights are added up by group"):
        shoal.audit(path, **asked, models=[{"name": "k-map", "k": 2}], suppressed_cells="conservative")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"suppressed_cells": "values"}, "value, wildcard, conservative"),
        ({"offending": -1}, "0 or more"),
        ({"key": "age"}, "name the original"),
        ({"sensitive": ["il"]}, "Did you mean 'ill'"),
        ({"quasi_identifiers": ["agee"]}, "Did you mean 'age'"),
        ({"quasi_identifiers": None}, "name the quasi-identifiers"),
        ({"policy": "p.toml"}, "leave out quasi_identifiers"),
    ],
)
def test_what_does_not_fit_is_said(arguments: dict[str, Any], words: str, write: Write) -> None:
    """Before anything is measured, with the way out."""
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.audit(write(STARS), **{"quasi_identifiers": ["age"], **arguments})


@pytest.fixture
def release(write: Write, tmp_path: Path) -> Path:
    """A release with its manifest beside it."""
    source = write("age,zip\n" + "".join(f"{age},{zipcode}\n" for age in (1, 2) for zipcode in "aabbcc"))
    target = tmp_path / "release.csv"
    shoal.anonymize(
        source,
        cost="discernibility",
        suppression="unlimited",
        quasi_identifiers=["age", "zip"],
        k=2,
        path=target,
        algorithm="exhaustive",
    )
    return target


def test_a_release_is_held_against_its_manifest(release: Path) -> None:
    """The digest and what it claims, whatever columns are asked about: those of the manifest are measured."""
    audited = shoal.audit(release, quasi_identifiers=["age", "zip"])
    assert audited.manifest is not None
    claimed = {"k": 2, "groups": 6, "rows": 12, "suppressed": 0, "labels.age": 0, "labels.zip": 0, "cost": 24}
    assert (audited.manifest.holds, audited.manifest.claimed) == (True, claimed)
    other = shoal.audit(release, quasi_identifiers=["age"])
    assert other.manifest is not None
    assert (other.meets, other.manifest.claimed) == (True, claimed)
    conservative = shoal.audit(release, quasi_identifiers=["age", "zip"], suppressed_cells="conservative")
    assert conservative.meets


def test_a_tampered_release_is_caught(release: Path) -> None:
    """One cell that leaves k as it is: the digest tells."""
    release.write_text(release.read_text().replace("1,a\n1,a\n", "1,c\n1,c\n"))
    audited = shoal.audit(release, quasi_identifiers=["age", "zip"], k=2)
    assert (audited.verdict.meets, audited.meets, audited.holds) == (True, False, False)
    digest, claims = audited.failures
    assert "not the one that its manifest release.csv.manifest.json is about" in digest
    assert "groups is 5 and not 6" in claims
    assert [each.key for each in audited.findings if not each.holds] == ["release-digest", "manifest-claims"]


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({"audit": {"k-anonymity": 50, "holds": True}}, "makes wrong claims: k is 2 and not 50"),
        ({"k": 50}, "its audit holds, but its smallest group is smaller than its k"),
        ({"suppressed": 3}, "makes wrong claims: rows is 12 and not 9; the cost (discernibility) is 60"),
        ({"rows": 20}, "makes wrong claims: rows is 12 and not 20"),
        ({"rows": None}, "its field 'rows' is not a whole number from 0 on"),
    ],
)
def test_a_tampered_manifest_is_caught(claim: dict[str, object], words: str, release: Path) -> None:
    """It claims a k that the table does not have, or other rows."""
    place = release.with_name("release.csv.manifest.json")
    place.write_text(json.dumps({**json.loads(place.read_text()), **claim}))
    audited = shoal.audit(release, quasi_identifiers=["age", "zip"])
    (said,) = audited.failures
    assert said.startswith("the manifest release.csv.manifest.json ")
    assert words in said


def test_a_manifest_without_its_recoding_still_tells_the_digest(release: Path) -> None:
    """What the readers of a release may see; rows alone are compared, for the columns are gone."""
    place = release.with_name("release.csv.manifest.json")
    facts = json.loads(place.read_text())
    del facts["recoding"]
    place.write_text(json.dumps(facts))
    audited = shoal.audit(release, quasi_identifiers=["age", "zip"])
    assert audited.manifest is not None
    assert (audited.meets, audited.manifest.claimed) == (True, {"rows": 12})


def test_a_table_of_a_database_is_held_against_its_comment(write: Write, tmp_path: Path) -> None:
    """It is the manifest: there is no digest, and k, groups and rows tell of a row that was removed."""
    source = write("age,zip\n" + "1,a\n" * 3 + "2,b\n" * 3)
    place = f"duckdb:///{tmp_path / 'people.db'}"
    with duckdb.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people AS FROM read_csv(?)", [str(source)])
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "zip"]}
    shoal.anonymize(place, table="people", k=3, path="out", **asked)
    whole = shoal.audit(place, table="out", **asked)
    assert whole.meets
    assert whole.manifest is not None
    assert whole.manifest.claimed.items() >= {"k": 3, "groups": 2, "rows": 6, "suppressed": 0}.items()
    assert [each.key for each in whole.findings if each.level == "error"] == ["manifest-claims"]
    with duckdb.connect(tmp_path / "people.db") as database:
        database.execute("DELETE FROM out WHERE rowid = 0")
    (words,) = shoal.audit(place, table="out", **asked).failures
    assert words.startswith(
        "the manifest in the comment on out makes wrong claims: k is 2 and not 3; rows is 5 and not 6"
    )
    with duckdb.connect(tmp_path / "people.db") as database:
        database.execute("""COMMENT ON TABLE out IS '{"shoal": "0.1.0", "algor'""")
    (cut,) = shoal.audit(place, table="out", **asked).failures
    assert cut.startswith(
        "the manifest in the comment on out cannot be checked against the table: it is not JSON"
    )
    assert shoal.audit(place, table="out", manifest=False, **asked).meets


@pytest.mark.parametrize("comment", ["{", "of the hospital", "[]"])
def test_another_comment_is_no_manifest(comment: str, write: Write, tmp_path: Path) -> None:
    """People write comments, too: no warning."""
    with duckdb.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people AS FROM read_csv(?)", [str(write(STARS))])
        database.execute(f"COMMENT ON TABLE people IS '{comment}'")
    place = f"duckdb:///{tmp_path / 'people.db'}"
    audited = shoal.audit(place, table="people", quasi_identifiers=["age"])
    assert audited.manifest is None
    assert not [each for each in audited.warnings if "manifest" in each]


def test_means_are_no_lies_where_the_manifest_tells_of_them(write: Write, tmp_path: Path) -> None:
    """The audit agrees with the report; without the manifest, or in another column, they are untrue."""
    original = write("age,pay\n" + "".join(f"{age},{10 * age}\n" for age in range(20, 28)), "original.csv")
    place = tmp_path / "means.csv"
    shoal.anonymize(
        original, quasi_identifiers=["age"], k=4, cost="sse", algorithm="microaggregate", path=place
    )
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 4, "original": original}
    means = shoal.audit(place, **asked)
    assert means.comparison is not None
    assert means.comparison.untrue_cells == 8
    assert "general-loss" not in means.comparison.sound_losses
    assert (means.meets, means.failures) == (True, [])
    assert shoal.report(place, **asked).holds
    manifest = place.with_name("means.csv.manifest.json")
    told = manifest.read_text()
    manifest.unlink()
    assert not shoal.audit(place, **asked).meets
    place.write_text(place.read_text().replace(",200\n", ",201\n"))
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    manifest.write_text(json.dumps({**json.loads(told), "release_digest": digest}))
    assert ["'pay'" in words for words in shoal.audit(place, **asked).failures] == [True]
    assert not shoal.report(place, **asked).holds


def test_untrue_cells_do_not_meet(write: Write) -> None:
    """A cell that does not cover the original's value; the others do."""
    original = write("age,zip\n1,x\n2,y\n", "original.csv")
    true = write('age,zip\n"[1, 2]",x\n"[1, 2]",*\n', "true.csv")
    untrue = write('age,zip\n"[1, 2]",x\n"[3, 4]",*\n', "untrue.csv")
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "original": original}
    assert shoal.audit(true, **asked).meets
    audited = shoal.audit(untrue, **asked)
    assert not audited.meets
    assert audited.to_dict()["comparison"]["untrue_cells"] == 1  # type: ignore[index]
    assert [each.key for each in audited.findings if not each.holds] == ["truthful-cells"]


def test_first_rows_are_places_in_the_file(tmp_path: Path) -> None:
    """Of a file of many distinct cells and several row groups, too."""
    rows = 200_000
    frame = pandas.DataFrame({"age": [str(row) for row in range(rows)], "zip": ["z"] * rows})
    frame.loc[1000:, "age"] = "old"
    frame.loc[[123_456, 3_000], "age"] = ["a", "b"]
    path = tmp_path / "long.csv"
    frame.to_csv(path, index=False)
    audited = shoal.audit(path, quasi_identifiers=["age", "zip"], k=2, offending=2000)
    assert [each.first_row for each in audited.offending.described] == [*range(1, 1001), 3_001, 123_457]


def test_of_several_sets_the_weakest_is_told(write: Write, tmp_path: Path) -> None:
    """Others know age and zip apart: each has its groups, and the manifest is about the weaker."""
    rows = "".join(f"{age},{zipcode}\n" for age, zipcode in zip("111222", "xxyyzz", strict=True))
    policy = policy_of(
        source=write("age,zip\n" + rows),
        quasi_identifiers=["age", "zip"],
        k=2,
        sets=[["age"], ["zip"]],
        algorithm="datafly",
        path=tmp_path / "release.csv",
    )
    shoal.anonymize(policy=policy)
    audited = shoal.audit(tmp_path / "release.csv", policy=policy)
    assert audited.verdict.quasi_identifiers == ("zip",)
    assert (audited.sizes.pairs, audited.meets) == ([(2, 3)], True)
    assert audited.manifest is not None
    assert audited.manifest.claimed.items() >= {"k": 2, "groups": 3, "rows": 6}.items()
    together = shoal.audit(tmp_path / "release.csv", quasi_identifiers=["age", "zip"])
    assert together.manifest is not None
    assert (together.verdict.k, together.meets) == (1, True)
    assert "k" not in together.manifest.claimed


def test_a_set_of_stars_alone_does_not_hide_the_groups_of_another() -> None:
    """Of a set that tells nothing there is no group; the smallest is that of the set that has some."""
    frame = pandas.DataFrame({"age": list("ggghhhh"), "size": ["*"] * 7})
    policy = policy_of(
        quasi_identifiers=["age", "size"], k=2, sets=[["age", "size"], ["size"]], algorithm="datafly"
    )
    assert shoal.audit(frame, policy=policy).k == 3


def test_no_set_hides_behind_another_that_wildcards_save() -> None:
    """Of a and b one row is alone, and like all others with wildcards; of c two rows are alike whatever."""
    rows = [("x", "*", 1), ("x", "y", 1), ("*", "y", 2), *[("x", "y", 2)] * 3]
    sets = [["a", "b"], ["c"]]
    policy = policy_of(quasi_identifiers=["a", "b", "c"], k=3, sets=sets, algorithm="datafly")
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"])
    audited = shoal.audit(frame, policy=policy, suppressed_cells="wildcard")
    assert (audited.meets, audited.holds, audited.verdict.quasi_identifiers) == (False, False, ("c",))
    saved = shoal.audit(frame.assign(c=1), policy=policy, suppressed_cells="wildcard")
    assert (saved.meets, saved.holds, saved.verdict.quasi_identifiers) == (True, False, ("a", "b"))


def test_a_group_of_empty_texts_is_described() -> None:
    """A frame can have them; they are values, and tell one."""
    audited = shoal.audit(pandas.DataFrame({"job": ["", "cook", "cook"]}), quasi_identifiers=["job"], k=2)
    assert [(each.rows, each.generalized) for each in audited.offending.described] == [(1, ())]


def test_a_column_that_names_people_does_not_meet_the_policy() -> None:
    """The policy says that it is dropped; whatever the groups are, everybody is named."""
    policy = policy_of(quasi_identifiers=["age"], k=2, identifiers=["name"])
    frame = pandas.DataFrame({"Name": ["Ann", "Bo"], "age": [30, 30]})
    audited = shoal.audit(frame, policy=policy)
    assert (audited.verdict.holds, audited.holds, audited.meets) == (True, False, False)
    assert audited.failures == ["the table has columns that name a person, as the policy says: 'Name'"]
    assert [(each.key, each.holds) for each in audited.findings if each.key == "identifiers"] == [
        ("identifiers", False)
    ]
    assert "Ann" not in str(audited.to_dict())
    dropped = shoal.audit(frame[["age"]], policy=policy)
    assert (dropped.meets, dropped.to_dict()["identifiers"]) == (True, [])
