"""The time of a run: its phases, and a limit that covers everything that somebody calls the search.

No test looks at the machine's clock: time passes where a test says so.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

import shoal
from shoal.algorithms import Algorithm, Budget, Result, clock
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.rows import _finishing as finishing
from shoal.algorithms.rows._starts import starts
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.api import _progress
from shoal.api._progress import line
from shoal.cost.ncp import Ncp
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.result.phases import PHASES, long_run, phase_words
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline import auto_search, turns
from shoal.pipeline.hardening import harden
from shoal.pipeline.phases import Phases

SCATTERED = pandas.DataFrame(
    {"age": [at % 17 for at in range(60)], "pay": [at * at % 23 for at in range(60)]}
)
ASKED: dict[str, Any] = {"quasi_identifiers": ["age", "pay"], "k": 3}


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time

    def pass_by(self, seconds: float) -> None:
        self.time += seconds


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    """The clock of everything that Python measures."""
    made = Hand()
    monkeypatch.setattr(clock, "now", made)
    return made


def problem_of(rows: int, values: int, attributes: int, k: int) -> Problem:
    """A table of random numbers."""
    random = np.random.default_rng(7)
    codes = np.unique(random.integers(0, values, (rows, attributes), np.int32), axis=0)
    table = FrequencyTable(
        domains=tuple(
            Domain(name=f"a{at}", kind="number", values=tuple(range(values))) for at in range(attributes)
        ),
        codes=codes,
        counts=np.ones(len(codes), np.int64),
    )
    attributes_of = [Attribute(name=each.name, role=Role.QUASI_IDENTIFIER) for each in table.domains]
    return Problem(table=with_hierarchies(table, attributes_of, every=True), k=k, cost=Ncp())


def test_phases_leave_no_time_out(hand: Hand) -> None:
    """A phase ends where the next one begins, and the last one is going on."""
    phases = Phases.counting()
    for phase, seconds in zip(PHASES[1:], (5.0, 7.0, 1.0), strict=True):
        hand.pass_by(seconds)
        phases.begin(phase)
    hand.pass_by(2.0)
    assert phases.seconds == {"count": 5.0, "search": 7.0, "write": 1.0, "audit": 2.0}


def test_what_is_left_counts_from_the_beginning_of_the_search(hand: Hand) -> None:
    """Counting is not the search; hours of it leave the whole budget."""
    phases = Phases.counting()
    hand.pass_by(3600.0)
    phases.begin("search")
    hand.pass_by(20.0)
    assert phases.left(Budget(seconds=30)) == 10.0
    hand.pass_by(20.0)
    assert phases.left(Budget(seconds=30)) == 0.0
    assert phases.left(Budget()) is None


def test_a_run_tells_its_phases() -> None:
    """In the manifest, and to who watches; the search is at least what its algorithm took."""
    seen: list[shoal.Progress] = []
    release = shoal.anonymize(SCATTERED, **ASKED, on_progress=seen.append)
    told = [each.phase for each in seen]
    assert tuple(dict.fromkeys(told)) == tuple(release.manifest.phases) == PHASES
    assert all(each >= 0 for each in release.manifest.phases.values())
    assert release.manifest.phases["search"] >= release.manifest.seconds


def test_a_long_run_says_where_the_time_went() -> None:
    """In one line; a short run has none."""
    took = {"count": 2.1, "search": 30.04, "write": 4.2, "audit": 3.0}
    assert phase_words(took) == "count 2.1 s   search 30.0 s   write 4.2 s   audit 3.0 s"
    assert long_run(took) == [phase_words(took)]
    assert long_run({"count": 0.1, "search": 9.0}) == []


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        ("count", "counting the rows"),
        ("write", "writing the release"),
        ("audit", "auditing what was written"),
    ],
)
def test_the_line_of_progress_names_the_phase(phase: str, words: str) -> None:
    """Also while nothing is searched."""
    assert line(shoal.Progress(cost=None, bound=None, nodes=0, seconds=0.0, phase=phase)) == words


def test_a_log_has_no_line_for_a_search_that_just_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is known then; the other phases have theirs."""
    monkeypatch.setattr(_progress, "LOG_EVERY", 0)
    with _progress.ProgressLine("log") as shown:
        for phase in PHASES:
            shown(shoal.Progress(cost=None, bound=None, nodes=0, seconds=0.0, phase=phase))
    said = capsys.readouterr().err.splitlines()
    assert said == ["counting the rows", "writing the release", "auditing what was written"]


