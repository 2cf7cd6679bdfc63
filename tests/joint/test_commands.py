"""`shoal joint` in real processes: a whole run, and runs that are cut in the middle."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.joint.hospitals import AGE, SECRET, ZIP, tables
from tests.joint.parties import multiset
from tests.patience import PATIENCE

SHOAL = [sys.executable, "-m", "shoal.cli"]
HOLDERS = ("north", "south", "west")


def said(folder: Path, *words: str) -> str:
    """What a command says; it must succeed."""
    ran = subprocess.run(
        [*SHOAL, "joint", *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Identities, certificates, hierarchies, tables and a policy."""
    folder = tmp_path_factory.mktemp("hospitals")
    (folder / "certificates").mkdir()
    for name in (*HOLDERS, "desk"):
        said(folder, "identity", name)
        (folder / "certificates" / f"{name}.crt").write_bytes((folder / "keys" / f"{name}.crt").read_bytes())
    said(folder, "init", "joint.toml", "--holders", ",".join(HOLDERS), "-q", "age,zip", "-k", "3")
    text = (folder / "joint.toml").read_text().replace("suppression = 0", "suppression = 10")
    text = text.replace("insider = false", f"meeting = {PATIENCE}\ntimeout = {PATIENCE}")
    (folder / "joint.toml").write_text(text)
    AGE.write(folder / "age.csv")
    ZIP.write(folder / "zip.csv")
    for name, table in zip(HOLDERS, tables(rows=400), strict=True):
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


def free_port() -> int:
    """A port that nobody listens at."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def at(folder: Path, port: int) -> str:
    """The policy with the desk at a port; where it is does not change the digest."""
    path = folder / f"at-{port}.toml"
    text = (folder / "joint.toml").read_text()
    path.write_text(text.replace("127.0.0.1:7443", f"127.0.0.1:{port}"))
    return path.name


class Parties:
    """A process for each party."""

    def __init__(self, folder: Path, port: int, through: int) -> None:
        """`through` is where west believes the desk to be."""
        self.running = {"desk": self._start(folder, "desk", at(folder, port), "-o", "release.csv")}
        for name in HOLDERS:
            policy = at(folder, through if name == "west" else port)
            self.running[name] = self._start(folder, "holder", policy, "--as", name, "--data", f"{name}.csv")

    @staticmethod
    def _start(folder: Path, *words: str) -> subprocess.Popen[str]:
        plain = {**os.environ, "NO_COLOR": "1"}
        return subprocess.Popen(
            [*SHOAL, "joint", *words], cwd=folder, stderr=subprocess.PIPE, text=True, env=plain
        )

    def ended(self) -> dict[str, tuple[int, str]]:
        """Of each party its exit code and what it said."""
        try:
            return {name: (each.wait(PATIENCE), each.communicate()[1]) for name, each in self.running.items()}
        finally:
            for each in self.running.values():
                each.kill()
                each.wait()


@contextmanager
def wire(port: int, most: int, then: Callable[[socket.socket], None]) -> Iterator[int]:
    """A wire to a port, on which something happens once so many bytes came from the near end."""
    door = socket.create_server(("127.0.0.1", 0))

    def carry() -> None:
        near, _ = door.accept()
        far = None
        while far is None:
            try:
                far = socket.create_connection(("127.0.0.1", port))
            except OSError:
                continue
        threading.Thread(target=_pump, args=(far, near, None, then), daemon=True).start()
        _pump(near, far, most, then)

    thread = threading.Thread(target=carry, daemon=True)
    thread.start()
    try:
        yield int(door.getsockname()[1])
    finally:
        door.close()


def _pump(
    source: socket.socket, target: socket.socket, most: int | None, then: Callable[[socket.socket], None]
) -> None:
    count = 0
    try:
        while content := source.recv(4096):
            count += len(content)
            if most is not None and count > most:
                then(target)
                return
            target.sendall(content)
    except OSError:
        pass
    finally:
        for each in (source, target):
            # Closing alone would not wake the thread that reads from it.
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def test_a_whole_run_and_its_policy_by_digest(folder: Path) -> None:
    """Four processes; the release is audited, the manifest printed, no cell is said."""
    digest = said(folder, "digest", "joint.toml").splitlines()[0]
    port = free_port()
    ended = Parties(folder, port, port).ended()
    assert {name: code for name, (code, _) in ended.items()} == dict.fromkeys(ended, 0), ended
    facts = json.loads((folder / "release.csv.manifest.json").read_text())
    assert facts["policy_digest"] == digest
    assert facts["audit"]["holds"]
    assert len(multiset(folder / "release.csv")) == facts["rows"] - facts["suppressed"]
    for name, (_, text) in ended.items():
        assert SECRET not in text
        assert facts["joint"]["run"] in text
        assert name == "desk" or facts["joint"]["transcripts"][name] in text
    (folder / "release.csv").unlink()
    (folder / "release.csv.manifest.json").unlink()


@pytest.mark.parametrize("fault", ["the network is cut", "a holder is killed", "the desk is killed"])
def test_a_run_that_is_cut_in_the_middle_writes_nothing(folder: Path, fault: str) -> None:
    """Everybody who is left ends with 6 and the name of the party; nothing is written."""
    port = free_port()
    parties: list[Parties] = []

    def then(_: socket.socket) -> None:
        if fault != "the network is cut":
            parties[0].running["desk" if fault == "the desk is killed" else "west"].kill()

    with wire(port, 6000, then) as through:
        parties.append(Parties(folder, port, through))
        ended = parties[0].ended()
    lost = "desk" if fault == "the desk is killed" else "west"
    for name, (code, text) in ended.items():
        if (name, fault) in {("west", "a holder is killed"), ("desk", "the desk is killed")}:
            assert code == -9
            continue
        assert code == 6, (name, text)
        assert f"{'desk' if name == 'west' else lost}: " in text
        assert "Traceback" not in text
        assert SECRET not in text
    assert not [each for each in folder.iterdir() if "release" in each.name or each.name.startswith(".shoal")]


def test_the_users_own_faults_end_with_2(folder: Path) -> None:
    """A party that is none, a pinned certificate that is another, a column that a policy cannot have."""

    def refused(policy: str, *words: str) -> str:
        ran = subprocess.run(
            [*SHOAL, "joint", *words[:1], policy, *words[1:]], cwd=folder, capture_output=True, text=True
        )
        assert ran.returncode == 2, ran.stderr
        return ran.stderr

    assert "none of the holders" in refused("joint.toml", "holder", "--as", "desk", "--data", "north.csv")
    text = (folder / "joint.toml").read_text()
    (folder / "other.toml").write_text(text.replace('"north" = "', '"north" = "00'))
    assert "not the certificate of north that the policy pins" in refused("other.toml", "digest")
    assert "exists and is not replaced" in refused(
        "joint.toml", "init", "--holders", "north,south", "-q", "age", "-k", "2"
    )
    (folder / "short.csv").write_text("age,zip,note\n200,02130,x\n")
    assert "'age'" in refused("joint.toml", "holder", "--as", "north", "--data", "short.csv")


@pytest.mark.slow
def test_the_demo_is_like_one_process(tmp_path: Path) -> None:
    """Adult among three processes; the command itself compares, and fails where they differ."""
    ran = subprocess.run(
        [*SHOAL, "joint", "demo", "--suppression", "0", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["same"] is True
    assert "desk learns" in ran.stderr
