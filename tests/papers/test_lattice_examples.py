"""The worked examples of Samarati, Incognito, MinGen and Datafly, from the survey and from Sweeney."""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.algorithms._watch import Watch
from shoal.algorithms.levels._lattice import Lattice
from shoal.algorithms.levels.datafly import Datafly
from shoal.algorithms.levels.incognito import Incognito, anonymous_nodes, candidates, iterations, minimal
from shoal.algorithms.levels.mingen import MinGen
from shoal.algorithms.levels.samarati import DistanceMatrix, Samarati
from shoal.cost import Discernibility, Precision
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from tests.agreement.level_problems import levelled_table
from tests.papers.tables import (
    FIGURE_4_HIERARCHIES,
    FIGURE_4_ROWS,
    FIGURE_9_HIERARCHIES,
    FIGURE_9_ROWS,
    row_number,
    survey_problem,
    survey_table,
)

Levels = tuple[int, ...]

RACE_AND_ZIP_SUPPRESSED = {(0, 0): 6, (0, 1): 2, (1, 0): 2, (0, 2): 0, (1, 1): 0, (1, 2): 0}
RACE_AND_ZIP_DISCERNIBILITY = {(0, 0): 63, (0, 1): 35, (0, 2): 33, (1, 0): 47, (1, 1): 45, (1, 2): 81}

T1, T2, T3, T6, T7, T8, T9 = (
    ("asian", "94142"),
    ("asian", "94141"),
    ("asian", "94139"),
    ("black", "94138"),
    ("black", "94139"),
    ("white", "94139"),
    ("white", "94141"),
)
# The survey, Fig. 11; t3, t4 and t5 are one column.
FIGURE_11_COLUMNS = (T1, T2, T3, T6, T7, T8, T9)
FIGURE_11 = {
    T1: [(0, 0), (0, 1), (0, 2), (1, 2), (1, 2), (1, 2), (1, 1)],
    T2: [(0, 1), (0, 0), (0, 2), (1, 2), (1, 2), (1, 2), (1, 0)],
    T6: [(1, 2), (1, 2), (1, 1), (0, 0), (0, 1), (1, 1), (1, 2)],
    T7: [(1, 2), (1, 2), (1, 0), (0, 1), (0, 0), (1, 0), (1, 2)],
    T8: [(1, 2), (1, 2), (1, 0), (1, 1), (1, 0), (0, 0), (0, 2)],
    T9: [(1, 1), (1, 0), (1, 2), (1, 2), (1, 2), (0, 2), (0, 0)],
}


def released(recodings: tuple[object, ...]) -> set[Levels]:
    return {recoding.levels for recoding in recodings if isinstance(recoding, LevelRecoding)}


@pytest.mark.parametrize(("levels", "suppressed"), RACE_AND_ZIP_SUPPRESSED.items(), ids=str)
def test_the_survey_suppresses_these_rows_per_node(levels: Levels, suppressed: int) -> None:
    """Fig. 5, k=2: the rows in italics, counted by roll-up and by the matrix."""
    problem = survey_problem("Race", "ZIP")
    assert Lattice(problem).node(levels).suppressed == suppressed
    assert DistanceMatrix(problem.table, 2).required_suppression(levels) == suppressed


@pytest.mark.parametrize(("levels", "cost"), RACE_AND_ZIP_DISCERNIBILITY.items(), ids=str)
def test_the_survey_costs_this_discernibility_per_node(levels: Levels, cost: int) -> None:
    """Fig. 5, k=2: [0,2] costs less than [0,1] below it, so discernibility is not monotone."""
    problem = survey_problem("Race", "ZIP")
    assert Lattice(problem).cost(levels) == cost
    assert Discernibility().of(problem.table, LevelRecoding(levels), 2) == cost


def test_the_survey_prints_this_matrix_of_distance_vectors() -> None:
    """Fig. 11: a row per outlier, a column per distinct row."""
    table = survey_table("Race", "ZIP")
    matrix = DistanceMatrix(table, 2)
    outliers = matrix.outliers.tolist()
    assert set(outliers) == {row_number(table, row) for row in FIGURE_11}
    found = {
        row: [
            tuple(
                matrix.vectors[:, outliers.index(row_number(table, row)), row_number(table, column)].tolist()
            )
            for column in FIGURE_11_COLUMNS
        ]
        for row in FIGURE_11
    }
    assert found == FIGURE_11