@pytest.mark.parametrize("algorithm", ["auto", "mondrian", "lattice"])
def test_posing_the_problem_is_part_of_the_search(
    algorithm: str, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hierarchies and orders that take 12 of 30 seconds to build leave 18."""
    pose, given = auto_search.pose, list[float]()

    def slowly(*arguments: Any) -> Problem:
        hand.pass_by(12.0)
        return pose(*arguments)

    def solve(*arguments: Any, budget: Budget, **named: Any) -> Any:
        assert budget.seconds is not None
        given.append(budget.seconds)
        return unlimited(*arguments, budget=Budget(), **named)

    unlimited = turns.solve
    monkeypatch.setattr(auto_search, "pose", slowly)
    monkeypatch.setattr(turns, "solve", solve)
    shoal.anonymize(SCATTERED, **ASKED, algorithm=algorithm, seconds=30)
    assert 30 - given[0] >= 12
    assert given[0] > 0.8 * 18 or algorithm == "auto"


class Timed:
    """Searches that take all the time that they are given, and note it."""

    def __init__(self, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
        self._hand = hand
        self.taken: list[tuple[Algorithm, float]] = []
        for owner, name in ((Mondrian, "partition"), (KMember, "partition"), (LatticeSearch, "solve")):
            monkeypatch.setattr(owner, name, self._instead(getattr(owner, name)))

    def _instead(self, search: Callable[..., Any]) -> Callable[..., Any]:
        def timed(algorithm: Algorithm, problem: Problem, budget: Budget, **named: Any) -> Any:
            found = search(algorithm, problem, Budget(nodes=5), **named)
            if budget.seconds is None:
                return found
            self.taken.append((algorithm, budget.seconds))
            self._hand.pass_by(budget.seconds)
            if isinstance(found, Result):
                return found
            facts = ("found", "nodes", "interrupted", "groups", "group_of")
            made = {name: getattr(found, name, None) for name in facts}
            return SimpleNamespace(**made, seconds=budget.seconds)

        return timed


def test_starts_together_take_half_of_the_time(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of them use up what they are given."""
    timed = Timed(hand, monkeypatch)
    found = starts(problem_of(40, 9, 2, 3), "sets", Budget(seconds=40), threads=1, seed=0)
    assert found.partitions
    assert len(timed.taken) > 2
    assert sum(seconds for _, seconds in timed.taken) <= 20


def test_a_cut_that_had_too_little_time_is_not_tried_in_another_way(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick one takes its place."""
    timed = Timed(hand, monkeypatch)
    starts(problem_of(40, 9, 2, 3), "sets", Budget(seconds=40), threads=1, seed=0)
    cuts = [each for each, _ in timed.taken if isinstance(each, Mondrian)]
    assert [each.choice for each in cuts[:2]] == ["cost", "width"]
    timed.taken.clear()
    starts(problem_of(40, 9, 2, 3), "sets", Budget(), threads=1, seed=0)  # all have time enough


def test_some_time_is_kept_for_labels_and_prices() -> None:
    """For each cell some, a tenth of the time at most; nothing where nobody waits."""
    table = problem_of(40, 9, 2, 3).table
    kept = finishing.SECONDS_PER_CELL * table.codes.size
    assert finishing.searching(Budget(seconds=30), table).seconds == pytest.approx(30 - kept)
    assert finishing.searching(Budget(seconds=kept), table).seconds == pytest.approx(0.9 * kept)
    assert finishing.searching(Budget(nodes=3), table) == Budget(nodes=3)


def test_more_time_is_kept_on_a_busy_machine(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that waited four times as long as it was done says so."""
    worked = iter((1.0, 2.0))
    monkeypatch.setattr(finishing.time, "thread_time", lambda: next(worked))
    pace = finishing.Pace()
    with pace.measured():
        hand.pass_by(4.0)
    assert pace.slowness == 4.0
    table = problem_of(40, 9, 2, 3).table
    kept = 4 * finishing.SECONDS_PER_CELL * table.codes.size
    assert finishing.searching(Budget(seconds=30), table, pace).seconds == pytest.approx(30 - kept)


def test_the_attack_on_fine_labels_ends_with_the_time(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it would have said is not said; the release is the same."""
    attack, seen = harden.Attackable.refinement, list[int]()

    def slowly(release: Any, on_group: Any = None) -> Any:
        def group() -> None:
            seen.append(1)
            hand.pass_by(10.0)
            if on_group is not None:
                on_group()

        return attack(release, group)

    whole = shoal.anonymize(SCATTERED, **ASKED)
    monkeypatch.setattr(harden.Attackable, "refinement", slowly)
    ended = shoal.anonymize(SCATTERED, **ASKED)
    assert ended.data.equals(whole.data)
    assert len(seen) < whole.manifest.groups
    assert any("was not measured" in note for note in ended.manifest.notes)
    assert not any("was not measured" in note for note in whole.manifest.notes)


def test_ctrl_c_in_the_attack_releases_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is part of the search, and ends like one."""

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    whole = shoal.anonymize(SCATTERED, **ASKED)
    monkeypatch.setattr(harden.Attackable, "refinement", interrupted)
    ended = shoal.anonymize(SCATTERED, **ASKED)
    assert ended.result.interrupted
    assert ended.data.equals(whole.data)


def test_nothing_is_searched_twice_for_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search row by row begins with the best levels, and advice tells what these would lose."""
    solve, searched = LatticeSearch.solve, list[Problem]()

    def counted(algorithm: LatticeSearch, problem: Problem, *rest: Any, **named: Any) -> Result:
        searched.append(problem)
        return solve(algorithm, problem, *rest, **named)

    monkeypatch.setattr(LatticeSearch, "solve", counted)
    release = shoal.anonymize(SCATTERED, **ASKED)
    assert release.advice[0].startswith("one recoding per column (--consistent) would lose at most ")
    assert len(searched) == 1


def test_suppression_that_saves_nothing_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the greatest limit does not save enough, no smaller one does."""
    table = pandas.DataFrame({"age": [1, 2, 3, 4] * 100})
    solve, limits = LatticeSearch.solve, list[int]()

    def counted(algorithm: LatticeSearch, problem: Problem, *rest: Any, **named: Any) -> Result:
        limits.append(problem.most_suppressed)
        return solve(algorithm, problem, *rest, **named)

    monkeypatch.setattr(LatticeSearch, "solve", counted)
    shoal.anonymize(table, quasi_identifiers=["age"], k=150, consistent=True)
    assert [limit for limit in limits if limit] == [20]


def test_threads_share_the_blocks_of_k_member() -> None:
    """And make the same groups of them."""
    problem = problem_of(900, 12, 3, 4)
    rows = len(problem.table.counts)
    blocks = [at * 7 // rows for at in range(rows)]
    made = [
        KMember(values="sets").partition(problem, Budget(), threads=threads, seed=5, blocks=blocks)
        for threads in (1, 2, 5)
    ]
    for each in made[1:]:
        assert (each.groups == made[0].groups).all()
        assert (each.cost, each.nodes) == (made[0].cost, made[0].nodes)


@pytest.mark.parametrize("choice", ["cost", "width"])
def test_threads_share_the_first_cuts_of_mondrian(choice: Any) -> None:
    """And make the same cuts: of a table so large that all of them look at its first group."""
    problem = problem_of(12_000, 60, 4, 50)
    assert len(problem.table.counts) > 1 << 13
    made = [
        Mondrian(choice=choice, values="sets").partition(problem, Budget(), threads=threads)
        for threads in (1, 2, 5)
    ]
    for each in made[1:]:
        assert (each.group_of == made[0].group_of).all()
        assert each.nodes == made[0].nodes
