"""The command line, as a user runs it: real processes, exit codes, standard output and standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.algorithms import ALGORITHMS
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_path
from shoal.errors import InternalError
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.result import Result, Status
from shoal.pipeline import solve
from tests.cli.command import shoal
from tests.paper_setting import FLAGS as IN_THE_PAPER
from tests.patience import PATIENCE

PEOPLE = "name,age,zip\nAnn,30,02139\nBob,31,02139\nCid,30,02138\nDee,45,10001\nEve,46,10001\nFay,45,10001\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


FLAGS = ("-q", "age,zip", "-k", "2", "--algorithm", "exhaustive")


def test_a_file_with_flags_becomes_a_release(folder: Path) -> None:
    """Lines say how it came out and what is proved, a table what became of the columns; for people alone."""
    run = shoal(folder, "anonymize", "people.csv", *FLAGS, "--identifiers", "name", "-o", "out.csv")
    assert run.returncode == 0, run.stderr
    first, proof, last, head, *columns = run.stderr.splitlines()
    assert first.startswith("optimal   loss ")
    assert first.endswith("suppressed 0 rows (0 %)   audit holds")
    assert proof.startswith("a cell keeps ")
    assert proof.endswith("proved: no other cuts of the columns' orders keep more under this policy")
    assert last.startswith("out.csv: 6 rows in ")
    assert head.split() == ["column", "loss", "values", "labels", "example", "released", "as"]
    assert [line.split()[0] for line in columns] == ["age", "zip"]
    assert run.stdout == ""
    assert (folder / "out.csv").read_text().startswith("age,zip\n")


def test_without_a_name_the_release_lies_beside_the_source(folder: Path) -> None:
    """Its name tells k."""
    assert shoal(folder, "anonymize", "people.csv", *FLAGS, "--other", "name", "--quiet").stderr == ""
    assert (folder / "people-k2.csv").exists()


def test_strict_fails_at_a_warning_and_publishes_nothing(folder: Path) -> None:
    """Exit 5, with the warnings and a sentence; what is kept on purpose, or dropped, passes."""
    run = shoal(folder, "anonymize", "people.csv", *FLAGS, "-o", "out.csv", "--strict")
    assert run.returncode == 5
    assert (
        "shoal: warning: 'name' is released unchanged and seems to identify people: its name says 'name'"
        in run.stderr
    )
    assert "direct-identifier (name)" in run.stderr
    assert not (folder / "out.csv").exists()
    dropped = (*FLAGS, "--identifiers", "name", "-o", "out.csv", "--strict")
    assert shoal(folder, "anonymize", "people.csv", *dropped).returncode == 0
    asked = ("audit", "people.csv", "-q", "age", "-k", "1")
    assert shoal(folder, *asked).returncode == 0
    assert shoal(folder, *asked, "--strict").returncode == 5


def test_json_is_the_manifest_and_nothing_else(folder: Path) -> None:
    """Programs read standard output, people standard error."""
    run = shoal(folder, "anonymize", "people.csv", *FLAGS, "-o", "out.csv", "--json")
    assert json.loads(run.stdout) == json.loads((folder / "out.csv.manifest.json").read_text())
    assert "audit holds" in run.stderr


def test_a_policy_file_says_it_all(folder: Path) -> None:
    """Its paths are relative to it, wherever the command runs."""
    (folder / "sub").mkdir()
    (folder / "sub" / "people.toml").write_text(
        '[source]\npath = "../people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[privacy]\nk = 2\n[search]\nalgorithm = "exhaustive"\n[release]\npath = "release.parquet"\n'
    )
    run = shoal(folder, "anonymize", "sub/people.toml")
    assert run.returncode == 0, run.stderr
    assert (folder / "sub" / "release.parquet").exists()
    refused = shoal(folder, "anonymize", "sub/people.toml", "-k", "3")
    assert refused.returncode == 2
    assert "leave out -k" in refused.stderr


def test_flags_shape_the_values(folder: Path) -> None:
    """Bins, orders, types, hierarchies and masks."""
    (folder / "zip.txt").write_text("02138;MA;*\n02139;MA;*\n10001;NY;*\n")
    run = shoal(
        folder,
        "anonymize",
        "people.csv",
        "-q",
        "age",
        "-q",
        "zip",
        "-k",
        "2",
        "--algorithm",
        "exhaustive",
        "--bin",
        "age=5",
        "--hierarchy",
        "zip=zip.txt",
        "--suppressed",
        "mask",
        "--suppression",
        "50%",
        "--seed",
        "3",
        "--threads",
        "1",
        "--cost",
        "general-loss",
        "--memory",
        "300MB",
        "-o",
        "out.csv",
    )
    assert run.returncode == 0, run.stderr
    text = (folder / "out.csv").read_text()
    assert '"[30, 34]",MA' in text
    assert '"[45, 49]",10001' in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("anonymize", "people.csv"), 2, "-q age,zip -k 10"),
        (("anonymize", "people.csv", "-q", "aeg", "-k", "2"), 2, "Did you mean 'age'?"),
        (("anonymize", "people.csv", *FLAGS, "--bin", "age"), 2, "--bin takes NAME=VALUE"),
        (("anonymize", "people.csv", *FLAGS, "--bin", "age=wide"), 2, "--bin takes numbers"),
        (("anonymize", "people.csv", *FLAGS, "--order", "age=31,30"), 2, "missing from `order`"),
        (("anonymize", "people.csv", *FLAGS, "--suppression", "101%"), 2, "out of range"),
        (("anonymize", "people.csv", *FLAGS, "--suppressed", "hide"), 2, "either 'drop' or 'mask'"),
        (("anonymize", "people.csv", *FLAGS, "--sensitive", "zip"), 2, "two roles"),
        (("anonymize", "people.csv", *FLAGS, "--cost", "classification"), 2, "--class COLUMN"),
        (("anonymize", "people.csv", *FLAGS, "--memory", "lots"), 2, "memory"),
        (
            ("anonymize", "people.csv", "-q", "age", "-k", "99", "--algorithm", "exhaustive"),
            2,
            "larger than the table",
        ),
        (("anonymize", "people.csv", *FLAGS, "-o", "people.csv"), 2, "source itself"),
        (("anonymize", "people.csv", *FLAGS, "-o", "none/out.csv"), 6, "does not exist"),
        (("anonymize", "none.csv", *FLAGS), 6, "the file none.csv does not exist"),
        (("anonymize", "none.toml"), 6, "cannot read the policy"),
        (("anonymize", "people.csv", "--frobnicate"), 2, "No such option"),
        (("frobnicate",), 2, "No such command"),
        (("audit", "people.csv", "-q", "age,zip", "-k", "2"), 5, "smaller than k = 2"),
        (("audit", "people.csv", "-q", "aeg"), 2, "Did you mean 'age'?"),
        (("audit", "people.csv", "-q", "age", "-k", "0"), 2, "at least 1"),
        (("audit", "none.csv", "-q", "age"), 6, "does not exist"),
        (("inspect", "none.csv"), 6, "does not exist"),
        (("inspect", "people.csv", "-q", "aeg"), 2, "Did you mean 'age'?"),
    ],
)
def test_the_exit_code_carries_the_verdict(
    folder: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """One message, never a traceback, and no file."""
    run = shoal(folder, *arguments)
    assert run.returncode == code, run.stderr
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


FEASIBLE = Result(status=Status.FEASIBLE, algorithm="x", recoding=CutRecoding(((), ())), cost=36, bound=9)


@pytest.mark.parametrize(
    ("answer", "further", "code", "words", "published"),
    [
        (Result(status=Status.INFEASIBLE, algorithm="x"), (), 1, "bug in Shoal", False),
        (FEASIBLE, ("--require-optimal",), 4, "not proved: other ", False),
        (FEASIBLE, (), 0, "feasible   cost 36   bound 9   gap 75.0 %", True),
        (replace(FEASIBLE, interrupted=True), (), 130, "the best recoding so far was released", True),
        (KeyboardInterrupt(), (), 130, "interrupted; nothing was published", False),
        (InternalError("x"), (), 1, "bug in Shoal", False),
    ],
)
def test_what_the_search_answers_decides_the_exit_code(
    folder: Path,
    answer: Result | BaseException,
    further: tuple[str, ...],
    code: int,
    words: str,
    published: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Infeasible although it is not, not proved, feasible, interrupted with and without a recoding, a bug."""

    def searched(*_: object) -> Result:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(solve, "search", searched)
    run = shoal(folder, "anonymize", "people.csv", *FLAGS, *IN_THE_PAPER, "-o", "out.csv", *further)
    assert run.returncode == code, run.stderr
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert (folder / "out.csv").exists() == published
    assert len(list(folder.iterdir())) == (3 if published else 1)


