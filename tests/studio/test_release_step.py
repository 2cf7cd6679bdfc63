"""Release: all is written or nothing, only where it may be, and what is handed out runs anywhere."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

import shoal
from shoal import AuditError, EngineError, PolicyError, Role, TableSource
from shoal.studio import file_transaction, publish
from shoal.studio.anonymity_words import judged
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job, Workers
from shoal.studio.policy_export import (
    commands,
    policy_files,
    rerun_of,
    same_by_command_line,
    stated_source,
    zipped,
)
from shoal.studio.reproducibility import reproducible, unmet_conditions
from shoal.studio.spreadsheet import harmless, harmless_copy
from shoal.studio.steps.release import add_downloads
from shoal.studio.steps.release.downloads import STRICT
from shoal.studio.steps.release.folder_browser import subfolders
from shoal.studio.steps.release.state import WRITING, ReleaseState, order_of, state_of, take_ledger
from shoal.studio.workspace import Opened, Run, Workspace
from shoal.studio.write_order import Order, check_places, file_name
from tests.studio.conftest import awaited

EVIL = "=cmd|' /C calc'!A0"
STAYS = "name;age;zip;bill;note\n" + "".join(
    f"P{at};{20 + at % 7};{'02139' if at % 2 else '99950'};{-5 - at};{EVIL if at % 3 else '@home; =1'}\n"
    for at in range(60)
).replace("@home; =1", '"@home;=1"')


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A small table of an opened folder, searched to the end, with a hierarchy of its own."""
    for name in ("opened/inner", "private", "secret"):
        (tmp_path / name).mkdir(parents=True)
    source = tmp_path / "opened" / "stays.csv"
    source.write_text(STAYS)
    space = Workspace(Folders((tmp_path / "opened",), tmp_path / "private"), Workers())
    space.open(Opened(source=source, name="stays.csv", inspected=shoal.inspect(source)))
    for column, role in {"name": Role.IDENTIFIER, "bill": Role.OTHER, "note": Role.OTHER}.items():
        space.draft.set_role(column, role)
    for column in ("age", "zip"):
        space.draft.set_role(column, Role.QUASI_IDENTIFIER)
    space.draft.set_hierarchy_file("zip", "02139;*\n99950;*\n")
    space.draft.say("privacy", "k", 3)
    ran(space)
    return space


def ran(space: Workspace) -> Run:
    """A search that is over."""
    folder, place = space.new_folder()
    policy = space.draft.write(folder, space.needed_table().stated())
    job = Job("Search")
    job.end("done", result=shoal.anonymize(policy=policy, path=place))
    return space.add("Search", space.draft.copy(), place, job)


@pytest.fixture
def run(workspace: Workspace) -> Run:
    """The search."""
    return workspace.runs[0]


def asked(workspace: Workspace, run: Run, **form: Any) -> Order:
    """What the form asks for, without a report unless told."""
    state = workspace.state(ReleaseState)
    for name, value in {"with_report": False, **form}.items():
        setattr(state, name, value)
    return order_of(workspace, run)


