"""Every algorithm over levels respects privacy models, as a look at every node by the definitions tells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cells.mingen_cells import cell_level, unsupported
from shoal.algorithms.levels._lattice import Lattice
from shoal.algorithms.levels.incognito import anonymous_nodes
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.table.people import Group, People
from shoal.privacy import AverageRisk, DistinctLDiversity, GroupModel, PrivacyModel, PSensitivity
from tests.agreement.plain_groups import groups_of, sizes_of
from tests.agreement.thoroughness import examples

from .free_choice import cheapest_release
from .level_problems import Levels, every_node, level_problems
from .private_problems import DISEASE, made_private, models_by_name, rows_at_risk
from .test_cell_level import partitions

SHAKEN = list(HealthCheck)
MANY = settings(max_examples=examples(60), deadline=None, suppress_health_check=SHAKEN)
SOME = settings(max_examples=examples(25), deadline=None, suppress_health_check=SHAKEN)
small = level_problems(max_rows=10, max_nodes=18)
private_problems = small.flatmap(partial(made_private, at_risk=True))
CLIMBING = ["samarati", "incognito", "ola", "flash"]
RISKS = st.builds(AverageRisk, threshold=st.sampled_from([0.2, 0.3, 0.5, 0.8])) | rows_at_risk()
EACH_MODEL = {**models_by_name(), "average-risk": RISKS, "rows-at-risk": rows_at_risk()}


def judged(problem: Problem, recoding: Recoding) -> tuple[int, bool]:
    """Suppressed rows of a recoding, and whether it is admissible, by the definitions."""
    sizes = sizes_of(problem.table, recoding, problem.k, problem.group_models)
    suppressed = sum(size for size, released in sizes if not released)
    everybody = [model for model in problem.group_models if model.forbids_suppression]
    misses = any(
        not model.admits(problem.table.group(rows), problem.table.people)
        for rows in groups_of(problem.table, recoding).values()
        for model in everybody
    )
    released = [size for size, released in sizes if released]
    return suppressed, problem.admits(released, suppressed) and not misses


def cost_of(problem: Problem, recoding: Recoding) -> Cost:
    """What a recoding costs, by the definition."""
    return problem.cost.of(problem.table, recoding, problem.k, problem.group_models)


def admissible_nodes(problem: Problem) -> set[Levels]:
    """All nodes that are admissible with some choice of groups to give up."""
    return set(costs_of_nodes(problem))


def costs_of_nodes(problem: Problem) -> dict[Levels, Cost]:
    """The least cost of every admissible node."""
    found = {levels: cheapest_release(problem, LevelRecoding(levels)) for levels in every_node(problem)}
    return {levels: each[0] for levels, each in found.items() if each is not None}


def minimal_of(nodes: set[Levels]) -> set[Levels]:
    """Those of some nodes that are above no other one."""

    def above(levels: Levels, lower: Levels) -> bool:
        return levels != lower and all(a >= b for a, b in zip(levels, lower, strict=True))

    return {levels for levels in nodes if not any(above(levels, lower) for lower in nodes)}


def check_is_what_it_says(problem: Problem, result: Result) -> None:
    """The recoding is admissible, and suppresses and costs what the result says."""
    assert result.recoding is not None
    suppressed, admissible = judged(problem, result.recoding)
    assert admissible
    assert result.suppressed == suppressed
    assert result.cost == cost_of(problem, result.recoding)


def check_is_optimal(problem: Problem, result: Result) -> None:
    """The result is the least cost of all admissible nodes, proved; or there are none."""
    costs = costs_of_nodes(problem)
    if not costs:
        assert (result.status, result.recoding) == (Status.INFEASIBLE, None)
        return
    assert result.status is Status.OPTIMAL
    check_is_what_it_says(problem, result)
    assert result.cost == result.bound == min(costs.values())


def asked(problem: Problem, models: tuple[PrivacyModel, ...]) -> Problem:
    """The problem under other models; not where p values are asked for and there are fewer."""
    assert problem.table.facts is not None
    values = len(problem.table.facts.columns[0].counts)
    assume(not any(isinstance(model, PSensitivity) and model.p > values for model in models))
    return replace(problem, models=models)


@st.composite
def rising_problems(draw: st.DrawFn) -> Problem:
    """Problems of which every generalization of an admissible node is admissible."""
    problem = draw(private_problems)
    if not problem.rises:
        problem = replace(problem, limit=0)
    assert problem.rises
    return problem


@pytest.mark.parametrize("model", sorted(EACH_MODEL))
@SOME
@given(problem=private_problems, data=st.data())
def test_lattice_finds_the_least_cost_under_each_model(
    model: str, problem: Problem, data: st.DataObject
) -> None:
    """Whether or not the model survives merging; any metric and limit."""
    problem = asked(problem, (data.draw(EACH_MODEL[model]),))
    check_is_optimal(problem, ALGORITHMS["lattice"]().solve(problem, Budget()))


def risky_problems(**more: object) -> st.SearchStrategy[Problem]:
    """Problems with an average risk alone, a small k and some suppression: where groups are given up."""
    return st.builds(
        lambda problem, k, limit, risk: replace(
            problem,
            k=min(k, problem.table.rows),
            limit=min(limit, problem.table.rows),
            models=(risk,),
            levels=(),
        ),
        level_problems(max_rows=10, max_nodes=18, **more),  # type: ignore[arg-type]
        st.integers(1, 2),
        st.integers(0, 10),
        RISKS,
    )


@settings(MANY, max_examples=examples(150))
@given(problem=risky_problems())
def test_lattice_gives_up_the_cheapest_groups(problem: Problem) -> None:
    """The least cost of all nodes and all choices of groups to suppress, of any metric."""
    check_is_optimal(problem, ALGORITHMS["lattice"]().solve(problem, Budget()))


@settings(MANY, max_examples=examples(120))
@given(problem=private_problems, threads=st.integers(2, 3))
def test_lattice_finds_the_least_cost_under_several_models(problem: Problem, threads: int) -> None:
    """Also with the same answer from any number of threads."""
    one, more = (ALGORITHMS["lattice"]().solve(problem, Budget(), threads=n) for n in (1, threads))
    check_is_optimal(problem, one)
    assert replace(one, seconds=0, trace=()) == replace(more, seconds=0, trace=())


@SOME
@given(problem=private_problems, nodes=st.integers(0, 6))
def test_a_search_that_ran_out_of_nodes_says_nothing_false(problem: Problem, nodes: int) -> None:
    """What it found is admissible, and its bound is below every admissible node's cost."""
    result = ALGORITHMS["lattice"]().solve(problem, Budget(nodes=nodes))
    costs = costs_of_nodes(problem)
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
        assert result.bound is not None
        assert all(result.bound <= cost for cost in costs.values())
    elif result.status is Status.INFEASIBLE:
        assert not costs


