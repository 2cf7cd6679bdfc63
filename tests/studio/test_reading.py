"""Tables of every kind in the studio: how they were read, what is stated about them, and what is exported."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import shoal
from shoal import Role
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.jobs import Job, Workers
from shoal.studio.policy_export import rerun_of, same_by_command_line, stated_source
from shoal.studio.publish import write
from shoal.studio.reproducibility import reproducible
from shoal.studio.run_key import new_key, with_key
from shoal.studio.steps.open_table import opening, paths
from shoal.studio.steps.open_table.file_reading import reading_words
from shoal.studio.steps.open_table.pending import Opening
from shoal.studio.steps.protect.treated import new_treatment, treated_columns
from shoal.studio.steps.protect.wording import paragraph
from shoal.studio.steps.release.state import ReleaseState, order_of
from shoal.studio.workspace import Opened, Workspace
from shoal.treatments import TREATMENTS, StatedTreatment, treatment_of
from tests.patience import PATIENCE
from tests.studio.conftest import Tab, step


def clinic(path: Path) -> Path:
    """An export of a German clinic: Latin-1, semicolons, decimal commas, dates by day, NA."""
    some = random.Random(5)
    lines = ["Patient;Geburtsdatum;Geschlecht;PLZ;Gewicht;Diagnose;Behandlung"]
    for at in range(120):
        birth = f"{some.randint(13, 28)}.0{some.randint(1, 9)}.{some.choice([1950, 1960, 1970])}"
        weight = some.choice(["NA", "72,5", "81,0", "65,3"])
        diagnosis, name = some.choice(["J45", "E11", "I10"]), some.choice(["Müller", "Schäfer"])
        sex, place = some.choice("mw"), some.choice(["80331", "81331"])
        lines.append(f"P{at:04};{birth};{sex};{place};{weight};{diagnosis};{name}")
    path.write_bytes("\r\n".join(lines).encode("cp1252"))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with nothing open."""
    for name in ("opened", "private"):
        (tmp_path / name).mkdir()
    workers = Workers()
    yield Workspace(Folders((tmp_path / "opened",), tmp_path / "private"), workers)
    workers.close()


def settled(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, begin: Any) -> None:
    """Do what requests a table, and read it here."""

    def read(title: str, function: Any, *arguments: Any, **named: Any) -> Job:
        job = Job(title)
        try:
            job.end("done", result=function(*arguments, **named))
        except shoal.ShoalError as error:
            job.end("failed", error=str(error), kind=type(error).__name__)
        return job

    with monkeypatch.context() as patched:
        patched.setattr(workspace.workers, "start", read)
        patched.setattr(opening, "_see_through", lambda *_: None)
        patched.setattr("nicegui.background_tasks.create", lambda *_, **__: None)
        begin()
    pending = workspace.state(Opening).pending
    assert pending is not None
    opening.settle(workspace, pending)


@pytest.mark.parametrize(
    ("name", "kind", "suffix"),
    [
        ("a.csv", "table", ".csv"),
        ("a.TSV.gz", "table", ".tsv"),
        ("a.xlsx", "table", ".csv"),
        ("a.jsonl.zst", "table", ".csv"),
        ("a.zip", "table", ".csv"),
        ("a.csv.zip", "table", ".csv"),
        ("a.sav", "table", ".parquet"),
        ("a.pq", "table", ".parquet"),
        ("a.csv.manifest.json", None, None),
        ("a.docx", None, None),
        ("a.gz", None, None),
        ("a.toml", "policy", None),
    ],
)
def test_a_name_says_what_a_file_is_and_how_its_release_ends(
    name: str, kind: str | None, suffix: str | None, tmp_path: Path
) -> None:
    """As on the command line."""
    assert paths.kind_of(name) == kind
    if suffix is not None:
        nothing = shoal.Inspected(rows=0, columns=(), quasi_identifiers=())
        assert Opened(source=tmp_path / name, name=name, inspected=nothing).suffix == suffix