def there(folder: Path) -> set[str]:
    """All files of a folder, hidden ones too."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written_is_what_was_reviewed(workspace: Workspace, run: Run) -> None:
    """Release, manifest, policy, hierarchy and a signed report; the verdict is on what lies there."""
    folder = workspace.folders.opened[0] / "inner"
    order = asked(workspace, run, folder="inner", with_report=True, signer="R. <b>Rivera", purpose="Flu")
    done = publish.write(order)
    assert there(folder) == {
        "stays-k3.csv",
        "stays-k3.csv.manifest.json",
        "stays-k3.csv.report.html",
        "stays-k3.policy.toml",
        "stays-k3.hierarchies/zip.csv",
    }
    assert (folder / "stays-k3.csv").read_bytes() == run.release_path.read_bytes()
    assert (done.same, done.meets) == (True, True)
    assert done.words == "The release holds what was demanded: every row hides among at least 3."
    page = (folder / "stays-k3.csv.report.html").read_text(encoding="utf-8")
    assert "R. &lt;b&gt;Rivera" in page
    assert "Release stays-k3.csv" in page
    manifest = json.loads((folder / "stays-k3.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["release_digest"] == done.digest
    policy = (folder / "stays-k3.policy.toml").read_text(encoding="utf-8")
    assert 'path = "../stays.csv"' in policy
    assert str(workspace.folders.private) not in policy
    assert shoal.read_policy(folder / "stays-k3.policy.toml").digest == manifest["policy_digest"]


def test_persons_whose_column_is_dropped_are_counted_where_it_was_written(workspace: Workspace) -> None:
    """The audit at the destination pairs the rows with the original; without it nothing is said to hold."""
    workspace.draft.say("privacy", "entity", "name")
    run = ran(workspace)
    done = publish.write(asked(workspace, run))
    assert (done.meets, done.same) == (True, True)
    assert "persons" in done.words
    found = shoal.audit(done.files[0], policy=run.policy_path)
    alone = replace(found.verdict.models[0], unmeasured="the original is gone", holds=False)
    unknown = replace(found, verdict=replace(found.verdict, models=(alone,)))
    told = judged(unknown, shoal.read_policy(run.policy_path))
    assert told.holds is None
    assert "This was measured only when it was made:" in told.line


def test_attacks_with_a_limit_judge_what_was_written(workspace: Workspace) -> None:
    """The last word of the studio is that of the report: no green where an attack gets too far."""
    workspace.draft.say("attacks", "linkage", 0.0)
    run = ran(workspace)
    done = publish.write(asked(workspace, run))
    told = shoal.report(done.files[0], policy=run.policy_path, original=done.order.original).facts["verdict"]
    assert (done.meets, done.words) == (told["holds"], told["line"]) == (False, done.words)


def test_attacks_that_fail_are_not_green(
    workspace: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release is there, and the verdict says that a demand was not measured."""

    def failing(*_: object, **__: object) -> None:
        raise EngineError("no memory")

    order = asked(workspace, run)
    limited = replace(shoal.read_policy(order.policy), attacks={"linkage": 0.5})
    monkeypatch.setattr(publish, "_limits", lambda _: limited)
    monkeypatch.setattr(shoal, "attack", failing)
    done = publish.write(order)
    assert (done.meets, done.files[0].exists()) == (False, True)