@MANY
@given(problem=private_problems, threads=st.integers(1, 3))
def test_every_node_has_the_numbers_of_the_definitions(problem: Problem, threads: int) -> None:
    """One by one, with the cheapest groups given up; and all at once, with none."""
    lattice = Lattice(problem)
    every = lattice.core.measure_all(
        list(lattice.low), list(lattice.high), [lattice.priced.price], [lattice.least_rows], threads
    )
    for index, levels in enumerate(map(tuple, every.levels.tolist())):
        suppressed, admissible = judged(problem, LevelRecoding(levels))
        assert admissible == (
            every.suppressed(0)[index] <= problem.most_suppressed and bool(every.holds(0)[index])
        )
        if admissible:
            assert every.suppressed(0)[index] == suppressed
        if admissible or problem.most_suppressed > 0:
            assert lattice.priced.cost(every.costs(0, 0)[index]) == cost_of(problem, LevelRecoding(levels))
        node, expected = lattice.node(levels), cheapest_release(problem, LevelRecoding(levels))
        assert lattice.admits(levels) == (expected is not None)
        if expected is not None:
            assert (lattice.cost(levels), node.suppressed) == expected
        if admissible:
            assert (node.groups, node.suppressed) == (every.groups(0)[index], suppressed)


@pytest.mark.parametrize("name", CLIMBING)
@SOME
@given(problem=private_problems)
def test_climbing_searches_refuse_exactly_what_does_not_rise(name: str, problem: Problem) -> None:
    """The reason names the model, and ends with the way out."""
    problem = replace(problem, cost=METRICS["height"]())
    reason = ALGORITHMS[name]().supports(problem)
    assert (reason is None) == problem.rises
    if reason is not None:
        assert any(repr(model.name) in reason for model in problem.models)
        assert "use 'lattice', or forbid suppression: suppression = 0" in reason


