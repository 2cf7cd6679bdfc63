"""Review: what is measured of a release, once, and how it is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import shoal
from shoal import SideBySide
from shoal.studio.anonymity_words import judged
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job
from shoal.studio.steps import review
from shoal.studio.steps.review import cells, columns, measures, verdict, words
from shoal.studio.workspace import Opened, Workspace
from tests.patience import PATIENCE, until
from tests.studio.conftest import Studio, Tab, tab_of

HOSTILE = "<img src=x onerror=alert(1)>"


def table(folder: Path) -> Path:
    """People between twenty and fifty, two who are much older, and what nobody else may see."""
    path = folder / "stays.csv"
    lines = [f"name,age,{HOSTILE},ward,note"]
    for at in range(120):
        age = 95 if at in (3, 70) else 20 + at % 30
        lines.append(f"P-{at},{age},{'fm'[at % 2]},{'abc'[at % 3]},private-{at}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def opened(workspace: Workspace, path: Path) -> None:
    """Open the table, and say what the columns are."""
    workspace.open(Opened(source=path, name=path.name, inspected=shoal.inspect(path)))
    roles = {
        "name": shoal.Role.IDENTIFIER,
        "age": shoal.Role.QUASI_IDENTIFIER,
        HOSTILE: shoal.Role.QUASI_IDENTIFIER,
        "ward": shoal.Role.SENSITIVE,
        "note": shoal.Role.OTHER,
    }
    for column, role in roles.items():
        workspace.draft.set_role(column, role)
    ages = [*range(20, 50), 95]
    workspace.draft.set_hierarchy_file("age", "".join(f"{age};{age // 10}0s;*\n" for age in ages))
    workspace.draft.set_hierarchy_file(HOSTILE, "f;*\nm;*\n")
    workspace.draft.say("privacy", "k", 5)
    workspace.draft.say("objective", "cost", "discernibility")
    workspace.draft.say("objective", "suppression", "5%")
    workspace.draft.say("search", "algorithm", "lattice")


def filled(workspace: Workspace) -> Callable[[], None]:
    """A table with a release, and attackers that are asleep; what other steps look like does not matter."""
    opened(workspace, table(workspace.folders.opened[0]))
    assert workspace.search("First").job.wait(PATIENCE)
    attack, shoal.attack = shoal.attack, failing_once
    return lambda: setattr(shoal, "attack", attack)


def failing_once(release: Path, **named: Any) -> shoal.AttackReport:
    """Attacks that cannot be run the first time."""
    tried = release.with_name("tried")
    if not tried.exists():
        tried.touch()
        raise shoal.PolicyError("the attackers are asleep; wake them")
    return shoal.attack(release, **named)


class SlowWorkers:
    """Workers whose jobs end when a test says so."""

    def __init__(self) -> None:
        self.begun: list[tuple[Job, Callable[..., Any]]] = []

    def start(self, title: str, function: Callable[..., Any], *_: Any, **__: Any) -> Job:
        self.begun.append((Job(title), function))
        return self.begun[-1][0]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A table that is open, with a run; nothing ends by itself."""
    (tmp_path / "private").mkdir()
    made = Workspace(Folders((tmp_path,), tmp_path / "private"), SlowWorkers())  # type: ignore[arg-type]
    opened(made, table(tmp_path))
    made.search("First")
    return made


