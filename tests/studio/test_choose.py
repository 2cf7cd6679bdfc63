"""Choose: the front and its points, released as on the command line; algorithms side by side."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import Front, PolicyError, Role
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Workers
from shoal.studio.steps.choose import bars, scatter
from shoal.studio.steps.choose import requests as asked
from shoal.studio.steps.choose import wording as told
from shoal.studio.steps.choose.requests import Choosing
from shoal.studio.workspace import Opened, Workspace
from tests.cli.command import shoal as command
from tests.patience import PATIENCE
from tests.studio.conftest import Studio, Tab, comes, tab_of

HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}"


def opened(workspace: Workspace) -> None:
    """Open the table of the studio's folder, k = 3; how that is done on the page is another test's."""
    source = workspace.folders.opened[0] / "stays.csv"
    workspace.open(Opened(source=source, name=source.name, inspected=shoal.inspect(source)))
    for name in ("age", "postcode", "admitted", HOSTILE):
        workspace.draft.set_role(name, Role.QUASI_IDENTIFIER)
    workspace.draft.set_role("diagnosis", Role.SENSITIVE)
    workspace.draft.say("privacy", "k", 3)


def stays(path: Path) -> Path:
    """A small table with missing values, dates and codes, and a column with a hostile name."""
    some = random.Random(7)
    lines = [f'age,postcode,admitted,"{HOSTILE}",diagnosis']
    for _ in range(240):
        age = "" if some.random() < 0.05 else str(some.choice([31, 34, 47, 52, 68, 71]))
        day = f"2025-0{some.randint(1, 4)}-1{some.randint(0, 3)}"
        lines.append(
            f"{age},0{some.choice(['1139', '1140', '2201', '2202'])},{day},"
            f"{some.choice(['A', 'B', '<b>C</b>'])},{some.choice(['flu', 'asthma', 'gout'])}"
        )
    path.write_text("\n".join(lines) + "\n")
    return path


def with_stays(workspace: Workspace) -> None:
    """A new table in the folder, opened."""
    stays(workspace.folders.opened[0] / "stays.csv")
    opened(workspace)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in which the table is open, k = 3."""
    private = tmp_path / "private"
    private.mkdir()
    workers = Workers()
    made = Workspace(Folders((tmp_path,), private), workers)
    with_stays(made)
    yield made
    workers.close()


def test_a_front_asks_only_for_what_it_heeds() -> None:
    """Over levels models are left out, and told; no limit of time, so that a number means one release."""
    draft = Draft()
    draft.set_role("diagnosis", Role.SENSITIVE)
    draft.stated["privacy"] |= {"models": [{"name": "t-closeness"}], "entity": "who"}
    draft.stated["objective"] |= {"recoding_model": "CG_", "suppression": "unlimited"}
    draft.stated["search"] |= {"seconds": 30, "algorithm": "local", "values": "sets", "seed": 4}
    choosing = Choosing(diverse="diagnosis")
    made = asked.front_draft(draft, choosing)
    assert made.stated["privacy"] == {"k": 10}
    assert made.stated["search"] == {"seed": 4, "seconds": "unlimited"}
    assert made.stated["objective"] == {"cost": "general-loss", "suppression": asked.SUPPRESSION}
    assert made.stated["front"] == {
        "objectives": ["k", "l", "general-loss"],
        "recoding": "levels",
        "risk": 0.09,
    }
    assert asked.ignored_demands(draft, choosing) == [
        "the further privacy models (t-closeness)",
        "that one person can have several rows",
        "the recoding model CG_",
    ]
    assert "models" in draft.stated["privacy"]
    draft.set_role("income", Role.SENSITIVE)
    assert asked.front_draft(draft, choosing).stated["front"]["objectives"][1] == "l:diagnosis"


