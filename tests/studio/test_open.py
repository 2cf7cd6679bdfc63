"""Open: what may be reached, what is told, and that the last table stays until another one is there."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import Inspected, PolicyError, Role, ShoalError
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job, Workers
from shoal.studio.steps.open_table import database, opening, paths
from shoal.studio.steps.open_table.pending import Opening, Pending
from shoal.studio.steps.open_table.policy_import import continued
from shoal.studio.steps.open_table.table_panel import uniqueness_words
from shoal.studio.workspace import Opened, Run, Workspace
from tests.patience import PATIENCE
from tests.studio.conftest import Tab

HOSTILE = "<img src=x onerror=alert(1)>"
STAYS = f"patient,birth_date,sex,zip,diagnosis,{HOSTILE}\n" + "".join(
    f"{row},19{40 + row % 50}-03-0{1 + row % 9},{'mf'[row % 2]},{'' if row % 5 == 0 else 10000 + row % 13},"
    f"{('I21', 'J45', 'C50')[row % 3]},{{{{7*7}}}}\n"
    for row in range(250)
)
POLICY = """
[source]
path = "stays.csv"
[attributes.zip]
role = "quasi-identifier"
hierarchy = "zip.csv"
[attributes.diagnosis]
role = "sensitive"
[privacy]
k = 7
[release]
path = "../elsewhere.csv"
suppressed = "mask"
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """One opened folder with a table, a secret beside it, and a private folder."""
    for name in ("opened/inner", "private", "secret"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "secret" / "salaries.csv").write_text("a\n1\n")
    (tmp_path / "opened" / "stays.csv").write_text(STAYS)
    return Folders((tmp_path / "opened",), tmp_path / "private")


@pytest.fixture
def workspace(folders: Folders) -> Workspace:
    """A workspace with nothing open."""
    return Workspace(folders, Workers())


def test_a_listing_shows_nothing_that_leads_out(folders: Folders, tmp_path: Path) -> None:
    """Links to the outside, hidden files and files of other kinds are not there; links inside are."""
    opened = tmp_path / "opened"
    (opened / "out.csv").symlink_to(tmp_path / "secret" / "salaries.csv")
    (opened / "away").symlink_to(tmp_path / "secret")
    (opened / "loop.csv").symlink_to(opened / "loop.csv")
    (opened / "again.csv").symlink_to(opened / "stays.csv")
    os.mkfifo(opened / "pipe.csv")
    for name in (".hidden.csv", "notes.docx", "r.csv.manifest.json", "base.duckdb", "policy.toml"):
        (opened / name).write_text("")
    found = paths.listed(folders, opened)
    shown = [(entry.path.name, entry.kind) for entry in found.entries]
    assert shown == [
        ("inner", "folder"),
        ("again.csv", "table"),
        ("base.duckdb", "database"),
        ("policy.toml", "policy"),
        ("stays.csv", "table"),
    ]


@pytest.mark.parametrize(
    "stated",
    [
        "../secret/salaries.csv",
        "../secret/none.csv",
        "/etc/passwd",
        "inner/../../secret",
        "../private",
        "~nobody-here/x.csv",
        "",
        "a\0.csv",
        "\ud800.csv",
        "x" * 5_000,
    ],
)
def test_a_path_outside_is_refused_whether_it_is_there_or_not(folders: Folders, stated: str) -> None:
    """A refusal is a sentence, and tells nothing of what lies outside."""
    with pytest.raises(ShoalError) as refused:
        paths.found_file(folders, stated)
    assert len(str(refused.value)) < 300
    assert "salaries" not in str(refused.value)


