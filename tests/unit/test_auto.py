"""The rule of `auto`: what runs, in which order, and what the manifest says about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal.algorithms import ALGORITHMS, Algorithm, Budget, Progress, Result, Status
from shoal.algorithms.rows.local import Local
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.result.choice import OTHER, PER_COLUMN, ROW_BY_ROW
from shoal.model.result.manifest_facts import ManifestError, manifest_facts
from shoal.pipeline import auto_search
from shoal.pipeline.auto_rule import candidates_of
from shoal.pipeline.stall import Stall

AGES = [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63]
TABLE = pandas.DataFrame(
    {
        "age": AGES,
        "zip": ["a", "b", "a", "b"] * 3,
        "ill": ["flu", "cold", "gout"] * 4,
        "well": ["yes", "no"] * 6,
    }
)
ASKED: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "k": 2}


def made(**stated: Any) -> shoal.Release:
    """A release of the table."""
    return shoal.anonymize(TABLE, **{**ASKED, **stated})


def choice(release: shoal.Release) -> Mapping[str, Any]:
    """What its manifest says of the choice."""
    assert release.manifest.choice is not None
    return release.manifest.choice


def tried(release: shoal.Release) -> list[str]:
    """The searches that ran."""
    return [each["algorithm"] for each in choice(release)["tried"]]


def test_row_by_row_is_the_default() -> None:
    """It is the kind that loses least, and one search makes it."""
    release = made()
    assert (release.manifest.algorithm, choice(release)["kind"]) == ("local", ROW_BY_ROW)
    assert tried(release) == ["local"]
    assert choice(release)["reason"] == "row by row loses less than one recoding per column"


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"consistent": True}, "the policy says consistent"),
        ({"recoding_model": "AG_"}, "the recoding model is AG_"),
        ({"levels": {"age": (1, 2)}}, "the policy limits the levels of columns"),
        ({"require_optimal": True}, "a proof is required"),
        ({"cost": "height"}, "no search row by row minimizes height"),
        ({"cost": "classification", "class_attribute": "well"}, "no search row by row minimizes classif"),
    ],
)
def test_some_demands_need_one_recoding_per_column(stated: dict[str, Any], reason: str) -> None:
    """Equal values are then released alike, and the manifest says what demanded it."""
    release = made(**stated)
    assert choice(release)["kind"] == PER_COLUMN
    assert choice(release)["reason"].startswith(reason)
    assert ALGORITHMS[release.manifest.algorithm]().is_consistent


def test_one_recoding_per_column_is_the_least_loss_of_three() -> None:
    """Lattice, subtree and exact all run; the release is of the cheapest, and claims what that proved."""
    release = made(consistent=True)
    searches = choice(release)["tried"]
    assert [each["algorithm"] for each in searches] == ["lattice", "subtree", "exact"]
    best = min(searches, key=lambda each: each["cost"])
    facts = release.manifest
    assert (facts.algorithm, facts.status, facts.cost, facts.bound) == tuple(
        best[name] for name in ("algorithm", "status", "cost", "bound")
    )
    alone = [made(consistent=True, algorithm=each["algorithm"]).manifest.cost for each in searches]
    assert facts.cost == min(alone)


def test_what_is_not_proved_is_improved_by_climbing() -> None:
    """Where exact runs out of time, hill-climb goes on from the best cuts, under the bound of exact."""
    found = made(consistent=True, seconds=0)
    assert tried(found)[-2:] == ["exact", "hill-climb"]
    searches = {each["algorithm"]: each for each in choice(found)["tried"]}
    assert searches["exact"]["status"] != "optimal"
    assert found.manifest.cost == min(each["cost"] for each in searches.values() if each["cost"] is not None)
    assert found.manifest.bound == searches["exact"]["bound"]


def test_of_equal_costs_the_labels_of_hierarchies_are_released() -> None:
    """Where a level is as good as any cut, readers get the level."""
    table = pandas.DataFrame({"zip": ["10", "11", "20", "21"]})
    release = shoal.anonymize(table, quasi_identifiers=["zip"], k=2, consistent=True)
    assert len({each["cost"] for each in choice(release)["tried"]}) == 1
    assert release.manifest.algorithm == "lattice"


def test_limits_of_levels_leave_the_lattice() -> None:
    """Cuts and subtrees know no limits of levels, and the manifest says so."""
    release = made(levels={"age": (1, 2)})
    assert tried(release) == ["lattice"]


@pytest.mark.parametrize(
    ("model", "algorithm"), [("_CS", "cells"), ("_TS", "suppress-rows"), ("_AS", "suppress-columns")]
)
def test_a_recoding_model_implies_its_algorithm(model: str, algorithm: str) -> None:
    """As a policy states it."""
    table = pandas.DataFrame({"age": [1, 1, 1, 2], "zip": ["a", "a", "b", "b"]})
    release = shoal.anonymize(table, quasi_identifiers=["age", "zip"], k=2, recoding_model=model)
    assert release.manifest.algorithm == algorithm
    assert choice(release)["reason"] == f"the recoding model {model} implies it"


def test_a_model_of_the_population_falls_back_to_columns() -> None:
    """Row by row nobody could promise k-map, so it is promised by columns."""
    people = pandas.concat([TABLE] * 3)[["age", "zip"]]
    release = made(models=[{"name": "k-map", "k": 4}], population=people)
    assert choice(release)["kind"] == PER_COLUMN
    assert choice(release)["reason"].startswith("row by row is not possible; local: 'k-map' counts")


def test_several_sets_fall_back_to_datafly() -> None:
    """The one algorithm that knows several quasi-identifiers."""
    release = made(sets=[["age"], ["zip"]])
    assert (release.manifest.algorithm, choice(release)["kind"]) == ("datafly", PER_COLUMN)


def test_a_cost_of_means_falls_back_to_means() -> None:
    """No other algorithm makes centroids, and it makes them for no other cost."""
    release = made(cost="sse", quasi_identifiers=["age"])
    assert (release.manifest.algorithm, choice(release)["kind"]) == ("microaggregate", OTHER)
    assert not any(each.makes_centroids for each in candidates_of(policy_of(**ASKED)).every)


def test_more_values_than_cuts_can_price_fall_back_to_levels() -> None:
    """Exact and subtree price all intervals of at most 2,048 values; the lattice has no such limit."""
    table = pandas.DataFrame({"code": range(2100)})
    release = shoal.anonymize(table, quasi_identifiers=["code"], k=2, consistent=True)
    assert tried(release) == ["lattice"]
    assert "subtree: 'code' has 2,100 distinct values" in choice(release)["reason"]


def test_a_table_too_large_for_local_is_cut_by_mondrian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row is possible with any number of rows."""
    monkeypatch.setattr(auto_search, "MOST_BY_LOCAL", 11)
    release = made()
    assert (release.manifest.algorithm, choice(release)["kind"]) == ("mondrian", ROW_BY_ROW)
    assert choice(release)["reason"].endswith("local: the table has 12 distinct rows, more than 11")


