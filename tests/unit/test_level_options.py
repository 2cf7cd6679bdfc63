"""What a policy can say to the searches over levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.algorithms.levels.datafly import Datafly
from shoal.algorithms.levels.samarati import Samarati
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.pipeline.run import run
from shoal.pipeline.search_choice import algorithm_of
from tests.paper_setting import as_in_the_paper

NAME = Attribute(name="name", role=Role.IDENTIFIER)
AGE = Attribute(name="age", role=Role.QUASI_IDENTIFIER, linking=0.5, tolerance=0)
ZIP = Attribute(name="zip", role=Role.QUASI_IDENTIFIER)


def policy(algorithm: str, **options: object) -> Policy:
    return Policy(attributes=(NAME, AGE, ZIP), k=2, algorithm=algorithm, options=options)


def test_samarati_takes_its_options_from_the_search_table() -> None:
    """Preference and completeness."""
    asked = policy("samarati", preference="maximum-distribution", all_minimal=True)
    assert algorithm_of(asked) == Samarati(preference="maximum-distribution", all_minimal=True)


def test_datafly_takes_its_weights_from_the_columns() -> None:
    """Those of the quasi-identifiers alone, in their order."""
    assert algorithm_of(policy("datafly")) == Datafly(linking=(0.5, 1), tolerance=(0, 1))


def test_datafly_refuses_weights_in_the_search_table() -> None:
    """They are said of columns, and two places could disagree."""
    with pytest.raises(PolicyError, match="linking belongs to a column"):
        algorithm_of(policy("datafly", linking=[1, 1]))


@pytest.mark.parametrize("name", ["samarati", "mingen"])
def test_an_unknown_preference_is_refused_with_the_known_ones(name: str) -> None:
    """The message names what exists."""
    with pytest.raises(PolicyError, match="minimum-suppression"):
        algorithm_of(policy(name, preference="least-suppression"))


def test_an_option_of_the_wrong_type_is_refused() -> None:
    """Text is no truth value, and no number is a preference."""
    with pytest.raises(PolicyError, match="all_minimal must be true or false"):
        algorithm_of(policy("samarati", all_minimal="yes"))
    with pytest.raises(PolicyError, match="there is no preference 3"):
        algorithm_of(policy("samarati", preference=3))


@pytest.mark.parametrize(("name", "option"), [("forest", "values"), ("meyerson-williams", "cover")])
@pytest.mark.parametrize("value", [1, True, None, ["suppress"]])
def test_an_option_that_is_no_text_is_refused(name: str, option: str, value: object) -> None:
    """With the words that it may be."""
    with pytest.raises(PolicyError, match=f"{option} must be '"):
        algorithm_of(policy(name, **{option: value}))


def test_an_option_that_an_algorithm_has_not_is_refused() -> None:
    """Incognito has none."""
    with pytest.raises(PolicyError, match="'incognito' has no option 'preference'"):
        algorithm_of(policy("incognito", preference="least-cost"))


def test_a_hierarchy_of_one_value_gets_a_top_where_cells_are_missing() -> None:
    """The value alone is no top: it would stand for the missing one too."""
    frame = pd.DataFrame({"age": ["a", "a", None]})
    asked = Policy(
        attributes=(replace(ZIP, name="age", hierarchy=Hierarchy((("a",),))),),
        k=3,
        cost="precision",
        algorithm="lattice",
    )
    with DuckDB() as engine:
        released = run(frame, asked, engine=engine)
    assert released.data["age"].tolist() == ["*"] * 3


ROWS = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3], "zip": list("xxyyzz"), "sex": list("uvuvuv")})
TREES = {"age": Recipe(keep=True), "zip": Recipe(keep=True)}


@pytest.mark.parametrize("algorithm", ["exact", "k-optimize", "hill-climb", "exhaustive", "subtree"])
@pytest.mark.parametrize("trees", [None, TREES])
def test_a_level_is_never_asked_of_an_algorithm_that_would_not_heed_it(
    algorithm: str, trees: dict[str, Recipe] | None
) -> None:
    """A max_level that is silently passed by would release less detail, a min_level more, than asked."""
    with pytest.raises(PolicyError, match="min_level and max_level do not apply"):
        shoal.anonymize(
            ROWS,
            quasi_identifiers=["age", "zip"],
            k=2,
            algorithm=algorithm,
            levels={"age": (1, 1)},
            hierarchies=trees,
        )


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ({"weights": {"age": 5}}, "weights count in costs that are means over cells"),
        ({"weights": {"age": 5}, "cost": "height"}, "weights count in costs that are means over cells"),
        ({"weights": {"age": 1e-300}, "cost": "general-loss"}, "too many digits"),
        ({"weights": {"age": 10**30}, "cost": "precision"}, "too many digits"),
        ({"weights": {"age": 1 / 3}, "cost": "entropy", "algorithm": "exact"}, "too many digits"),
        ({"levels": {"age": 1}}, "are a pair, the least and the greatest"),
        ({"levels": {"age": (1,)}}, "are a pair, the least and the greatest"),
        ({"levels": [1]}, "levels is a dictionary"),
        ({"hierarchies": {"age": 5}}, "a hierarchy is a file"),
        ({"options": ["cells"]}, "options is a dictionary"),
        ({"options": {1: 2}}, "options are named by text"),
        ({"sets": [["age"], 5]}, "each of sets is a list of columns"),
        ({"sets": ["age", "zip"]}, "each of sets is a list of columns"),
        ({"sets": [["age"], ["zip"]], "algorithm": "exhaustive"}, "one quasi-identifier, not several"),
        ({"options": {"cells": "yes"}, "algorithm": "mingen"}, "cells must be true or false"),
    ],
)
def test_what_cannot_be_heeded_is_refused(further: dict[str, Any], words: str) -> None:
    """With words, and never passed by in silence."""
    with pytest.raises(PolicyError, match=words):
        shoal.anonymize(
            ROWS,
            **as_in_the_paper(quasi_identifiers=["age", "zip"], k=2, **{"algorithm": "lattice", **further}),
        )


@pytest.mark.parametrize(
    ("key", "value", "owner"),
    [("linking", 0.5, "datafly"), ("tolerance", 0.5, "datafly"), ("identification", "most", "mu-argus")],
)
def test_what_a_column_says_to_one_algorithm_is_not_said_to_another(key: str, value: Any, owner: str) -> None:
    """It would seem to count."""
    asked = Policy(attributes=(replace(ZIP, **{key: value}),), k=2, algorithm="lattice")
    with DuckDB() as engine:
        with pytest.raises(PolicyError, match=f"{key} is for algorithm '{owner}'"):
            run(ROWS, asked, engine=engine)
        assert run(ROWS, replace(asked, algorithm=owner), engine=engine).verdict.holds


@pytest.mark.parametrize("algorithm", ["lattice", "incognito", "samarati", "ola", "flash", "datafly"])
def test_an_infeasible_demand_is_told_with_the_column_that_stops_it(algorithm: str) -> None:
    """How many rows stay, which hierarchy ends too early, and the ways out."""
    with pytest.raises(shoal.InfeasibleError) as caught:
        shoal.anonymize(
            ROWS[["age", "zip"]].assign(age=[1, 1, 1, 1, 2, 2]),
            quasi_identifiers=["age", "zip"],
            k=3,
            suppression=0,
            algorithm=algorithm,
            levels={"age": (0, 0)},
        )
    assert "'age' stops at level 0 of 1" in str(caught.value)
    assert "2 row(s) stay in groups smaller than 3" in str(caught.value)
    assert "allow suppression = 2" in str(caught.value)
    assert (caught.value.k, caught.value.limit, caught.value.suppressed) == (3, 0, 2)


def test_the_digest_of_groups_depends_on_neither_sets_nor_types_of_keys() -> None:
    """A set has no order of its own, and its text differs from run to run."""
    groups = ({"u": {"x", "y"}, 2: ["z"]}, {"u": ["x", "y"], "2": ["z"]})
    digests = {policy_with(Recipe(groups=each)).digest for each in groups}
    assert len(digests) == 1
    assert digests != {policy_with(Recipe(groups={"u": ["x"], "2": ["y", "z"]})).digest}


def policy_with(recipe: Recipe) -> Policy:
    return Policy(attributes=(replace(ZIP, hierarchy=recipe),), k=2)


def test_subtree_says_why_groups_that_are_asked_for_do_not_fit() -> None:
    """Nobody gave an order that could be left out; one in which the groups are neighbours will do."""
    frame = pd.DataFrame({"zip": list("aabcccdee")})
    asked = {"quasi_identifiers": ["zip"], "k": 2, "algorithm": "subtree"}
    groups = Recipe(groups={"outer": ["a", "e"], "inner": ["b", "c", "d"]})
    with pytest.raises(PolicyError, match="give the column an order in which they are"):
        shoal.anonymize(frame, **asked, hierarchies={"zip": groups})
    fitting = shoal.anonymize(frame, **asked, hierarchies={"zip": groups}, orders={"zip": list("aebcd")})
    assert fitting.manifest.status == "optimal"


@pytest.mark.parametrize("name", ["local", "mondrian", "forest"])
def test_a_label_for_a_value_and_for_more_is_refused_row_by_row(name: str) -> None:
    """10 and what is rounded to 10 could be in one release, printed alike, and only one was charged for."""
    rounded = Hierarchy((("10", "10", "*"), ("11", "10", "*"), ("12", "12", "*")))
    frame = pd.DataFrame({"q": ["10", "10", "10", "11", "12", "12"], "z": [1, 1, 2, 2, 3, 3]})
    with pytest.raises(PolicyError, match="nobody could distinguish them"):
        shoal.anonymize(
            frame,
            quasi_identifiers=["q", "z"],
            types={"q": "category"},
            hierarchies={"q": rounded, "z": {"*": [1, 2, 3]}},
            k=2,
            cost="ncp",
            algorithm=name,
            options={"values": "hierarchy"},
        )
