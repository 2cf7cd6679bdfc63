"""`shoal.explain`: steps and prices by hand, against other searches, and without private values."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.explanation.explanation import ConstraintPrice, Explanation
from shoal.model.policy.policy_arguments import policy_of
from tests.paper_setting import as_in_the_paper

from .test_levels import PEOPLE, RACE, ZIP

SEX = ["F", "F", "F", "M", "M", "F", "F", "F", "F"]
SURVEY = PEOPLE.assign(sex=SEX)


def explained(**more: Any) -> Explanation:
    """The survey's nine people, k = 2, by levels."""
    asked: dict[str, Any] = {
        "quasi_identifiers": ["race", "zip"],
        "k": 2,
        "hierarchies": {"race": RACE, "zip": ZIP},
        "algorithm": "lattice",
        **more,
    }
    return shoal.explain(SURVEY, **as_in_the_paper(**asked))


def by_cuts(**more: Any) -> Explanation:
    """The same people by cuts of ordered domains, as K-Optimize recodes them."""
    orders = {"race": "sorted", "zip": "sorted"}
    return explained(hierarchies={}, types={"zip": "category"}, orders=orders, algorithm="exact", **more)


def prices(explanation: Explanation) -> dict[str, ConstraintPrice]:
    """The prices by what was changed."""
    return {price.constraint: price for price in explanation.constraints}


def test_a_level_less_costs_what_the_survey_counts() -> None:
    """Node [0, 2] costs 33; one ZIP level less is [0, 1], which suppresses t8 and t9 and costs 35."""
    found = explained()
    race, zips = found.attributes
    assert (found.cost, found.status, found.suppressed, found.groups) == (33, "optimal", 0, 3)
    assert (race.released, race.finer) == ("level 0 of 1; 3 labels", ())
    assert race.words == "Nothing of race is finer than what is released."
    assert (zips.released, zips.labels, zips.loss) == ("level 2 of 2; 1 label", 1, 1.0)
    (step,) = zips.finer
    assert (step.step, step.groups_below, step.rows_below, step.sizes) == ("level 1", 2, 2, (1, 1))
    assert (step.suppressed, step.allowed, step.cost, step.change) == (2, True, 35, 2)
    assert zips.words == (
        "One level less of zip would leave at least 2 rows in groups below 2, and suppressing them costs "
        "more than the level gains (at least 2 more)."
    )


def test_a_step_beyond_the_limit_is_not_allowed() -> None:
    """The same step is forbidden where nobody may be suppressed, and that is the reason told."""
    zips = explained(suppression=0).attributes[1]
    assert [step.allowed for step in zips.finer] == [False]
    assert zips.words == (
        "One level less of zip would leave at least 2 rows in groups below 2; none may be suppressed."
    )
    limited = explained(suppression=1).attributes[1]
    assert limited.words.endswith("; 1 may be suppressed.")


def test_the_lowest_level_that_a_policy_allows_is_the_reason() -> None:
    """With race on level 1, [1, 1] costs 45 and [1, 0] 47; without that demand [0, 2] costs 33."""
    found = explained(levels={"race": (1, 1)})
    race, zips = found.attributes
    assert race.words == "race is on the lowest level that the policy allows: min_level = 1."
    assert (found.cost, zips.finer[0].rows_below, zips.finer[0].cost) == (45, 2, 47)
    free = prices(found)["any level of race"]
    assert (free.kind, free.column, free.cost, free.saves) == ("levels", "race", 33, 12)