def test_a_front_row_by_row_heeds_models_and_persons() -> None:
    """And the policy's time; what needs a population, or several sets of columns, it ignores, and says so."""
    draft = Draft()
    models = [{"name": "t-closeness", "attribute": "diagnosis", "t": 0.2}]
    draft.stated["privacy"] |= {"models": models, "entity": "who", "sets": [["age"], ["zip"]]}
    draft.stated["search"] |= {"seconds": 7, "algorithm": "exact", "seed": 4}
    choosing = Choosing()
    made = asked.front_draft(draft, choosing)
    assert made.stated["privacy"] == {"k": 10, "models": models, "entity": "who"}
    assert made.stated["search"] == {"seconds": 7, "seed": 4}
    assert made.stated["front"]["recoding"] == "rows"
    assert made.stated["objective"]["suppression"] == 0
    assert asked.ignored_demands(draft, choosing) == ["the sets of columns that others know apart"]
    draft.stated["privacy"]["population"] = "people.csv"
    assert "models" not in asked.front_draft(draft, choosing).stated["privacy"]
    assert len(asked.ignored_demands(draft, choosing)) == 4


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [("objective", "consistent", True), ("objective", "recoding_model", "AG_")],
)
def test_one_recoding_per_column_makes_a_front_over_levels(table: str, key: str, value: Any) -> None:
    """Also a limit on levels, and a loss that is not one of cells."""
    draft = Draft()
    assert asked.by_rows(draft, Choosing())
    assert not asked.by_rows(draft, Choosing(loss="height"))
    draft.stated[table][key] = value
    assert not asked.by_rows(draft, Choosing())
    limited = Draft()
    limited.set_role("age", Role.QUASI_IDENTIFIER)
    limited.attributes["age"]["max_level"] = 2
    assert not asked.by_rows(limited, Choosing())


def test_a_front_is_earlier_only_if_it_would_come_out_another_way() -> None:
    """Another k, loss, time or hierarchy makes it so; another algorithm does not."""
    draft = Draft()
    draft.set_role("age", Role.QUASI_IDENTIFIER)
    choosing = Choosing()
    assert not asked.is_earlier(draft, choosing)
    choosing.made = asked.front_draft(draft, choosing)
    draft.say("search", "algorithm", "local")
    assert not asked.is_earlier(draft, choosing)
    draft.say("search", "seconds", 3)
    assert asked.is_earlier(draft, choosing)
    choosing.made = asked.front_draft(draft, choosing)
    draft.set_hierarchy_file("age", "1;*\n")
    assert asked.is_earlier(draft, choosing)
    choosing.made = asked.front_draft(draft, choosing)
    choosing.loss = "ncp"
    assert asked.is_earlier(draft, choosing)


def test_a_point_is_released_as_the_command_line_does_it(workspace: Workspace, tmp_path: Path) -> None:
    """The run's policy and command give the same bytes, with the point's k and its l."""
    workspace.draft.stated["privacy"]["sets"] = [["age", "postcode"], ["admitted", HOSTILE]]
    choosing = workspace.state(Choosing)
    choosing.diverse, choosing.suppression = "diagnosis", "5%"
    job = asked.make_front(workspace, choosing)
    assert job.wait(PATIENCE)
    assert job.error is None
    front = asked.front_of(workspace)
    assert front is not None
    assert front.exact
    point = asked.first_point(front)
    assert point.k >= 12
    run = asked.release_point(workspace, choosing, front, point)
    assert run.title.endswith("judged by k and l alone")
    assert run.facts["not judged"] == ["the sets of columns that others know apart"]
    assert run.job.wait(PATIENCE)
    assert run.release is not None
    assert run.release.manifest.audit["holds"] is True
    words = run.command.format(policy=run.policy_path, release=tmp_path / "ours.csv").split()
    done = command(tmp_path, *words[1:])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ours.csv").read_bytes() == run.release_path.read_bytes()
    risk = asked.measure_risk(workspace, run)
    assert risk.wait(PATIENCE)
    assert risk.result.prosecutor.highest <= 1 / point.k


