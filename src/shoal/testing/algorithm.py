"""An algorithm against its own claims, on tiny problems.

What a search answers is checked again before anything is published, so a wrong answer is an error and never a
wrong release. These checks find it earlier, and with the problem that shows it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from shoal.algorithms import ALGORITHMS, Algorithm
from shoal.algorithms._definitions import admissible, made_by
from shoal.algorithms._priced_again import solved
from shoal.cost import METRICS, CostMetric
from shoal.errors import InternalError
from shoal.model.policy.budget import Budget
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.testing._tables import small_tables
from shoal.testing._words import check_line, check_words

COSTS = ("ncp", "discernibility", "suppressed-cells", "suppressed-rows", "precision", "classification", "sse")
_RANK = {Status.UNKNOWN: 0, Status.FEASIBLE: 1, Status.MINIMAL: 2, Status.OPTIMAL: 3, Status.INFEASIBLE: 3}


def check_algorithm(algorithm: Algorithm, *, costs: Sequence[CostMetric] | None = None) -> None:
    """Raise `AssertionError`, with the problem that shows it, if an algorithm does not keep what it claims.

    Solves every problem that it supports, of three tiny tables, two values of k, two limits and some costs.

    1. It has words, and names the kind of recodings that it searches and the recoding models of its releases.
    2. It supports at least one of the problems, so that something is checked.
    3. Its recoding is admissible, unless it is `unverified`, and its numbers are those of the definitions.
    4. With an unlimited budget, and where no row may be suppressed, it reaches its `guarantee`.
    5. No other algorithm that searches the same kind finds less than what it calls optimal, or finds a
       release where it says that there is none.
    6. A second call, with more threads, gives the same answer; a budget of one node gives an answer, too.

    Parameters
    ----------
    algorithm
        The algorithm, with its options.
    costs
        The costs to minimize; some of Shoal's own when absent.
    """
    check_words(type(algorithm))
    check_line(algorithm.name, "searches", getattr(algorithm, "searches", None))
    models = algorithm.recoding_models
    is_named = bool(models) or algorithm.makes_centroids  # the taxonomy has no name for centroids
    if not is_named or not all(isinstance(each, RecodingModel) for each in models):
        raise AssertionError(f"{algorithm.name}: recoding_models must name recoding models; it is {models!r}")
    tried = 0
    for problem in _problems(algorithm, costs):
        if algorithm.supports(problem) is not None:
            continue
        tried += 1
        _check_answer(algorithm, problem)
    if not tried:
        raise AssertionError(f"{algorithm.name} supports none of the small problems, so nothing was checked")


def _problems(algorithm: Algorithm, costs: Sequence[CostMetric] | None) -> Iterator[Problem]:
    metrics = [METRICS[name]() for name in COSTS] if costs is None else costs
    for table, metric, k, limit in itertools.product(small_tables(), metrics, (2, 3), (0, None)):
        if metric.of_centroids == algorithm.makes_centroids:
            yield Problem(table=table, k=k, cost=metric, limit=limit)


def _check_answer(algorithm: Algorithm, problem: Problem) -> None:
    about = f"{algorithm.name} at k = {problem.k}, cost {problem.cost.name!r}, limit {problem.limit}"
    try:
        found = solved(algorithm, problem, Budget())
        short = solved(algorithm, problem, Budget(nodes=1))
    except InternalError as error:
        raise AssertionError(f"{about}: {error}") from error
    for result in (found, short):
        _check_admissible(algorithm, problem, result, about)
    guarantee = algorithm.guarantee
    if problem.limit == 0 and _RANK[found.status] < _RANK[guarantee]:
        raise AssertionError(f"{about}: with an unlimited budget it is {found.status}, and not {guarantee}")
    again = algorithm.solve(problem, Budget(), threads=2)
    if not _are_alike(problem, found, again):
        raise AssertionError(f"{about}: a second call gives another answer")
    if found.status in (Status.OPTIMAL, Status.INFEASIBLE):
        _check_proof(algorithm, problem, found, about)


def _check_admissible(algorithm: Algorithm, problem: Problem, result: Result, about: str) -> None:
    if result.recoding is None:
        if result.status not in (Status.INFEASIBLE, Status.UNKNOWN):
            raise AssertionError(f"{about}: it is {result.status}, and there is no recoding")
        return
    if not algorithm.unverified and not admissible(problem, made_by(problem, result.recoding)):
        raise AssertionError(f"{about}: its recoding {result.recoding} is not admissible")


def _are_alike(problem: Problem, one: Result, two: Result) -> bool:
    """Whether two answers release the same."""
    if (one.status, one.cost, one.suppressed) != (two.status, two.cost, two.suppressed):
        return False
    if one.recoding is None or two.recoding is None:
        return one.recoding is two.recoding
    first, second = made_by(problem, one.recoding), made_by(problem, two.recoding)
    arrays = ("values", "of_row", "kept")
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in arrays)


def _check_proof(algorithm: Algorithm, problem: Problem, found: Result, about: str) -> None:
    """No other search of the same kind does better."""
    for name, each in ALGORITHMS.built_in.items():
        other = each()
        if each.searches != algorithm.searches or each.unverified or other.supports(problem) is not None:
            continue
        result = other.solve(problem, Budget())
        if result.cost is None:
            continue
        if found.cost is None or result.cost < found.cost:
            raise AssertionError(f"{about}: it is {found.status} at {found.cost}; {name!r}: {result.cost}")
