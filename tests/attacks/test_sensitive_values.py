"""Homogeneity, background knowledge, skewness and similarity: what a group tells of its people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.auditor.attacks import ATTACKS, AttackResult, Target
from shoal.model.hierarchy.hierarchy import Hierarchy
from tests.agreement.thoroughness import examples
from tests.attacks.tables import cells

# The survey, Fig. 15.
FIGURE_15 = [
    ("asian", "64", "F", "941**", "hypertension"),
    ("asian", "64", "F", "941**", "obesity"),
    ("asian", "64", "F", "941**", "chest pain"),
    ("asian", "63", "M", "941**", "obesity"),
    ("asian", "63", "M", "941**", "obesity"),
    ("black", "64", "F", "941**", "short breath"),
    ("black", "64", "F", "941**", "short breath"),
    ("white", "64", "F", "941**", "chest pain"),
    ("white", "64", "F", "941**", "short breath"),
]


def run(
    name: str, rows: Sequence[Sequence[str | None]], *, hierarchy: Hierarchy | None = None, **knows: object
) -> AttackResult:
    """An attack on rows of `group` and `value`."""
    target = Target(
        release=cells("group value", rows),
        quasi_identifiers=("group",),
        sensitive=("value",),
        hierarchies={} if hierarchy is None else {"value": hierarchy},
        **knows,  # type: ignore[arg-type]
    )
    attack = ATTACKS[name]()
    assert attack.lacking(target) is None
    return attack.run(target)


def figure_15(name: str, exclude: int = 1) -> AttackResult:
    """An attack on the survey's table."""
    target = Target(
        release=cells("Race DOB Sex ZIP Disease", FIGURE_15),
        quasi_identifiers=("Race", "DOB", "Sex", "ZIP"),
        sensitive=("Disease",),
        exclude=exclude,
    )
    return ATTACKS[name]().run(target)


def test_the_surveys_homogeneous_groups_tell_four_of_nine_rows() -> None:
    """Carol is a black female, so she suffers of short breath; two groups of two rows are like hers."""
    found = figure_15("homogeneity")
    assert (found.succeeded, found.tried) == (4, 9)
    assert found.facts["columns"] == {"Disease": {"rows": 4, "groups": 2, "of_groups": 4}}


def test_who_knows_that_hellen_runs_learns_her_disease() -> None:
    """Ruling out one disease tells the group of two diseases too, and the group of three in half."""
    found = figure_15("background-knowledge")
    assert (found.succeeded, found.tried) == (6, 9)
    assert figure_15("background-knowledge", exclude=0).succeeded == 4
    assert figure_15("background-knowledge", exclude=2).succeeded == 9
    facts = found.facts["columns"]["Disease"]  # type: ignore[index]
    assert facts["average_belief"] == pytest.approx((3 * 1 / 2 + 6) / 9)


def test_a_diverse_release_withstands_homogeneity() -> None:
    """Two values in each group."""
    rows = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    assert run("homogeneity", rows).succeeded == 0
    assert run("background-knowledge", rows, exclude=0).succeeded == 0
    assert run("background-knowledge", rows).rate == 1


def test_suppressed_cells_tell_nothing() -> None:
    """A group of `*` alone is not tried, and a hidden value may be another than the one that is shown."""
    rows = [("*", "*"), ("*", "*"), ("a", "1"), ("a", "*"), ("b", "1"), ("b", "1")]
    found = run("homogeneity", rows)
    assert (found.succeeded, found.tried) == (2, 3)
    assert run("background-knowledge", rows).succeeded == 2


def test_masked_rows_without_a_value_tell_nothing() -> None:
    """Their value was taken away; where it was left, who knows that a person is suppressed learns it."""
    found = run("homogeneity", [("*", None), ("*", None), ("a", "1"), ("a", "2")])
    assert (found.succeeded, found.tried) == (0, 2)
    assert run("homogeneity", [("*", "1"), ("*", "1"), ("a", "1"), ("a", "2")]).succeeded == 2


def test_a_missing_value_is_a_value() -> None:
    """That nothing is known of a person can be learned as well."""
    assert run("homogeneity", [("a", None), ("a", None), ("b", None), ("b", "1")]).succeeded == 2