def test_what_is_known_of_a_front_is_told(workspace: Workspace) -> None:
    """Complete, stopped, or sampled; levels in words; what is special about a point."""
    draft = asked.front_draft(workspace.draft, Choosing(suppression="5%", loss="height"))
    policy = draft.write(workspace.folders.private / "p", workspace.needed_table().stated())
    front = shoal.front(policy=policy)
    assert told.proof(front) == (
        f"All {front.lattice:,} combinations of levels were examined: no other levels of the hierarchies "
        "are better.",
        True,
    )
    words, proved = told.proof(replace(front, interrupted=True, exact=False))
    assert "To release a point" in words
    assert not proved
    assert "better ones may exist" in told.proof(replace(front, exact=False))[0]
    _points_are_told(front)
    found = told.columns_of(front, front[0], [], [])
    assert found[0][:2] == ("age", "Unchanged")
    last = told.columns_of(front, front[-1], [], [])
    assert "One value for all: the column has no information left" in {becomes for _, becomes, _ in last}


def test_what_is_known_of_a_front_row_by_row_is_told(workspace: Workspace) -> None:
    """What was found for each k, what the clock ended, what is left of each column, and the suggestion."""
    draft = asked.front_draft(workspace.draft, Choosing())
    policy = draft.write(workspace.folders.private / "p", workspace.needed_table().stated())
    front = shoal.front(policy=policy)
    assert front.recoding == "rows"
    words, proved = told.proof(replace(front, exact=False, by_clock=True))
    assert "best release that was found for its k" in words
    assert "time limit" in words
    assert not proved
    assert told.proof(replace(front, exact=True)) == (
        "Proved for each k: no other row-by-row recodings with values of this form are better.",
        True,
    )
    assert "Stopped" in told.proof(replace(front, interrupted=True))[0]
    _points_are_told(front)
    point = front.point("suggested")
    assert told.suggestion(front) == (
        f"Suggested for a risk of at most 9 %: point {point.number} ({front.suggestion}).",
        True,
    )
    none, found = told.suggestion(replace(front, risk=0.0001))
    assert none.startswith("Nothing is suggested: no point has k = 10,000")
    assert not found
    changes = [change for _, change, _ in told.columns_of(front, point, [], front.columns(point))]
    assert all(change == "Unchanged" or change.startswith(("Keeps ", "One value")) for change in changes)


def _points_are_told(front: Front) -> None:
    least = asked.least_loss(front)
    assert asked.first_point(front) == front.suggested
    assert told.remark(front, front[0], least) == "below k = 3"
    assert "least loss" in told.remark(front, least, least)
    assert "suggested" in told.remark(front, front.point("suggested"), least)
    drawn = scatter.options(front, least)["series"]
    assert len(drawn[1]["data"]) + len(drawn[2]["data"]) == len(front)
    assert drawn[4]["silent"]
    assert drawn[4]["data"][0]["number"] == least.number
    with pytest.raises(PolicyError, match="closed"):
        asked.release_point(Workspace(Folders((), Path()), Workers()), Choosing(), front, least)


def test_a_chart_draws_only_so_many_points() -> None:
    """Both ends stay, and the list has all."""
    points: Any = list(range(5_000))
    drawn = scatter.drawn(points)
    assert len(drawn) == scatter.MOST_DRAWN
    assert (drawn[0], drawn[-1]) == (0, 4_999)


def test_another_algorithm_takes_no_options_of_the_last_one() -> None:
    """Budget and seed stay; the cost becomes the one that was compared."""
    draft = Draft()
    draft.stated["search"] |= {"algorithm": "genetic", "members": 30, "seed": 2}
    asked.use_algorithm(draft, "local", "ncp")
    assert draft.stated["search"] == {"seconds": 30, "seed": 2, "algorithm": "local"}
    assert draft.stated["objective"]["cost"] == "ncp"