# A command that gets Ctrl-C while it searches, and again while it writes.
INTERRUPTED_TWICE = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # those who run tests may have it ignored
from shoal.pipeline import solve
from shoal.engines.duckdb.engine import DuckDB
search = solve.search
def press():
    os.kill(os.getpid(), signal.SIGINT)
def searched(plan, problem, budget, rows, start, _):
    pressed = []
    def watch(progress):
        if progress.cost is not None and not pressed:
            pressed.append(progress)
            press()
    result = search(plan, problem, budget, rows, start, watch)
    assert result.interrupted and result.recoding is not None
    return result
def apply(self, source, counted, application, target):
    target.write_text("half")
    threading.Timer(0.3, press).start()
    self._session.fetched("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b", "a test")
solve.search, DuckDB.apply = searched, apply
from shoal.cli import main
main()
"""


def test_a_second_ctrl_c_ends_everything(tmp_path: Path) -> None:
    """The first ends the search and goes on to release the best so far; the second leaves no file."""
    quasi = ",".join(ADULT_QUASI_IDENTIFIERS)
    command = ["anonymize", str(adult_path()), "-q", quasi, "-k", "5", "-o", str(tmp_path / "out.csv")]
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_TWICE, *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 130, run.stderr
    said = run.stderr.splitlines()  # on a slow machine also where it was
    assert said[-1] == "shoal: interrupted; nothing was published"
    assert set(said[:-1]) <= {"writing the release"}
    assert list(tmp_path.iterdir()) == []


def test_a_broken_line_is_named_and_not_quoted(folder: Path) -> None:
    """Private cells stay private, on standard error too."""
    (folder / "people.csv").write_text("age,zip\n1,a\nsecret\n")
    run = shoal(folder, "anonymize", "people.csv", *FLAGS)
    assert run.returncode == 6
    assert "line 3 is broken" in run.stderr
    assert "secret" not in run.stderr


def test_audit_measures_any_table(folder: Path) -> None:
    """The k it has, the groups below a demand, the rows that are suppressed."""
    (folder / "release.csv").write_text("age,zip\n1,a\n1,a\n2,b\n*,*\n")
    run = shoal(folder, "audit", "release.csv", "-q", "age,zip")
    assert run.returncode == 0
    assert run.stderr == "k 1   rows 4   groups 2   suppressed 1 rows (25.0 %)\n"
    run = shoal(folder, "audit", "release.csv", "-q", "age,zip", "-k", "2", "--json", "--quiet")
    assert run.returncode == 5
    facts = json.loads(run.stdout)
    assert (facts["k-anonymity"], facts["holds"], facts["groups_below"], facts["rows_below"]) == (
        1,
        False,
        1,
        1,
    )


def test_audit_of_an_empty_table_is_refused(folder: Path) -> None:
    """Nothing holds of nothing."""
    (folder / "release.csv").write_text("age,zip\n")
    assert shoal(folder, "audit", "release.csv", "-q", "age", "-k", "2").returncode == 2


def test_inspect_shows_columns_and_no_cell(folder: Path) -> None:
    """Types, missing cells, distinct values, likely roles with reasons, uniqueness together."""
    run = shoal(folder, "inspect", "people.csv", "--json")
    facts = json.loads(run.stdout)
    name, age, zipcode = facts["columns"]
    assert (name["likely_role"], age["likely_role"], zipcode["likely_role"]) == (
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
    )
    assert (age["kind"], zipcode["kind"], age["distinct"], age["missing"]) == ("number", "category", 4, 0)
    assert facts["together"] == {"columns": ["age", "zip"], "groups": 5, "unique_rows": 4}
    words = shoal(folder, "inspect", "people.csv").stderr
    assert "its name says 'age'" in words
    assert "02139" not in words
    assert "4 of them (66.7 %)" in words


def test_help_and_version_are_there(folder: Path) -> None:
    """For every command."""
    for command in ((), ("anonymize",), ("audit",), ("inspect",), ("demo",)):
        run = shoal(folder, *command, "--help")
        assert run.returncode == 0
        assert "Usage: shoal" in run.stdout
    assert shoal(folder, "version").stdout == shoal(folder, "--version").stdout
    assert shoal(folder, "version").stdout.startswith("shoal ")


@pytest.mark.skipif("exact" not in ALGORITHMS, reason="the search that the demo uses is not built")
def test_demo_releases_adult_and_says_where(folder: Path) -> None:
    """Within its budget, with rows before and after, and an audit that can be repeated."""
    run = shoal(folder, "demo", "--seconds", "2", "-k", "500")
    assert run.returncode == 0, run.stderr
    assert "before" in run.stderr
    assert "demo/adult-k10.csv: " in run.stderr
    assert "demo/adult-k10-consistent.csv: " in run.stderr
    assert (folder / "demo" / "adult-k10.csv.manifest.json").exists()
    assert adult_path().exists()
    audit = shoal(
        folder, "audit", "demo/adult-k10.csv", "-q", "age,workclass,education,marital-status", "-k", "500"
    )
    assert audit.returncode == 0