def test_a_skewed_group_falls_and_the_tables_own_spread_does_not() -> None:
    """Overall 1 in 4 is ill; 3 of 4 in one group is three times as many; as overall is not more."""
    skewed = [("a", "ill")] * 3 + [("a", "well")] + [("b", "well")] * 8
    found = run("skewness", skewed)
    assert (found.succeeded, found.tried) == (3, 12)
    facts = found.facts["columns"]["value"]  # type: ignore[index]
    assert facts["highest_rise"] == pytest.approx(3)
    assert facts["greatest_distance"] == pytest.approx(0.5)
    assert run("skewness", skewed, rise=3).succeeded == 0
    even = [(group, value) for group in "ab" for value in ("ill", "well", "well", "well")]
    assert run("skewness", even).succeeded == 0


DISEASES = Hierarchy(
    (
        ("ulcer", "stomach", "*"),
        ("gastritis", "stomach", "*"),
        ("flu", "lungs", "*"),
        ("bronchitis", "lungs", "*"),
    )
)


def test_different_diseases_of_one_organ_are_alike() -> None:
    """Two diseases of the stomach tell the stomach; the top of the hierarchy tells nothing."""
    rows = [("a", "ulcer"), ("a", "gastritis"), ("b", "ulcer"), ("b", "flu"), ("c", "flu"), ("c", "flu")]
    found = run("similarity", rows, hierarchy=DISEASES)
    assert (found.succeeded, found.tried) == (4, 6)
    assert found.facts["columns"]["value"]["rows_of_different_values"] == 2  # type: ignore[index]
    assert run("similarity", rows[2:4], hierarchy=DISEASES).succeeded == 0


def test_a_value_that_the_hierarchy_lacks_is_like_nothing_else() -> None:
    """Not even like another such value."""
    assert run("similarity", [("a", "gout"), ("a", "rash")], hierarchy=DISEASES).succeeded == 0


def test_salaries_within_a_tenth_of_the_range_are_alike() -> None:
    """The range is 100: 10 apart is near, 11 is not, and a missing number is no number."""
    rows = [("a", "0"), ("a", "10"), ("b", "50"), ("b", "61"), ("c", "100"), ("c", None)]
    found = run("similarity", rows)
    assert (found.succeeded, found.tried) == (2, 6)
    assert run("similarity", rows, near=0.11).succeeded == 4


def test_similarity_needs_values_that_can_be_compared() -> None:
    """Without a hierarchy words are not alike."""
    target = Target(release=cells("g v", [("a", "x")]), quasi_identifiers=("g",), sensitive=("v",))
    assert ATTACKS["similarity"]().lacking(target) is not None


ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("1234")), min_size=1, max_size=14)


@given(rows=ROWS, exclude=st.integers(0, 3))
@settings(max_examples=examples(150), deadline=None)
def test_what_groups_tell_equals_a_plain_count(rows: list[tuple[str, str]], exclude: int) -> None:
    """Homogeneity, background knowledge and skewness against counting in plain Python."""
    groups = {name: Counter(value for group, value in rows if group == name) for name, _ in rows}
    overall = Counter(value for _, value in rows)

    assert run("homogeneity", rows).succeeded == sum(
        sum(counts.values()) for counts in groups.values() if len(counts) == 1
    )
    known = run("background-knowledge", rows, exclude=exclude)
    assert known.succeeded == sum(
        sum(counts.values()) for counts in groups.values() if len(counts) <= exclude + 1
    )
    beliefs = []
    for group, value in rows:
        others = sorted((count for each, count in groups[group].items() if each != value), reverse=True)
        beliefs.append(groups[group][value] / (groups[group][value] + sum(others[exclude:])))
    facts = known.facts["columns"]["value"]  # type: ignore[index]
    assert facts["highest_belief"] == pytest.approx(max(beliefs))
    assert facts["average_belief"] == pytest.approx(sum(beliefs) / len(rows))

    assert run("skewness", rows).succeeded == sum(
        groups[group][value] * len(rows) > 2 * overall[value] * sum(groups[group].values())
        for group, value in rows
    )
