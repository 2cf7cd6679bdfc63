"""`shoal.report` and `shoal report`: from real tables to a page, with nothing private on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.errors import PolicyError
from shoal.reports import pdf
from tests.cli.command import shoal as command

PEOPLE = [
    # name, age, zip, illness: ages are told by no label but as ends of intervals
    *[(f"Person-{age}", age, "02139", ("flu", "cold")[age % 2]) for age in (20, 23, 26, 29)],
    *[(f"Person-{age}", age, "02139", ("flu", "rash")[age % 2]) for age in (41, 44, 47, 50)],
    ("Person-88", 88, "99950", "gout"),
]
POLICY = """
[source]
path = "people.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
type = "category"
[attributes.illness]
role = "sensitive"
[privacy]
k = 3
[objective]
suppression = "unlimited"
consistent = true
[release]
path = "release.csv"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its policy and its release: two groups of four, one row suppressed."""
    place = tmp_path_factory.mktemp("people")
    lines = [",".join(map(str, each)) for each in [("name", "age", "zip", "illness"), *PEOPLE]]
    (place / "people.csv").write_text("\n".join(lines) + "\n")
    (place / "people.toml").write_text(POLICY)
    run = command(place, "anonymize", "people.toml", "--report", "first.html")
    assert run.returncode == 0, run.stderr
    assert "first.html: The release holds what was demanded" in run.stderr
    return place


@pytest.fixture(scope="module")
def made(folder: Path) -> shoal.Report:
    """The report with everything that the policy tells."""
    return shoal.report(
        folder / "release.csv",
        policy=folder / "people.toml",
        original=folder / "people.csv",
        date="2026-11-16",
    )


def test_a_report_has_all_parts(made: shoal.Report) -> None:
    """Hand-counted: eight of nine rows in groups of four; one of nine is dropped."""
    facts = made.facts
    assert made.holds
    assert facts["audit"]["k"] == 4
    assert facts["risk"]["before"]["prosecutor"]["highest"] == 1
    assert facts["risk"]["after"]["prosecutor"]["highest"] == 0.25
    assert facts["suppressed"]["words"] == "1 of 9 rows (11.1 %) suppressed"
    assert facts["proof"]["status"] == "optimal"
    assert facts["release"]["digest_matches"] is True
    assert facts["comparison"]["holds"] is True
    assert {each["name"] for each in facts["attacks"]} >= {"homogeneity", "skewness"}
    assert [each["name"] for each in facts["utility"]["columns"]][:2] == ["age", "zip"]
    linkage = next(each for each in facts["attacks"] if each["name"] == "linkage")
    assert (linkage["judged"], linkage["holds"], linkage["tried"]) == (True, True, 8)


def test_no_private_value_is_told(made: shoal.Report) -> None:
    """Names, inner ages, the zip and the illness of the suppressed row are in neither page nor JSON."""
    for text in (made.html, made.to_json()):
        assert not [secret for secret in ("Person-", "99950", "gout") if secret in text]
    plain = re.sub(r"[0-9a-f]{16,}", "", made.to_json())  # a digest can hold any number
    assert not re.search(r"(?<![\d.])88(?![\d.])", plain)


def test_a_table_of_another_tool_is_reported(folder: Path) -> None:
    """Without manifest and original: what is not known is said, and k = 1 fails."""
    made = shoal.report(
        folder / "people.csv", quasi_identifiers=["age", "zip"], k=2, identifiers=["name"], date="2026-11-16"
    )
    assert not made.holds
    assert made.facts["proof"]["status"] == "unknown"
    assert made.facts["risk"]["before"] is None
    assert {"initial risk", "utility", "truth of the cells"} <= {
        each["what"] for each in made.facts["not_measured"]
    }
    assert any("'name' is an identifier" in each for each in made.facts["verdict"]["failures"])


def test_a_manifest_alone_tells_what_was_demanded(folder: Path) -> None:
    """`shoal.report(release)` needs nothing else; without a manifest it asks for the columns."""
    made = shoal.report(folder / "release.csv")
    assert made.facts["policy"]["quasi_identifiers"] == ["age", "zip"]
    assert made.facts["policy"]["k"] == 3
    assert made.facts["policy"]["by_manifest"] is True
    with pytest.raises(PolicyError, match="name the quasi-identifiers"):
        shoal.report(folder / "people.csv")


def test_a_changed_release_is_found(folder: Path, tmp_path: Path) -> None:
    """Beside its manifest a file with one more row does not hold."""
    text = (folder / "release.csv").read_text()
    (tmp_path / "release.csv").write_text(text + text.splitlines()[-1] + "\n")
    name = "release.csv.manifest.json"
    (tmp_path / name).write_text((folder / name).read_text())
    made = shoal.report(tmp_path / "release.csv")
    assert not made.holds
    assert any("digest" in each for each in made.facts["verdict"]["failures"])


def test_a_frame_and_a_release_are_reported(folder: Path) -> None:
    """What `anonymize` returns is handed on as it is."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(folder / "people.csv", dtype={"zip": str})
    released = shoal.anonymize(
        frame,
        cost="discernibility",
        suppression="unlimited",
        consistent=True,
        quasi_identifiers=["age", "zip"],
        k=3,
        identifiers=["name"],
    )
    made = shoal.report(released, original=frame)
    assert made.holds
    assert made.facts["proof"]["status"] == "optimal"
    assert made.facts["release"]["digest"] is None