def test_samarati_finds_both_minimal_generalizations_of_the_survey() -> None:
    """MaxSup=2: exactly [1,0] and [0,1] are 2-minimal, and both have the least height."""
    result = Samarati(all_minimal=True).solve(survey_problem("Race", "ZIP", limit=2), Budget())
    assert result.status is Status.MINIMAL
    assert released(result.alternatives) == {(0, 1), (1, 0)}
    lowest = Samarati().solve(survey_problem("Race", "ZIP", limit=2), Budget())
    assert released(lowest.alternatives) == {(0, 1), (1, 0)}


def test_samarati_without_suppression_stops_at_height_two() -> None:
    """MaxSup=0: [0,2] and [1,1]; the cheaper one is released."""
    result = Samarati().solve(survey_problem("Race", "ZIP", limit=0), Budget())
    assert released(result.alternatives) == {(0, 2), (1, 1)}
    assert (result.recoding, result.cost) == (LevelRecoding((0, 2)), 33)


@pytest.mark.parametrize(
    "preference",
    [
        "least-cost",
        "minimum-absolute-distance",
        "minimum-relative-distance",
        "maximum-distribution",
        "minimum-suppression",
    ],
)
def test_every_preference_of_the_survey_releases_the_coarser_zip(preference: str) -> None:
    """Relative distance and distribution prefer [0,1]; the others tie, and cost decides."""
    problem = survey_problem("Race", "ZIP", limit=2)
    result = Samarati(preference=preference).solve(problem, Budget())
    assert result.recoding == LevelRecoding((0, 1))


def test_incognito_rejects_these_nodes_of_the_survey_per_iteration() -> None:
    """Iteration 1 rejects M0, iteration 2 <R0,M1>, and iteration 3 none of what is left."""
    lattice = Lattice(survey_problem("Race", "Sex", "Marital status", limit=0))
    passed = {(): {()}}
    rejected = []
    for found in iterations(lattice):
        rejected.append(
            {
                subset: candidates(lattice, subset, passed) - nodes
                for subset, nodes in found.items()
                if candidates(lattice, subset, passed) - nodes
            }
        )
        passed = found
    assert rejected == [{(2,): {(0,)}}, {(0, 2): {(0, 1)}}, {}]


def test_incognito_finds_six_of_twelve_nodes_of_the_survey() -> None:
    """The anonymous ones, of which R0S0M2 and R1S0M1 are minimal."""
    problem = survey_problem("Race", "Sex", "Marital status", limit=0)
    nodes = anonymous_nodes(problem)
    assert nodes == {(0, 0, 2), (0, 1, 2), (1, 0, 1), (1, 0, 2), (1, 1, 1), (1, 1, 2)}
    assert minimal(nodes) == {(0, 0, 2), (1, 0, 1)}
    result = Incognito().solve(problem, Budget())
    assert released(result.alternatives) == {(0, 0, 2), (1, 0, 1)}


def test_incognito_prefers_a_cheaper_node_that_is_not_minimal() -> None:
    """With two rows to suppress [0,1] is minimal at 35, and [0,2] above it costs 33."""
    result = Incognito().solve(survey_problem("Race", "ZIP", limit=2), Budget())
    assert (result.status, result.recoding, result.cost) == (Status.OPTIMAL, LevelRecoding((0, 2)), 33)
    assert released(result.alternatives) == {(0, 1), (1, 0)}


def sweeney_problem() -> Problem:
    table = levelled_table(FIGURE_4_HIERARCHIES, FIGURE_4_ROWS)
    return Problem(table=table, k=2, cost=Precision(), limit=0)


@pytest.mark.parametrize(
    ("levels", "precision"), [((1, 0), ".75"), ((1, 1), ".58"), ((0, 2), ".67"), ((0, 1), ".83")], ids=str
)
def test_sweeney_prints_this_precision_per_node(levels: Levels, precision: str) -> None:
    """Example 6, to two digits."""
    kept = 1 - Lattice(sweeney_problem()).cost(levels)
    assert f"{float(kept):.2f}" == f"0{precision}"


def test_sweeney_has_twelve_generalizations_of_which_one_is_a_minimal_distortion() -> None:
    """Equation 1 with the suppressed value on top; only [0,1] is a minimal distortion."""
    problem = sweeney_problem()
    assert len(list(Lattice(problem).all_nodes())) == 12
    result = MinGen().solve(problem, Budget())
    assert (result.status, released(result.alternatives)) == (Status.OPTIMAL, {(0, 1)})
    assert result.cost == Fraction(1, 6)