def begun(workspace: Workspace) -> list[Job]:
    """The jobs that were begun beside the search."""
    return [job for job, _ in workspace.workers.begun[1:]]  # type: ignore[attr-defined]


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for a thread."""
    until(holds)


def test_every_part_is_measured_once_and_two_at_a_time(workspace: Workspace) -> None:
    """However many tabs look; when one ends, with an answer or without, the next begins."""
    run = workspace.runs[0]
    for _ in range(3):
        measures.begin(workspace, run)
    assert len(begun(workspace)) == 2
    ended = 0
    while ended < len(measures.AT_FIRST):
        job = begun(workspace)[ended]
        job.end("failed", error="no") if ended % 2 else job.end("done", result=1)
        ended += 1
        expected = min(ended + 2, len(measures.AT_FIRST))
        eventually(lambda wanted=expected: len(begun(workspace)) == wanted)  # type: ignore[misc]
    measures.begin(workspace, run)
    assert len(begun(workspace)) == len(measures.AT_FIRST)
    assert set(workspace.jobs) == {f"{part}-{run.number}" for part in measures.AT_FIRST}


def test_what_failed_is_measured_again_when_asked(workspace: Workspace) -> None:
    """And what did not is not."""
    run = workspace.runs[0]
    measures.request(workspace, run, "risk")
    measures.request(workspace, run, "audit")
    begun(workspace)[0].end("failed", error="no")
    begun(workspace)[1].end("done", result=1)
    eventually(lambda: workspace.state(measures.Measures).at_work == 0)
    measures.request(workspace, run, "risk", again=True)
    measures.request(workspace, run, "audit", again=True)
    assert [job.state for job in begun(workspace)] == ["failed", "done", "running"]


def test_another_table_ends_what_waits(workspace: Workspace) -> None:
    """Nothing is begun for a run that is gone."""
    measures.begin(workspace, workspace.runs[0])
    first = begun(workspace)
    workspace.close_table()
    for job in first:
        job.end("stopped")
    Job("wait").wait(0.2)
    assert begun(workspace) == first


def test_the_newest_release_is_reviewed_unless_one_is_chosen(workspace: Workspace) -> None:
    """A chosen run without a release is not it."""
    assert review.reviewed(workspace) is None
    for _ in range(2):
        workspace.search("More")
    released = object.__new__(shoal.Release)
    for run in workspace.runs[:2]:
        run.job.end("done", result=released)
    assert review.reviewed(workspace) is workspace.runs[1]
    workspace.chosen = workspace.runs[0]
    assert review.reviewed(workspace) is workspace.runs[0]
    workspace.chosen = workspace.runs[2]
    assert review.reviewed(workspace) is workspace.runs[1]


SEEN = SideBySide(
    columns=("name", "a.b", "kept"),
    dropped=("name",),
    added=(),
    start=50,
    before=(("Ann", "1", None), ("Bob", "9", "x" * 5000)),
    after=((None, "[1, 3]", None), None),
    marked=(frozenset({1}), frozenset()),
    certain=(True, False),
    originals=200,
    released=199,
    unpaired=0,
    matched_by="order",
    uncertain=1,
    changed={"a.b": 150, "kept": 0},
)


def test_rows_are_shown_with_a_sign_and_a_class() -> None:
    """Colour is never alone; a row that is gone says so in each cell; long cells are cut."""
    first, second = cells.row_data(SEEN)
    assert first["n"] == 51
    assert first["s"] == "≠ 1 changed"
    assert (first["b1"], first["a1"], first["m1"]) == ("1", "[1, 3]", 1)
    assert (first["a0"], first["b2"]) == ("dropped", "∅")
    assert second["s"] == "✕ not released (?)"
    assert second["a1"] == "not released"
    assert second["gone"]
    assert len(second["b2"]) == cells.MOST_SIGNS + 1


def test_columns_that_changed_stand_twice_and_others_once() -> None:
    """No name of a column is taken for anything but a title."""
    shown = cells.column_definitions(SEEN)
    assert [each["headerName"] for each in shown[2:]] == ["name (dropped)", "a.b", "kept"]
    assert [len(each["children"]) for each in shown[2:]] == [2, 2, 1]
    fields = [child["field"] for each in shown[2:] for child in each["children"]]
    assert all(re.fullmatch(r"[ab]\d+", field) for field in fields)
    changed = cells.column_definitions(SEEN, only_changed=True)
    assert [each["headerName"] for each in changed[2:]] == ["name (dropped)", "a.b"]


def test_the_summary_tells_what_is_not_certain() -> None:
    """Pairs that could be others are a warning, not a footnote."""
    plain, warned = cells.summary(SEEN)
    assert plain[0].startswith("150 cells changed (37.7 % of those released), in 1 of 3 columns; 1 rows")
    assert warned[1] == "warn"


@pytest.mark.parametrize(
    ("metric", "status", "cost", "bound", "told"),
    [
        ("ncp", "optimal", 0.5, 0.5, ("Proved", "no other cuts lose less")),
        ("ncp", "minimal", 0.5, None, ("Minimal", "no column can be released one level finer")),
        ("ncp", "feasible", 0.5, 0.48, ("Best found", "at most 2 points more of the detail could be kept")),
        ("discernibility", "feasible", 1000, 969, ("Best found", "at most 3.1 % could be saved")),
        ("ncp", "feasible", 0.5, None, ("Best found", "how much less could be lost is not known")),
    ],
)
def test_a_proof_is_told_as_what_it_is(
    metric: str, status: str, cost: float, bound: float | None, told: tuple[str, str]
) -> None:
    """Nothing is called proved that is not."""
    gap = None if bound is None else (cost - bound) / cost
    release: Any = SimpleNamespace(
        manifest=SimpleNamespace(
            status=status, cost_metric=metric, cost=cost, bound=bound, gap=gap, kind="cuts", certificate=None
        ),
        result=SimpleNamespace(interrupted=False),
    )
    assert words.proof(release) == told


def test_columns_are_told_in_words_and_sorted_by_loss() -> None:
    """What is no label is told apart."""
    share = [{"label": "a", "share": 0.6}, {"label": "b", "share": 0.3}]
    fact: dict[str, Any] = {
        "name": "x",
        "before": [*share, {"label": "not released", "share": 0.1}],
        "after": [*share, {"label": "not released", "share": 0.0}],
        "value_distance": 0.25,
    }
    said = columns.distribution_words(fact)
    assert said.startswith("2 labels; the most frequent has 60 % of the rows")
    assert "10 % of the rows are not released at all" in said
    assert "25 % of the rows at another value" in said
    other = {**fact, "name": "a", "value_distance": 0.5}
    assert [each["name"] for each in columns.ordered([fact, other], "loss")] == ["a", "x"]
    assert [each["name"] for each in columns.ordered([fact, other], "table")] == ["x", "a"]


def test_persons_are_not_told_where_rows_were_counted(tmp_path: Path) -> None:
    """Two patients with three stays each in a group of six rows: a row hides among 2 persons, not among 6."""
    stays = "".join(f"P{stay % 8},{30 + stay % 8 // 2}\n" for stay in range(24))
    (tmp_path / "stays.csv").write_text("patient,age\n" + stays, encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[source]\npath = "stays.csv"\n[attributes.patient]\nrole = "identifier"\n'
        '[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\nentity = "patient"\n'
    )
    released = shoal.anonymize(policy=policy, path=tmp_path / "release.csv")
    audited = shoal.audit(released.path, policy=policy)
    found = judged(audited, shoal.read_policy(policy))
    said = "The release holds what was demanded: every row hides among rows of at least 2 persons."
    assert (found.holds, found.line) == (True, said)
    assert shoal.report(released.path, policy=policy).facts["verdict"]["line"] == said
    assert verdict.demands(audited)[0][2] == "6"
    assert "persons" in verdict.demands(audited)[1][1]


def test_columns_known_apart_are_not_told_as_if_known_together(tmp_path: Path) -> None:
    """On each of two columns five rows read alike; on both together every row is alone."""
    rows = "".join(f"{row % 5},{'abcde'[row // 5]}\n" for row in range(25))
    (tmp_path / "known.csv").write_text("age,town\n" + rows, encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[source]\npath = "known.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.town]\nrole = "quasi-identifier"\n[privacy]\nk = 5\nsets = [["age"], ["town"]]\n'
        '[search]\nalgorithm = "datafly"\n'
    )
    released = shoal.anonymize(policy=policy, path=tmp_path / "release.csv")
    line = judged(shoal.audit(released.path, policy=policy), shoal.read_policy(policy)).line
    assert "at least 5 on each set of columns that are known apart" in line
    assert line.endswith("All columns together may identify single rows.")


def test_why_is_read_from_the_release_and_not_searched_again(tmp_path: Path) -> None:
    """The policy's file does not say where its release lies; the explanation is of this one."""
    made = Workspace(Folders((tmp_path,), tmp_path), SlowWorkers())  # type: ignore[arg-type]
    opened(made, table(tmp_path))
    policy = made.draft.write(tmp_path / "run", made.needed_table().stated())
    place = tmp_path / "run" / "release.csv"
    released = shoal.anonymize(policy=policy, path=place)
    told = measures.explained(str(policy), str(place))
    assert told.taken_from == "manifest"
    assert told.suppressed == released.manifest.suppressed == 2


