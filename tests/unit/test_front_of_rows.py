"""Fronts over row-by-row releases: their points, their models, and what ends them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal import Front, PolicyError
from shoal.algorithms.rows.local import Local
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import AuditError
from shoal.model.policy.budget import Budget, Progress
from shoal.model.policy.front_request import COMMON_KS, RISKS, FrontRequest, least_k
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status

KS = [2, 3, 5, 12]


@pytest.fixture(scope="module")
def stays() -> pandas.DataFrame:
    """160 stays of 80 persons."""
    some = random.Random(3)
    return pandas.DataFrame(
        {
            "person": [row // 2 for row in range(160)],
            "age": [some.randint(20, 60) for _ in range(160)],
            "ward": [some.choice("ABCDE") for _ in range(160)],
            "sex": [some.choice("fm") for _ in range(160)],
            "disease": [some.choice(["flu", "gout", "rash", "cold"]) for _ in range(160)],
        }
    )


def front_of(stays: Any, **asked: Any) -> Front:
    stated = {"quasi_identifiers": ["age", "ward", "sex"], "sensitive": ["disease"], "ks": KS, **asked}
    return shoal.front(stays, **stated)


def test_a_front_is_row_by_row_by_default(stays: pandas.DataFrame) -> None:
    """As a release is; each point has a bound, and no row is suppressed."""
    front = front_of(stays)
    assert (front.recoding, front.algorithm, front.lattice) == ("rows", "local", 0)
    assert [point.k for point in front] == KS
    assert {point.suppressed for point in front} == {0}
    for point in front:
        assert isinstance(point.recoding, LocalRecoding)
        assert point.levels is None
        assert point.bound is not None
        assert point.bound <= point.values["general-loss"]


def test_a_larger_k_never_loses_less(stays: pandas.DataFrame) -> None:
    """Nor does its bound fall."""
    front = front_of(stays, ks=range(2, 30))
    losses = [point.values["general-loss"] for point in front]
    assert losses == sorted(set(losses))
    bounds = [point.bound for point in front if point.bound is not None]
    assert bounds == sorted(bounds)


def test_a_dearer_smaller_k_gives_way_to_the_larger_one(
    stays: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release for the larger k is one for the smaller, so the search's bad luck does not show."""
    solve = Local.solve

    def unlucky(self: Local, problem: Problem, budget: Budget, **rest: Any) -> Result:
        if problem.k != 3:
            return solve(self, problem, budget, **rest)
        found = solve(self, replace(problem, k=40), budget, **rest)
        return replace(found, bound=None, status=Status.FEASIBLE)

    monkeypatch.setattr(Local, "solve", unlucky)
    assert [point.k for point in front_of(stays)] == [2, 5, 12]


@pytest.mark.parametrize("k", KS)
def test_each_point_is_what_anonymize_finds_for_its_k_or_better(stays: pandas.DataFrame, k: int) -> None:
    """With the same search, and time enough for both."""
    point = next(point for point in front_of(stays, seconds="unlimited") if point.k == k)
    alone = shoal.anonymize(
        stays, quasi_identifiers=["age", "ward", "sex"], k=k, algorithm="local", seconds="unlimited"
    )
    assert alone.result.cost is not None
    assert point.values["general-loss"] <= alone.result.cost


def test_every_point_passes_the_audit_with_what_it_says(stays: pandas.DataFrame) -> None:
    """Its k, its loss and the suppressed rows, whatever the engine recodes."""
    front = front_of(stays)
    for point in front:
        release = front.pick(point)
        assert release.verdict.holds
        assert release.manifest.k == point.k
        assert release.manifest.cost == pytest.approx(float(point.values["general-loss"]))
        assert release.manifest.bound == pytest.approx(float(point.bound or 0))
        assert len(release.data) == 160
        assert release.manifest.algorithm == "front: local"
        assert release.manifest.kind == front.kind == "row-by-row recodings with values of this form"


