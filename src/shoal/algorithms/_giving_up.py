"""Groups that are given up: which to suppress so that the others are safe enough together.

Which groups to release is part of the question that a problem with such a model asks. The core's searches
choose them at every recoding that they price; here the choice is made once more for the recoding that was
found, so that it says which groups they are. It does not depend on the order of rows: groups are sorted by
their values.

Proof: docs/algorithms/lattice.md, "Groups that are given up".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from shoal import _core
from shoal.algorithms._definitions import cost_of, made_by
from shoal.algorithms._rules import risk_limits, rows_at_risk, size_at_risk
from shoal.errors import InternalError
from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status

Domained = TypeVar("Domained", bound=DomainRecoding)


def may_give_up(problem: Problem) -> bool:
    """Whether a release can be admissible with some groups given up and not without."""
    if problem.most_suppressed == 0:
        return False
    return bool(rows_at_risk(problem)) or any(problem.k * limit < 1 for limit in risk_limits(problem))


def with_given_up(problem: Problem, recoding: Domained) -> tuple[Domained, bool]:
    """The recoding with the cheapest groups given up, if any must be; and whether it is proved that they are.

    Where no choice is within the limit, and where a model asks for something else, it is left as it is.
    """
    if not may_give_up(problem):
        return recoding, True
    made = made_by(problem, recoding)
    kept = np.flatnonzero(made.kept)
    sizes, limit = made.sizes[kept], max(0, problem.most_suppressed - made.suppressed)
    prices = np.ascontiguousarray(problem.cost.worth(problem.table, recoding, made)[kept], np.int64)
    demands = rows_at_risk(problem)
    if demands:
        chosen, is_proved = _core.rows_given_up(
            sizes,
            prices,
            limit=limit,
            at_risk_below=size_at_risk(demands[0]),
            most_at_risk=demands[0].core_rule().most,
        )
    else:
        chosen, is_proved = _core.given_up(
            sizes, prices, limit=limit, most_risk=min([1.0, *risk_limits(problem)])
        )
    if not chosen:
        return recoding, is_proved
    groups = tuple(tuple(values) for values in made.values[kept[chosen]].tolist())
    also = (*recoding.also_suppressed, *groups)
    return replace(recoding, also_suppressed=also), is_proved  # type: ignore[type-var]


def result_with_given_up(problem: Problem, result: Result) -> Result:
    """The result of a search of the core, its recoding with the groups that it gives up.

    The choice made here is the core's, unless there were too many to examine; the cost is of this choice.
    """
    recoding = result.recoding
    if not isinstance(recoding, DomainRecoding) or not may_give_up(problem):
        return result
    recoding, is_proved = with_given_up(problem, recoding)
    made = made_by(problem, recoding)
    cost = cost_of(problem, recoding, made)
    is_optimal = result.status is Status.OPTIMAL and result.bound == cost
    if result.status is Status.OPTIMAL and is_proved and not is_optimal:
        raise InternalError(f"the search says that its recoding costs {result.cost}, and it costs {cost}")
    return replace(
        result,
        status=Status.OPTIMAL if is_optimal else Status.FEASIBLE,
        recoding=recoding,
        cost=cost,
        suppressed=made.suppressed,
    )
