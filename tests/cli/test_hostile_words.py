"""Words that no user means: each gives one sentence and the documented exit code, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli import console
from shoal.cli.app import app
from tests.cli.command import shoal as command

LONG, NUL, HALF, HUGE = "n" * 300, "o\0", "\udcff", "9" * 5000
ASKED = ("anonymize", "people.csv", "-q", "age", "-k", "2")
POLICY = '[source]\npath = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n'
FILES = {
    "people.csv": "age,zip\n" + "20,1\n21,2\n" * 4,
    "list.toml": f"a = {'[' * 3000}{']' * 3000}",
    "table.toml": f"a = {'{a=' * 3000}1{'}' * 3000}",
    "p.toml": POLICY,
    "k.toml": POLICY.replace("k = 2", f"k = {HUGE}"),
    "long.toml": POLICY.replace("people.csv", f"{LONG}.csv"),
    "nul.toml": POLICY.replace("people.csv", "\\u0000.csv"),
    "empty.toml": POLICY.replace("people.csv", ""),
    "dot.toml": POLICY.replace("people.csv", "."),
    "groups.json": '{"all": [20, 21, NaN]}',
    "r.csv": "age,zip\n" + "20,1\n21,2\n" * 4,
    "r.csv.manifest.json": "[" * 100_000 + "]" * 100_000,
}
EMPTY = (
    "--suppression",
    "--seconds",
    "--seed",
    "--suppressed",
    "--memory",
    "--cost",
    "-o",
    "--temp-directory",
)
USAGE = [
    *[(*ASKED, flag, value) for flag in EMPTY for value in ("", " ")],
    (*ASKED, "--suppression="),
    (*ASKED, "--bin", "age="),
    (*ASKED, "--bin", f"age={'9' * 400}"),
    (*ASKED, "--weight", f"age={'9' * 400}"),
    (*ASKED, "--suppression", HUGE),
    (*ASKED, "--suppression", f"{HUGE}%"),
    (*ASKED, "--memory", f"{HUGE}GB"),
    (*ASKED, "--search-memory", f"{HUGE}GB"),
    (*ASKED, "-o", f"{HALF}.csv"),
    (*ASKED, "--sensitive", HALF),
    ("anonymize", "", "-q", "age", "-k", "2"),
    ("anonymize", "people.csv", "-q", "age", "-k", HUGE),
    ("anonymize", "people.csv", "-q", "age", "-k", "9" * 30),
    *[("anonymize", f"{name}.toml") for name in ("list", "table", "k")],
    ("inspect", f"{HALF}.csv"),
    ("compare", "list.toml"),
    ("anonymize", "empty.toml"),
    ("utility", "r.csv", "--original", "people.csv", "-q", "age", "--queries", "9" * 11),
    ("hierarchy", "build", "people.csv", "--column", "age", "--groups", "groups.json"),
    ("hierarchy", "build", "people.csv", "--column", "age", "--force", "-o", "./people.csv"),
    *[
        ("hierarchy", "export", "p.toml", "--column", "age", "--force", "-o", f)
        for f in ("p.toml", "people.csv")
    ],
    ("risk", "people.csv", "-q", "age", "--sampling-fraction", "1e-320"),
]
WORLD = [
    (*ASKED, "-o", f"{LONG}.csv"),
    (*ASKED, "-o", f"{NUL}.csv"),
    (*ASKED, "-o", "folder.csv"),
    (*ASKED, "--ledger", LONG),
    (*ASKED, "--population", f"{LONG}.csv", "--model", "k-map k=2"),
    (*ASKED, "--hierarchy", f"age={LONG}"),
    ("anonymize", "long.toml"),
    ("anonymize", "dot.toml"),
    ("attack", "r.csv", "-q", "age", "--hierarchy", f"age={NUL}"),
    ("anonymize", "nul.toml"),
    ("anonymize", f"{LONG}.toml"),
    ("anonymize", f"{NUL}.toml"),
    *[(command, f"{LONG}.csv", "-q", "age") for command in ("audit", "risk", "attack", "inspect")],
    ("utility", "people.csv", "--original", f"{LONG}.csv", "-q", "age"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, and files that are no good."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("words", "code"), [(each, 2) for each in USAGE] + [(each, 6) for each in WORLD])
def test_a_hostile_word_is_one_sentence(folder: Path, words: tuple[str, ...], code: int) -> None:
    """No traceback, no file, and the code that the reference names."""
    before = _files(folder)
    found = command(folder, *words)
    assert found.returncode == code, found.stderr
    assert "bug in Shoal" not in found.stderr
    assert _files(folder) == before


def _files(folder: Path) -> dict[Path, bytes]:
    return {each: b"" if each.is_dir() else each.read_bytes() for each in folder.iterdir()}


def test_a_manifest_without_end_is_no_traceback(folder: Path) -> None:
    """It is no manifest."""
    found = CliRunner().invoke(app, ["report", "r.csv", "-q", "age", "-o", "page.html"])
    assert isinstance(found.exception, SystemExit | None)


@pytest.mark.parametrize(
    ("column", "cells", "error"),
    [
        ("age", ["\ud800", "\ud800"], shoal.PolicyError),
        ("note", ["\ud800", "x"], shoal.EngineError),
    ],
    ids=["quasi-identifier", "other"],
)
def test_half_a_character_is_refused(
    column: str, cells: list[str], error: type[Exception], tmp_path: Path
) -> None:
    """A lone surrogate is no text, and no file can hold it; no cell is quoted."""
    whole = {"age": ["a", "a"], "note": ["w", "x"], column: cells}
    frame = pandas.DataFrame({name: pandas.Series(each, dtype=object) for name, each in whole.items()})
    with pytest.raises(error) as caught:
        shoal.anonymize(frame, quasi_identifiers=["age"], k=2, path=tmp_path / "out.csv")
    assert "\ud800" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_unexpected_is_a_sentence_and_a_traceback_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback can quote cells, so it is shown only to one who asks for it."""
    with pytest.raises(console.typer.Exit) as left, console.reported():
        raise KeyError("a private cell")
    assert left.value.exit_code == 1
    told = capsys.readouterr().err
    assert "this is a bug in Shoal, please report it: KeyError in test_hostile_words.py, line" in told
    assert "private" not in told
    monkeypatch.setenv("SHOAL_TRACEBACK", "1")
    with pytest.raises(KeyError), console.reported():
        raise KeyError("a private cell")