def test_prices_of_constraints_on_cuts_are_those_of_the_paper() -> None:
    """The optimum is 31; 33 without suppression; 41 for k = 3 (Fig. 12's alphabet, searched to the end)."""
    found = by_cuts()
    assert (found.cost, found.suppressed) == (31, 1)
    told = {name: (price.status, price.cost, price.saves) for name, price in prices(found).items()}
    assert told == {
        "k = 1": ("optimal", 15, 16),
        "k = 3": ("optimal", 41, -10),
        "suppression: none": ("optimal", 33, -2),
        # ZIP alone: 1, 5, 2 and 1 rows. The release parts it in 6 and 3: 45; best is 1 | 5 | 3: 9 + 25 + 9.
        "without race": ("optimal", 43, 2),
        # Race alone: 5, 2 and 2 rows. The release parts it in 5 and 4: 41; best is 25 + 4 + 4.
        "without zip": ("optimal", 33, 8),
    }
    assert prices(found)["without zip"].losses == {"race": 0.0}
    assert [(gain.without, gain.attribute) for gain in found.gains] == [("race", "zip"), ("zip", "race")]


def test_the_classification_metric_is_explained() -> None:
    """With sex as the class two rows are lost for k = 2 and for k = 3."""
    found = by_cuts(cost="classification", class_attribute="sex")
    assert found.cost == 2
    assert prices(found)["k = 3"].saves == 0


def test_means_over_cells_are_compared_as_they_are_published() -> None:
    """Without race, ZIP cells are compared with the published ones, suppressed rows lost."""
    found = explained(cost="ncp", suppression=2)
    without = prices(found)["without race"]
    assert without.compared is not None
    assert float(without.compared) == pytest.approx(found.attributes[1].loss)
    assert without.saves == without.compared - (without.cost or 0)


def test_each_price_says_what_a_range_proves() -> None:
    """A search without bounds proves only that demanding less costs no more."""
    found = explained(algorithm="datafly", cost="ncp")
    assert found.bound is None
    less, more = prices(found)["k = 1"], prices(found)["k = 3"]
    assert (less.least_saved, less.most_saved, less.saves) == (0, None, None)
    assert (more.least_saved, more.most_saved, more.saves) == (None, 0, None)
    assert less.difference == found.cost


def test_local_recodings_are_explained_by_their_groups() -> None:
    """Asian 94141 and 94142 are a group of two: no side of a division has two rows."""
    race, zips = explained(algorithm="local", cost="ncp").attributes
    assert race.divided is not None
    assert zips.divided is not None
    assert (race.divided.groups, race.divided.single) == (4, 4)
    assert (zips.divided.single, zips.divided.small, zips.divided.divisible) == (1, 3, 0)
    assert zips.words == (
        "Of 4 groups, none could be divided by zip: 1 have one value of it; 3 have fewer than 4 rows, so "
        "that a side would be below 2."
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"algorithm": "microaggregate", "hierarchies": {}}, "Values of race are replaced"),
        (
            {"algorithm": "levels-and-cells", "cost": "ncp", "options": {"reading": "wildcard"}},
            "Suppressed cells are read as wildcards",
        ),
    ],
)
def test_what_has_no_finer_step_is_said_to_have_none(more: dict[str, Any], words: str) -> None:
    """Centroids and wildcards are refused in words, and the rest is explained."""
    found = explained(**more, constraints=False)
    assert found.attributes[0].words.startswith(words)
    assert found.attributes[0].finer == ()


def test_models_and_persons_are_constraints() -> None:
    """Without the model the release is that of k alone; with it a step can be refused by it."""
    illness = SURVEY.assign(illness=list("aabbbabab"))
    asked: dict[str, Any] = {
        "quasi_identifiers": ["race", "zip"],
        "k": 2,
        "hierarchies": {"race": RACE, "zip": ZIP},
        "algorithm": "lattice",
        "sensitive": ["illness"],
    }
    diverse = {"name": "distinct-l-diversity", "attribute": "illness", "l": 2}
    found = shoal.explain(illness, **as_in_the_paper(models=[diverse], **asked))
    free = prices(found)["without distinct-l-diversity of illness"]
    assert free.cost == shoal.anonymize(illness, **as_in_the_paper(**asked)).manifest.cost == 33
    assert free.saves == (found.cost or 0) - 33
    refused = [step.groups_refused for each in found.attributes for step in each.finer]
    assert any(refused)
    persons = shoal.explain(illness, **as_in_the_paper(entity="disease", **asked))
    assert prices(persons)["k counts rows, not disease"].saves == 0