def test_a_policy_by_init_goes_through_to_a_release_that_the_command_line_makes_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Encoding, formats, markers, a treatment and the order are kept; the ledger's run has the same key."""
    folder = workspace.folders.opened[0]
    shoal.init(clinic(folder / "clinic.csv"), folder / "clinic.toml", k=3)
    settled(workspace, monkeypatch, lambda: opening.open_path(workspace, "clinic.toml"))
    assert workspace.state(Opening).failure == ""
    table = workspace.needed_table()
    assert "encoding latin-1, delimiter semicolon" in reading_words(table.inspected)
    by_name = {column.name: column for column in table.inspected.columns}
    markers = (folder / "clinic.csv").read_bytes().count(b";NA;")
    assert by_name["Gewicht"].reading.missing == {"NA": markers}
    draft = workspace.draft
    assert draft.attributes["Geburtsdatum"]["format"] == "DD.MM.YYYY"
    assert draft.stated["release"] == {"order": "shuffle"}
    draft.attributes["Behandlung"] = {"role": "other", "treatment": "pseudonym"}
    draft.say("search", "algorithm", "lattice")
    assert "Treated: Behandlung (pseudonym)." in paragraph(draft, table)

    run = workspace.search("Search 1")
    assert run.job.wait(PATIENCE)
    assert run.release is not None, run.job.error
    assert not reproducible(run)[0]
    assert "key" in reproducible(run)[1]
    assert run.key is not None
    assert not [path for path in run.folder.rglob("*") if run.key.encode() in path.read_bytes()]
    stated = stated_source(table, workspace.folders, folder)
    assert stated["encoding"] == "latin-1"

    state = workspace.state(ReleaseState)
    state.ledger, state.with_report = str(folder / "releases.jsonl"), False
    written = write(replace(order_of(workspace, run), folders=workspace.folders))
    assert written.same
    assert written.meets
    assert (folder / written.order.name).read_bytes() == run.release_path.read_bytes()
    again = rerun_of(run, table, workspace.folders, run.folder / "check", "again.csv")
    assert same_by_command_line(again)[1].endswith("with the key of this run.")


def pseudonyms(table: Path, place: Path) -> list[str]:
    """A column of a release."""
    shoal.anonymize(table, quasi_identifiers=["age"], k=2, treatments={"who": "pseudonym"}, path=place)
    return [line.split(",")[1] for line in place.read_text().splitlines()]


def test_two_runs_have_keys_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same key gives the same pseudonyms, another gives others; one of the studio is used by all runs."""
    path, place = tmp_path / "t.csv", tmp_path / "r.csv"
    path.write_text("age,who\n" + "20,a\n30,b\n" * 4)
    monkeypatch.delenv("SHOAL_KEY", raising=False)
    first, second = new_key(), new_key()
    made = [with_key(key, pseudonyms, path, place) for key in (first, first, second)]
    assert made[0] == made[1] != made[2]
    assert "SHOAL_KEY" not in os.environ
    monkeypatch.setenv("SHOAL_KEY", "a key of sixteen or more signs")
    assert new_key() is None


def test_a_table_is_read_again_as_stated_and_its_upload_stays(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written under Protect stays if the columns do; a wrong statement is a sentence."""
    stored = clinic(workspace.folders.private / "upload-1.csv")
    settled(workspace, monkeypatch, lambda: opening.open_upload(workspace, "mine.csv", stored))
    workspace.draft.say("privacy", "k", 7)
    settled(
        workspace,
        monkeypatch,
        lambda: opening.read_again(workspace, opening.of_open(workspace), {"encoding": "windows-1252"}),
    )
    table = workspace.needed_table()
    assert table.stated(portable=True) == {"path": "mine.csv", "encoding": "windows-1252"}
    assert (workspace.draft.stated["privacy"]["k"], stored.exists()) == (7, True)
    settled(
        workspace,
        monkeypatch,
        lambda: opening.read_again(workspace, opening.of_open(workspace), {"header": False}),
    )
    assert workspace.needed_table().inspected.columns[0].name == "column_1"
    assert workspace.draft.stated["privacy"]["k"] == 10
    with pytest.raises(shoal.PolicyError, match="encoding"):
        opening.read_again(workspace, opening.of_open(workspace), {"encoding": "klingon"})
    assert stored.exists()


