"""Certificates: the checker accepts every honest one, no false claim, and its twins agree."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cuts.exhaustive import Exhaustive
from shoal.algorithms.proof import prove, why_no_proof
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.result.result import Status
from shoal.privacy import DistinctLDiversity, EntropyLDiversity
from tests.agreement.thoroughness import examples

from .checked_problems import cut_problem, level_problem, mutated, verdict
from .level_problems import level_problems
from .private_problems import DISEASE, facts_of
from .problems import problems

SOME = settings(max_examples=examples(160), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def certified_cuts(draw: st.DrawFn) -> Problem:
    """A problem over cuts that the checker knows, perhaps with l-diversity."""
    problem = draw(problems(max_rows=20))
    names = ["discernibility", "classification", "general-loss", "ncp"]
    problem = replace(problem, cost=METRICS[draw(st.sampled_from(names))]())
    return draw(diverse(problem))


@st.composite
def certified_levels(draw: st.DrawFn) -> Problem:
    """The same over levels."""
    problem = draw(level_problems())
    names = ["discernibility", "classification", "general-loss", "ncp", "precision"]
    return draw(diverse(replace(problem, cost=METRICS[draw(st.sampled_from(names))](), sets=())))


@st.composite
def diverse(draw: st.DrawFn, problem: Problem) -> Problem:
    """The problem, or one in which every group has several diseases."""
    model = draw(st.sampled_from([None, None, DistinctLDiversity, EntropyLDiversity]))
    if model is None:
        return problem
    rows = problem.table.rows
    told = draw(st.lists(st.tuples(st.integers(0, 2)), min_size=rows, max_size=rows))
    table = replace(problem.table, facts=facts_of(problem.table, [(*each, 0, 0) for each in told]))
    chosen = model(attribute=DISEASE, l=draw(st.sampled_from([1, 2])))
    return replace(problem, table=table, models=(chosen,))


@SOME
@given(problem=certified_cuts(), nodes=st.sampled_from([None, None, 0, 1, 3]))
def test_every_certificate_of_cuts_is_accepted_and_one_more_refused(
    problem: Problem, nodes: int | None
) -> None:
    """Optima and gaps are verified by both twins; a claim above the optimum never is."""
    result = ALGORITHMS["exact"]().solve(problem, Budget(nodes=nodes))
    assume(result.recoding is not None)
    proof, seen = prove(problem, result), cut_problem(problem)
    lines = proof.lines.splitlines()
    assert verdict(seen, proof, lines, proof.bound) is None
    optimum = ALGORITHMS["exact"]().solve(problem, Budget())
    assert optimum.status is Status.OPTIMAL
    best = prove(problem, optimum)
    assert verdict(seen, best, best.lines.splitlines(), best.bound + 1) is not None


@SOME
@given(problem=certified_levels())
def test_every_certificate_of_levels_is_accepted_and_one_more_refused(problem: Problem) -> None:
    """The same over levels: prices of cells, DM, CM."""
    assume(why_no_proof(problem, "lattice") is None)
    result = ALGORITHMS["lattice"]().solve(problem, Budget())
    assume(result.recoding is not None)
    proof, seen = prove(problem, result), level_problem(problem)
    lines = proof.lines.splitlines()
    assert verdict(seen, proof, lines, proof.bound) is None
    assert verdict(seen, proof, lines, proof.bound + 1) is not None


@settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    problem=certified_cuts(),
    seeds=st.lists(st.integers(0, 10**6), min_size=10, max_size=10),
    more=st.integers(0, 2),
)
def test_a_changed_certificate_is_refused_or_still_proves_its_claim(
    problem: Problem, seeds: list[int], more: int
) -> None:
    """Whatever is dropped, exchanged, relabelled or cut off: what is accepted holds by enumeration."""
    assume(not problem.models)  # the plain enumeration knows k alone
    result = ALGORITHMS["exact"]().solve(problem, Budget())
    proof, seen = prove(problem, result), cut_problem(problem)
    optimum = Exhaustive().solve(problem, Budget()).cost * problem.cost.scale(problem.table)
    for seed in seeds:
        claim = proof.bound + more
        if verdict(seen, proof, mutated(proof.lines.splitlines(), seed), claim) is None:
            assert claim <= optimum


@pytest.mark.parametrize("algorithm", ["k-optimize", "exhaustive"])
def test_other_proved_searches_over_cuts_have_certificates(algorithm: str) -> None:
    """What is proved is of a kind of recodings, whichever search found it."""
    from .problems import table_of

    table = table_of(
        [4, 3, 2], [(a, b, c) for a in range(4) for b in range(3) for c in range(2)] * 2, [0] * 48
    )
    problem = Problem(table=table, k=4, cost=METRICS["discernibility"](), limit=0)
    proof = prove(problem, ALGORITHMS[algorithm]().solve(problem, Budget()))
    assert verdict(cut_problem(problem), proof, proof.lines.splitlines(), proof.bound) is None