def test_rows_that_stay_in_the_engine_are_counted_node_by_node() -> None:
    """Where memory does not hold the distinct rows, the engine counts node by node."""
    with DuckDB(search_memory="400B") as engine:
        release = made(engine=engine)
    assert (release.manifest.algorithm, choice(release)["kind"]) == ("flash", PER_COLUMN)
    assert "local: the table has more distinct rows than the memory" in choice(release)["reason"]
    assert release.advice == ()


def test_an_option_chooses_among_the_algorithms_that_have_it() -> None:
    """What an option demands is heeded, never ignored."""
    assert made(options={"partitioning": "strict"}).manifest.algorithm == "mondrian"
    assert made(options={"values": "hierarchy"}).manifest.algorithm == "local"
    assert made(options={"preference": "least-cost"}).manifest.algorithm == "samarati"


def test_an_option_of_a_column_chooses_the_algorithm_that_heeds_it() -> None:
    """`linking` is for datafly alone."""
    attributes = [
        shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER, linking=0.5),
        shoal.Attribute(name="zip", role=shoal.Role.QUASI_IDENTIFIER),
    ]
    policy = shoal.Policy(attributes=tuple(attributes), k=2)
    assert shoal.anonymize(TABLE, policy).manifest.algorithm == "datafly"


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"options": {"no-such": 1}}, "has no option 'no-such'"),
        ({"consistent": True, "cost": "sse"}, "replaced by centroids"),
    ],
)
def test_what_no_algorithm_can_do_is_refused_before_a_row_is_read(stated: dict[str, Any], words: str) -> None:
    """The policy alone decides that."""
    with pytest.raises(shoal.PolicyError, match=words):
        candidates_of(policy_of(**{**ASKED, **stated}))


def test_algorithms_that_do_not_guarantee_k_are_never_chosen() -> None:
    """And neither is the enumeration that is for tests."""
    names = {each.name for each in candidates_of(policy_of(**ASKED)).every}
    assert not names & {"mu-argus", "exhaustive"}
    assert names >= {"local", "mondrian", "lattice", "subtree", "exact", "datafly"}


