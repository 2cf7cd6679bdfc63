"""`shoal channel` in real processes: keys, group file, members, messages, a killed member, evidence."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.channel.local_socket import ask
from shoal.cli.channel import channel
from shoal.errors import PolicyError
from tests.patience import PATIENCE, until

NAMES = ("ann", "bob", "cem", "dora")


def shoal(
    folder: Path, *words: str, code: int = 0, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command of the channel in a folder."""
    command = [sys.executable, "-m", "shoal.cli", "channel", *words]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, input=given, timeout=PATIENCE)
    assert ran.returncode == code, ran.stderr
    assert "Traceback" not in ran.stderr
    return ran


@pytest.fixture(scope="module")
def group(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, dict[str, subprocess.Popen[str]]]]:
    """A folder with a group file, and a process for each member."""
    folder = tmp_path_factory.mktemp("g")
    shoal(folder, "identity", "ann")
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in NAMES]
    members = [
        f"--member={name}=127.0.0.1:{each.getsockname()[1]}"
        for name, each in zip(NAMES, sockets, strict=True)
    ]
    for each in sockets:
        each.close()
    made = shoal(
        folder, "init", *members, "-k", "3", "--proofs", "4", "--interval", "0.2", "--timeout", "300"
    )
    assert "bob: made keys" in made.stderr
    assert "ann: made keys" not in made.stderr
    assert "group 0: 4 members (ann, bob, cem, dora)" in made.stderr
    processes = {}
    for name in NAMES:
        command = [sys.executable, "-m", "shoal.cli", "channel", "member", "--as", name]
        with (folder / f"{name}.log").open("w") as log:
            processes[name] = subprocess.Popen(command, cwd=folder, stderr=log, text=True)
    yield folder, processes
    for process in processes.values():
        process.kill()
        process.wait()


def begun(folder: Path, processes: dict[str, subprocess.Popen[str]]) -> None:
    """Wait until all members listen to their users."""
    until(
        lambda: all((folder / f"{name}.sock").exists() for name in NAMES),
        lambda: [name for name, process in processes.items() if process.poll() is not None] or None,
    )


@pytest.mark.slow
def test_a_group_of_processes(group: tuple[Path, dict[str, subprocess.Popen[str]]]) -> None:
    """A text goes from one to another, a member is killed, the others expel it and go on; Ctrl-C ends one."""
    folder, processes = group
    begun(folder, processes)
    assert "arrived, in 3 pieces" in shoal(folder, "send", "bob", "--as", "ann", "the\x1b[2J lift").stderr
    assert shoal(folder, "receive", "--as", "bob", "--wait", "1").stdout == "the [2J lift\n"
    assert not ask(folder / "bob.sock", {"do": "receive", "count": 0})["texts"]
    with pytest.raises(PolicyError, match="has no member nobody"):
        ask(folder / "ann.sock", {"do": "send", "to": "nobody", "text": "", "wait": False})
    with pytest.raises(PolicyError, match="does not know this request"):
        ask(folder / "ann.sock", {"do": "leave"})
    assert (folder / "ann.sock").stat().st_mode & 0o077 == 0

    processes["dora"].kill()
    shoal(folder, "send", "cem", "--as", "bob", given="from standard input\n")
    assert ask(folder / "cem.sock", {"do": "receive", "count": 1})["texts"] == ["from standard input\n"]
    until(lambda: "dora" not in ask(folder / "ann.sock", {"do": "status"})["roster"])
    [evidence] = folder.glob("dora-*.evidence")
    assert "convicted: dora: silence" in shoal(folder, "verify", evidence.name).stderr
    forged = folder / "forged.evidence"
    forged.write_text(evidence.read_text().replace('"dora"', '"ann"'))
    assert "does not convict ann" in shoal(folder, "verify", forged.name, code=5).stderr

    processes["cem"].send_signal(signal.SIGINT)
    assert processes["cem"].wait(PATIENCE) == 130
    # Three of four were left, and k is 3: the others stop, and say why.
    for name in ("ann", "bob"):
        assert processes[name].wait(PATIENCE) == 6
        assert "too few for k = 3; nothing more is sent" in (folder / f"{name}.log").read_text()
    assert "no member answers" in shoal(folder, "send", "bob", "late", "--as", "ann", code=6).stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("init", "-k", "2", "--member", "ann"), "is not NAME=HOST:PORT"),
        (("init", "-k", "5", "--member", "ann=localhost:1"), "1 members are too few"),
        (("init", "-k", "2", "--corrupt", "much", "--member", "ann=localhost:1"), "is a share"),
        (("identity", "../ann"), "a party's name"),
        (("member", "--as", "ann"), "cannot read the group file group.toml"),
        (("size", "-k", "1"), "k is 2 or more"),
        (("demo", "-k", "2", "--spies", "0"), "three members at least"),
        (("verify", "group.toml"), "cannot read the group file"),
        (("send", "bob", "text", "--as", "ann"), "no member answers"),
    ],
)
def test_bad_input_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str
) -> None:
    """With exit code 2, and no traceback."""
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(channel, words)
    assert (ran.exit_code, says in ran.stderr) == (6 if "answers" in says else 2, True), ran.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[channel", "is not TOML"),
        ("[channel]\nk = 2\n", "something missing"),
        ('members = []\n[channel]\nk = "2"\n', "is a whole number"),
        ("members = []\n[channel]\nk = 2\nspeed = 9\n", "something missing, unknown"),
        ("members = []\n[channel]\nk = 2\nproofs = 0\n", "`proofs` is a whole number"),
        ("members = []\n[channel]\nk = 2\ntimeout = -1\n", "`timeout` is a number of seconds"),
    ],
)
def test_a_bad_group_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    """What is wrong, and where."""
    (tmp_path / "group.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(channel, ["member", "--as", "ann"])
    assert (ran.exit_code, says in ran.stderr) == (2, True), ran.stderr


def test_the_group_size_is_printed() -> None:
    """For scripts, on standard output."""
    assert CliRunner().invoke(channel, ["size", "-k", "5", "--corrupt", "0.1"]).stdout == "13\n"


def test_a_missing_package_is_named_with_the_way_out(tmp_path: Path) -> None:
    """One sentence, no traceback of an import."""
    code = "import sys; sys.modules['rbcl'] = None; from shoal.cli import main; main()"
    command = [sys.executable, "-c", code, "channel", "identity", "ann"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, "pip install 'shoal[channel]'" in ran.stderr) == (2, True)


def test_nothing_else_imports_the_channel() -> None:
    """`import shoal` and the list of commands load neither the protocol nor its packages."""
    code = "import sys, shoal; from shoal.cli.app import app; shoal.anonymize; print(' '.join(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    loaded = ran.stdout.split()
    assert not [
        name for name in loaded if name.startswith("shoal.channel") or name in ("rbcl", "cryptography")
    ]


@pytest.mark.slow
def test_the_demo_shows_k_possible_senders(tmp_path: Path) -> None:
    """Real processes; the spies cannot exclude anybody."""
    ran = shoal(tmp_path, "demo", "-k", "3", "--spies", "1", "--proofs", "2", "--json")
    facts = json.loads(ran.stdout)
    assert facts["text"] == "the lift on floor 3 is unsafe"
    assert len(facts["sightings"]) >= 4
    for sighting in facts["sightings"]:
        assert len(sighting["fillings"]) == 3
        assert len(set(sighting["fillings"].values())) == 1
        assert facts["sender"] in sighting["fillings"]