def test_a_crash_in_the_middle_leaves_what_was_there(
    workspace: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever rename fails, or the audit after it, the folder is as it was, without hidden files."""
    folder = workspace.folders.opened[0]
    (folder / "stays-k3.csv").write_text("an older release\n")
    (folder / "stays-k3.csv.manifest.json").write_text("{}")
    before = {name: (folder / name).read_bytes() for name in there(folder)}
    order = asked(workspace, run)
    assert len(order.targets) == 4
    renamed, really = [0, 0], Path.replace

    def failing(path: Path, target: Path) -> Path:
        if file_transaction.MARK in path.name and "-new-" in path.name:
            renamed[0] += 1
            if renamed[0] == renamed[1]:
                raise OSError(28, "No space left on device")
        return really(path, target)

    def refusing(*_: object) -> None:
        raise errors[0]

    errors: list[BaseException] = [KeyboardInterrupt(), AuditError("no")]
    monkeypatch.setattr(Path, "replace", failing)
    monkeypatch.setattr(publish, "_check", refusing)
    for at in (1, 2, 3, 4, 0, 0):  # 0 is never: all have their names, and the audit ends it
        renamed[:] = [0, at]
        with pytest.raises((EngineError, AuditError, KeyboardInterrupt)):
            publish.write(order)
        assert {name: (folder / name).read_bytes() for name in there(folder)} == before
        assert not (folder / "stays-k3.hierarchies").exists()
        errors.reverse()


def test_other_bytes_at_the_destination_are_taken_back(workspace: Workspace, run: Run) -> None:
    """A file that does not have the digest of what was reviewed is not kept."""
    order = replace(asked(workspace, run), digest="0" * 64)
    with pytest.raises(AuditError, match="digest differs"):
        publish.write(order)
    assert there(workspace.folders.opened[0]) == {"stays.csv"}


def test_only_opened_folders_are_written_to(workspace: Workspace, run: Run, tmp_path: Path) -> None:
    """Neither a path nor a link leads out; the table itself is never replaced; replacing is told of."""
    opened = workspace.folders.opened[0]
    for folder in ("../secret", str(tmp_path / "secret"), str(workspace.folders.private), "no such"):
        with pytest.raises(PolicyError):
            asked(workspace, run, folder=folder)
    (opened / "away").symlink_to(tmp_path / "secret")
    with pytest.raises(PolicyError, match="none of the folders"):
        asked(workspace, run, folder="away")
    assert [path.name for path in subfolders(workspace.folders, opened)] == ["inner"]
    order = asked(workspace, run, folder="")
    assert check_places(order, workspace.folders) == []
    (opened / "stays-k3.csv").symlink_to(tmp_path / "secret" / "x.csv")
    with pytest.raises(PolicyError, match="none of the folders"):
        check_places(order, workspace.folders)
    (opened / "stays-k3.csv").unlink()
    (opened / "stays-k3.csv").symlink_to(opened / "stays.csv")
    with pytest.raises(PolicyError, match="is a link"):
        check_places(order, workspace.folders)
    (opened / "stays-k3.csv").unlink()
    (opened / "stays-k3.csv").write_text("older")
    assert check_places(order, workspace.folders) == [opened / "stays-k3.csv"]
    workspace.state(ReleaseState).names[run.number] = "stays.csv"
    with pytest.raises(PolicyError, match="the table itself"):
        check_places(order_of(workspace, run), workspace.folders)


@pytest.mark.parametrize(
    "name",
    ["", "../x.csv", "a/b.csv", ".x.csv", "-o.csv", "x.parquet", "x\n.csv", "x" * 200 + ".csv", "a\\b.csv"],
)
def test_a_name_is_a_plain_file_name(name: str) -> None:
    """Nothing that is another path, an option or another kind of file."""
    with pytest.raises(PolicyError):
        file_name(name, ".csv")
    assert file_name(" März 2026.csv ", ".csv") == "März 2026.csv"


def test_a_ledger_knows_the_release_and_stops_a_second_one(workspace: Workspace, run: Run) -> None:
    """The file is the one that was reviewed; a release that breaks k together with it is not written."""
    opened = workspace.folders.opened[0]
    done = publish.write(asked(workspace, run, ledger="releases.jsonl"))
    assert done.same
    assert 'ledger = "releases.jsonl"' in (opened / "stays-k3.policy.toml").read_text()
    manifest = json.loads((opened / "stays-k3.csv.manifest.json").read_text(encoding="utf-8"))
    assert shoal.read_policy(opened / "stays-k3.policy.toml").digest == manifest["policy_digest"]
    words = publish.ledger_words(opened / "releases.jsonl", manifest["source_digest"])
    assert "1 release(s), 1 of them of this same table" in words
    workspace.draft.attributes["age"]["bin"] = 2
    workspace.draft.say("privacy", "k", 4)
    before = there(opened)
    other = asked(workspace, ran(workspace), strict=True)
    with pytest.raises(AuditError, match="together"):
        publish.write(other)
    assert there(opened) == before


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1", "a;'=1"),
        ("-5", "-5"),
        ("-5.25", "-5.25"),
        ("-1e-3", "-1e-3"),
        ("[-5, -1]", "[-5, -1]"),
        ("*", "*"),
        ("plain = text", "plain = text"),
        ("", ""),
    ],
)
def test_no_cell_of_the_copy_is_a_formula(cell: str, shown: str) -> None:
    """OWASP's signs get an apostrophe; negative numbers and all other cells stay."""
    assert harmless(cell) == shown


def test_a_copy_for_spreadsheets_is_streamed(workspace: Workspace, run: Run, tmp_path: Path) -> None:
    """By pieces, with the separator of the release, and every other cell as it was."""
    assert run.release is not None
    text = b"".join(harmless_copy(run.release_path, run.release.verdict.columns)).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))
    first = list(csv.reader(io.StringIO(run.release_path.read_text(), newline=""), delimiter=";"))
    assert [row[:3] for row in rows] == [row[:3] for row in first]
    assert {row[-1] for row in rows[1:]} == {"'" + EVIL, "'@home;'=1"}
    large = tmp_path / "large.csv"
    large.write_text("a,b\n" + "=x,y\n" * 100_000)
    pieces = harmless_copy(large, ["a", "b"])
    assert len(next(pieces)) < 1 << 18
    assert sum(map(len, pieces)) > 5 * 100_000
    with pytest.raises(EngineError):
        harmless_copy(Path("release.parquet"), ["a"])


