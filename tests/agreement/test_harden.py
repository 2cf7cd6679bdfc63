"""Hardening: whatever the release, every promise is kept and the attack gets no further than before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import Algorithm
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.local import Local
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.auditor.attacks.chance import LIKELY
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.pipeline.hardening.attackable import Attackable, is_row_by_row
from shoal.pipeline.hardening.harden import Hardening, harden
from tests.agreement.level_problems import level_problems
from tests.agreement.private_problems import made_private
from tests.agreement.test_local import check_is_what_it_says
from tests.agreement.thoroughness import examples

MANY = settings(max_examples=examples(250), deadline=None, suppress_health_check=list(HealthCheck))
THRESHOLDS = st.sampled_from([2.0, 0.8, LIKELY])
"""At 2 nothing is likely enough, so that in small tables, too, much becomes coarser."""
SEARCHES: tuple[Algorithm, ...] = (
    Local(values="hierarchy"),
    Local(values="sets"),
    Local(),
    Mondrian(),
    KMember(),
)


def solved(problem: Problem, search: Algorithm) -> Result:
    """A row-by-row answer; another problem is drawn if there is none."""
    assume(search.supports(problem) is None)
    result = search.solve(problem, Budget())
    assume(is_row_by_row(result.recoding))
    return result


def released_members(problem: Problem, result: Result) -> list[list[set[int]]]:
    """Per distinct row and column the codes that its released value represents."""
    assert result.recoding is not None
    numbers = result.recoding.released(problem.table).tolist()
    members = [
        [set(codes) for codes in result.recoding.members(place, domain)]
        for place, domain in enumerate(problem.table.domains)
    ]
    return [[members[place][number] for place, number in enumerate(line)] for line in numbers]


def printed(problem: Problem, result: Result) -> np.ndarray:
    """Per distinct row and column the released label; a label can be coarser by leaves that no row has."""
    assert result.recoding is not None
    numbers = result.recoding.released(problem.table)
    labels = [
        np.array(result.recoding.labels(place, domain), object)[numbers[:, place]]
        for place, domain in enumerate(problem.table.domains)
    ]
    return np.column_stack(labels)


def check(problem: Problem, result: Result, done: Hardening) -> None:
    """The hardened result is admissible, true, coarser, priced by definition, and reveals no more."""
    check_is_what_it_says(problem, done.result)
    assert done.result.suppressed == result.suppressed
    assert done.before is not None
    assert done.after is not None
    assert (done.after.right or 0) <= (done.before.right or 0)
    before, after = released_members(problem, result), released_members(problem, done.result)
    for codes, one, two in zip(problem.table.codes.tolist(), before, after, strict=True):
        for code, finer, coarser in zip(codes, one, two, strict=True):
            assert code in finer <= coarser
    one, two = printed(problem, result), printed(problem, done.result)
    assert done.cells == int(((one != two).sum(axis=1) * problem.table.counts).sum())
    if done.cells:
        assert done.result.status is (
            Status.OPTIMAL if done.result.bound == done.result.cost else Status.FEASIBLE
        )
        assert done.result.bound == result.bound
    else:
        assert done.result == result


@MANY
@given(data=st.data(), search=st.sampled_from(SEARCHES), threshold=THRESHOLDS)
def test_a_hardened_release_keeps_every_promise(
    data: st.DataObject, search: Algorithm, threshold: float
) -> None:
    """Over random tables, hierarchies, limits of levels and privacy models."""
    problem = replace(data.draw(level_problems().flatmap(made_private)), cost=METRICS["general-loss"]())
    result = solved(problem, search)
    check(problem, result, harden(problem, result, threshold=threshold))


@MANY
@given(problem=level_problems(), search=st.sampled_from(SEARCHES), threshold=THRESHOLDS)
def test_hardening_is_deterministic_and_ends(problem: Problem, search: Algorithm, threshold: float) -> None:
    """The same release becomes the same one, and what comes out complete has no label left to lift."""
    problem = replace(problem, cost=METRICS["ncp"]())
    result = solved(problem, search)
    one, two = (harden(problem, result, threshold=2.0) for _ in range(2))
    assert one.result.recoding is not None
    assert two.result.recoding is not None
    assert np.array_equal(
        one.result.recoding.released(problem.table), two.result.recoding.released(problem.table)
    )
    assert (one.result.cost, one.after, one.cells) == (two.result.cost, two.after, two.cells)
    if search == Local(values="hierarchy") and one.complete:
        assert harden(problem, one.result, threshold=2.0).cells == 0


@MANY
@given(problem=level_problems(), search=st.sampled_from(SEARCHES))
def test_a_release_without_anything_to_open_is_not_changed(problem: Problem, search: Algorithm) -> None:
    """Where no label has a finer one that rows could be under, the very same recoding comes back."""
    problem = replace(problem, cost=METRICS["ncp"]())
    result = solved(problem, search)
    assert isinstance(result.recoding, LocalRecoding)
    release = Attackable(problem, result.recoding)
    certain = [
        column.tight(release.label(group, place), size)
        for group, size in enumerate(release.groups.sizes)
        for place, column in release.columns.items()
    ]
    assume(not release.refinement().claimed and not any(certain))
    assert harden(problem, result, threshold=2.0).result.recoding is result.recoding


@MANY
@given(problem=level_problems(), search=st.sampled_from(SEARCHES))
def test_out_of_time_one_round_is_run_and_kept_whole(problem: Problem, search: Algorithm) -> None:
    """A budget of no seconds leaves a release that keeps every promise."""
    problem = replace(problem, cost=METRICS["ncp"]())
    result = solved(problem, search)
    check(problem, result, harden(problem, result, seconds=0.0, threshold=2.0))