def test_mingen_releases_a_table_that_is_anonymous_as_it_is() -> None:
    """Step 1: the short cut looks at no generalization."""
    rows = FIGURE_4_ROWS * 2
    problem = Problem(table=levelled_table(FIGURE_4_HIERARCHIES, rows), k=2, cost=Precision(), limit=0)
    result = MinGen().solve(problem, Budget())
    assert (result.recoding, result.cost, result.nodes) == (LevelRecoding((0, 0)), 0, 2)


def datafly_problem(**stated: object) -> Problem:
    table = levelled_table(FIGURE_9_HIERARCHIES, FIGURE_9_ROWS)
    return Problem(table=table, k=2, cost=Precision(), **stated)


def test_datafly_counts_these_distinct_values_and_climbs_the_birth_dates() -> None:
    """Fig. 9A: 2, 12, 2 and 3 distinct values, so the dates are generalized first."""
    problem = datafly_problem()
    made = groups(problem.table, LevelRecoding((0, 0, 0, 0)), 2)
    assert [len(set(made.values[:, column].tolist())) for column in range(4)] == [2, 12, 2, 3]
    assert Datafly().chosen(made, (0, 0, 0, 0), (2, 3, 2, 3)) == 1


def test_datafly_suppresses_t7_and_t8_of_seven_sequences() -> None:
    """Fig. 9B: after one step there are seven sequences, two of them single."""
    problem = datafly_problem()
    recoding = Datafly().climb(problem, Watch())
    assert recoding == LevelRecoding((0, 1, 0, 0))
    made = groups(problem.table, recoding, 2)
    assert (len(made.sizes), made.suppressed) == (7, 2)
    dropped = {row for row in range(len(problem.table.counts)) if not made.kept[made.of_row[row]]}
    assert dropped == {row_number(problem.table, FIGURE_9_ROWS[row]) for row in (6, 7)}


def test_datafly_releases_ten_rows_and_no_levels_are_more_precise() -> None:
    """Fig. 10: ten rows. The more precise release that the paper knows of recodes cells, not columns."""
    problem = datafly_problem()
    result = Datafly().solve(problem, Budget())
    assert (result.status, problem.table.rows - result.suppressed) == (Status.FEASIBLE, 10)
    assert MinGen().solve(problem, Budget()).cost == result.cost


def test_datafly_completes_what_it_suppresses_to_k_rows() -> None:
    """Three rows a, two rows b, one row c, k=2: c alone is suppressed, so b goes with it."""
    hierarchies = {"letter": [("a", "*"), ("b", "*"), ("c", "*")]}
    table = levelled_table(hierarchies, [["a"]] * 3 + [["b"]] * 2 + [["c"]])
    result = Datafly().solve(Problem(table=table, k=2, cost=Discernibility()), Budget())
    assert (result.recoding, result.suppressed) == (LevelRecoding((0,), ((1,),)), 3)
    assert result.cost == 3 * 3 + 3 * 6


def test_datafly_climbs_on_where_the_limit_forbids_to_complete() -> None:
    """The same rows with one row to suppress: the top is released instead."""
    hierarchies = {"letter": [("a", "*"), ("b", "*"), ("c", "*")]}
    table = levelled_table(hierarchies, [["a"]] * 3 + [["b"]] * 2 + [["c"]])
    result = Datafly().solve(Problem(table=table, k=2, cost=Discernibility(), limit=1), Budget())
    assert (result.recoding, result.suppressed) == (LevelRecoding((1,)), 0)


def test_datafly_spares_what_tolerates_no_distortion() -> None:
    """Dates without tolerance are left as they are until nothing else can be climbed."""
    made = groups(datafly_problem().table, LevelRecoding((0, 0, 0, 0)), 2)
    spared = Datafly(tolerance=(1, 0, 1, 1))
    assert spared.chosen(made, (0, 0, 0, 0), (2, 3, 2, 3)) == 3
    assert spared.chosen(made, (2, 0, 2, 3), (2, 3, 2, 3)) == 1


def test_datafly_weighs_distinct_values_by_linking_and_tolerance() -> None:
    """3 * 0.5 for ZIP is less than 2 for race; of race and gender, which tie, the first is taken."""
    made = groups(datafly_problem().table, LevelRecoding((0, 3, 0, 0)), 2)
    assert Datafly().chosen(made, (0, 3, 0, 0), (2, 3, 2, 3)) == 3
    assert Datafly(linking=(1, 1, 1, 0.5)).chosen(made, (0, 3, 0, 0), (2, 3, 2, 3)) == 0