def test_a_policy_is_handed_out_without_secrets(workspace: Workspace, run: Run) -> None:
    """An upload is named as its owner knows it; a password stays; the .zip is the same twice."""
    table = workspace.needed_table()
    uploaded = replace(table, source=workspace.folders.private / "upload-1.csv", uploaded=True)
    files = policy_files(run.draft, stated_source(uploaded, workspace.folders), "r.csv")
    assert 'path = "stays.csv"' in files["policy.toml"]
    assert str(workspace.folders.private) not in "".join(files.values())
    url = "postgres://ann:s3cr:et@db:5432/stays?sslmode=require&password=hid"
    database = replace(table, source=TableSource(connection=url, table="t"))
    stated = stated_source(database, workspace.folders)
    assert stated == {"connection": "postgres://ann@db:5432/stays?sslmode=require", "table": "t"}
    assert zipped(files, "p") == zipped(dict(reversed(files.items())), "p")
    with zipfile.ZipFile(io.BytesIO(zipped(files, "p"))) as made:
        assert made.namelist() == ["p/hierarchies/zip.csv", "p/policy.toml"]


@pytest.mark.parametrize("uploaded", [False, True])
def test_the_command_line_gives_the_same_bytes(workspace: Workspace, run: Run, uploaded: bool) -> None:
    """The policy as it is handed out, in a folder of its own; for an upload with the table beside it."""
    assert reproducible(run)[0]
    table = workspace.needed_table()
    if uploaded:
        moved = workspace.folders.private / "upload-1.csv"
        moved.write_text(STAYS)
        table = replace(table, source=moved, uploaded=True)
    again = rerun_of(run, table, workspace.folders, run.folder / "check", "our release.csv")
    assert same_by_command_line(again) == (
        True,
        f"The same to the byte: {run.release_path.stat().st_size:,} bytes, made by the command line.",
    )
    other = replace(again, folder=run.folder / "other", expected=run.policy_path)
    assert not same_by_command_line(other)[0]
    broken = replace(again, folder=run.folder / "broken", command="shoal anonymize {policy} -k 2")
    with pytest.raises(EngineError, match="exit code 2"):
        same_by_command_line(broken)
    assert commands(run, "our release.csv")[0] == "shoal anonymize policy.toml -o 'our release.csv'"


def test_downloads_take_only_numbers_and_say_what_they_are(workspace: Workspace, run: Run) -> None:
    """Attachments that no browser keeps; what is not there is a sentence; a report is shown boxed."""
    served = FastAPI()
    add_downloads(served, workspace)
    workspace.state(ReleaseState).names[run.number] = 'Flu "März".csv'

    def fetched(path: str) -> httpx.Response:
        async def fetch() -> httpx.Response:
            transport = httpx.ASGITransport(app=served)
            async with httpx.AsyncClient(transport=transport, base_url="http://studio") as client:
                return await client.get(path)

        return awaited(fetch())

    def got(what: str) -> httpx.Response:
        return fetched(f"/download/{run.number}/{what}")

    release = got("release")
    assert release.content == run.release_path.read_bytes()
    assert release.headers["content-type"] == "text/csv; charset=utf-8"
    assert release.headers["cache-control"] == "no-store"
    assert release.headers["x-content-type-options"] == "nosniff"
    assert release.headers["content-disposition"] == f'attachment; filename="release-{run.number}.csv"'
    workspace.state(ReleaseState).names[run.number] = "März.csv"
    assert got("release").headers["content-disposition"] == "attachment; filename*=utf-8''M%C3%A4rz.csv"
    assert got("spreadsheet").headers["content-disposition"].endswith("M%C3%A4rz-for-spreadsheets.csv")
    assert got("manifest").json()["k"] == 3
    assert got("policy").headers["content-disposition"].endswith("-policy.zip")
    for address in ("report", "report.html", "..%2f..%2fpolicy.toml"):
        assert got(address).status_code == 404
    assert fetched("/download/99/release").status_code == 404
    assert fetched("/download/x/release").status_code == 422
    page = workspace.folders.private / "page.html"
    page.write_text("<p>report")
    workspace.state(ReleaseState).reports[run.number] = {"html": page}
    assert got("report").headers["content-security-policy"] == STRICT
    assert "attachment" in got("report.html").headers["content-disposition"]
    run.draft.attributes["zip"].pop("hierarchy")
    assert got("policy").headers["content-type"] == "application/toml"