def test_a_population_that_nobody_asks_for_any_more_is_left_out() -> None:
    """k-map alone asks for it, so without k-map the policy has none."""
    more = pandas.concat([SURVEY, SURVEY])
    found = explained(models=[{"name": "k-map", "k": 4}], population=more)
    assert prices(found)["without k-map"].cost == 33


def test_a_policy_without_release_tells_which_constraints_are_in_its_way() -> None:
    """Two rows stay at the greatest levels allowed; k, the limit, each column and each level would do."""
    found = explained(levels={"zip": (0, 1), "race": (0, 0)}, suppression=0)
    assert (found.status, found.attributes, found.cost) == ("infeasible", (), None)
    assert found.infeasible is not None
    assert "2 row(s) stay" in found.infeasible
    assert {price.constraint: price.cost for price in found.helping} == {
        "k = 1": 15,
        "suppression: 2 rows": 35,
        "suppression: unlimited": 35,
        "without race": 45,
        "without zip": 33,
        "any level of race": 45,
        "any level of zip": 33,
    }
    assert "Each of these alone would make a release possible: k = 1;" in str(found)


def test_only_what_helps_is_said_to_help() -> None:
    """Ten diseases do not exist among nine rows: nothing but the model can give way."""
    model = {"name": "distinct-l-diversity", "attribute": "disease", "l": 10}
    found = explained(models=[model], sensitive=["disease"])
    assert [price.constraint for price in found.helping] == ["without distinct-l-diversity of disease"]
    assert prices(found)["k = 1"].status == "infeasible"
    # Nobody is like four others at the lowest levels; three asians share a ZIP code.
    alone = explained(k=7, levels={"race": (0, 0), "zip": (0, 0)})
    assert "suppresses all 9 rows" in str(alone.infeasible)
    assert (alone.status, alone.helping[0].constraint) == ("infeasible", "k = 3")


def test_ctrl_c_gives_what_is_there() -> None:
    """The constraints that were priced, and a word that some are missing."""

    def interrupt(_: ConstraintPrice) -> None:
        raise KeyboardInterrupt

    found = explained(on_constraint=interrupt)
    assert found.interrupted
    assert [price.constraint for price in found.constraints] == ["k = 1"]
    assert "It was interrupted" in str(found)


def policy_in(folder: Path, more: str = "", search: str = "") -> shoal.Policy:
    """A policy, its table and its release."""
    rows = "".join(f"{20 + n % 7},{('02138', '02139', '10001')[n % 3]}\n" for n in range(60))
    (folder / "people.csv").write_text("age,zip\n" + rows)
    (folder / "policy.toml").write_text(
        '[source]\npath = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.zip]\nrole = "quasi-identifier"\ntype = "category"\n'
        f"[privacy]\nk = 5\n[objective]\n{more}\n[search]\n{search}\n"
        '[release]\npath = "release.csv"\n'
    )
    return shoal.read_policy(folder / "policy.toml")


@pytest.mark.parametrize(
    ("more", "search"),
    [
        ("consistent = true", ""),
        ('cost = "precision"', 'algorithm = "lattice"'),
        ('cost = "ncp"', 'algorithm = "subtree"'),
    ],
)
def test_a_recoding_is_read_from_the_manifest_of_the_release(tmp_path: Path, more: str, search: str) -> None:
    """The explanation is that of a new search; another policy or table is searched, and a lie is refused."""
    policy = policy_in(tmp_path, more, search)
    assert shoal.explain(policy=policy, constraints=False).taken_from == "search"
    shoal.anonymize(policy=policy)
    told = shoal.explain(policy=tmp_path / "policy.toml", constraints=False)
    again = shoal.explain(policy=policy, constraints=False, again=True)
    assert (told.taken_from, again.taken_from) == ("manifest", "search")
    assert told.attributes == again.attributes
    assert (told.cost, told.status, told.gap) == (again.cost, again.status, again.gap)
    other = replace(policy, k=6)
    assert shoal.explain(policy=other, constraints=False).taken_from == "search"
    manifest = tmp_path / "release.csv.manifest.json"
    facts = json.loads(manifest.read_text())
    for changed in (
        {"cost": facts["cost"] + 1, "bound": facts["cost"] + 1},
        {"suppressed": 1},
        {"recoding": {}},
        {"source_digest": "x"},
        {"status": "lucky"},
    ):
        manifest.write_text(json.dumps(facts | changed))
        with pytest.raises(shoal.AuditError, match=r"cannot be believed: .*--again"):
            shoal.explain(policy=policy, constraints=False)
    manifest.write_text(json.dumps(facts | {"source_digest": "0" * 64}))
    assert shoal.explain(policy=policy, constraints=False).taken_from == "search"
    with (tmp_path / "people.csv").open("a") as file:
        file.write("20,02138\n")
    manifest.write_text(json.dumps(facts))
    assert shoal.explain(policy=policy, constraints=False).taken_from == "search"