def test_the_studios_own_folder_is_not_listed_even_inside_an_opened_one(tmp_path: Path) -> None:
    """Whoever opens /tmp does not see uploads and runs there."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "upload.csv").write_text("a\n1\n")
    folders = Folders((tmp_path,), tmp_path / "private")
    assert paths.listed(folders, tmp_path).entries == ()
    with pytest.raises(PolicyError):
        paths.found_file(folders, "private/upload.csv")


@pytest.mark.parametrize(
    ("url", "bare", "password"),
    [
        ("postgres://ada:s%40cret@host:5432/db", "postgres://ada@host:5432/db", "s@cret"),
        ("postgres://ada:a:b@host/db?sslmode=require", "postgres://ada@host/db?sslmode=require", "a:b"),
        ("postgresql://host/db?password=x&user=ada", "postgresql://host/db?user=ada", "x"),
        ("postgres://host/db?user=ada&password=x", "postgres://host/db?user=ada", "x"),
        ("postgres://ada@host/db", "postgres://ada@host/db", None),
        ("duckdb:///people:1@2.db", "duckdb:///people:1@2.db", None),
    ],
)
def test_a_password_is_taken_out_of_an_address(url: str, bare: str, password: str | None) -> None:
    """What goes into the policy has none."""
    assert database.without_password(url) == (bare, password)


def test_a_password_reaches_the_worker_and_not_the_policy(folders: Folders) -> None:
    """The source that is read has it; the one that is kept and written has not."""
    source = database.table_source(folders, "postgres://ada@host/db", "public.stays")
    asked = database.with_password(source, "s@c&ret")
    assert str(asked.connection).endswith("?password=s%40c%26ret")
    seen = Inspected(rows=1, columns=(), quasi_identifiers=())
    assert "ret" not in Draft().text(Opened(source=source, name="stays", inspected=seen).stated())


def test_a_password_does_not_go_to_another_server(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one database is open, an address without a password is asked without that of the open one."""
    source = database.table_source(folders, "postgres://ada@elsewhere/db", "stays")
    monkeypatch.setattr(database, "_BEFORE", None)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert database.with_password(source, None) is source
    monkeypatch.setenv("PGPASSWORD", "of the open one")
    assert str(database.with_password(source, None).connection).endswith("/db?password=")
    monkeypatch.setattr(database, "_BEFORE", "my own")
    assert str(database.with_password(source, None).connection).endswith("?password=my%20own")


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("postgres://ada@db.example:5432/stays", "db.example:5432"),
        ("postgres://ada@db.example/stays?hostaddr=10.0.0.7", "db.example, hostaddr 10.0.0.7"),
        ("postgres:///stays?host=elsewhere&port=1", "host elsewhere, port 1"),
        ("postgres:///stays", "this machine"),
    ],
)
def test_nothing_connects_to_a_server_that_nobody_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, server: str
) -> None:
    """Whoever asks, a form or a policy from elsewhere; once confirmed, the next table is not asked about."""
    for name in ("PGHOST", "PGHOSTADDR"):
        monkeypatch.delenv(name, raising=False)
    begun: list[str] = []
    workspace = Workspace(Folders((tmp_path,), tmp_path), Workers())
    monkeypatch.setattr(opening, "read", lambda _: begun.append("connected"))
    source = shoal.TableSource(connection=url, table="stays")
    for _ in range(2):
        opening.begin(workspace, Pending(source=source, name="stays"))
    assert (begun, workspace.state(Opening).pending.server) == ([], server)  # type: ignore[union-attr]
    opening.confirm_server(workspace)
    opening.begin(workspace, Pending(source=source, name="stays"))
    assert begun == ["connected"] * 2
    opening.begin(workspace, Pending(source=tmp_path / "a.csv", name="a.csv"))
    assert len(begun) == 3  # a file is on this machine


def test_the_environment_holds_a_password_until_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that waits is started anew each time, and only then."""
    monkeypatch.delenv(database.VARIABLE, raising=False)
    monkeypatch.setattr(database, "_BEFORE", None)
    workers, renewed = Workers(), []
    monkeypatch.setattr(workers, "renew", lambda: renewed.append(os.environ.get(database.VARIABLE)))
    for password in ("secret", "secret", None, None):
        database.remember_password(workers, password)
    assert renewed == ["secret", None]


def test_the_process_that_waits_gets_the_new_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was started before the password was known."""
    workers = Workers()
    workers.warm()
    monkeypatch.setenv(database.VARIABLE, "secret")
    workers.renew()
    job = workers.start("look", os.getenv, database.VARIABLE)
    try:
        assert job.wait(PATIENCE)
        assert job.result == "secret"
    finally:
        workers.close()


