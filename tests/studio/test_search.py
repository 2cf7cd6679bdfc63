"""Search: runs are told in words, plotted, stopped, paused, compared and outlive the page."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import shoal
from shoal import Progress, Result, Role, Status
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job, Workers
from shoal.studio.reproducibility import repeatable, reproducible
from shoal.studio.steps.search import run_actions
from shoal.studio.steps.search import wording as telling
from shoal.studio.steps.search.options import choose_algorithm
from shoal.studio.steps.search.plot import MOST_POINTS, axis_end, moments, series_data
from shoal.studio.steps.search.selection import SearchSelection
from shoal.studio.workspace import Opened, Run, Workspace
from tests.patience import PATIENCE
from tests.studio.conftest import Studio, Tab, comes, tab_of, workers_of
from tests.studio.prepared import stated_when_opened


def progress(seconds: float, cost: float | None, bound: float | None = 0.0) -> Progress:
    """A moment."""
    return Progress(cost=cost, bound=bound, nodes=int(seconds * 10), seconds=seconds)


def a_run(result: Result | None = None, *, state: str = "done", **search: Any) -> Run:
    """A run that ended so; no process has to run for it."""
    draft = Draft()
    draft.stated["search"] = dict(search)
    job = Job("Search 1")
    if result is not None:
        manifest = SimpleNamespace(cost_metric="general-loss", groups=2, suppressed=0, rows=9, kind="cuts")
        job.result = shoal.Release(manifest=cast(Any, manifest), result=result, verdict=cast(Any, None))
    if state in ("done", "failed", "stopped"):
        job.ended = job.started + 1
    job.state = cast(Any, state)
    place = Path("run-1") / "release.csv"
    return Run(
        number=1, title="Search 1", draft=draft, folder=place.parent, release_path=place, job=job, command=""
    )


FOUND = Result(
    status=Status.FEASIBLE,
    algorithm="exact",
    cost=Fraction(1, 4),
    bound=Fraction(1, 5),
    nodes=70,
    seconds=30.02,
)


def test_what_is_asked_is_said_in_words() -> None:
    """k, models, columns, suppression and cost, and hostile names as they are."""
    draft = Draft({"privacy": {"k": 5, "models": [{"name": "t-closeness", "attribute": "ill", "t": 0.2}]}})
    for name in ("age", "<img src=x>", "c", "d", "e", "f" * 5_000):
        draft.set_role(name, Role.QUASI_IDENTIFIER)
    draft.stated["objective"] = {"suppression": "2%", "cost": "general-loss"}
    words = telling.demanded(draft)
    assert "at least 5 rows" in words
    assert "of ill" in words
    assert "6 columns are made coarser where needed: age, <img src=x>, c, d and 2 more." in words
    assert "At most 2 % of the rows may be left out." in words
    assert "general loss" in words
    assert "k is not set yet" in telling.demanded(Draft({"privacy": {}}))


def test_incumbent_bound_and_gap_are_said_as_a_sentence() -> None:
    """A gap is how much more detail could be kept; a closed one is a proof."""
    run = a_run(FOUND)
    assert telling.standing(run) == (
        "The release that was found loses 25 % of the detail (general loss). "
        "No cuts can lose less than 20 % of the detail. So at most 5 points more of the detail could be kept."
    )
    proved = a_run(replace(FOUND, bound=FOUND.cost, status=Status.OPTIMAL))
    assert "It is proved that no other cuts lose less." in telling.standing(proved)
    waiting = a_run(state="waiting")
    assert "begins when one of them ends" in telling.standing(waiting)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (a_run(replace(FOUND, status=Status.OPTIMAL)), "proved optimal among cuts"),
        (a_run(FOUND), "best found, gap 5 points"),
        (a_run(replace(FOUND, interrupted=True)), "stopped by a user, gap 5 points"),
        (a_run(replace(FOUND, bound=None)), "best found, no proof"),
        (a_run(state="stopped"), "stopped, nothing kept"),
        (a_run(state="failed"), "failed"),
        (a_run(state="waiting"), "waits for its turn"),
        (a_run(state="paused"), "paused"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_every_end_has_words(run: Run, words: str) -> None:
    """Colour is never the only sign."""
    assert telling.status(run)[0] == words


def test_costs_of_different_metrics_are_never_compared() -> None:
    """Nor those of one metric with different weights."""
    first, second, third = a_run(state="running"), a_run(state="running"), a_run(state="running")
    first.draft.stated["objective"] = second.draft.stated["objective"] = {"cost": "ncp"}
    third.draft.stated["objective"] = {}
    assert telling.metric(first) == telling.metric(second) != telling.metric(third)
    second.draft.attributes["age"] = {"role": "quasi-identifier", "weight": 2}
    assert telling.metric(first) != telling.metric(second)


def test_the_plot_keeps_changes_and_the_last_moment() -> None:
    """However long a search goes on, what is sent stays small, and time on the axis calm."""
    told = [progress(each / 20, 9.0 if each < 50 else 8.0) for each in range(100)]
    assert moments(told) == [(0.0, 9.0, 0.0), (2.5, 8.0, 0.0), (4.95, 8.0, 0.0)]
    busy = [progress(float(each), 1e6 - each) for each in range(5_000)]
    assert len(moments(busy)) <= MOST_POINTS + 1
    assert moments([]) == []
    assert [axis_end(each) for each in (0, 5, 5.1, 61, 3601, 7300)] == [5, 5, 10, 120, 7200, 10800]
    base, gap, cost, bound = series_data([(1.0, 5.0, 3.0), (2.0, None, 3.0)])
    assert (base, gap) == ([[1.0, 3.0], [2.0, None]], [[1.0, 2.0], [2.0, None]])
    assert (cost, bound) == ([[1.0, 5.0], [2.0, None]], [[1.0, 3.0], [2.0, 3.0]])


def test_options_of_another_algorithm_are_forgotten() -> None:
    """A policy with an option that its algorithm does not know is refused; the budget stays."""
    draft = Draft({"search": {"seconds": 30, "algorithm": "genetic", "members": 7}})
    choose_algorithm(draft, "local")
    assert draft.stated["search"] == {"seconds": 30, "algorithm": "local"}
    choose_algorithm(draft, None)
    assert draft.stated["search"] == {"seconds": 30}
    choose_algorithm(draft, "mu-argus")
    assert draft.stated["search"]["combinations"] == "all"


@pytest.mark.parametrize(
    ("result", "search", "holds", "words"),
    [
        (replace(FOUND, status=Status.OPTIMAL), {}, True, "complete"),
        (replace(FOUND, status=Status.OPTIMAL, seconds=3.0), {"seconds": 30}, True, "in the time"),
        (FOUND, {"seconds": 30}, False, "limit of 30 seconds"),
        (replace(FOUND, seconds=2.0), {"seconds": 30, "gap": 0.2}, True, "ended by itself"),
        (FOUND, {"nodes": 70}, True, "every machine"),
        (replace(FOUND, interrupted=True, seconds=2.0), {"seconds": 30}, False, "stopped by a user"),
        (replace(FOUND, algorithm="levels-and-cells", seconds=16.0), {"seconds": 30}, False, "limit"),
        (None, {}, False, "no release"),
    ],
)
def test_what_a_clock_or_a_hand_ended_cannot_be_repeated(
    result: Result | None, search: dict[str, Any], holds: bool, words: str
) -> None:
    """All else ends in the same place again; the sentence says why."""
    can, why = reproducible(a_run(result, **search))
    assert can is holds
    assert words in why
    if result is not None:
        draft = repeatable(a_run(result, **search))
        assert draft.stated["search"].get("seconds") is None
        assert draft.stated["search"]["nodes"] == 70


def test_a_search_that_was_too_short_gets_more_time() -> None:
    """It begins anew, so it needs several times as long."""
    run = a_run(FOUND, seconds=30)
    assert (run_actions.longer(run), run_actions.longer_words(run)) == (120, "2 minutes")
    assert run_actions.can_go_on(run)
    assert not run_actions.can_go_on(a_run(replace(FOUND, status=Status.OPTIMAL)))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A small table with codes, dates and missing values, open."""
    rows = ["zip,born,ill"] + [
        f"0{2100 + n % 7},19{40 + n % 50}-01-02,{'' if n % 9 == 0 else 'flu'}" for n in range(90)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    private = tmp_path / "private"
    private.mkdir()
    workers = Workers()
    made = Workspace(Folders((tmp_path,), private), workers)
    made.open(Opened(source=path, name="people.csv", inspected=shoal.inspect(path)))
    made.draft.set_role("zip", Role.QUASI_IDENTIFIER)
    made.draft.set_role("born", Role.QUASI_IDENTIFIER)
    made.draft.set_role("ill", Role.OTHER)
    made.draft.stated["privacy"]["k"] = 3
    yield made
    workers.close()


def test_a_run_gives_what_its_policy_gives_and_can_be_removed(workspace: Workspace, tmp_path: Path) -> None:
    """To the byte; a policy that nothing satisfies is a sentence with a way out."""
    run = workspace.search("first")
    impossible = workspace.draft.copy()
    impossible.say("search", "algorithm", "lattice")
    impossible.say("objective", "suppression", 0)
    for column in ("zip", "born"):
        impossible.attributes[column]["max_level"] = 0
    refused = workspace.search("second", impossible)
    assert run.job.wait(PATIENCE)
    assert run.job.error is None
    assert reproducible(run)[0]
    shoal.anonymize(policy=run.policy_path, path=tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == run.release_path.read_bytes()
    assert refused.job.wait(PATIENCE)
    assert telling.status(refused) == ("no release possible", "bad")
    assert refused.job.error is not None
    assert "0 rows" in refused.job.error or "suppression" in refused.job.error
    workspace.chosen = run
    workspace.state(SearchSelection).compared = [run.number]
    run_actions.remove(workspace, run)
    assert (workspace.runs, workspace.chosen) == ([refused], None)
    assert not run.folder.exists()
    assert workspace.state(SearchSelection).compared == []


def on_one_core(workspace: Workspace) -> None:
    """Let every policy begin with a search that leaves the other cores to the pages."""
    stated_when_opened(workspace, "threads", 1)


@pytest.fixture
def tab(browser: Any, one_studio: Studio) -> Iterator[Tab]:
    """A page of a studio as just started."""
    one_studio.anew(on_one_core)
    with tab_of(browser, one_studio) as opened:
        yield opened


def begin(page: Any) -> None:
    """Open the example and start a search that goes on for long."""
    page.get_by_role("button", name="Open the example").click()
    page.get_by_text("30,162 rows").first.wait_for()
    page.get_by_role("link", name="Search Find the best release").click()
    page.get_by_role("radio", name="10 minutes").click()
    page.get_by_role("button", name="Start the search").click()
    page.get_by_role("button", name="Stop and keep the best").wait_for()


@pytest.mark.slow
def test_a_search_outlives_the_page_and_is_stopped_with_its_best(tab: Tab) -> None:
    """Two tabs and a reload show the same search; paused and continued; its best is kept for the review."""
    page = tab.page
    begin(page)
    page.get_by_text("The release found so far loses").wait_for()
    for _ in range(3):  # a chart whose step is left as it appears: `Tab.check` hears if the page raises
        page.get_by_role("link", name="Protect Say what must hold").click()
        page.get_by_role("link", name="Search Find the best release").click()
    page.reload()
    page.get_by_role("button", name="Pause").click()
    other = tab.another()
    other.get_by_role("link", name="Search Find the best release").click()
    other.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("img", name="Loss over time of Search 1").wait_for()
    other.get_by_role("button", name="Stop and keep the best").click()
    comes(page, page.get_by_role("button", name="Review this release"))
    page.get_by_text("stopped by a user, gap").first.wait_for()
    page.get_by_text("The search was stopped by a user, so the same policy would end elsewhere.").wait_for()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill("<img src=x onerror=alert(1)>")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    other.get_by_role("button", name="<img src=x onerror=alert(1)>", exact=True).wait_for()
    page.get_by_role("heading", name="<img src=x onerror=alert(1)>").wait_for()
    page.get_by_role("button", name="Review this release").click()
    page.wait_for_url("**/review")


@pytest.mark.slow
def test_the_button_stays_where_it_is_whatever_is_chosen(tab: Tab) -> None:
    """A click on a button that is just being replaced would be lost."""
    page = tab.page
    page.get_by_role("button", name="Open the example").click()
    page.get_by_text("30,162 rows").first.wait_for()
    page.get_by_role("link", name="Search Find the best release").click()
    button = page.get_by_role("button", name="Start the search").element_handle()
    page.get_by_role("button", name="How to search").click()
    page.get_by_label("Search by").click()
    page.get_by_role("option").filter(has_text="Levels").first.click()
    page.get_by_role("radio", name="Other").click()
    page.get_by_label("Seconds", exact=True).wait_for()
    assert button.evaluate("button => button.isConnected")
    button.click()
    comes(page, page.get_by_text("proved optimal"))
    assert page.get_by_label("Name of the run").input_value() == "Search 2"
    assert button.evaluate("button => button.isConnected")


@pytest.mark.slow
def test_a_worker_that_is_killed_is_a_sentence_on_the_page(tab: Tab) -> None:
    """Nothing hangs, and the next search can be started at once."""
    page = tab.page
    begin(page)
    page.get_by_text("The release found so far loses").wait_for()
    for number in workers_of(tab.studio):
        os.kill(number, signal.SIGKILL)
    page.get_by_role("alert").get_by_text("was ended from outside").wait_for()
    page.get_by_role("button", name="Start the search").click()
    page.get_by_role("button", name="Search 2", exact=True).wait_for()
    page.get_by_role("button", name="Stop and keep the best").wait_for()
