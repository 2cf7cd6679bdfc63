"""What is said to those who release people with several rows, and what they may say in Python."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from shoal.errors import PolicyError
from shoal.model.history.promise_given import promise_given
from shoal.model.policy.policy_arguments import policy_of


def rows() -> pd.DataFrame:
    """Two households of two members, each with two rows that follow each other."""
    return pd.DataFrame(
        {
            "person": [name for name in "abcdefgh" for _ in range(2)],
            "home": [number // 4 for number in range(16)],
            "age": [30, 31] * 8,
        }
    )


def test_entity_and_household_together_are_refused_with_a_way_out() -> None:
    """The words name the column to drop, and what is said there can be done."""
    with pytest.raises(PolicyError, match=r"drop 'person' .role identifier.: k households then"):
        policy_of(quasi_identifiers=["age"], k=2, entity="person", household="home")
    made = shoal.anonymize(
        rows(), quasi_identifiers=["age"], k=2, household="home", identifiers=["person"], progress=False
    )
    assert list(made.data.columns) == ["home", "age"]
    assert made.manifest.promise["unit"] == "household"


def test_one_known_row_is_spoken_of_as_one() -> None:
    """And several as several."""
    one, two = (
        str((promise_given(policy) or {})["sentence"])
        for policy in (
            policy_of(quasi_identifiers=["age"], k=5, entity="id", linkable=True, known_events=known)
            for known in (1, 2)
        )
    )
    assert "knows one row of a released person finds at least 5 persons who have it." in one
    assert "knows any 2 rows" in two
    assert "who have them." in two


def test_warnings_are_accepted_in_python_as_in_a_file() -> None:
    """About the release as a list, about columns by their names, or both."""
    said = policy_of(
        quasi_identifiers=["age"], k=2, acknowledge={"": ["neighbouring-rows"], "home": ["linking-column"]}
    )
    assert said.acknowledge == ("neighbouring-rows",)
    assert {each.name: each.acknowledge for each in said.attributes} == {
        "age": (),
        "home": ("linking-column",),
    }
    assert policy_of(quasi_identifiers=["age"], k=2, acknowledge=["neighbouring-rows"]).acknowledge == (
        "neighbouring-rows",
    )
    with pytest.raises(PolicyError, match="is about a column; acknowledge it there"):
        policy_of(quasi_identifiers=["age"], k=2, acknowledge=["linking-column"])
    with pytest.raises(PolicyError, match="no warning 'neighboring'"):
        policy_of(quasi_identifiers=["age"], k=2, acknowledge=["neighboring"])