@pytest.mark.parametrize(
    ("url", "table"),
    [
        ("duckdb:///../secret/base.db", "t"),
        ("duckdb:////etc/base.db", "t"),
        ("duckdb:///none.db", "t"),
        ("spark://host:7077", "t"),
        ("local", "t"),
        ("http://host/", "t"),
        ("postgres://host/db", " "),
    ],
)
def test_other_databases_are_refused(folders: Folders, url: str, table: str) -> None:
    """A database in a file must lie in an opened folder; Spark could read any path."""
    with pytest.raises(PolicyError):
        database.table_source(folders, url, table)


def test_a_policy_becomes_the_draft_with_its_hierarchies(folders: Folders) -> None:
    """Its table is found beside it; where its release went is forgotten."""
    opened = folders.opened[0]
    (opened / "zip.csv").write_text("10001;100**;*\n")
    policy = continued("my.toml", POLICY.encode(), folders, opened)
    assert policy.source == opened / "stays.csv"
    assert policy.draft.used_files() == {"hierarchies/zip.csv": "10001;100**;*\n"}
    assert policy.draft.stated["privacy"]["k"] == 7
    assert policy.draft.stated["release"] == {"suppressed": "mask"}
    draft = policy.draft_for(shoal.inspect(opened / "stays.csv"))
    assert [*draft.attributes][:2] == ["zip", "diagnosis"]
    assert draft.role("sex") is Role.OTHER
    with pytest.raises(PolicyError, match="'zip'"):
        policy.draft_for(shoal.inspect(shoal.datasets.adult_path()))


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\0",
        b"k = [",
        b"attributes = 3",
        b"[privacy]\nk = 5\nwrong = 1",
        b"[wrong]\nk = 5",
        b"[privacy]\nk = 5\npopulation = '../secret/salaries.csv'",
        b"[privacy]\nk = 5\n[attributes.zip]\nrole='quasi-identifier'\nhierarchy='../secret/salaries.csv'",
        b"[privacy]\nk = 5\n[release]\nledger='../secret/ledger.json'",
        b"[privacy]\nk = 5\n[source]\nconnection='duckdb:///../secret/x.db'\ntable='t'",
    ],
)
def test_what_is_no_policy_or_leads_out_is_refused(folders: Folders, text: bytes) -> None:
    """Paths of a policy are looked at before anything is read by them."""
    with pytest.raises(PolicyError):
        continued("my.toml", text, folders, folders.opened[0])


def test_a_policy_whose_table_is_outside_waits_for_one(folders: Folders, workspace: Workspace) -> None:
    """The next table that is opened gets it."""
    text = POLICY.replace("stays.csv", "../secret/salaries.csv").replace('hierarchy = "zip.csv"', "")
    opening.go_on(workspace, "my.toml", text.encode(), folders.opened[0])
    waiting = workspace.state(Opening).policy
    assert waiting is not None
    assert waiting.wanted == "salaries.csv"
    pending = _read(workspace, folders.opened[0] / "stays.csv")
    pending.policy = waiting
    opening.settle(workspace, pending)
    assert workspace.draft.stated["privacy"]["k"] == 7
    assert workspace.state(Opening).policy is None


def _read(workspace: Workspace, path: Path, *, error: str | None = None, uploaded: bool = False) -> Pending:
    """A table that was just read, or could not be."""
    pending = Pending(source=path, name="mine.csv", uploaded=uploaded, job=Job("Reading"))
    assert pending.job is not None
    if error is None:
        pending.job.end("done", result=shoal.inspect(path))
    else:
        pending.job.end("failed", error=error, kind="EngineError")
    workspace.state(Opening).pending = pending
    return pending


def test_a_table_that_cannot_be_read_leaves_the_last_one(folders: Folders, workspace: Workspace) -> None:
    """The message has the owner's name of the file; the upload stays for another attempt, no longer."""
    opening.settle(workspace, _read(workspace, folders.opened[0] / "stays.csv"))
    first = workspace.table
    stored = folders.private / "upload-1.csv"
    stored.write_text("")
    opening.settle(workspace, _read(workspace, stored, error="upload-1.csv is empty", uploaded=True))
    assert workspace.table is first
    assert workspace.state(Opening).failure == "mine.csv is empty."
    assert stored.exists()
    opening.fail(workspace, "Something else.")
    assert not stored.exists()