def test_a_file_and_another_engine_give_the_same_front(stays: pandas.DataFrame, tmp_path: Path) -> None:
    """And the same release of a point."""
    stays.to_csv(tmp_path / "stays.csv", index=False)
    ours = front_of(stays)
    with DuckDB() as engine:
        theirs = front_of(tmp_path / "stays.csv", engine=engine)
        assert [point.values for point in ours] == [point.values for point in theirs]
        theirs.pick(2, path=tmp_path / "release.csv", engine=engine)
    released = pandas.read_csv(tmp_path / "release.csv", dtype=str)
    assert released.to_dict() == ours.pick(2).data.astype(str).to_dict()


def test_models_are_demanded_of_every_point(stays: pandas.DataFrame) -> None:
    """They cost detail; the audit of each point measures them."""
    model = {"name": "distinct-l-diversity", "attribute": "disease", "l": 4}
    free, diverse = front_of(stays), front_of(stays, models=[model])
    for point in diverse:
        assert front_of(stays, models=[model], ks=[point.k])[0].recoding is not None
        assert diverse.pick(point).manifest.audit["distinct-l-diversity"] >= 4
    loss = [[float(point.values["general-loss"]) for point in each] for each in (free, diverse)]
    assert loss[0][0] < loss[1][0]
    refused = [each for each in free.points if _audit_fails(replace(diverse, points=(each,)))]
    assert refused  # without the model some points would break it


def _audit_fails(front: Front) -> bool:
    try:
        return not front.pick(front[0]).verdict.holds
    except (AuditError, shoal.InternalError, shoal.InfeasibleError):
        return True


def test_a_hardened_point_costs_what_its_release_costs(stays: pandas.DataFrame) -> None:
    """A policy that says harden gets points that are hardened, and picking one changes nothing more."""
    plain, front = front_of(stays), front_of(stays, harden=True)
    for point in front:
        assert front.pick(point).manifest.cost == pytest.approx(float(point.values["general-loss"]))
    assert front[0].values["general-loss"] >= plain[0].values["general-loss"]


def test_k_counts_persons_where_the_policy_names_an_entity(stays: pandas.DataFrame) -> None:
    """Each person has two rows that are alike: two rows are alike for nothing, two persons are not."""
    twice = pandas.concat([stays[::2], stays[::2]])
    rows, persons = front_of(twice), front_of(twice, entity="person", identifiers=["person"])
    assert rows[0].values["general-loss"] == 0 < persons[0].values["general-loss"]
    release = persons.pick(1)
    assert release.verdict.holds
    assert release.manifest.k == 3


def test_models_that_no_row_by_row_search_knows_are_refused(stays: pandas.DataFrame) -> None:
    """With the reason of the search."""
    policy = replace(
        front_of(stays).policy,
        models=({"name": "k-map", "k": 3},),
        population=Path("people.csv"),
    )
    with pytest.raises((PolicyError, shoal.EngineError)):
        shoal.front(stays, policy)


def test_cuts_demand_models_too(stays: pandas.DataFrame) -> None:
    """Exactly solved for each k, and audited."""
    model = {"name": "distinct-l-diversity", "attribute": "disease", "l": 3}
    front = front_of(stays, recoding="cuts", ks=[2, 5], suppression="10%", models=[model])
    for point in front:
        assert front.pick(point).manifest.audit["distinct-l-diversity"] >= 3


@pytest.mark.parametrize(
    "asked",
    [
        {"consistent": True},
        {"objectives": ["k", "l", "general-loss"]},
        {"epsilons": [1, 0.01]},
        {"algorithm": "exact"},
        {"objectives": ["k", "height"]},
        {"levels": {"age": (0, 2)}},
    ],
)
def test_what_needs_levels_gets_a_front_over_levels(stays: pandas.DataFrame, asked: dict[str, Any]) -> None:
    """Without a word about the recoding."""
    assert front_of(stays, ks=(), **asked).recoding == "levels"


def test_the_common_ks_go_as_far_as_the_table() -> None:
    """Four groups of the largest k at least; the policy's k and that of the risk are among them."""
    request = FrontRequest()
    assert request.ks_for(100_000, 7) == (2, 3, 5, 7, 10, 12, 20, 30, 50, 100)
    assert request.ks_for(60, 1) == (2, 3, 5, 10, 12)
    assert request.ks_for(3, 1) == (2,)
    assert request.ks_for(1, 1) == (1,)
    assert FrontRequest(risk=0.04).ks_for(100_000, 1) == (2, 3, 5, 10, 12, 20, 25, 30, 50, 100)
    assert FrontRequest(ks=(9, 4, 9)).ks_for(20, 2) == (4, 9)
    assert {least_k(risk) for risk in RISKS} <= set(COMMON_KS)


