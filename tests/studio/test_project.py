"""Projects, policies and folders to begin with; changes that are taken back; a first look at a search."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import PolicyError, Role
from shoal.cli.studio import _named
from shoal.studio import first_look, history, project
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.history import History
from shoal.studio.jobs import Job, Workers
from shoal.studio.steps.open_table import paths
from shoal.studio.steps.open_table.first_guess import first_guess
from shoal.studio.steps.open_table.policy_import import continued
from shoal.studio.steps.release.state import ReleaseState
from shoal.studio.steps.review import measures
from shoal.studio.workspace import Opened, Workspace
from tests.agreement.thoroughness import examples
from tests.patience import until
from tests.studio.conftest import Studio, comes, step, tab_of
from tests.studio.test_review import opened, table


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A table of 120 people that is open, in a studio with one folder."""
    for name in ("opened", "private"):
        (tmp_path / name).mkdir()
    made = Workspace(Folders((tmp_path / "opened",), tmp_path / "private"), Workers())
    opened(made, table(tmp_path / "opened"))
    return made


@given(ks=st.lists(st.integers(2, 9), max_size=12), back=st.integers(0, 14))
@settings(max_examples=examples(40), deadline=None)
def test_every_change_can_be_taken_back_and_made_again(ks: list[int], back: int) -> None:
    """As many steps back as were made forth end where it began, and the same number forth where it ended."""
    past, draft = History(), Draft()
    past.begin(draft)
    seen = [copy.deepcopy(draft.stated)]
    for k in ks:
        draft.say("privacy", "k", k)
        with mock.patch.object(history, "TOGETHER", 0.0):
            past.look(draft)
        if draft.stated != seen[-1]:
            seen.append(copy.deepcopy(draft.stated))
    steps = min(back, len(seen) - 1)
    for _ in range(back):
        draft = past.undo(draft)
    assert draft.stated == seen[len(seen) - 1 - steps]
    assert past.can_undo is (steps < len(seen) - 1)
    for _ in range(back):
        draft = past.redo(draft)
    assert draft.stated == seen[-1]
    assert not past.can_redo


def test_a_slider_on_its_way_is_one_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes in quick succession are taken back together."""
    monkeypatch.setattr(history, "TOGETHER", 1000.0)
    past, draft = History(), Draft()
    past.begin(draft)
    for k in range(11, 40):
        draft.say("privacy", "k", k)
        past.look(draft)
    assert past.undo(draft).stated["privacy"]["k"] == 10
    assert not past.can_undo


def test_another_table_begins_another_history(workspace: Workspace) -> None:
    """What was changed for one table is not brought back for the next."""
    workspace.draft.say("privacy", "k", 9)
    workspace.touch()
    assert workspace.history.can_undo
    opened(workspace, table(workspace.folders.opened[0]))
    workspace.history.begin(workspace.draft)
    assert not workspace.history.can_undo


def test_a_project_comes_back_as_it_was_saved(workspace: Workspace, tmp_path: Path) -> None:
    """The policy, its hierarchies and the form; no row, no release; the command line takes it, too."""
    workspace.state(ReleaseState).signer = "R. Rivera"
    workspace.state(ReleaseState).with_pdf = True
    folder = project.save(workspace, "stays-project")
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"policy.toml", "project.json"} < kept
    assert not any("P-1" in (folder / name).read_text() for name in kept)
    policy = project.policy_of(folder)
    assert policy is not None
    assert Path(str(shoal.read_policy(policy).source)).resolve() == tmp_path / "opened" / "stays.csv"
    again = continued("policy.toml", policy.read_bytes(), workspace.folders, folder)
    assert again.source == tmp_path / "opened" / "stays.csv"
    assert again.draft.stated["privacy"] == workspace.draft.stated["privacy"]
    assert [*again.draft.used_files().values()] == [*workspace.draft.used_files().values()]
    workspace._states.clear()
    project.restore(workspace, folder)
    assert workspace.state(ReleaseState).signer == "R. Rivera"
    assert workspace.state(ReleaseState).with_pdf is True
    workspace.state(ReleaseState).signer = "Another"
    assert project.save(workspace, "stays-project") == folder  # replaced, not refused


def test_a_project_replaces_nothing_else(workspace: Workspace, tmp_path: Path) -> None:
    """Neither a folder that is no project, nor the opened one, nor one outside."""
    (tmp_path / "opened" / "mine").mkdir()
    for name, words in (
        ("mine", "is no project"),
        (".", "a folder of its own"),
        ("none/inner", "does not exist"),
        (str(tmp_path / "elsewhere"), "none of the folders"),
    ):
        with pytest.raises(PolicyError, match=words):
            project.save(workspace, name)
    assert not list((tmp_path / "opened" / "mine").iterdir())
    (tmp_path / "opened" / "broken").mkdir()
    (tmp_path / "opened" / "broken" / "project.json").write_text(json.dumps({"release": {"signer": 7}}))
    project.restore(workspace, tmp_path / "opened" / "broken")
    assert workspace.state(ReleaseState).signer == ""


def test_a_policy_or_a_project_opens_its_folder_and_that_of_its_table(
    workspace: Workspace, tmp_path: Path
) -> None:
    """`shoal studio POLICY`; folders stay folders."""
    folder = project.save(workspace, "stays-project")
    both = (folder, tmp_path / "opened")
    assert _named([folder / "policy.toml"]) == (both, folder / "policy.toml")
    assert _named([folder]) == (both, folder / "policy.toml")
    assert _named([tmp_path / "opened"]) == ((tmp_path / "opened",), None)
    (folder / "policy.toml").write_text("[privacy]\nk = 0\n")
    with pytest.raises(PolicyError):
        _named([folder / "policy.toml"])


def test_a_folder_says_what_it_can_be_opened_as(workspace: Workspace, tmp_path: Path) -> None:
    """Several Parquet files, or a partitioned folder, are one table; a project is one."""
    top = tmp_path / "opened"
    for name in ("parts", "years/year=2024", "single"):
        (top / name).mkdir(parents=True)
    for name in ("parts/a.parquet", "parts/b.parquet", "single/a.parquet"):
        (top / name).write_bytes(b"PAR1")
    project.save(workspace, "stays-project")
    found = {
        name: paths.listed(workspace.folders, top / name).opens_as
        for name in ("parts", "years", "single", "stays-project", ".")
    }
    assert found == {
        "parts": "parquet",
        "years": "parquet",
        "single": "",
        "stays-project": "project",
        ".": "",
    }


def test_the_first_rows_give_a_guess(workspace: Workspace, tmp_path: Path) -> None:
    """Rows and likely roles are there before the whole table is read, and nothing of them stays."""
    source = workspace.needed_table().as_read
    seen, guess = first_guess(source, tmp_path / "private", 20)
    assert len(seen.rows) == 20
    assert guess is not None
    assert "age" in guess.with_role(Role.QUASI_IDENTIFIER)
    assert not list((tmp_path / "private").glob("first-*"))


def begun(workspace: Workspace) -> Any:
    """A search that is at work, as far as anybody can see."""
    folder, place = workspace.new_folder()
    workspace.draft.write(folder, workspace.needed_table().stated())
    return workspace.add("Search 1", workspace.draft.copy(), place, Job("Search 1"))


def test_a_first_look_is_a_release_and_leaves_nothing(workspace: Workspace) -> None:
    """It has the columns and the first rows of a complete release, and removes it."""
    run = begun(workspace)
    seen = first_look.looked(str(run.policy_path), str(run.folder / "look.csv"))
    assert next(column.name for column in seen.columns) == "age"
    assert seen.rows is not None
    assert len(seen.rows.before) == first_look.SHOWN
    assert [path.name for path in run.folder.glob("look*")] == []


def test_only_a_search_that_takes_long_is_looked_at(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one that may take few seconds, or a number of nodes; it ends with its search."""
    monkeypatch.setattr(first_look, "AFTER", 0.0)
    looks: list[Job] = []

    def start(title: str, *_: Any, **__: Any) -> Job:
        looks.append(Job(title))
        looks[-1]._stop = lambda: looks[-1].end("stopped")
        return looks[-1]

    monkeypatch.setattr(workspace.workers, "start", start)
    for key, value in (("seconds", 2), ("nodes", 100)):
        short = begun(workspace)
        short.draft.stated["search"] = {key: value}
        first_look.begin(workspace, short)
    run = begun(workspace)
    first_look.begin(workspace, run)
    until(lambda: looks)
    assert workspace.jobs[first_look.job_name(run)] is looks[0]
    run.job.end("done")
    until(lambda: looks[0].state == "stopped")
    assert len(looks) == 1