@pytest.mark.parametrize("algorithm", ["exact", "lattice", "subtree", "local", "mondrian"])
def test_no_private_value_is_told(algorithm: str) -> None:
    """Text and JSON have labels of the release and numbers of steps, but no value of the table."""
    ages = [900_001 + 17 * (n % 23) for n in range(80)]
    towns = [f"town{n % 11:03d}x" for n in range(80)]
    secrets = [f"secret{n % 7}" for n in range(80)]
    table = pandas.DataFrame({"age": ages, "town": towns, "illness": secrets})
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age", "town"],
        "k": 6,
        "sensitive": ["illness"],
        "models": [{"name": "distinct-l-diversity", "attribute": "illness", "l": 2}],
        "algorithm": algorithm,
        "cost": "ncp",
    }
    found = shoal.explain(table, seconds=1, **asked)
    release = shoal.anonymize(table, seconds=20, **asked).data
    published = {str(label) for name in ("age", "town") for label in release[name]}
    told = json.dumps(found.to_dict()) + str(found) + found.to_markdown() + found._repr_html_()
    for label in sorted(published, key=len, reverse=True):
        told = told.replace(json.dumps(label)[1:-1], "")
    for value in {*map(str, ages), *towns, *secrets}:
        assert not re.search(rf"\b{value}\b", told)


def test_hostile_names_are_escaped() -> None:
    """A column can be called anything."""
    name = "<script>|`*"
    table = SURVEY.rename(columns={"zip": name})
    found = shoal.explain(table, quasi_identifiers=["race", name], k=2, types={name: "category"})
    assert "<script>" not in found._repr_html_()
    assert "<script>" not in found.to_markdown()
    assert name in str(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["attributes"][1]["name"] == name


def test_columns_with_many_values_are_explained_by_some_steps() -> None:
    """Of 999 cuts 256 at even distances, and it is said."""
    table = pandas.DataFrame({"number": range(1000)})
    found = shoal.explain(
        table,
        cost="discernibility",
        suppression="unlimited",
        algorithm="exact",
        quasi_identifiers=["number"],
        k=400,
        constraints=False,
    )
    (number,) = found.attributes
    assert number.steps > 990
    assert len(number.finer) == 256
    assert "256 places tried" in number.words
    assert any("256 finer steps" in note for note in found.notes)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "name the quasi_identifiers and k"),
        ({"quasi_identifiers": ["race"]}, "name the quasi_identifiers and k"),
        ({"quasi_identifiers": ["nobody"], "k": 2}, "no column 'nobody'"),
        ({"quasi_identifiers": ["race"], "k": 2, "seconds": -1}, "seconds must not be negative"),
        ({"quasi_identifiers": ["race"], "k": 2, "algorithm": "no"}, "there is no algorithm 'no'"),
        (
            {
                "quasi_identifiers": ["race"],
                "k": 2,
                "algorithm": "mondrian",
                "cost": "ncp",
                "options": {"distributed": True},
            },
            "leave it out",
        ),
    ],
)
def test_bad_input_is_refused_in_words(arguments: dict[str, Any], words: str) -> None:
    """What was asked, and the way out."""
    with pytest.raises(shoal.PolicyError, match=re.escape(words)):
        shoal.explain(SURVEY, **arguments)