def test_the_command_writes_page_and_facts(folder: Path) -> None:
    """Exit code 0, the verdict on standard error, the files where they are asked for."""
    run = command(
        folder, "report", "people.toml", "--json", "--title", "Stays", "--date", "2026-11-16", "--explain"
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.startswith("The release holds what was demanded")
    assert "<title>Stays</title>" in (folder / "release.csv.report.html").read_text()
    facts = json.loads(run.stdout)
    assert facts["title"] == "Stays"
    assert {each["name"] for each in facts["explain"]["attributes"]} == {"age", "zip"}


def test_the_command_fails_with_the_release(folder: Path) -> None:
    """Exit code 5, and the report is there all the same."""
    run = command(folder, "report", "people.csv", "-q", "age,zip", "-k", "2", "-o", "bad.html", "--quiet")
    assert run.returncode == 5
    assert "smaller than k = 2" in run.stderr
    assert (folder / "bad.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("people.toml", "-o", "people.csv"), "is the original itself", 2),
        (("people.toml", "-o", "page.txt"), "--output writes a .html file", 2),
        (("people.toml", "-q", "age"), "leave out -q", 2),
        (("people.csv", "-k", "2"), "needs quasi-identifiers", 2),
        (("people.toml", "-o", "nowhere/r.html"), "there is no folder nowhere", 6),
        (("people.csv", "-q", "age", "--explain"), "needs the policy", 2),
        (("absent.csv", "-q", "age"), "absent.csv", 6),
        (("people.toml", "--pdf", "r.html"), "--pdf writes a .pdf file", 2),
    ],
)
def test_bad_arguments_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str, code: int
) -> None:
    """Before anything is measured, with what to do."""
    monkeypatch.chdir(folder)
    run = CliRunner().invoke(app, ["report", *arguments])
    assert (run.exit_code, words in run.stderr) == (code, True), run.stderr


