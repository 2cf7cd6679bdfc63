"""What a policy can say to the searches over levels."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from shoal.algorithms.datafly import Datafly
from shoal.algorithms.samarati import Samarati
from shoal.engines.duckdb import DuckDB
from shoal.errors import PolicyError
from shoal.model.attribute import Attribute, Role
from shoal.model.hierarchy import Hierarchy
from shoal.model.policy import Policy
from shoal.release import algorithm_of, release

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
    with pytest.raises(PolicyError, match="linking is said of a column"):
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


def test_an_option_that_an_algorithm_has_not_is_refused() -> None:
    """Incognito has none."""
    with pytest.raises(PolicyError, match="'incognito' has no option 'preference'"):
        algorithm_of(policy("incognito", preference="least-cost"))


def test_a_hierarchy_of_one_value_gets_a_top_where_cells_are_missing() -> None:
    """The value alone is no top: it would stand for the missing one too."""
    frame = pd.DataFrame({"age": ["a", "a", None]})
    asked = Policy(
        attributes=(replace(AGE, hierarchy=Hierarchy((("a",),))),), k=3, cost="precision", algorithm="lattice"
    )
    with DuckDB() as engine:
        released = release(frame, asked, engine=engine)
    assert released.data["age"].tolist() == ["*"] * 3
