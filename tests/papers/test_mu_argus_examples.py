"""Sweeney's mu-Argus on her table: Figures 13, 14 and 15, k = 2."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms.cells._rare import rare_combinations
from shoal.algorithms.cells.mu_argus import (
    MuArgus,
    Outliers,
    automatic_levels,
    combinations_to_test,
    lifted,
    outliers,
)
from shoal.auditor import audit
from shoal.engines.duckdb.engine import DuckDB, frequency_table
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy
from shoal.model.recoding.groups import groups
from shoal.pipeline.pose import problem_of
from tests.agreement.thoroughness import examples
from tests.papers.sweeney_tables import (
    COLUMNS,
    IDENTIFICATION,
    MT,
    MT_ACTUAL,
    PRIVATE,
    attributes,
    columns_of,
)

KINDS = tuple(IDENTIFICATION[name] for name in COLUMNS)

FIGURE_14 = {
    ("white", "1964", "male", "02138"): {"birth sex zip", "race birth zip"},
    ("white", "1965", "female", "02139"): {
        *("birth zip", "sex zip", "birth sex zip", "race birth sex"),
        *("race birth zip", "race sex", "race birth"),
    },
}
UNPRINTED = "race sex zip"
"""t8's eighth outlier, which follows from "sex zip"; its kind is one of the six that Figure 12 leaves out."""


def policy(**more: Any) -> Policy:
    return Policy(attributes=attributes(), k=2, algorithm="mu-argus", cost="precision", **more)


POSED = problem_of(policy(), frequency_table(pandas.DataFrame(columns_of(PRIVATE)), attributes()))


def released(**more: Any) -> shoal.Release:
    return shoal.anonymize(pandas.DataFrame(columns_of(PRIVATE)), policy(**more))


def rows_of(release: shoal.Release) -> list[tuple[str, ...]]:
    return list(release.data.itertuples(index=False, name=None))


def test_automatic_generalization_ends_at_years_of_birth() -> None:
    """Step 2: every other value occurs twice as it is."""
    assert automatic_levels(POSED, KINDS) == [0, 1, 0, 0]


def test_figure_13_finds_one_rare_pair_of_birth_and_zip() -> None:
    """V: six pairs, of which 1965 with 02139 occurs once."""
    values = lifted(POSED.table, [0, 1, 0, 0])
    pairs = Counter(map(tuple, values[:, [1, 3]].tolist()))
    assert sorted(pairs.values()) == [1, 2, 2, 2, 2, 3]
    assert outliers(POSED, [0, 1, 0, 0], [(1, 3)]).rows == {("birth", "zip"): 1}


@pytest.mark.parametrize("printed", [True, False])
def test_figure_14_lists_the_outliers_of_t7_and_t8(printed: bool) -> None:
    """As printed when the kinds of Figure 12 are tested; testing all pairs and triples adds one to t8."""
    table = POSED.table
    tested = combinations_to_test(KINDS, "paper")
    tested = [each for each in tested if not printed or each != (0, 2, 3)]
    rare = rare_combinations(lifted(table, [0, 1, 0, 0]), table.counts, tested, 2)
    found: dict[tuple[str, ...], set[str]] = {}
    for codes, row in zip(table.codes.tolist(), rare.tolist(), strict=True):
        trees = [domain.hierarchy for domain in table.domains]
        cells = [
            tree.labels[level][tree.parts[level][code]]
            for tree, level, code in zip(trees, [0, 1, 0, 0], codes, strict=True)
        ]
        names = {
            " ".join(COLUMNS[a] for a in each) for each, is_rare in zip(tested, row, strict=True) if is_rare
        }
        if names:
            found[tuple(map(str, cells))] = names
    t8 = ("white", "1965", "female", "02139")
    assert found == {**FIGURE_14, t8: FIGURE_14[t8] | (set() if printed else {UNPRINTED})}


def test_figure_15_t7_loses_its_birth_and_t8_birth_and_sex() -> None:
    """MT, cell by cell; the audit measures that t7 and t8 are alone in it."""
    release = released(accept_unverified=True)
    assert rows_of(release) == MT
    assert (release.manifest.status, release.manifest.audit) == (
        "feasible",
        {"k-anonymity": 1, "holds": False},
    )
    assert (release.manifest.groups, release.manifest.suppressed) == (7, 0)