def test_only_the_table_that_was_asked_for_last_is_opened(folders: Folders, workspace: Workspace) -> None:
    """Whatever is read sooner."""
    slow = _read(workspace, folders.opened[0] / "stays.csv")
    _read(workspace, shoal.datasets.adult_path())
    opening.settle(workspace, slow)
    assert workspace.table is None


def test_runs_are_not_lost_without_a_question(folders: Folders, workspace: Workspace) -> None:
    """Nothing is read until its user agrees; to keep the table loses nothing."""
    opening.settle(workspace, _read(workspace, folders.opened[0] / "stays.csv"))
    job = Job("Search")
    job.end("done")
    place = folders.private / "run-1" / "release.csv"
    run: Run = workspace.add("Search", workspace.draft, place, job)
    opening.example(workspace)
    pending = workspace.state(Opening).pending
    assert pending is not None
    assert pending.unconfirmed
    assert pending.job is None
    opening.cancel(workspace)
    assert workspace.runs == [run]


def test_uniqueness_is_told_in_plain_words() -> None:
    """People, not rows and groups."""
    seen = Inspected(
        rows=30162, columns=(), quasi_identifiers=("age", "sex"), groups=28000, unique_rows=27114
    )
    assert uniqueness_words(seen)[0] == "27,114 of 30,162 rows are alone with their combination of age, sex."
    none = Inspected(rows=4, columns=(), quasi_identifiers=("age",), groups=2, unique_rows=0)
    assert uniqueness_words(none)[0] == "None of 4 rows is alone with its value of age."
    nothing = Inspected(rows=4, columns=(), quasi_identifiers=())
    assert "No column looks like" in uniqueness_words(nothing)[0]


@pytest.mark.slow
def test_tables_open_by_upload_by_path_and_by_policy(start: Any, browser: Any, tmp_path: Path) -> None:
    """A whole way, with hostile names, errors that keep the table, and a second tab that follows."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "stays.csv").write_text(STAYS)
    (folder / "zip.csv").write_text("".join(f"{10000 + row};100**;*\n" for row in range(13)))
    (folder / "my.toml").write_text(POLICY)
    studio = start("--most-upload", "1")
    tab = Tab(browser, studio)
    page, drop = tab.page, tab.page.locator("input[type=file]")
    page.get_by_role("heading", name="Open a table").wait_for()

    drop.set_input_files({"name": "notes.docx", "mimeType": "", "buffer": b"PK"})
    page.get_by_role("alert").get_by_text("save it as CSV").wait_for()
    drop.set_input_files({"name": "big.csv", "mimeType": "", "buffer": b"a,b\n" * 2**19})
    page.get_by_role("alert").get_by_text("Open it by its path").wait_for()
    drop.set_input_files({"name": "empty.csv", "mimeType": "", "buffer": b""})
    page.get_by_role("alert").get_by_text("empty.csv is empty", exact=False).wait_for()

    name = f"{HOSTILE}.csv.gz"
    drop.set_input_files({"name": name, "mimeType": "", "buffer": gzip.compress(STAYS.encode())})
    page.get_by_role("heading", name="Your table").wait_for()
    page.get_by_text("250 of 250 rows are alone").wait_for()
    page.get_by_role("rowheader", name=HOSTILE).wait_for()
    page.get_by_text("Rows 1 to 100 of 250").wait_for()
    page.get_by_role("button", name="Next 100").click()
    page.get_by_text("Rows 101 to 200 of 250").wait_for()
    assert len(list(studio.temporary.glob("*/upload-*"))) == 1

    other = tab.another()
    other.get_by_text("Rows 101 to 200 of 250").wait_for()
    page.get_by_text("Open another table").click()
    page.get_by_label("Path").fill("../temporary")
    page.get_by_role("button", name="Open the path").click()
    page.get_by_role("alert").get_by_text("in none of the folders").wait_for()
    page.get_by_role("button", name="my.toml").click()
    page.get_by_text("Opened with the policy my.toml").wait_for()
    page.get_by_text("None of 250 rows is alone with its value of zip").wait_for()
    other.get_by_text("Opened with the policy my.toml").wait_for()
    assert list(studio.temporary.glob("*/upload-*")) == []
    page.get_by_role("link", name="Next: Protect").wait_for()
    tab.context.close()
    tab.check()