@pytest.fixture
def reviewing(browser: Any, one_studio: Studio) -> Iterator[Tab]:
    """A studio with a release, and a page of it."""
    one_studio.anew(filled)
    with tab_of(browser, one_studio) as tab:
        yield tab


@pytest.mark.slow
def test_a_release_is_reviewed_from_verdict_to_reason(reviewing: Tab) -> None:
    """Parts fill in by themselves, and one that fails hurts no other; all tabs show the same rows."""
    page: Any = reviewing.page
    page.get_by_role("link", name="Review").click()
    page.get_by_text("The release holds what was demanded: every row hides among at least 5.").wait_for()
    page.get_by_text("Rows 1 to 50 of 120").wait_for()
    page.get_by_role("gridcell", name="✕ not released").wait_for()
    assert page.locator(".ag-cell.changed").count() > 10
    page.get_by_label("Row", exact=True).fill("75")
    page.get_by_role("button", name="Go to row").click()
    page.get_by_text("Rows 51 to 100 of 120").wait_for()
    page.get_by_role("checkbox", name="Only columns that changed").click()
    page.get_by_role("columnheader", name="note").wait_for(state="detached")
    page.get_by_role("table", name="Risks before and after").wait_for()
    page.get_by_text("Counting rows").wait_for()
    page.get_by_text("the attackers are asleep; wake them").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("Find a person's row").wait_for()
    page.get_by_role("button", name="Why not finer? age").click()
    page.get_by_role("columnheader", name="Finer step").wait_for()

    page.reload()
    page.get_by_text("Rows 51 to 100 of 120").wait_for()
    page.get_by_role("columnheader", name="Finer step").wait_for()
    other: Any = reviewing.another()
    other.get_by_role("link", name="Review").click()
    other.get_by_text("Rows 51 to 100 of 120").wait_for()
    other.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text("Rows 101 to 120 of 120").wait_for()
    outside = page.evaluate(
        "() => { const it = document.body.cloneNode(true);"
        "it.querySelectorAll('.pairs, script').forEach(each => each.remove()); return it.textContent; }"
    )
    assert "private-" not in outside
    assert "P-1" not in outside
