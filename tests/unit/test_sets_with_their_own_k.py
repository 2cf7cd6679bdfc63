"""Sets of quasi-identifiers with a k of their own: released, audited and refused by it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.cli import arguments
from shoal.explanation.changes import _other_changes
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.policy.policy_toml import parse_policy
from tests.agreement.thoroughness import examples

Row = tuple[int, str, str]
rows_of_three = st.lists(
    st.tuples(st.integers(20, 27), st.sampled_from("mf"), st.sampled_from(["N", "S", "W"])),
    min_size=8,
    max_size=24,
)


def frame_of(rows: list[Row]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=["age", "sex", "region"])


@settings(max_examples=examples(60), deadline=None)
@given(rows=rows_of_three, k=st.integers(1, 3), more=st.integers(0, 4))
def test_each_set_has_its_own_k(rows: list[Row], k: int, more: int) -> None:
    """Counted in the release by hand: on each set, every combination has the rows that the set demands."""
    sets = [{"columns": ["age", "sex"], "k": k + more}, ["age", "sex", "region"]]
    release = shoal.anonymize(
        frame_of(rows),
        quasi_identifiers=["age", "sex", "region"],
        k=k,
        sets=sets,
        algorithm="datafly",
        suppression="unlimited",
    )
    for columns, least in ((["age", "sex"], k + more), (["age", "sex", "region"], k)):
        counts = Counter(release.data[columns].itertuples(index=False, name=None))
        assert all(
            count >= least for label, count in counts.items() if any(str(cell) != "*" for cell in label)
        )
    assert release.manifest.k == k
    assert any("every row is like at least" in note for note in release.manifest.notes)


def test_the_audit_reports_the_set_that_breaks_its_own_k() -> None:
    """The other set has smaller groups, but as large as it demands."""
    table = frame_of([(20, "m", region) for region in "NNSS"] + [(30, "f", "W")] * 2)
    policy = policy_of(
        quasi_identifiers=["age", "sex", "region"],
        k=2,
        sets=[["age", "sex", "region"], {"columns": ["age", "sex"], "k": 4}],
    )
    audited = shoal.audit(table, policy=policy)
    assert not audited.verdict.holds
    assert audited.verdict.quasi_identifiers == ("age", "sex")
    assert audited.verdict.demanded == 4
    assert "smaller than k = 4; the smallest has 2" in audited.verdict.failures[0]
    loose = policy_of(
        quasi_identifiers=["age", "sex", "region"], k=2, sets=[["age", "sex", "region"], ["age", "sex"]]
    )
    assert shoal.audit(table, policy=loose).verdict.holds


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ([{"columns": ["age"], "k": 1}, ["sex"]], "at least the policy's k = 2"),
        ([{"columns": ["age"], "k": True}, ["sex"]], "at least the policy's k = 2"),
        ([{"columns": ["age", "sex"], "k": 9}], "state k = 9 as the policy's own k"),
        ([{"columns": ["age"], "kay": 9}, ["sex"]], "one of sets has no 'kay'"),
        ([{"columns": "age", "k": 9}, ["sex"]], "each of sets is a list of columns"),
        ([{"k": 9}, ["sex"]], "each of sets is a list of columns"),
        ([{"columns": ["age"], "k": 9}], "'sex' is in none|state k = 9"),
    ],
)
def test_a_set_that_cannot_be_meant_is_refused(sets: list[object], words: str) -> None:
    """With the way out."""
    with pytest.raises(shoal.PolicyError, match=words):
        policy_of(quasi_identifiers=["age", "sex"], k=2, sets=sets)  # type: ignore[arg-type]


def test_a_set_larger_than_the_table_is_refused() -> None:
    """Nothing could be released."""
    with pytest.raises(shoal.PolicyError, match="a set demands k = 50, which is larger than the table"):
        shoal.anonymize(
            frame_of([(20, "m", "N")] * 4),
            quasi_identifiers=["age", "sex"],
            k=2,
            sets=[{"columns": ["age"], "k": 50}, ["sex"]],
        )


def test_file_flag_and_argument_state_the_same_sets() -> None:
    """Lists without a k keep the digest that they had."""
    stated = parse_policy(
        '[attributes]\nage = {role = "quasi-identifier"}\nsex = {role = "quasi-identifier"}\n'
        '[privacy]\nk = 2\nsets = [["sex"], {columns = ["age", "sex"], k = 20}]\n',
        Path(),
    )
    given_by_flags = [arguments.column_set("sex"), arguments.column_set("age,sex k=20")]
    by_flags = policy_of(quasi_identifiers=["age", "sex"], k=2, sets=given_by_flags)  # type: ignore[arg-type]
    assert stated.sets == by_flags.sets
    assert stated.digest == by_flags.digest
    plain = policy_of(quasi_identifiers=["age", "sex"], k=2, sets=[["sex"], ["age", "sex"]])
    assert plain.digest != by_flags.digest


def test_explaining_without_a_column_keeps_the_k_of_the_set_that_is_left() -> None:
    """A set that is the only one left demands its k of all columns."""
    policy = policy_of(quasi_identifiers=["age", "sex"], k=2, sets=[{"columns": ["age"], "k": 8}, ["sex"]])
    for name, k in (("sex", 8), ("age", 2)):
        changed = next(each.policy for each in _other_changes(policy) if each.column == name)
        assert (changed.k, changed.sets) == (k, ())


def test_a_set_with_its_own_k_and_persons_is_refused() -> None:
    """Four rows of three persons would be called a group of four."""
    sets: list[object] = [{"columns": ["age"], "k": 4}, ["age", "sex"]]
    with pytest.raises(shoal.PolicyError, match="the k of a set counts rows, and entity"):
        policy_of(quasi_identifiers=["age", "sex"], k=2, entity="person", sets=sets)  # type: ignore[arg-type]
    same = [{"columns": ["age"], "k": 2}, ["age", "sex"]]
    assert policy_of(quasi_identifiers=["age", "sex"], k=2, entity="person", sets=same).sets[0].k == 2