def test_what_one_kind_does_not_find_is_searched_for_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends with nothing is no refusal of the policy."""

    def nothing(self: Algorithm, *_: Any, **__: Any) -> Result:
        return Result(status=Status.UNKNOWN, algorithm=self.name)

    monkeypatch.setattr(Local, "solve", nothing)
    monkeypatch.setattr(Mondrian, "solve", nothing)
    release = made()
    assert choice(release)["kind"] == PER_COLUMN
    assert tried(release)[:2] == ["local", "mondrian"]
    assert choice(release)["tried"][0]["status"] == "unknown"


def test_an_infeasible_policy_is_refused_as_such() -> None:
    """Where the coarsest recoding is not admissible, none of any kind is."""
    with pytest.raises(shoal.InfeasibleError):
        made(models=[{"name": "distinct-l-diversity", "attribute": "ill", "l": 4}], sensitive=["ill"])


def test_a_named_algorithm_is_no_choice() -> None:
    """The manifest has no choice then."""
    assert made(algorithm="local").manifest.choice is None


def test_sql_recodes_by_columns() -> None:
    """Rows to come are recoded by the same rule, so it is one rule per column; the policy stays as it is."""
    policy = policy_of(**ASKED)
    written = shoal.recoding_sql(TABLE, policy, table="people")
    assert written.manifest.choice is not None
    assert written.manifest.choice["kind"] == PER_COLUMN
    assert written.manifest.policy_digest == policy.digest


def test_a_reader_refuses_a_choice_that_is_none(tmp_path: Path) -> None:
    """The field is a contract like all others, and may be absent."""
    facts = json.loads(made(path=tmp_path / "r.csv").manifest.to_json())
    assert manifest_facts(json.dumps(facts))["choice"]["kind"] == ROW_BY_ROW
    without = {name: value for name, value in facts.items() if name != "choice"}
    assert "choice" not in manifest_facts(json.dumps(without))
    for wrong in ({}, {**facts["choice"], "kind": "best"}, {**facts["choice"], "tried": [{}]}):
        with pytest.raises(ManifestError, match="'choice' is not what auto chose"):
            manifest_facts(json.dumps({**facts, "choice": wrong}))


def test_the_nodes_of_a_budget_are_shared() -> None:
    """Each search gets its part of what is left, so the same nodes give the same release everywhere."""
    first, second = (made(consistent=True, nodes=9) for _ in range(2))
    assert first.manifest.choice == second.manifest.choice
    assert first.data.equals(second.data)
    assert first.result.choice is not None
    assert not first.result.choice.clocked


def test_progress_goes_on_through_all_searches() -> None:
    """Nodes and seconds never fall, and neither does the best cost rise, from one search to the next."""
    moments: list[Progress] = []
    made(consistent=True, on_progress=moments.append)
    costs = [each.cost for each in moments if each.cost is not None]
    assert costs == sorted(costs, reverse=True)
    for name in ("nodes", "seconds"):
        values = [getattr(each, name) for each in moments if each.phase == "search"]
        assert values == sorted(values)


def moment(seconds: float, *, cost: float | None = 100.0, bound: float | None = 0.0) -> Progress:
    """A moment of a search."""
    return Progress(cost=cost, bound=bound, nodes=1, seconds=seconds)


def test_a_search_that_gains_nothing_more_ends_before_its_time() -> None:
    """After a sixth of its seconds with the same gap it is over."""
    stall = Stall(Budget.stated(), None)
    stall(moment(0.1))
    stall(moment(5.0))
    with pytest.raises(KeyboardInterrupt):
        stall(moment(5.2))
    assert stall.ended


def test_a_search_that_gains_goes_on() -> None:
    """A better incumbent or a better bound starts the patience anew, and no incumbent is no stall."""
    stall = Stall(Budget.stated(), None)
    stall(moment(20.0, cost=None, bound=None))
    stall(moment(24.0))
    stall(moment(28.0, bound=1.0))
    stall(moment(32.0, bound=1.0, cost=99.0))
    stall(moment(36.0, bound=1.0, cost=99.0))
    assert not stall.ended


@pytest.mark.parametrize("budget", [Budget(), Budget(nodes=10), Budget(seconds=30)])
def test_a_budget_that_is_stated_is_used_up(budget: Budget) -> None:
    """Who states seconds, nodes or no limit wants to see what they give."""
    stall = Stall(budget, None)
    stall(moment(0.1))
    stall(moment(1000.0))
    assert not stall.ended
