"""A search's numbers are claims: what it reports is grouped and priced again before anybody sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from shoal.algorithms import Algorithm
from shoal.algorithms._priced_again import solved
from shoal.algorithms.cuts.exact import Exact
from shoal.cost import METRICS
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import InternalError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import Suppression
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.pipeline.run import run
from tests.agreement.problems import table_of

ROWS = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (2, 0)]
LIES: dict[str, dict[str, Any]] = {
    "costs 1, and": {"cost": 1, "bound": 1},
    "nothing costs less than": {"status": Status.FEASIBLE, "bound": 10**9},
    "optimal, and its bound": {"bound": 1},
    "rows are suppressed": {"suppressed": 1},
}


@dataclass(frozen=True, kw_only=True)
class Lying(Algorithm):
    """What `exact` finds, with some of its numbers changed."""

    name = "lying"
    guarantee = Status.OPTIMAL
    lie: dict[str, Any]

    def solve(self, problem: Problem, budget: Budget, **_: Any) -> Result:
        return replace(Exact().solve(problem, budget), algorithm=self.name, **self.lie)


@pytest.mark.parametrize("said", LIES)
def test_a_search_that_lies_is_stopped(said: str) -> None:
    """A wrong cost, a bound above it, an optimum without a proof, and wrong suppressed rows are told."""
    problem = Problem(table=table_of([3, 2], ROWS, [0] * 6), k=2, cost=METRICS["discernibility"]())
    with pytest.raises(InternalError, match=f"lying says .*{said}"):
        solved(Lying(lie=LIES[said]), problem, Budget())


@pytest.mark.parametrize("said", LIES)
def test_nothing_is_published_of_a_search_that_lies(said: str, tmp_path: Path) -> None:
    """The folder stays as it was: no release, no manifest, nothing hidden."""
    source = tmp_path / "people.csv"
    source.write_text("age,sex\n" + "".join(f"{a},{b}\n" for a, b in ROWS))
    policy = Policy(
        attributes=tuple(Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in ("age", "sex")),
        k=2,
        cost="discernibility",
        suppression=Suppression(0),
        release=tmp_path / "out.csv",
    )
    with DuckDB() as engine, pytest.raises(InternalError):
        run(source, policy, engine=engine, algorithm=Lying(lie=LIES[said]))
    assert [each.name for each in tmp_path.iterdir()] == ["people.csv"]