@MANY
@given(problem=rising_problems())
def test_what_rises_does(problem: Problem) -> None:
    """Every node above an admissible one is admissible, and Incognito finds all of them."""
    nodes = admissible_nodes(problem)
    for lower, upper in itertools.product(nodes, every_node(problem)):
        assert upper in nodes or not all(a <= b for a, b in zip(lower, upper, strict=True))
    assert anonymous_nodes(problem) == nodes


@MANY
@given(problem=rising_problems())
def test_climbing_searches_find_the_minimal_nodes(problem: Problem) -> None:
    """Samarati's complete set, Incognito's, OLA's and Flash's; and the last three the least height."""
    problem = replace(problem, cost=METRICS["height"]())
    minimal = minimal_of(admissible_nodes(problem))
    for name, stated in [(name, {"all_minimal": True} if name == "samarati" else {}) for name in CLIMBING]:
        result = ALGORITHMS[name](**stated).solve(problem, Budget())
        assert {each.levels for each in result.alternatives} == minimal  # type: ignore[attr-defined]
        if name != "samarati":
            check_is_optimal(problem, result)
        elif minimal:
            check_is_what_it_says(problem, result)
        else:
            assert result.status is Status.INFEASIBLE


@pytest.mark.parametrize("name", ["incognito", "ola", "flash"])
@SOME
@given(problem=rising_problems())
def test_climbing_searches_find_the_least_cost(name: str, problem: Problem) -> None:
    """Of any metric, where they do not refuse it."""
    algorithm = ALGORITHMS[name]()
    if algorithm.supports(problem) is not None:
        problem = replace(problem, limit=0)
    check_is_optimal(problem, algorithm.solve(problem, Budget()))


@MANY
@given(problem=level_problems(max_rows=10, max_nodes=18, metrics=["precision"]).flatmap(made_private))
def test_mingen_finds_all_minimal_distortions(problem: Problem) -> None:
    """Under any models, whether the problem rises or not."""
    algorithm = ALGORITHMS["mingen"]()
    assert algorithm.supports(problem) is None
    result = algorithm.solve(problem, Budget())
    check_is_optimal(problem, result)
    bottom = LevelRecoding(min(every_node(problem)))
    found = {each.levels for each in result.alternatives}  # type: ignore[attr-defined]
    if judged(problem, bottom) == (0, True):
        assert found == {bottom.levels}
    else:
        assert found == {levels for levels, cost in costs_of_nodes(problem).items() if cost == result.cost}


def every_release_of_cells(problem: Problem) -> list[LocalRecoding]:
    """All partitions of the distinct rows, blocks lifted to least common values, one suppressed or none."""
    table, found = problem.table, []
    for blocks in partitions(list(range(len(table.counts)))):
        for suppressed in (None, *range(len(blocks))):
            cells = np.full(table.codes.shape, SUPPRESSED_CELL)
            for number, block in enumerate(blocks):
                if number == suppressed:
                    continue
                for attribute, domain in enumerate(table.domains):
                    parts = np.array(domain.hierarchy.parts)[:, table.codes[block, attribute]]
                    cells[block, attribute] = (parts != parts[:, [0]]).any(axis=1).sum()
            found.append(LocalRecoding.from_levels(table, cells))
    return found