def test_a_report_that_cannot_be_written_is_refused_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ending that is none is refused before the search."""
    monkeypatch.chdir(folder)
    run = CliRunner().invoke(app, ["anonymize", "people.toml", "-o", "other.csv", "--report", "report.txt"])
    assert run.exit_code == 2
    assert "--report writes an .html, .json or .pdf file" in run.stderr
    assert not (folder / "other.csv").exists()


def test_a_report_that_fails_does_not_undo_the_release(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release stands, the failure is said, and the exit code is that of files."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(pdf, "browser", lambda: None)
    run = CliRunner().invoke(app, ["anonymize", "people.toml", "-o", "other.csv", "--report", "r.pdf"])
    assert run.exit_code == 6, run.stderr
    assert "the release is published, but its report could not be written" in run.stderr
    assert (folder / "other.csv").exists()
    assert not (folder / "r.pdf").exists()


def test_a_report_that_does_not_hold_is_told_by_the_exit_code(folder: Path) -> None:
    """A limit that nothing could be tried against is not met: the release stands, and a pipeline stops."""
    limited = POLICY.replace("release.csv", "limited.csv") + "[attacks]\nlinkage = 0.1\n"
    (folder / "limited.toml").write_text(limited)
    run = command(folder, "anonymize", "limited.toml", "--report", "limited.html")
    assert run.returncode == 5
    assert "the release is published, and its report limited.html does not hold" in run.stderr
    assert (folder / "limited.csv").is_file()


def test_a_table_of_a_database_tells_its_manifest(folder: Path) -> None:
    """It is the comment on the table: proof and demands are known without a flag."""
    import duckdb

    with duckdb.connect(folder / "people.db") as database:
        database.execute(
            "CREATE TABLE people AS FROM read_csv(?, all_varchar = true)", [str(folder / "people.csv")]
        )
    place = f"duckdb:///{folder / 'people.db'}"
    shoal.anonymize(
        place,
        cost="discernibility",
        suppression="unlimited",
        consistent=True,
        table="people",
        quasi_identifiers=["age", "zip"],
        k=3,
        identifiers=["name"],
        path="out",
    )
    made = shoal.report(place, table="out")
    assert made.facts["proof"]["status"] == "optimal"
    assert made.facts["policy"]["k"] == 3
    assert made.holds


def test_models_of_survey_weights_are_measured(tmp_path: Path) -> None:
    """The weights are in the release, so the report measures what the audit does."""
    rows = [f"{age},{'ab'[age % 2]},{5 if age < 30 else 2}" for age in (20, 21, 22, 23, 40, 41, 42, 43, 90)]
    (tmp_path / "people.csv").write_text("\n".join(["age,zip,weight", *rows]) + "\n")
    (tmp_path / "weighted.toml").write_text("""
        attributes = { age = { role = "quasi-identifier" } }
        source = { path = "people.csv" }
        release = { path = "release.csv", suppressed = "mask" }
        objective = { suppression = "20%", cost = "general-loss" }
        [privacy]
        k = 4
        survey_weight = "weight"
        models = [{ name = "k-map", k = 8 }]
    """)
    shoal.anonymize(policy=shoal.read_policy(tmp_path / "weighted.toml"))
    made = shoal.report(tmp_path / "release.csv", policy=tmp_path / "weighted.toml")
    measured = {each["name"]: each["measured"] for each in made.facts["audit"]["models"]}
    audited = shoal.audit(tmp_path / "release.csv", policy=tmp_path / "weighted.toml")
    assert measured["k-map"] == audited.verdict.models[0].measured == 8
    assert made.holds
    assert "some privacy models" not in made.facts["unmeasured_demands"]
    sized = shoal.report(tmp_path / "release.csv", policy=tmp_path / "weighted.toml", population_size=1000)
    assert sized.holds


def test_who_signs_and_what_for_stand_beside_the_signature(folder: Path) -> None:
    """Names are shown as text, in the facts and on the page; nothing is said where nothing was given."""
    told = {"--signed-by": "R. Rivera, data protection", "--purpose": "Flu study <of> 2026"}
    flags = [each for pair in told.items() for each in pair]
    run = command(folder, "report", "people.toml", "-o", "signed.html", "--json", *flags)
    assert run.returncode == 0, run.stderr
    facts = json.loads(run.stdout)
    assert [facts["signed_by"], facts["purpose"]] == list(told.values())
    page = (folder / "signed.html").read_text(encoding="utf-8")
    assert "R. Rivera, data protection" in page
    assert "Flu study &lt;of&gt; 2026" in page
    unsigned = shoal.report(folder / "release.csv", policy=folder / "people.toml")
    assert unsigned.facts["signed_by"] is None
    assert "Purpose and recipients" not in unsigned.html
