"""A draft is its policy's document: nothing said is lost, and nothing that was taken back is said again."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Hierarchy, Role, read_policy
from shoal.studio.draft import HIERARCHIES, Draft, file_name
from tests.agreement.thoroughness import examples

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    words
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.dates()
    | st.datetimes(datetime.datetime(1, 1, 2), timezones=st.just(datetime.UTC)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
tables = st.dictionaries(words, values, min_size=1, max_size=3)


@settings(max_examples=examples(50))
@given(
    stated=st.fixed_dictionaries(
        {"attributes": st.dictionaries(words, tables, min_size=1, max_size=3), "privacy": tables},
        optional=dict.fromkeys(("objective", "search", "attacks", "front"), tables),
    )
)
def test_a_document_comes_back_as_it_was(stated: dict[str, Any]) -> None:
    """Dates, large numbers, quotes, line ends and signs of any script; the same text makes the same text."""
    source = {"path": "a.csv"}
    text = Draft(stated).text(source)
    again = tomllib.loads(text)
    assert again.pop("source") == source
    assert again == stated
    assert (
        Draft({name: said for name, said in again.items() if name != "source"}).text({"path": "a.csv"})
        == text
    )
    assert [*again["attributes"]] == [*stated["attributes"]]  # their order is part of a policy


ROLES = st.sampled_from(Role)


@given(there=st.lists(ROLES, max_size=5))
def test_a_role_comes_back_with_all_that_was_said_for_it(there: list[Role]) -> None:
    """Whatever the column was in between."""
    said = {"role": "quasi-identifier", "type": "number", "bin": 5, "hierarchy": "x.csv"}
    draft = Draft({"attributes": {"age": said}})
    for role in [*there, Role.QUASI_IDENTIFIER]:
        draft.set_role("age", role)
    assert draft.attributes["age"] == said


@pytest.mark.parametrize("between", [Role.OTHER, Role.SENSITIVE, Role.IDENTIFIER])
def test_what_was_taken_back_does_not_return_with_a_role(between: Role) -> None:
    """A hierarchy that was removed meanwhile, in this role or in the other one."""
    draft = Draft({"attributes": {"age": {"role": "quasi-identifier", "hierarchy": "x.csv", "bin": 5}}})
    draft.set_role("age", between)
    draft.set_role("age", Role.QUASI_IDENTIFIER)
    del draft.attributes["age"]["hierarchy"]
    draft.set_role("age", between)
    draft.set_role("age", Role.QUASI_IDENTIFIER)
    assert draft.attributes["age"] == {"role": "quasi-identifier", "bin": 5}


def test_there_is_one_class() -> None:
    """Another column that becomes it takes it over."""
    draft = Draft()
    draft.set_role("a", Role.CLASS)
    draft.set_role("b", Role.CLASS)
    assert draft.columns(Role.CLASS) == ["b"]
    assert draft.role("a") is Role.OTHER


@given(columns=st.lists(words, unique=True, max_size=6))
def test_every_column_has_a_hierarchy_file_of_its_own(columns: list[str]) -> None:
    """Names that read alike once they are plain do not share one; none leads elsewhere."""
    draft = Draft({"attributes": {name: {"role": "quasi-identifier"} for name in columns}})
    for name in columns:
        draft.set_hierarchy_file(name, name)
    assert [draft.files[draft.attributes[name]["hierarchy"]] for name in columns] == columns
    for path in draft.files:
        assert Path(path).parent == Path(HIERARCHIES)
        assert Path(path).name.isascii()


def test_a_file_name_is_short_and_plain() -> None:
    """Of a column whose name is none."""
    assert file_name("../../etc/passwd\n") == "______etc_passwd_.csv"
    assert file_name("") == "column.csv"
    assert len(file_name("x" * 5000)) == 64


def test_a_policy_is_written_with_its_hierarchies(tmp_path: Path) -> None:
    """Shoal reads both; a hierarchy that no column uses any more is not written."""
    (tmp_path / "t.csv").write_text("zip,sex\n1,f\n")
    draft = Draft()
    for name in ("zip", "sex"):
        draft.set_role(name, Role.QUASI_IDENTIFIER)
        draft.set_hierarchy_file(name, "1;*\n" if name == "zip" else "f;*\n")
    del draft.attributes["sex"]["hierarchy"]
    policy = read_policy(draft.write(tmp_path, {"path": "t.csv"}))
    assert isinstance(policy.attributes[0].given_hierarchy(), Hierarchy)
    assert [path.name for path in (tmp_path / HIERARCHIES).iterdir()] == ["zip.csv"]


def test_missing_markers_of_the_source_are_stated_by_column() -> None:
    """For the columns that are read; others stay unnamed, and a column's own list stays."""
    roles = {"age": "quasi-identifier", "pay": "sensitive", "note": "other"}
    draft = Draft({"attributes": {name: {"role": role} for name, role in roles.items()}})
    draft.attributes["pay"]["missing"] = []
    draft.mark_missing(["NA"])
    assert draft.document({})["attributes"] == {
        "age": {"role": "quasi-identifier", "missing": ["NA"]},
        "pay": {"role": "sensitive", "missing": []},
    }
