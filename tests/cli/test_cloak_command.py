"""`shoal cloak`: figures, exit codes, and a service in a process of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.command import shoal
from tests.cloaking.people import TWELVE
from tests.patience import PATIENCE, until

SQUARE = ("--square", "0,0,16")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Twelve users who all ask once."""
    lines = [f"position,{user},0,{x},{y}" for user, (x, y) in TWELVE.items()]
    lines += [f"request,{user},1,," for user in TWELVE]
    (tmp_path / "people.csv").write_text("\n".join(["type,user,time,x,y", *lines]) + "\n")
    return tmp_path


def test_a_replay_writes_answers_and_figures(people: Path) -> None:
    """The same twice; no user is named in an answer."""
    first = shoal(people, "cloak", "replay", "people.csv", "-k", "3", *SQUARE, "-o", "a.jsonl", "--json")
    again = shoal(people, "cloak", "replay", "people.csv", "-k", "3", *SQUARE, "-o", "b.jsonl")
    assert (first.returncode, again.returncode) == (0, 0)
    assert (people / "a.jsonl").read_bytes() == (people / "b.jsonl").read_bytes()
    facts = json.loads(first.stdout)
    assert (facts["algorithm"], facts["asked"], facts["area"]) == ("hilbert", 12, 29)
    assert (facts["success_rate"], facts["effective_k"], facts["below_k"]) == (1, 3, 0)
    answers = [json.loads(line) for line in (people / "a.jsonl").read_text().splitlines()]
    assert answers[0] == {
        "type": "cloak",
        "id": "14",
        "pseudonym": answers[0]["pseudonym"],
        "x": [1, 3],
        "y": [1, 3],
        "time": [1, 1],
    }
    assert "warning" not in first.stderr


def test_a_replay_warns_where_k_users_are_not_enough(people: Path) -> None:
    """The quadtree, twice of twelve times."""
    ran = shoal(people, "cloak", "replay", "people.csv", "-k", "3", *SQUARE, "--algorithm", "quadtree")
    assert ran.returncode == 0
    assert "warning: cloaks with fewer than k possible issuers: 2" in ran.stderr
    assert "quadtree does not promise" in ran.stderr
    fast = shoal(people, "cloak", "replay", "people.csv", "-k", "3", *SQUARE, "--fast")
    assert "not measured" in fast.stderr


def test_an_attack_that_succeeds_is_exit_5(people: Path) -> None:
    """And 0 if k withstands."""
    attack = ("cloak", "attack", "people.csv", "-k", "3", *SQUARE)
    broken = shoal(people, *attack, "--algorithm", "quadtree", "--check", "effective-k", "--json")
    assert broken.returncode == 5
    [check] = json.loads(broken.stdout)["checks"]
    assert (check["check"], check["tried"], check["failed"], check["least"]) == ("effective-k", 12, 2, 2)
    assert "k does not withstand: effective-k" in broken.stderr
    assert shoal(people, *attack, "--check", "effective-k,centre,sampling,intersection").returncode == 0
    speed = shoal(people, *attack, "--speed", "1")
    assert (speed.returncode, "nothing to try" in speed.stderr) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["replay", "people.csv", "-k", "1", *SQUARE], "k must be from 2"),
        (["replay", "people.csv", "-k", "x", *SQUARE], "-k takes whole numbers"),
        (["replay", "people.csv", "-k", "3", "--square", "0,0"], "--square takes 3 whole numbers"),
        (["replay", "people.csv", "-k", "3", "--square", "0,0,12"], "16 would do"),
        (["replay", "people.csv", "-k", "3", "--square", "0,0,8"], "message 7: a position is outside"),
        (["replay", "people.csv", "-k", "3", *SQUARE, "--algorithm", "hilber"], "There are: hilbert"),
        (["replay", "people.csv", "-k", "3", *SQUARE, "--algorithm", "quadtree-time"], "--cell 1024"),
        (["replay", "people.csv", "-k", "3", *SQUARE, "--algorithm", "clique"], "clique needs dx, dy and dt"),
        (["replay", "people.csv", "-k", "3", *SQUARE, "--pseudonyms", "none"], "is request or user"),
        (["replay", "people.csv", "-k", "3", *SQUARE, "-o", "people.csv"], "the recording itself"),
        (["attack", "people.csv", "-k", "3", *SQUARE, "--check", "x"], "There are: effective-k"),
        (["attack", "people.csv", "-k", "99", *SQUARE], "nothing to attack"),
        (["serve", "-k", "3", *SQUARE], "say where to listen"),
        (["serve", "-k", "3", *SQUARE, "--listen", "127.0.0.1:0"], "needs --identity"),
        (["serve", "-k", "3", *SQUARE, "--socket", "s", "--clock", "sun"], "server or messages"),
        (
            ["serve", "-k", "3", *SQUARE, "--listen", "x", "--identity", "a", "--trust", "b"],
            "host and a port",
        ),
        (["serve", "-k", "3", *SQUARE, "--listen", "h:1", "--identity", "a", "--trust", "b"], "cannot read"),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(people: Path, arguments: list[str], why: str) -> None:
    """Exit code 2, and nothing is written."""
    before = (people / "people.csv").read_bytes()
    ran = shoal(people, "cloak", *arguments)
    assert ran.returncode == 2, ran.stderr
    assert why in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (people / "people.csv").read_bytes() == before


