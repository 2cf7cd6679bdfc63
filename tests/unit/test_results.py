"""What the front door makes of the answers of a search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.result import Result, Status
from shoal.pipeline import solve
from tests.paper_setting import as_in_the_paper


def answer(monkeypatch: pytest.MonkeyPatch, result: Result) -> None:
    """Let the search answer this."""
    monkeypatch.setattr(solve, "search", lambda *_: result)


def asked(people: Path, **arguments: Any) -> shoal.Release:
    return shoal.anonymize(
        people,
        **as_in_the_paper(
            quasi_identifiers=["age"],
            k=2,
            path=people.parent / "release.csv",
            algorithm="exhaustive",
            **arguments,
        ),
    )


GENERAL = Result(status=Status.FEASIBLE, algorithm="x", recoding=CutRecoding(((),)), cost=36, bound=10)


def test_a_false_infeasible_is_found_out(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joined to one group the rows would do, so a search that says nothing does contradicts itself."""
    answer(monkeypatch, Result(status=Status.INFEASIBLE, algorithm="x"))
    with pytest.raises(shoal.InternalError, match="the coarsest recoding is"):
        asked(people, suppression=1)
    assert not (people.parent / "release.csv").exists()


def test_a_budget_that_ended_too_early_is_no_proof(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message does not say that nothing exists."""
    answer(monkeypatch, Result(status=Status.UNKNOWN, algorithm="x"))
    with pytest.raises(shoal.NotProvedError, match="no proof"):
        asked(people)


def test_an_interrupted_search_without_a_recoding_is_an_interruption(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to release."""
    answer(monkeypatch, Result(status=Status.UNKNOWN, algorithm="x", interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        asked(people)


def test_an_interrupted_search_with_a_recoding_is_released(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its status, its gap, and a mark."""
    answer(monkeypatch, replace(GENERAL, interrupted=True))
    released = asked(people)
    assert released.result.interrupted
    assert released.manifest.status == "feasible"
    assert released.manifest.gap == pytest.approx(26 / 36)


def test_a_proof_that_is_required_must_be_there(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published without it."""
    answer(monkeypatch, GENERAL)
    with pytest.raises(shoal.NotProvedError, match="gap 72 %"):
        asked(people, require_optimal=True)
    assert not (people.parent / "release.csv").exists()


def test_an_empty_release_is_an_error(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recoding that suppresses every row is not answered with an empty table."""
    nothing = CutRecoding(((),), also_suppressed=((0,),))
    answer(monkeypatch, replace(GENERAL, recoding=nothing, suppressed=6))
    with pytest.raises(shoal.InfeasibleError, match="all 6 rows"):
        asked(people)


def test_an_algorithm_that_cannot_solve_it_says_why(people: Path, tmp_path: Path) -> None:
    """The reason is the end of the sentence."""
    with pytest.raises(shoal.PolicyError, match="'exhaustive' cannot solve this: it tries all"):
        shoal.anonymize(
            shoal.datasets.adult_path(),
            quasi_identifiers=["age"],
            k=2,
            path=tmp_path / "r.csv",
            algorithm="exhaustive",
        )


def test_a_policy_and_arguments_do_not_mix(people: Path) -> None:
    """One of them would be passed over."""
    policy = shoal.Policy(attributes=(shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),), k=2)
    with pytest.raises(shoal.PolicyError, match="a policy is complete; leave out k,"):
        shoal.anonymize(people, policy, k=3)
    with pytest.raises(shoal.PolicyError, match="name the quasi_identifiers"):
        shoal.anonymize(people)
    with pytest.raises(shoal.PolicyError, match="no source"):
        shoal.anonymize(policy=policy)