def test_a_policy_says_everything(tmp_path: Path) -> None:
    """An argument beside it is refused."""
    with pytest.raises(shoal.PolicyError, match="a policy is complete; leave out k, algorithm,"):
        shoal.explain(policy=policy_in(tmp_path), k=3, algorithm="lattice")


rows_of_people = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.sampled_from("xy")), min_size=4, max_size=14
)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of_people,
    k=st.integers(2, 4),
    limit=st.sampled_from(["unlimited", 0, 2]),
    cost=st.sampled_from(["discernibility", "ncp"]),
    algorithm=st.sampled_from(["exact", "lattice"]),
    nodes=st.sampled_from([None, None, 0]),
)
def test_prices_are_those_of_other_releases(
    rows: list[tuple[int, str, str]],
    k: int,
    limit: int | str,
    cost: str,
    algorithm: str,
    nodes: int | None,
) -> None:
    """Every proved cost is that of a release of the changed policy, and every range has the true saving."""
    table = pandas.DataFrame(rows, columns=["a", "b", "c"])
    whole: dict[str, Any] = {
        "quasi_identifiers": ["a", "b", "c"],
        "k": k,
        "suppression": limit,
        "cost": cost,
        "algorithm": algorithm,
        "threads": 1,
    }
    with shoal.DuckDB(threads=1) as engine:
        check_prices(engine, table, whole, nodes)


def check_prices(
    engine: shoal.DuckDB, table: pandas.DataFrame, whole: dict[str, Any], nodes: int | None
) -> None:
    """Compare each price with releases."""
    best = _optimum(engine, table, whole)
    policy = policy_of(**whole, nodes=nodes)
    try:
        found = shoal.explain(table, policy=policy, engine=engine)
    except shoal.NotProvedError:
        return
    assert (found.infeasible is None) == (best is not None)
    for price in found.constraints:
        changed = dict(whole)
        if price.kind == "k":
            changed["k"] = int(price.constraint.split()[-1])
        elif price.kind == "suppression":
            word = price.constraint.split()[1]
            changed["suppression"] = int(word) if word.isdecimal() else 0 if word == "none" else word
        else:
            changed["quasi_identifiers"] = [each for each in "abc" if each != price.column]
        truth = _optimum(engine, table, changed)
        if price.status == "optimal":
            assert price.cost == truth
        if price.found:
            assert truth is not None
            assert price.bound is None or price.bound <= truth <= (price.cost or 0)
        if price.kind != "attribute" and price.found and best is not None and truth is not None:
            assert price.least_saved is None or price.least_saved <= best - truth
            assert price.most_saved is None or best - truth <= price.most_saved
            assert (best - truth >= 0) if price.relaxes else (best - truth <= 0)
        if price.kind == "attribute" and price.compared is not None and truth is not None:
            assert price.least_saved is None or price.least_saved <= price.compared - truth
            assert price.most_saved is None or price.compared - truth <= price.most_saved
            assert price.compared - truth >= 0


def _optimum(engine: shoal.DuckDB, table: pandas.DataFrame, asked: dict[str, Any]) -> Any:
    try:
        return shoal.anonymize(table, engine=engine, **asked).result.cost
    except shoal.InfeasibleError:
        return None


@pytest.mark.parametrize("door", ["explain", "recoding_sql"])
def test_rows_that_stay_in_the_engine_cannot_be_explained_or_written_as_sql(door: str) -> None:
    """Both need the groups here; the refusal comes before anything starts Spark."""
    policy = shoal.Policy(
        attributes=(shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),),
        k=2,
        algorithm="mondrian",
        options={"distributed": True},
    )
    frame = pandas.DataFrame({"age": [30, 30, 40, 40]})
    named = {"table": "people"} if door == "recoding_sql" else {}
    with pytest.raises(shoal.PolicyError, match="leaves the rows and their groups in Spark"):
        getattr(shoal, door)(frame, policy=policy, **named)