@pytest.mark.parametrize("name", TREATMENTS)
def test_a_new_treatment_is_valid_or_lacks_its_bound(name: str) -> None:
    """What a form begins with; only top and bottom codes need a bound that nobody can guess."""
    stated = StatedTreatment.parse(new_treatment(name), "column 'x'")
    if name in ("top-code", "bottom-code"):
        with pytest.raises(shoal.PolicyError, match="needs at"):
            treatment_of(stated, "x")
    else:
        assert treatment_of(stated, "x").name == name


def test_a_treatment_is_kept_with_its_role_and_only_there() -> None:
    """A quasi-identifier has none; an untreated other column is not named, which would accept it as it is."""
    said = {"role": "other", "treatment": {"name": "round", "to": 10}, "format": "1.234,5"}
    draft = Draft({"attributes": {"pay": dict(said)}})
    draft.set_role("pay", Role.OTHER)
    assert draft.attributes["pay"] == said
    draft.set_role("pay", Role.QUASI_IDENTIFIER)
    assert draft.attributes["pay"] == {"role": "quasi-identifier", "format": "1.234,5"}
    assert treated_columns(draft) == {}
    draft.set_role("pay", Role.OTHER)
    assert draft.attributes["pay"] == said
    del draft.attributes["pay"]["treatment"]
    draft.set_role("pay", Role.QUASI_IDENTIFIER)
    draft.set_role("pay", Role.OTHER)
    assert "attributes" not in draft.document({})


def two_sheets(path: Path) -> Path:
    """A workbook with two tables in it."""
    book = openpyxl.Workbook()
    for name in ("stays", "staff"):
        sheet = book.create_sheet(name)
        sheet.append(["age", "sex", "income"])
        for at in range(60):
            sheet.append([20 + at % 3, "fm"[at % 2], 1000 + 10 * at])
    del book["Sheet"]
    book.save(path)
    return path


@pytest.mark.slow
def test_a_workbook_opens_by_its_sheet_and_a_column_is_treated(tab: Tab) -> None:
    """The reason why it did not open comes with a form; the policy has the sheet and the rounding."""
    page: Any = tab.page
    two_sheets(tab.studio.folder / "clinic.xlsx")
    page.reload()
    page.get_by_role("button", name="clinic.xlsx").click()
    page.get_by_role("alert").get_by_text("sheet").first.wait_for()
    page.get_by_text("State how the file is written").click()
    page.get_by_label("Sheet").fill("stays")
    page.get_by_role("button", name="Read it again", exact=True).click()
    page.get_by_text("Read as a workbook, sheet stays").wait_for()
    step(page, "Say what must hold")
    page.get_by_label("Role of income").select_option("other")
    page.get_by_role("button", name="Settings of income").click()
    page.get_by_label("Treatment").click()
    page.get_by_role("option").filter(has_text="Round:").click()
    base = page.get_by_label("To multiples of")
    base.fill("0")
    page.get_by_text("The policy keeps what it had").wait_for()
    base.fill("500")
    page.get_by_text("A secret random order").click()
    page.get_by_text("Add columns with the bounds").click()
    page.get_by_label("The policy so far").get_by_text("Treated: income (round)").wait_for()
    page.get_by_role("button", name="Show the file").click()
    words = page.get_by_label("policy.toml").inner_text()
    for said in ('sheet = "stays"', 'name = "round"', "to = 500", 'order = "shuffle"', "companions = true"):
        assert said in words


def test_how_a_file_was_read_is_one_line() -> None:
    """Of real files of several kinds; nothing of a database."""
    folder = Path(__file__).parents[1] / "real_files" / "files"
    seen = 0
    for described in sorted(folder.glob("[!b]*.json"))[::6]:
        path = described.with_suffix("")
        facts = json.loads(described.read_text(encoding="utf-8"))
        if not path.exists() or "error" in facts:
            continue
        try:
            words = reading_words(shoal.inspect(path))
        except shoal.ShoalError:
            continue  # one that needs something stated
        seen += 1
        assert words.startswith("Read as ")
        assert "\n" not in words
    assert seen > 5