def test_algorithms_are_listed_with_their_counter_examples(tmp_path: Path) -> None:
    """For people and for programs."""
    listed = shoal(tmp_path, "cloak", "algorithms")
    assert listed.stdout.count("beware:") == 5
    facts = json.loads(shoal(tmp_path, "cloak", "algorithms", "--json").stdout)["algorithms"]
    assert [each["name"] for each in facts if each["warning"] is None] == ["hilbert", "partition"]


def test_an_identity_is_made_once(tmp_path: Path) -> None:
    """Its key is private, and never replaced."""
    assert shoal(tmp_path, "cloak", "identity", "desk").returncode == 0
    assert (tmp_path / "desk.key").stat().st_mode & 0o077 == 0
    again = shoal(tmp_path, "cloak", "identity", "desk")
    assert (again.returncode, "never replaced" in again.stderr) == (2, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_service_runs_until_it_is_stopped(how: signal.Signals) -> None:
    """It answers, ends with exit code 0, leaves counts and no socket; the counts have no place in them."""
    with tempfile.TemporaryDirectory(prefix="cloak") as name:
        folder = Path(name)
        command = [
            *("cloak", "serve", "-k", "3", *SQUARE),
            *("--socket", "socket", "--counts", "counts.json"),
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal.cli", *command], cwd=folder, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        try:
            assert process.stderr.readline() == "listening at socket\n"
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(folder / "socket"))
                lines = [{"type": "position", "user": u, "x": x, "y": y} for u, (x, y) in TWELVE.items()]
                lines.append({"type": "request", "user": "a", "id": "r"})
                client.sendall("".join(json.dumps(line) + "\n" for line in lines).encode())
                answer = json.loads(client.makefile().readline())
            assert (answer["type"], answer["x"], answer["y"]) == ("cloak", [1, 3], [1, 3])
            process.send_signal(how)
            until(lambda: process.poll() is not None)
        finally:
            process.kill()
            rest = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, rest
        assert "Traceback" not in rest
        assert not (folder / "socket").exists()
        counts = json.loads((folder / "counts.json").read_text())
        assert (counts["users"], counts["asked"], counts["cloaked"]) == (12, 1, 1)
        assert all(isinstance(value, int) for value in counts.values())


def test_other_commands_do_not_load_it() -> None:
    """The room of places is loaded when it is asked for."""
    code = (
        "import shoal, shoal.cli.app, sys; print([m for m in sys.modules if m.startswith('shoal.location')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_without_its_package_tls_says_the_way_to_it(tmp_path: Path) -> None:
    """In a sentence, with what to install."""
    code = f"""
import sys
sys.modules["cryptography"] = None
from shoal.cli.app import app
app({["cloak", "identity", "desk", "--folder", str(tmp_path)]!r})
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, "pip install 'shoal[location]'" in ran.stderr) == (2, True)