def test_a_release_that_hides_too_little_is_refused_unless_accepted(tmp_path: Path) -> None:
    """The audit decides, not the algorithm; nothing is written."""
    with pytest.raises(shoal.AuditError, match=r"2 group.*accept_unverified"):
        released(release=tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_audit_refuses_what_the_program_released() -> None:
    """MTactual: t7 and t8 are unique in it."""
    with DuckDB() as engine:
        verdict = audit(engine, pandas.DataFrame(columns_of(MT_ACTUAL)), COLUMNS, 2)
    assert (verdict.holds, verdict.k, verdict.measured.groups_below) == (False, 1, 2)


def test_the_program_tests_what_figure_12_lists() -> None:
    """Seven kinds always; More x More only if two columns identify; Identifying x Identifying never."""
    named = {
        " ".join(COLUMNS[attribute] for attribute in each) for each in combinations_to_test(KINDS, "program")
    }
    assert named == {
        *("race birth", "race sex", "race zip", "birth sex", "birth zip"),
        *("race birth sex", "race birth zip"),
    }
    kinds = ("identifying", "identifying", "more", "more", "most")
    several = combinations_to_test(kinds, "program")
    assert {(2, 3), (2, 3, 4)} <= set(several)
    assert (0, 1) not in several
    assert combinations_to_test(("most", "not", "more"), "paper") == [(0, 2)]


def test_the_data_holder_generalizes_in_the_order_of_the_list() -> None:
    """Birth to decades and zip by one step: t7 joins t11 and t12, and only t8 still loses a cell."""
    release = released(options={"generalize": ["birth", "zip"]}, accept_unverified=True)
    rows = rows_of(release)
    assert rows[6] == ("white", "1960-69", "male", "0213*")
    assert sum(cell == "*" for row in rows for cell in row) == 1


def test_the_data_holder_can_be_a_function() -> None:
    """It is told counts of rare rows and the levels, until it wants no more."""
    seen: list[Outliers] = []

    def choose(found: Outliers) -> str | None:
        seen.append(found)
        return "birth" if len(seen) == 1 else None

    MuArgus(choose=choose, identification=KINDS).solve(POSED, Budget())
    assert [each.levels["birth"] for each in seen] == [1, 2]
    assert seen[0].rows["race", "birth"] == 1
    assert ("race", "birth") not in seen[1].rows


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"combinations": "some"}, "combinations is one of paper, program, all"),
        ({"generalize": "zip"}, "generalize is a list of columns"),
        ({"generalize": ["zap"]}, "Did you mean 'zip'?"),
        ({"generalize": ["sex", "sex", "sex"]}, "'sex' cannot be generalized further"),
        ({"choose": "zip"}, "a function of Python"),
        ({"identification": ["most"]}, "belongs to each attribute"),
    ],
)
def test_a_slip_in_the_options_is_one_clear_message(options: dict[str, Any], words: str) -> None:
    """Options are checked before a row is read, or with the columns at hand."""
    with pytest.raises(shoal.PolicyError, match=words.replace("?", r"\?")):
        released(options=options)


def test_only_an_algorithm_that_does_not_guarantee_k_may_be_accepted() -> None:
    """Others have no release whose audit fails."""
    frame = pandas.DataFrame(columns_of(PRIVATE))
    with pytest.raises(shoal.PolicyError, match="'lattice' is none of them"):
        shoal.anonymize(frame, quasi_identifiers=["sex"], k=2, algorithm="lattice", accept_unverified=True)


@settings(max_examples=examples(60), deadline=None)
@given(
    counts=st.lists(st.integers(0, 3), min_size=12, max_size=12).filter(lambda counts: sum(counts) >= 4),
    k=st.integers(1, 4),
    limit=st.sampled_from([None, 0]),
)
def test_all_combinations_guarantee_k(counts: list[int], k: int, limit: int | None) -> None:
    """Every group with a value in it has k rows, and no row is suppressed that may not be."""
    present = [row for row, count in enumerate(counts) if count]
    table = replace(POSED.table, codes=POSED.table.codes[present], counts=np.array(counts)[present])
    posed = replace(POSED, table=table, k=k, limit=limit)
    result = MuArgus(combinations="all", identification=KINDS).solve(posed, Budget())
    assert result.recoding is not None
    made = groups(table, result.recoding, k)
    assert made.suppressed == result.suppressed <= min(posed.most_suppressed, k - 1)
    labels = [result.recoding.labels(a, domain) for a, domain in enumerate(table.domains)]
    for values, size in zip(made.values.tolist(), made.sizes.tolist(), strict=True):
        stars = all(labels[a][value] == "*" for a, value in enumerate(values))
        assert stars or size >= k
