"""`shoal collect` as people run it: exit codes, sentences, processes."""

from __future__ import annotations

import csv
import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.command import shoal
from tests.patience import PATIENCE, until

INIT = ("collect", "init", "c", "-q", "year,zip", "--others", "ill", "-k", "2", "--port", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection for three, and a row."""
    folder = tmp_path_factory.mktemp("collect")
    ran = shoal(folder, *INIT, "--customers", "3", "--closes", "2h")
    assert ran.returncode == 0, ran.stderr
    (folder / "row.csv").write_text("year,zip,ill\n1957,07028,flu\n")
    return folder


def test_init_makes_private_folders_for_all_parties(folder: Path) -> None:
    """Keys, tokens and lists can be read by their owner alone."""
    made = folder / "c"
    parties = {"helper1", "helper2", "relay", "collector", "customers", "tokens"}
    assert {path.name for path in made.iterdir()} == parties
    assert all(path.stat().st_mode & 0o077 == 0 for path in made.iterdir())
    for secret in (*made.rglob("*.key"), *made.rglob("*.token"), *made.rglob("tickets.txt")):
        assert secret.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*INIT, "--customers", "3", "--closes", "2h"), "is not empty"),
        (
            ("collect", "init", "d", *INIT[3:], "--customers", "3", "--closes", "soon"),
            "--closes takes a time",
        ),
        (
            ("collect", "init", "d", *INIT[3:], "--customers", "3", "--closes", "2001-01-01T00:00Z"),
            "has passed",
        ),
        (("collect", "init", "d", *INIT[3:], "--customers", "1", "--closes", "2h"), "customers"),
        (
            ("collect", "init", "d", *INIT[3:], "--customers", "3001", "--closes", "2h", "--method", "cells"),
            "takes at most 3,000",
        ),
        (("collect", "helper", "c/relay", "helper1"), "cannot read"),
        (("collect", "helper", "c/helper1", "helper7"), "no helper 'helper7'"),
        (("collect", "relay", "nowhere"), "name the folder"),
        (("collect", "relay", "c/relay", "--listen", "here"), "HOST:PORT"),
        (("collect", "submit", "c/customers", "row.csv", "row.csv"), "is not a token"),
        (("collect", "submit", "c/customers", "c/tokens/1.token", "none.csv"), "cannot read none.csv"),
        (
            ("collect", "submit", "c/customers", "c/tokens/1.token", "wide.csv"),
            "the columns of this collection",
        ),
        (("collect", "submit", "c/customers", "c/tokens/1.token", "two.csv"), "one row"),
        (("collect", "submit", "c/customers", "c/tokens/1.token", "star.csv"), "'zip' has a star"),
        (("collect", "demo", "--method", "sells"), "Did you mean 'cells'"),
    ],
)
def test_mistakes_get_one_sentence_and_exit_2(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """No traceback, and no value of a row."""
    (folder / "wide.csv").write_text("year,zip,ill,more\n1957,07028,secretflu,x\n")
    (folder / "two.csv").write_text("year,zip,ill\n1957,07028,secretflu\n1958,07028,secretflu\n")
    (folder / "star.csv").write_text("year,zip,ill\n1957,*,secretflu\n")
    ran = shoal(folder, *arguments)
    assert ran.returncode == 2, ran.stderr
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "secretflu" not in ran.stderr


def test_a_party_that_is_not_there_is_named_with_exit_6(folder: Path) -> None:
    """And the customer can try again."""
    for _ in range(2):
        ran = shoal(
            folder, "collect", "submit", "c/customers", "c/tokens/1.token", "row.csv", "--seconds", "0.1"
        )
        assert ran.returncode == 6, ran.stderr
        assert "helper" in ran.stderr
        assert "nobody answers" in ran.stderr
        assert "07028" not in ran.stderr


def test_a_place_that_is_taken_is_named_with_exit_6(folder: Path) -> None:
    """One sentence; nothing else is printed."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        ran = shoal(folder, "collect", "relay", "c/relay", "--listen", place)
    assert ran.returncode == 6
    assert ran.stderr.startswith(f"shoal: cannot listen at {place}")
    assert len(ran.stderr.splitlines()) == 1


def test_ctrl_c_ends_a_party_with_130(folder: Path) -> None:
    """At once, without a traceback; it can be started again."""
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal.cli", "collect", "relay", "c/relay"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "listens at" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    until(lambda: process.poll() is not None)
    assert process.returncode == 130
    assert process.stderr.read().strip() == "shoal: interrupted"
    process.stderr.close()


def test_a_missing_package_is_named_with_the_way_out(folder: Path) -> None:
    """One sentence, no traceback of an import."""
    code = (
        "import sys; sys.modules['rbcl'] = None; sys.argv = ['shoal', 'collect', 'relay', 'c/relay']\n"
        "from shoal.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "pip install 'shoal[joint]'" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_other_commands_do_not_load_the_extra() -> None:
    """Neither `import shoal` nor the gathering of all commands."""
    code = "import shoal, shoal.cli.app, sys; shoal.anonymize; print(' '.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert not loaded & {"rbcl", "cryptography"}
    assert "shoal.joint" not in ran.stdout


@pytest.mark.slow
def test_the_demo_of_cells_runs_as_processes(tmp_path: Path) -> None:
    """The worked example, with what each party learned; that of rows is run by its page."""
    ran = subprocess.run(
        [sys.executable, "-m", "shoal.cli", "collect", "demo", "--method", "cells", "-o", "out.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert Counter(tuple(row[:2]) for row in rows) == {
        ("*", "*"): 3,
        ("1957", "07028"): 3,
        ("1939", "07030"): 3,
    }
    for party in ("helper1", "helper2", "relay", "collector"):
        assert any(line.startswith(party) and "learned:" in line for line in ran.stderr.splitlines())
    assert ran.stdout == (tmp_path / "out.csv").read_text()