def test_bars_are_drawn_by_common_measures_only() -> None:
    """The cost that each minimized is its own, and is no choice; what breaks k has no bar."""
    assert "cost" not in bars.MEASURES
    runs = [
        shoal.Compared(algorithm="exact", k=2, status="optimal", ncp=0.5, groups=4),
        shoal.Compared(algorithm="local", k=2, status="feasible", ncp=0.25),
        shoal.Compared(algorithm="mu-argus", k=2, status="feasible", ncp=0.1, smallest=1),
    ]
    shown = bars.options(runs, "ncp")
    assert shown["yAxis"]["data"] == ["Exact", "Local"]
    assert [bar["value"] for bar in shown["series"][0]["data"]] == [50, 25]
    (bar,) = bars.options(runs, "groups")["series"][0]["data"]
    assert bar == {"value": 4, "label": {"formatter": "4"}}


@pytest.fixture
def choose(browser: Any, one_studio: Studio) -> Iterator[Tab]:
    """The step Choose, with a table that is open."""
    one_studio.anew(with_stays)
    with tab_of(browser, one_studio) as found:
        found.page.get_by_role("link", name="Choose").click()
        yield found


@pytest.mark.slow
def test_from_a_front_to_a_release(choose: Tab) -> None:
    """Walk the list by keys, see the table and its risks, reload, look from another tab, go to Review."""
    page: Any = choose.page
    page.get_by_role("button", name="Make the front").click()
    page.get_by_text("Suggested for a risk of at most 9 %").wait_for()
    page.get_by_role("heading", name="Point ").wait_for()
    page.get_by_role("gridcell", name="least loss").click()
    least = page.get_by_role("row").filter(has=page.get_by_role("gridcell", name="least loss"))
    number = least.get_by_role("gridcell").first.inner_text()
    page.get_by_role("heading", name=f"Point {number}:").wait_for()
    page.keyboard.press("ArrowDown")
    # The panel of another point: what is clicked from here on is of the one that was walked to.
    page.wait_for_function(
        "least => [...document.querySelectorAll('h2')].some("
        "each => each.innerText.startsWith('Point ') && !each.innerText.startsWith(least))",
        arg=f"Point {number}:",
    )
    after = page.get_by_role("heading", name="Point ").inner_text()
    page.get_by_role("cell", name=HOSTILE).first.wait_for()
    page.get_by_role("button", name="See this table").click()
    comes(page, page.get_by_text("Highest risk"))
    page.get_by_text("The release holds what was demanded: every row hides among at least").wait_for()
    page.reload()
    page.get_by_role("heading", name=after).wait_for()
    page.get_by_text("Highest risk").wait_for()
    other = choose.another()
    other.get_by_role("link", name="Choose").click()
    other.get_by_role("heading", name=after).wait_for()
    other.get_by_role("gridcell", name="below k = 3").first.click()
    page.get_by_text("This point cannot be released").wait_for()
    other.close()
    page.get_by_role("gridcell", name="least loss").click()
    page.get_by_role("button", name="See this table").click()
    page.get_by_role("button", name="Review this release").click()
    page.wait_for_url("**/review")


@pytest.mark.slow
def test_from_a_comparison_to_a_search(choose: Tab) -> None:
    """Rows come as they end, refusals say why, and the chosen one is what Search asks for."""
    page: Any = choose.page
    page.get_by_role("tab", name="Compare algorithms").click()
    page.get_by_label("Seconds for each").fill("1")
    for name in ("Exact", "Subtrees"):
        page.get_by_role("checkbox", name=name).click()
    page.get_by_role("button", name="All others").click()
    page.get_by_role("checkbox", name="Top-down specialization").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("Do not apply here").wait_for()
    page.reload()
    page.get_by_role("row", name="Levels").get_by_text("among levels of the hierarchies").wait_for()
    page.get_by_role("button", name="Search with this one: Levels").click()
    page.wait_for_url("**/search")
