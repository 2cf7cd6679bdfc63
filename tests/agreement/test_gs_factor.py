"""ARX's generalization/suppression factor: its formula, and the optimum under it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.algorithms._priced_again import solved
from shoal.cost import Balanced, ShareMetric
from shoal.errors import PolicyError
from shoal.model.policy.budget import Budget
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.privacy import AverageRisk, RowsAtRisk
from tests.agreement.thoroughness import examples

from .level_problems import every_node, level_problems
from .test_private_levels import check_is_optimal, judged

FACTORS = [Fraction(each) for each in ("0", "0.1", "0.25", "0.4", "0.6", "0.75", "1")]
SHARES = ["general-loss", "ncp", "precision"]
MANY = settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))
share_problems = level_problems(max_rows=10, max_nodes=18, metrics=SHARES)


def balanced(problem: Problem, factor: Fraction) -> Problem:
    assert isinstance(problem.cost, ShareMetric)
    return replace(problem, cost=Balanced(problem.cost, factor))


@MANY
@given(problem=share_problems, factor=st.sampled_from(FACTORS))
def test_the_cost_is_that_of_the_formula(problem: Problem, factor: Fraction) -> None:
    """Cell by cell as ARX's source has it, whatever the node; and 1/2 is the cost itself."""
    metric, table = problem.cost, problem.table
    assert isinstance(metric, ShareMetric)
    kept_factor, lost_factor = min(1, 2 * (1 - factor)), min(1, 2 * factor)
    weights = metric.whole_weights(table)
    for levels in every_node(problem):
        recoding = LevelRecoding(levels)
        made = groups(table, recoding, problem.k)
        total = Fraction(0)
        for values, size, kept in zip(made.values, made.sizes, made.kept, strict=True):
            for attribute, weight in enumerate(weights):
                units = metric.cell_units(table, recoding, attribute)[values[attribute]]
                share = Fraction(units, weight * metric.units(table)) if weight else Fraction(0)
                if kept:
                    cell = kept_factor * share
                else:
                    cell = Fraction(1) if lost_factor == 1 else share + lost_factor * (1 - share)
                total += int(size) * weight * cell
        expected = total / (table.rows * sum(weights))
        assert Balanced(metric, factor).of(table, recoding, problem.k) == expected
        assert Balanced(metric, Fraction(1, 2)).of(table, recoding, problem.k) == metric.of(
            table, recoding, problem.k
        )


@MANY
@given(
    problem=share_problems,
    factor=st.sampled_from(FACTORS),
    model=st.sampled_from([None, AverageRisk(threshold=0.4), RowsAtRisk(threshold=0.34, most=0.2)]),
)
def test_the_optimum_is_that_of_all_nodes(
    problem: Problem, factor: Fraction, model: AverageRisk | RowsAtRisk | None
) -> None:
    """Also where the cheapest groups are given up, whose price depends on the factor."""
    problem = replace(balanced(problem, factor), models=() if model is None else (model,))
    check_is_optimal(problem, solved(ALGORITHMS["lattice"](), problem, Budget()))


@pytest.mark.parametrize("name", sorted({*ALGORITHMS} - {"exhaustive", "lattice"}))
@settings(max_examples=examples(24), deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=share_problems, factor=st.sampled_from(FACTORS))
def test_other_searches_find_it_or_refuse_it(name: str, problem: Problem, factor: Fraction) -> None:
    """What one calls optimal is; everything is priced again by the definition."""
    problem = balanced(problem, factor)
    algorithm = ALGORITHMS[name]()
    refusal = algorithm.supports(problem)
    if refusal is not None:
        assert len(refusal.split()) > 3
        return
    try:
        result = solved(algorithm, problem, Budget(nodes=2000))
    except PolicyError:
        assert problem.cost.name.startswith("precision")  # an interval of a row search has no level
        return
    if result.recoding is not None:
        assert judged(problem, result.recoding)[1]
    if (
        result.status is Status.OPTIMAL
        and isinstance(result.recoding, LevelRecoding)
        and name != "suppress-rows"
    ):
        check_is_optimal(problem, result)


def test_the_factor_moves_loss_from_cells_to_rows() -> None:
    """Below 0.5 rows are suppressed that are generalized at 0.5, and above it the other way round."""
    frame = pandas.DataFrame({"age": [20] * 6 + [21] * 6 + [50, 51, 52]})
    asked = {
        "quasi_identifiers": ["age"],
        "k": 2,
        "suppression": "unlimited",
        "algorithm": "lattice",
        "hierarchies": {
            "age": shoal.Hierarchy(
                tuple((str(age), "20-39" if age < 40 else "40-59", "*") for age in (20, 21, 50, 51, 52))
            )
        },
        "types": {"age": "category"},
    }
    suppressed = [
        shoal.anonymize(frame, gs_factor=factor, **asked).manifest.suppressed  # type: ignore[arg-type]
        for factor in (0.05, 0.5, 0.99)
    ]
    assert suppressed == sorted(suppressed, reverse=True)
    assert suppressed[0] > suppressed[-1]
    release = shoal.anonymize(frame, gs_factor=0.05, **asked)  # type: ignore[arg-type]
    assert any("generalization/suppression factor 0.05" in note for note in release.manifest.notes)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"gs_factor": 1.5}, "from 0 to 1"),
        ({"gs_factor": True}, "from 0 to 1"),
        ({"gs_factor": 0.2, "cost": "discernibility"}, "gs_factor weighs costs from 0 to 1"),
        ({"gs_factor": 0.2, "algorithm": "local"}, "local"),
        ({"gs_factor": 0.2, "algorithm": "exact"}, "gs_factor = 0.2"),
    ],
)
def test_what_the_factor_does_not_fit_is_refused(more: dict[str, object], words: str) -> None:
    """With the cost or the search that it needs."""
    frame = pandas.DataFrame({"age": [20, 20, 30, 30]})
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.anonymize(frame, **{"quasi_identifiers": ["age"], "k": 2, **more})  # type: ignore[arg-type]
