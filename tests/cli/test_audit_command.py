"""`shoal audit` on the command line: what it says, writes and exits with."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.command import shoal

TABLE = 'age,zip,ill\n"[1, 9]",x,flu\n"[1, 9]",x,hiv\n"[1, 9]",*,flu\n*,*,\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table that somebody released."""
    (tmp_path / "out.csv").write_text(TABLE)
    return tmp_path


def test_an_audit_tells_models_offending_groups_and_warnings(folder: Path) -> None:
    """Exit 5, and a line for each; no cell among them."""
    run = shoal(folder, "audit", "out.csv", "-q", "age,zip", "--sensitive", "ill", "-k", "2")
    assert run.returncode == 5
    assert run.stderr.splitlines() == [
        "k 1   rows 4   groups 2   suppressed 1 rows (25.0 %)   below 2: 1 groups, 1 rows",
        "  ill: distinct-l-diversity 1, entropy-l-diversity 1, recursive-l-diversity (c=3) 1, "
        "t-closeness 0.3333, p-sensitivity 1, alpha-k-anonymity 1, beta-likeness -, "
        "beta-likeness (basic) 0.5, delta-disclosure -",
        "  average-risk 0.6667",
        "  rows at risk: below 2: 1 (33.3 %), below 3: 3 (100.0 %), below 5: 3 (100.0 %), "
        "below 10: 3 (100.0 %), below 20: 3 (100.0 %)",
        "  group of 1 row(s), first in row 3: breaks k-anonymity; suppressed zip; generalized age; "
        "1 distinct ill",
        "shoal: warning: 1 suppressed row(s) are fewer than k = 2: who knows that a person's row is "
        "suppressed finds it among them. Drop them from the table",
        "shoal: 1 group(s) with 1 row(s) are smaller than k = 2; the smallest has 1",
    ]


def test_wildcards_by_a_flag_meet_what_values_do_not(folder: Path) -> None:
    """Exit 0: the row with a star is like the two others; conservatively it is alone."""
    flags = ("-q", "age,zip", "-k", "3", "--suppressed-cells", "wildcard")
    run = shoal(folder, "audit", "out.csv", *flags, "--json", "--quiet")
    assert run.returncode == 0, run.stderr
    facts = json.loads(run.stdout)
    assert (facts["k-anonymity"], facts["k-anonymity-wildcard"], facts["semantics"]) == (1, 3, "wildcard")
    assert (facts["holds"], facts["meets"]) == (False, True)


def test_files_for_pipelines_are_written_also_when_the_audit_fails(folder: Path) -> None:
    """Whole files beside the exit code 5; a folder that is not there is exit 6."""
    flags = ("audit", "out.csv", "-q", "age,zip", "-k", "2", "--quiet")
    run = shoal(folder, *flags, "--junit", "audit.xml", "--sarif", "audit.sarif", "--offending", "0")
    assert run.returncode == 5
    assert ElementTree.parse(folder / "audit.xml").getroot().get("failures") == "1"
    (result, _) = json.loads((folder / "audit.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["properties"]["offending"]) == ("k-anonymity", [])
    assert sorted(path.name for path in folder.iterdir()) == ["audit.sarif", "audit.xml", "out.csv"]
    assert shoal(folder, *flags, "--junit", "none/audit.xml").returncode == 6


def test_a_release_that_was_changed_is_refused(folder: Path) -> None:
    """Its manifest tells; so does the original."""
    (folder / "people.csv").write_text("age,zip\n" + "1,x\n" * 2 + "2,x\n" * 2)
    made = shoal(folder, "anonymize", "people.csv", "-q", "age,zip", "-k", "2", "-o", "r.csv")
    assert made.returncode == 0, made.stderr
    audit = ("audit", "r.csv", "-q", "age,zip", "-k", "2", "--original", "people.csv")
    run = shoal(folder, *audit)
    assert run.returncode == 0, run.stderr
    assert "0 cells untrue" in run.stderr
    (folder / "r.csv").write_text((folder / "r.csv").read_text().replace("2,x", "3,x"))
    run = shoal(folder, *audit)
    assert run.returncode == 5
    assert "its digest differs" in run.stderr
    assert "2 cell(s) of 'age' do not cover their original value" in run.stderr


@pytest.mark.parametrize(
    "flags",
    [
        ("--junit", "out.csv"),
        ("--sarif", "out.csv.manifest.json"),
        ("--junit", "original.csv", "--original", "original.csv"),
        ("--junit", "report", "--sarif", "report"),
    ],
)
def test_a_report_overwrites_nothing_that_is_read(folder: Path, flags: tuple[str, ...]) -> None:
    """A table that was audited is still there after it."""
    (folder / "original.csv").write_text((folder / "out.csv").read_text())
    before = {path.name: path.read_text() for path in folder.iterdir()}
    run = shoal(folder, "audit", "out.csv", "-q", "zip", *flags)
    assert (run.returncode, "never overwrites" in run.stderr) == (2, True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("-q", "age\nzip"), "has a line end"),
        (("--suppressed-cells", "stars"), "value, wildcard, conservative"),
        (("--sensitive", "il"), "Did you mean 'ill'"),
        (("--key", "age"), "name the original"),
    ],
)
def test_a_flag_that_does_not_fit_is_a_usage_error(folder: Path, flags: tuple[str, ...], words: str) -> None:
    """Exit 2 and one sentence."""
    run = shoal(folder, "audit", "out.csv", "-q", "zip", *flags)
    assert (run.returncode, words in run.stderr, len(run.stderr.splitlines())) == (2, True, 1)


