"""`shoal joint site` in real processes: exit codes, one sentence, Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.network.identity import Identity
from tests.cli.command import shoal

from .test_specialization import twelve

POLICY = """
[attributes.id]
role = "identifier"
[attributes.education]
role = "quasi-identifier"
hierarchy = "education.csv"
[attributes.sex]
role = "quasi-identifier"
order = "sorted"
[attributes.age]
role = "quasi-identifier"
hierarchy = "age.csv"
[attributes.class]
role = "class"
[privacy]
k = 2
[search]
algorithm = "tds"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The worked example with keys of both sites."""
    twelve(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    for name in ("registry", "hospital"):
        Identity.create(tmp_path, name, days=1)
    return tmp_path


def arguments(folder: Path, name: str, other: str, *more: str) -> list[str]:
    data = "first.csv" if name == "registry" else "second.csv"
    common = ["joint", "site", str(folder / "policy.toml"), "--data", str(folder / data)]
    return [*common, "--as", name, "--other", other, "--keys", str(folder), *more]


def listening(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """The first site in a process of its own, and its port."""
    more = ("--listen", "127.0.0.1:0", "--output", str(folder / "out.csv"))
    command = [sys.executable, "-m", "shoal.cli", *arguments(folder, "registry", "hospital", *more)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    found = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
    assert found
    return process, int(found[1])


def test_both_commands_make_one_release_after_a_run_with_another_policy(folder: Path) -> None:
    """First the second site has another k: exit code 6 and one sentence at both; then the run succeeds."""
    process, port = listening(folder)
    (folder / "policy.toml").write_text(POLICY.replace("k = 2", "k = 3"))
    there = ("--connect", f"127.0.0.1:{port}")
    ended = shoal(folder, *arguments(folder, "hospital", "registry", *there))
    _, said = process.communicate()
    assert (process.returncode, ended.returncode) == (6, 6)
    assert "registry: has another policy" in ended.stderr
    assert said.count("\n") == 1
    assert "hospital" in said
    assert not (folder / "out.csv").exists()
    (folder / "policy.toml").write_text(POLICY)
    process, port = listening(folder)
    ended = shoal(folder, *arguments(folder, "hospital", "registry", "--connect", f"127.0.0.1:{port}"))
    _, said = process.communicate()
    assert (process.returncode, ended.returncode) == (0, 0)
    assert "audit holds" in said
    assert "registry wrote the release" in ended.stderr
    assert (folder / "out.csv.manifest.json").exists()


def test_ctrl_c_ends_a_site_that_waits(folder: Path) -> None:
    """Exit code 130, and nothing is written."""
    process, _ = listening(folder)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "one site listens"),
        (("--listen", "here"), "an address is HOST:PORT"),
        (("--connect", "127.0.0.1:1", "--output", "x.csv"), "leave out --output"),
        (("--listen", "127.0.0.1:0", "--protocol", "psi"), "no protocol 'psi'"),
        (("--listen", "127.0.0.1:0"), "say which file"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused(folder: Path, more: tuple[str, ...], words: str) -> None:
    """Exit code 2 and one sentence, before anybody is met."""
    ended = shoal(folder, *arguments(folder, "registry", "hospital", *more))
    assert ended.returncode == 2
    assert words in ended.stderr