@settings(SOME, max_examples=examples(40))
@given(problem=level_problems(max_rows=6, metrics=["precision", "general-loss"]), data=st.data())
def test_mingen_on_cells_finds_the_least_cost(problem: Problem, data: st.DataObject) -> None:
    """Of all partitions of the rows, where rows without values are one group."""
    assume(len(problem.table.counts) <= 5)
    problem = data.draw(made_private(replace(problem, levels=()), risk=False))
    models = tuple(model for model in problem.models if not model.needs_population)
    problem = replace(problem, models=models)
    assume(unsupported(problem) is None and len(problem.table.counts) <= 5)
    result = cell_level(problem, Budget())
    costs = [
        cost_of(problem, recoding)
        for recoding in every_release_of_cells(problem)
        if judged(problem, recoding)[1]
    ]
    if not costs:
        assert (result.status, result.recoding) == (Status.INFEASIBLE, None)
        return
    assert result.status is Status.OPTIMAL
    check_is_what_it_says(problem, result)
    assert result.cost == result.bound == min(costs)
    stopped = cell_level(problem, Budget(seconds=1e-9))
    if stopped.recoding is not None:
        check_is_what_it_says(problem, stopped)
        assert stopped.bound is not None
        assert stopped.bound <= min(costs)


@MANY
@given(problem=private_problems)
def test_datafly_gives_an_admissible_node_or_says_why_not(problem: Problem) -> None:
    """Infeasible is said only where it is proved."""
    result = ALGORITHMS["datafly"]().solve(problem, Budget())
    if result.recoding is not None:
        assert result.status is Status.FEASIBLE
        check_is_what_it_says(problem, result)
    elif problem.rises:
        assert result.status is Status.INFEASIBLE
        assert not admissible_nodes(problem)
    else:
        assert result.status is Status.UNKNOWN


@MANY
@given(problem=level_problems(max_rows=10, metrics=["precision"]).flatmap(made_private))
def test_mu_argus_gives_an_admissible_release_or_none(problem: Problem) -> None:
    """With all combinations; with fewer it refuses models, and models of a population it always refuses."""
    for fewer in ("paper", "program"):
        reason = ALGORITHMS["mu-argus"](combinations=fewer).supports(problem)
        assert reason is None if not problem.models else "does not even guarantee k" in str(reason)
    algorithm = ALGORITHMS["mu-argus"](combinations="all")
    if algorithm.supports(problem) is not None:
        assert any(model.needs_population for model in problem.models)
        problem = replace(problem, models=tuple(m for m in problem.models if not m.needs_population))
    result = algorithm.solve(problem, Budget())
    if result.recoding is None:
        assert result.status is Status.UNKNOWN
    else:
        check_is_what_it_says(problem, result)


@dataclass(frozen=True, kw_only=True)
class OddGroups(GroupModel):
    """A model of one's own: groups of an odd number of rows. Neither fact holds."""

    name = "odd-groups"
    supersets_are_admitted = False
    unions_are_admitted = False
    demand = "an odd number of rows"

    def measure(self, group: Group, people: People) -> float:
        return group.rows % 2

    def admits(self, group: Group, people: People) -> bool:
        return self.measure(group, people) == 1


class StrangeDiversity(DistinctLDiversity):
    """A model that says something else than the one that it inherits from."""

    def admits(self, group: Group, people: People) -> bool:
        return group.rows % 3 == 0


@pytest.mark.parametrize("model", [OddGroups(), StrangeDiversity(l=2, attribute=DISEASE)])
@SOME
@given(problem=level_problems(max_rows=10, metrics=["precision"]).flatmap(made_private))
def test_a_model_of_ones_own_is_refused_by_all_but_datafly(model: PrivacyModel, problem: Problem) -> None:
    """The core has no rule for it; the reason says so, and what to use."""
    problem = replace(problem, models=(model,), levels=())
    for name in ["lattice", "mingen", *CLIMBING]:
        assert "use 'datafly'" in str(ALGORITHMS[name]().supports(problem))
    if len(problem.table.counts) <= 16:
        assert "use 'datafly'" in str(ALGORITHMS["mingen"](cells=True).supports(problem))
    assert ALGORITHMS["datafly"]().supports(problem) is None
    result = ALGORITHMS["datafly"]().solve(problem, Budget())
    if result.recoding is not None:
        check_is_what_it_says(problem, result)