def test_seconds_are_shared_and_nodes_repeat(stays: pandas.DataFrame) -> None:
    """No time at all is still an answer; nodes give the same front whatever the threads."""
    hurried = front_of(stays, seconds=0)
    assert hurried.by_clock
    assert [point.k for point in hurried] == [12]  # one group, whatever the k
    one, two = (front_of(stays, nodes=400, threads=threads) for threads in (1, 2))
    assert [point.values for point in one] == [point.values for point in two]
    assert not one.by_clock


def test_progress_goes_on_from_one_k_to_the_next(
    stays: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seconds and nodes of a search are added to those of the searches before."""
    solve = Local.solve

    def reporting(self: Local, problem: Problem, budget: Budget, **rest: Any) -> Result:
        rest["on_progress"](Progress(cost=1.0, bound=None, nodes=3, seconds=0.5))
        return replace(solve(self, problem, budget, **rest), nodes=10, seconds=2.0)

    monkeypatch.setattr(Local, "solve", reporting)
    heard: list[Progress] = []
    front = front_of(stays, on_progress=heard.append)
    ours = [each for each in heard if each.cost == 1.0]
    assert [(each.nodes, each.seconds) for each in ours] == [(3, 0.5), (13, 2.5), (23, 4.5), (33, 6.5)]
    assert (front.evaluated, front.seconds) == (40, 8.0)


def test_the_k_that_will_be_suggested_has_three_shares_of_the_budget(
    stays: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a search does not use goes to those after it."""
    given: dict[int, float | None] = {}
    solve = Local.solve

    def noting(self: Local, problem: Problem, budget: Budget, **rest: Any) -> Result:
        given[problem.k] = budget.seconds
        used = (budget.seconds or 0) if problem.k > 2 else 0.0
        return replace(solve(self, problem, Budget(), **rest), seconds=used)

    monkeypatch.setattr(Local, "solve", noting)
    front_of(stays, seconds=60.0, risk=0.2)
    assert given == pytest.approx({12: 10.0, 5: 30.0, 3: 10.0, 2: 10.0})


@pytest.fixture
def stopped_at_five(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C while k = 5 is searched for."""
    solve = Local.solve

    def stopped(self: Local, problem: Problem, budget: Budget, **rest: Any) -> Result:
        found = solve(self, problem, budget, **rest)
        return replace(found, interrupted=problem.k == 5)

    monkeypatch.setattr(Local, "solve", stopped)
    return


@pytest.mark.usefixtures("stopped_at_five")
def test_ctrl_c_leaves_the_points_so_far(stays: pandas.DataFrame) -> None:
    """From the largest k down to the one that was searched for."""
    front = front_of(stays)
    assert front.interrupted
    assert not front.exact
    assert [point.k for point in front] == [5, 12]


def test_facts_count_the_labels_of_a_column(stays: pandas.DataFrame) -> None:
    """Listing them for every point would be longer than the table."""
    facts = front_of(stays).facts()
    assert (facts["recoding"], facts["risk"], facts["suggested"]) == ("rows", 0.09, 3)
    point = facts["points"][0]
    assert set(point["recoding"]) == {"age", "ward", "sex"}
    mean = sum(each["loss"] for each in point["recoding"].values()) / 3
    assert mean == pytest.approx(point["values"]["general-loss"], abs=1e-5)


def test_suppressed_rows_count_as_lost_in_every_column(stays: pandas.DataFrame) -> None:
    """The columns' losses are those that the front's loss is the mean of."""
    front = front_of(stays, recoding="cuts", suppression="20%", ks=[2, 5])
    for point in front:
        mean = sum(each.loss for each in front.columns(point)) / 3
        assert mean == pytest.approx(float(point.values["general-loss"]))
    assert any(point.suppressed for point in front)