def test_a_failed_writing_is_told_once_and_forgotten(workspace: Workspace, run: Run) -> None:
    """What a job answered is taken over when any page looks; an error is a sentence."""
    state = workspace.state(ReleaseState)
    for result, error in ((None, "the disk is full"), (publish.write(asked(workspace, run)), None)):
        state.order = asked(workspace, run)
        workspace.jobs[WRITING] = Job("Writing")
        assert state_of(workspace).order is not None
        workspace.jobs[WRITING].end("done" if error is None else "failed", result=result, error=error)
        assert state_of(workspace).order is None
        assert state.errors.pop(WRITING, None) == error
    assert state.written[run.number].same


def test_a_try_is_written_into_no_ledger_and_the_form_offers_the_policys(workspace: Workspace) -> None:
    """Only what is released counts as published; the ledger that a policy names is not lost on the way."""
    ledger = workspace.folders.opened[0] / "releases.jsonl"
    workspace.draft.say("release", "ledger", str(ledger))
    workspace.draft.say("release", "suppressed", "mask")
    run = ran(workspace)
    assert not ledger.exists()
    assert shoal.read_policy(run.policy_path).suppressed == "mask"
    state = workspace.state(ReleaseState)
    take_ledger(state, run.draft)
    assert state.ledger == str(ledger)
    state.ledger = ""
    take_ledger(state, run.draft)
    assert state.ledger == ""


def test_a_changed_table_is_told_of_wherever_a_verdict_stands(workspace: Workspace, run: Run) -> None:
    """Also what a point of a front was not held to; a table that is as it was is not spoken of."""
    table = workspace.needed_table()
    assert (table.has_changed, unmet_conditions(workspace, run)) == (False, [])
    assert isinstance(table.source, Path)
    table.source.write_text(STAYS + "Zoe;33;02139;9;x\n")
    assert table.has_changed
    assert "the table on disk has changed since this run" in unmet_conditions(workspace, run)[0]
    run.facts["not judged"] = ["t-closeness"]
    assert "t-closeness" in unmet_conditions(workspace, run)[0]
    table.source.unlink()
    assert table.has_changed


def test_a_policy_that_was_changed_after_its_run_is_told_of(workspace: Workspace, run: Run) -> None:
    """How it is searched is no change of what must hold."""
    workspace.draft.say("search", "seconds", 5)
    assert unmet_conditions(workspace, run) == []
    workspace.draft.say("privacy", "k", 20)
    assert "no longer the one of this run" in unmet_conditions(workspace, run)[0]
    workspace.draft.say("privacy", "k", 3)
    assert unmet_conditions(workspace, run) == []


def test_a_database_can_get_the_release_as_a_table(workspace: Workspace, tmp_path: Path) -> None:
    """It is audited there, and reported on; a name that is none is refused."""
    duckdb = pytest.importorskip("duckdb")
    url = f"duckdb:///{tmp_path / 'opened' / 'stays.db'}"
    with contextlib.closing(duckdb.connect(url.removeprefix("duckdb:///"))) as made:
        made.execute(
            f"CREATE TABLE stays AS FROM read_csv('{tmp_path / 'opened' / 'stays.csv'}', delim = ';')"
        )
    source = TableSource(connection=url, table="stays")
    table = Opened(source=source, name="stays", inspected=shoal.inspect(url, table="stays"))
    draft = Draft(workspace.draft.stated, {})
    draft.attributes["zip"].pop("hierarchy")
    workspace.open(table)
    workspace.draft = draft
    run = ran(workspace)
    done = publish.write_table(
        asked(workspace, run, into_table=True, table_name="released", with_report=True)
    )
    assert (done.meets, done.same, done.files) == (True, True, ())
    assert done.reports["html"].is_file()
    with contextlib.closing(duckdb.connect(url.removeprefix("duckdb:///"))) as changed:
        changed.execute("INSERT INTO stays FROM stays LIMIT 1")
    assert not publish.write_table(asked(workspace, run, into_table=True, table_name="released2")).same
    with pytest.raises(PolicyError):
        asked(workspace, run, into_table=True, table_name="a'; DROP TABLE stays")
