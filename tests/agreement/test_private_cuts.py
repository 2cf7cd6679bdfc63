"""The searches over cuts under privacy models find what plain enumeration finds."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS, Algorithm
from shoal.algorithms.cuts.exhaustive import Exhaustive, every_recoding, suppressed_rows
from shoal.cost import METRICS
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.policy.budget import Budget
from shoal.model.recoding.recoding import Recoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding, nodes_of_intervals
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.people import Group, People
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    GroupModel,
    KAnonymity,
    KMap,
    PrivacyModel,
    PSensitivity,
    RecursiveLDiversity,
    TCloseness,
)
from tests.agreement.plain_groups import judged
from tests.agreement.thoroughness import examples

from .free_choice import least_cost
from .private_problems import DISEASE, JOB, PERSON, made_private
from .problems import problems, table_of

LENIENT = {"deadline": None, "suppress_health_check": list(HealthCheck)}
SMALL = problems(max_rows=12, max_cuts=5)

SHARES = st.sampled_from([0.1, 0.25, 0.3, 0.5, 0.7])
COLUMN: dict[str, Any] = {"attribute": st.sampled_from([DISEASE, JOB]), "joint": st.booleans()}
MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    "k-anonymity": st.builds(KAnonymity, st.integers(2, 4), st.just(PERSON)),
    "distinct-l-diversity": st.builds(DistinctLDiversity, l=st.integers(2, 3), **COLUMN),
    "entropy-l-diversity": st.builds(EntropyLDiversity, l=st.sampled_from([1.5, 2, 2.2]), **COLUMN),
    "recursive-l-diversity": st.builds(
        RecursiveLDiversity, c=st.sampled_from([0.5, 1, 1.5, 2]), l=st.integers(2, 3), **COLUMN
    ),
    "t-closeness": st.builds(
        TCloseness,
        t=SHARES,
        ground=st.sampled_from(["equal", "ordered", "hierarchical"]),
        attribute=st.just(DISEASE),
        joint=st.booleans(),
    ),
    "p-sensitivity": st.builds(PSensitivity, p=st.just(2), attribute=st.just(DISEASE)),
    "alpha-k-anonymity": st.builds(AlphaKAnonymity, alpha=SHARES, **COLUMN),
    "beta-likeness": st.builds(
        BetaLikeness, beta=st.sampled_from([0.5, 1, 2]), enhanced=st.booleans(), **COLUMN
    ),
    "delta-disclosure": st.builds(DeltaDisclosure, delta=st.sampled_from([0.8, 1.2, 2.5]), **COLUMN),
    "k-map": st.builds(KMap, k=st.integers(2, 12)),
    "delta-presence": st.builds(DeltaPresence, most=st.sampled_from([0.3, 0.5, 0.8])),
    "average-risk": st.builds(AverageRisk, threshold=st.sampled_from([0.15, 0.2, 0.3, 0.5])),
}


def unseeded(name: str) -> Algorithm:
    """The algorithm with a single climb, from the recoding that joins everything."""
    return type("Unseeded", (ALGORITHMS[name],), {"climbs": lambda self, problem, budget: 1})()


def is_defined(problem: Problem, model: PrivacyModel) -> bool:
    return not isinstance(model, PSensitivity) or model.p <= len(
        problem.table.people.column(model.attribute).counts
    )


def check_result_is_what_it_says(problem: Problem, result: Result) -> None:
    assert result.recoding is not None
    table, models = problem.table, problem.group_models
    assert problem.cost.of(table, result.recoding, problem.k, models) == result.cost
    assert suppressed_rows(problem, result.recoding) == result.suppressed
    assert is_admissible(problem, result.recoding)


def is_admissible(problem: Problem, recoding: Recoding) -> bool:
    return price(problem, recoding) is not None


def price(problem: Problem, recoding: Recoding) -> Cost | None:
    """The cost of any recoding from the definitions, as it is; none if it is not admissible."""
    table, sizes, suppressed = problem.table, [], 0
    for _, rows, size, released in judged(table, recoding, problem.k, problem.group_models):
        group = table.group(rows)
        refused = [model for model in problem.group_models if not model.admits(group, table.people)]
        if any(model.forbids_suppression for model in refused):
            return None
        if released:
            sizes.append(size)
        else:
            suppressed += size
    if not problem.admits(sizes, suppressed):
        return None
    return problem.cost.of(table, recoding, problem.k, problem.group_models)


def exhaustive(problem: Problem) -> Result:
    """The best of all recodings and of all choices of groups to give up."""
    cost = least_cost(problem, every_recoding(problem))
    status = Status.INFEASIBLE if cost is None else Status.OPTIMAL
    return Result(status=status, algorithm="exhaustive", cost=cost, bound=cost)


def check_agreement(problem: Problem, result: Result, expected: Result) -> None:
    assert result.status is expected.status
    assert result.cost == expected.cost
    if expected.status is Status.OPTIMAL:
        assert result.bound == expected.cost
        check_result_is_what_it_says(problem, result)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=examples(120), **LENIENT)
@given(data=st.data())
def test_each_model_alone_gets_the_exhaustive_optimum(model: str, data: st.DataObject) -> None:
    """Exact searches, with and without a good first incumbent, and k-optimize; infeasible is told, too."""
    problem = data.draw(SMALL.flatmap(lambda each: made_private(each, risk=False)))
    chosen = data.draw(MODELS[model])
    problem = replace(problem, models=(chosen,) if is_defined(problem, chosen) else ())
    expected = exhaustive(problem)
    for search in (ALGORITHMS["exact"](), unseeded("exact"), unseeded("k-optimize")):
        check_agreement(problem, search.solve(problem, Budget()), expected)


@settings(max_examples=examples(250), **LENIENT)
@given(problem=problems(max_cuts=6).flatmap(made_private))
def test_models_together_get_the_exhaustive_optimum(problem: Problem) -> None:
    """Up to three models and the average risk, with any limit and any metric."""
    expected = exhaustive(problem)
    for search in (ALGORITHMS["exact"](), unseeded("exact"), ALGORITHMS["k-optimize"]()):
        check_agreement(problem, search.solve(problem, Budget()), expected)


def risky(problem: Problem, k: int, limit: int, threshold: float) -> Problem:
    """The problem with an average risk alone, a small k and some suppression: where groups are given up."""
    return replace(
        problem,
        k=min(k, problem.table.rows),
        limit=min(limit, problem.table.rows),
        models=(AverageRisk(threshold=threshold),),
    )


RISKY = st.builds(
    risky, SMALL, st.integers(1, 2), st.integers(0, 12), st.sampled_from([0.15, 0.2, 0.3, 0.34, 0.5, 0.8])
)


@settings(max_examples=examples(250), **LENIENT)
@given(problem=RISKY)
def test_searches_over_cuts_give_up_the_cheapest_groups(problem: Problem) -> None:
    """The least cost of all cuts and all choices of groups to suppress, of any metric."""
    expected = exhaustive(problem)
    for search in (ALGORITHMS["exact"](), unseeded("exact"), ALGORITHMS["k-optimize"](), Exhaustive()):
        check_agreement(problem, search.solve(problem, Budget()), expected)


def tree_of_levels(name: str, levels: list[tuple[int, ...]]) -> Tree:
    """The tree whose levels join neighbours into these parts."""
    labels = tuple(
        tuple(f"{name} {level} {part}" for part in range(each[-1] + 1)) for level, each in enumerate(levels)
    )
    leaves = tuple(tuple(each.count(part) for part in range(each[-1] + 1)) for each in levels)
    return Tree(parts=tuple(levels), labels=labels, leaves=leaves)


@st.composite
def with_hierarchies(draw: st.DrawFn, problem: Problem) -> Problem:
    """The problem with up to one level between the values and the root of each domain."""
    domains = []
    for domain in problem.table.domains:
        size = len(domain)
        joins = draw(st.lists(st.booleans(), min_size=size - 1, max_size=size - 1))
        middle = (0, *itertools.accumulate(int(not join) for join in joins))
        parts = [tuple(range(size)), *([middle] if 1 < middle[-1] + 1 < size else []), (0,) * size]
        if size == 1:
            parts = [(0,), (0,)]
        domains.append(replace(domain, tree=tree_of_levels(domain.name, parts)))
    return replace(problem, table=replace(problem.table, domains=tuple(domains)))


def every_subtree(problem: Problem) -> list[SubtreeRecoding]:
    """All choices of nodes that hold every value once."""

    def choices(nodes: dict[tuple[int, int], tuple[int, int]], first: int, last: int) -> list[tuple]:
        inner = [
            node
            for node in nodes
            if first <= node[0]
            and node[1] <= last
            and node != (first, last)
            and not any(
                other != node
                and other != (first, last)
                and first <= other[0] <= node[0]
                and node[1] <= other[1] <= last
                for other in nodes
            )
        ]
        found = [(nodes[first, last],)]
        if inner:
            below = [choices(nodes, *node) for node in sorted(inner)]
            found += [tuple(itertools.chain(*each)) for each in itertools.product(*below)]
        return found

    per_attribute = [
        choices(nodes_of_intervals(domain), 0, len(domain) - 1) for domain in problem.table.domains
    ]
    return [SubtreeRecoding(nodes) for nodes in itertools.product(*per_attribute)]


@settings(max_examples=examples(250), **LENIENT)
@given(problem=problems(max_cuts=7).flatmap(made_private).flatmap(with_hierarchies))
def test_subtree_gets_the_optimum_of_all_choices_of_nodes(problem: Problem) -> None:
    """The search through hierarchies, against the definitions."""
    optimum = least_cost(problem, every_subtree(problem))
    result = ALGORITHMS["subtree"]().solve(problem, Budget())
    assert result.status is (Status.INFEASIBLE if optimum is None else Status.OPTIMAL)
    assert result.cost == optimum
    if result.recoding is not None:
        assert price(problem, result.recoding) == optimum
        again = ALGORITHMS["subtree"]().solve(problem, Budget(nodes=0), start=result.recoding)
        assert again.cost == optimum


def test_subtree_opens_a_part_only_to_suppress_a_group_that_is_one_too_many() -> None:
    """Opening a column whose groups all fall below k is no waste where the average risk asks for fewer."""
    rows = [(0, 1, 1), (2, 0, 1), (2, 1, 1), *[(2, 2, 0)] * 2, *[(2, 2, 1)] * 4, (3, 2, 0), *[(3, 2, 1)] * 2]
    table = table_of([4, 4, 3], [*rows, *[(3, 2, 2)] * 6], [0] * 18)
    levels = (
        [(0, 1, 2, 3), (0, 0, 0, 0)],
        [(0, 1, 2, 3), (0, 0, 1, 2), (0, 0, 1, 1), (0, 0, 0, 0)],
        [(0, 1, 2), (0, 0, 0)],
    )
    problem = Problem(
        table=table, k=3, cost=METRICS["general-loss"](), limit=4, models=(AverageRisk(threshold=0.1),)
    )
    domains = tuple(
        replace(domain, tree=tree_of_levels(domain.name, parts))
        for domain, parts in zip(table.domains, levels, strict=True)
    )
    problem = replace(problem, table=replace(table, domains=domains))
    optimum = least_cost(problem, every_subtree(problem))
    for search in (ALGORITHMS["subtree"](), unseeded("subtree")):
        result = search.solve(problem, Budget())
        assert (result.status, result.cost) == (Status.OPTIMAL, optimum)
    assert optimum == Fraction(13, 18)


@settings(max_examples=examples(200), **LENIENT)
@given(problem=problems(max_rows=30).flatmap(made_private), nodes=st.integers(0, 4))
def test_answer_under_models_does_not_depend_on_threads(problem: Problem, nodes: int) -> None:
    """One thread and four give the same recoding, bound and node count, finished or not."""
    for budget in (Budget(), Budget(nodes=nodes)):
        one, four = (ALGORITHMS["exact"]().solve(problem, budget, threads=threads) for threads in (1, 4))
        assert (one.status, one.recoding, one.bound, one.nodes) == (
            four.status,
            four.recoding,
            four.bound,
            four.nodes,
        )


@settings(max_examples=examples(100), **LENIENT)
@given(problem=problems(max_cuts=6).flatmap(made_private), nodes=st.integers(0, 6))
def test_interrupted_search_under_models_has_a_true_bound(problem: Problem, nodes: int) -> None:
    """Out of nodes a search claims neither too high a bound nor that nothing is admissible."""
    expected = exhaustive(problem)
    for name in ("exact", "k-optimize"):
        result = ALGORITHMS[name]().solve(problem, Budget(nodes=nodes))
        if expected.status is Status.INFEASIBLE:
            assert result.recoding is None
        elif result.recoding is None:
            assert result.status is Status.UNKNOWN
        else:
            check_result_is_what_it_says(problem, result)
            assert result.bound <= expected.cost <= result.cost


@settings(max_examples=examples(120), **LENIENT)
@given(problem=problems(max_cuts=6).flatmap(made_private))
def test_hill_climb_under_models_is_admissible(problem: Problem) -> None:
    """What it finds is what it says, and never below the optimum; where there is nothing it finds nothing."""
    expected = exhaustive(problem)
    result = ALGORITHMS["hill-climb"]().solve(problem, Budget(nodes=200))
    if result.recoding is None:
        assert result.status is Status.UNKNOWN
    else:
        check_result_is_what_it_says(problem, result)
        assert result.cost >= expected.cost


@pytest.mark.parametrize("name", ["exact", "k-optimize", "hill-climb"])
@settings(max_examples=examples(60), **LENIENT)
@given(problem=problems(max_cuts=6).flatmap(made_private))
def test_a_search_costs_no_more_than_its_start(name: str, problem: Problem) -> None:
    """An admissible start is the first incumbent; one that is not does no harm."""
    optimum = Exhaustive().solve(problem, Budget())
    assert optimum.cost == exhaustive(problem).cost
    start = optimum.recoding
    if start is not None:
        result = unseeded(name).solve(problem, Budget(nodes=0), start=start)
        assert result.cost == optimum.cost
    stricter = replace(problem, k=problem.table.rows, limit=0)
    if start is not None and name != "hill-climb":
        expected = exhaustive(stricter)
        check_agreement(stricter, ALGORITHMS[name]().solve(stricter, Budget(), start=start), expected)


class Odd(GroupModel):
    """A model of somebody else's: groups of an odd number of rows."""

    name = "odd"
    supersets_are_admitted = False
    demand = "an odd number of rows"

    def measure(self, group: Group, people: People) -> float:
        return float(group.rows % 2)

    def admits(self, group: Group, people: People) -> bool:
        return self.measure(group, people) == 1


@pytest.mark.parametrize("name", ["exact", "k-optimize", "hill-climb"])
@settings(max_examples=examples(3), **LENIENT)
@given(problem=SMALL)
def test_a_model_the_core_does_not_know_is_refused_with_a_way_out(name: str, problem: Problem) -> None:
    """The reason names an algorithm that judges by the definition."""
    reason = ALGORITHMS[name]().supports(replace(problem, models=(Odd(),)))
    assert reason is not None
    assert "'odd'" in reason
    assert "use 'datafly'" in reason