def test_a_broken_manifest_does_not_disarm_the_audit(tmp_path: Path) -> None:
    """Rows were appended and the manifest cut off: exit code 5, in every form; without it, what is there."""
    (tmp_path / "people.csv").write_text("name,age\n" + "".join(f"p{row},{row % 2}\n" for row in range(6)))
    made = shoal(
        tmp_path, "anonymize", "people.csv", "-q", "age", "-k", "3", "--identifiers", "name", "-o", "out.csv"
    )
    assert made.returncode == 0
    with (tmp_path / "out.csv").open("a") as file:
        file.write("0\n")
    manifest = tmp_path / "out.csv.manifest.json"
    manifest.write_text(manifest.read_text()[:200])
    asked = ("audit", "out.csv", "-q", "age", "-k", "3")
    cut = shoal(tmp_path, *asked, "--junit", "audit.xml", "--sarif", "audit.sarif")
    assert cut.returncode == 5
    assert (
        "out.csv.manifest.json cannot be checked against the table: it is not JSON, or was cut off"
        in cut.stderr
    )
    assert "cut off" in (tmp_path / "audit.xml").read_text()
    assert "cut off" in (tmp_path / "audit.sarif").read_text()
    assert shoal(tmp_path, "report", "out.csv", "-q", "age", "-k", "3").returncode == 5
    assert shoal(tmp_path, *asked, "--no-manifest").returncode == 0


def test_persons_that_cannot_be_counted_are_exit_code_5(tmp_path: Path) -> None:
    """The policy drops their column; with the original they are counted, and without it nothing holds."""
    (tmp_path / "stays.csv").write_text("who,age\n" + "".join(f"p{row},{row // 3}\n" for row in range(6)))
    (tmp_path / "stays.toml").write_text(
        '[source]\npath = "stays.csv"\n[attributes.who]\nrole = "identifier"\n'
        '[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 3\nentity = "who"\n'
        '[release]\npath = "out.csv"\n'
    )
    assert shoal(tmp_path, "anonymize", "stays.toml").returncode == 0
    counted = shoal(tmp_path, "audit", "out.csv", "--policy", "stays.toml")
    assert counted.returncode == 0
    assert "persons counted in the original, paired row by row" in counted.stderr
    (tmp_path / "stays.csv").unlink()
    unknown = shoal(tmp_path, "audit", "out.csv", "--policy", "stays.toml")
    assert unknown.returncode == 5
    assert "not measured" in unknown.stderr
    assert "holds" not in unknown.stderr.lower()