def test_a_part_of_the_review_can_be_cancelled_and_asked_for_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is at work or waits for its turn."""
    started: list[Job] = []

    def start(title: str, *_: Any, **__: Any) -> Job:
        job = Job(title)
        job._stop = lambda: job.end("stopped")
        started.append(job)
        return job

    monkeypatch.setattr(workspace.workers, "start", start)
    run = begun(workspace)
    for part in ("audit", "risk", "utility"):
        measures.request(workspace, run, part)  # type: ignore[arg-type]
    until(lambda: len(started) == measures.AT_ONCE)
    measures.cancel(workspace, run, "utility")  # it waits
    assert workspace.jobs[measures.job_name(run, "utility")].state == "stopped"
    measures.cancel(workspace, run, "audit")
    assert started[0].state == "stopped"
    measures.request(workspace, run, "utility", again=True)
    until(lambda: len(started) == 3)
    assert workspace.jobs[measures.job_name(run, "utility")] is started[2]


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    """From the folder to a release of all of its rows."""
    duckdb = pytest.importorskip("duckdb")
    for name in ("opened/parts", "private"):
        (tmp_path / name).mkdir(parents=True)
    csv = table(tmp_path)
    for at in (0, 1):
        rows = f"SELECT * FROM read_csv('{csv}') LIMIT 60 OFFSET {60 * at}"
        duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/opened/parts/{at}.parquet'")
    made = Workspace(Folders((tmp_path / "opened",), tmp_path / "private"), Workers())
    folder = tmp_path / "opened" / "parts"
    made.open(Opened(source=folder, name="parts", inspected=shoal.inspect(folder)))
    assert made.needed_table().inspected.rows == 120
    made.draft.say("privacy", "k", 3)
    run = begun(made)
    release = shoal.anonymize(policy=run.policy_path, path=run.release_path)
    assert release.manifest.rows == 120
    assert run.release_path.suffix == ".parquet"


def test_a_studio_begins_with_a_policy(browser: Any, workspace: Workspace, tmp_path: Path) -> None:
    """`shoal studio POLICY` shows its table, with its demands, and what the project remembered."""
    workspace.state(ReleaseState).signer = "R. Rivera"
    folder = project.save(workspace, "stays-project")
    (tmp_path / "temporary").mkdir()
    studio = Studio(folder / "policy.toml", tmp_path / "temporary")
    try:
        with tab_of(browser, studio) as tab:
            comes(tab.page, tab.page.get_by_text("Opened with the policy policy.toml"))
            step(tab.page, "Say what must hold")
            tab.page.get_by_label("The policy so far").get_by_text("at least 5 rows").wait_for()
    finally:
        studio.end()
