"""Publication: killed at any moment, the target is absent, or old and whole, or new and whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest

import shoal
import shoal.release
from shoal.engines.staging import Staging
from tests.patience import PATIENCE

# A run that kills itself where `{stage}` says, as a power cut would.
KILLED = """
import os, signal, sys
from pathlib import Path
import shoal
from shoal.engines.duckdb import DuckDB
from shoal.engines.staging import Staging

signal.signal(signal.SIGINT, signal.default_int_handler)  # those who run tests may have it ignored

def die(*_, **__):
    os.kill(os.getpid(), signal.{signal})

stage = {stage!r}
renames = []
if stage == "before writing":
    DuckDB.apply = die
elif stage == "written":
    Staging.settle = die
elif stage == "audited":
    Staging.publish = die
else:
    rename, remove = Path.replace, Path.unlink
    def renamed(self, target):
        if stage == "release named" and renames: die()
        if stage == "old manifest gone": die()
        renames.append(target)
        return rename(self, target)
    Path.replace = renamed
shoal.anonymize({source!r}, quasi_identifiers=["age"], k={k}, path={target!r}, algorithm="exhaustive")
"""
STAGES = ("before writing", "written", "audited", "old manifest gone", "release named")


def run_and_die(stage: str, source: Path, target: Path, k: int, sign: str = "SIGKILL") -> int:
    """Run in a process of its own until it dies."""
    script = KILLED.format(stage=stage, source=str(source), target=str(target), k=k, signal=sign)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, check=False)
    assert sign == "SIGKILL" or b"KeyboardInterrupt" in run.stderr
    return run.returncode


def is_whole(target: Path) -> bool:
    """Whether the release is the one that its manifest is about."""
    manifest = json.loads(target.with_name(target.name + ".manifest.json").read_text())
    return bool(manifest["release_digest"] == sha256(target.read_bytes()).hexdigest())


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_run_leaves_the_target_whole(stage: str, people: Path, tmp_path: Path) -> None:
    """Absent at first; later the old one or the new one; never a manifest beside another release."""
    target = tmp_path / "release.csv"
    manifest = tmp_path / "release.csv.manifest.json"
    assert run_and_die(stage, people, target, 2) == -signal.SIGKILL
    assert target.exists() == (stage == "release named")
    assert not manifest.exists()

    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    old = target.read_bytes()
    assert run_and_die(stage, people, target, 4) == -signal.SIGKILL
    if stage == "release named":
        new = target.read_bytes()
        assert new != old
        shoal.anonymize(people, quasi_identifiers=["age"], k=4, path=target, algorithm="exhaustive")
        assert target.read_bytes() == new
    else:
        assert target.read_bytes() == old
    assert not manifest.exists() or is_whole(target)


def test_leftovers_of_killed_runs_are_hidden_and_cleaned_by_the_next(people: Path, tmp_path: Path) -> None:
    """The next run to the same target removes what a dead process left."""
    target = tmp_path / "release.csv"
    run_and_die("written", people, target, 2)
    (leftover,) = [path for path in tmp_path.iterdir() if path != people]
    assert leftover.name.startswith(".")
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "release.csv",
        "release.csv.manifest.json",
        "source.csv",
    ]


def test_the_file_of_a_living_run_is_left_alone(tmp_path: Path) -> None:
    """Two runs to one target do not tear each other's file."""
    with Staging(tmp_path / "release.csv") as first:
        first.path.write_text("being written")
        with Staging(tmp_path / "release.csv"):
            assert first.path.exists()


@pytest.mark.parametrize("stage", ["before writing", "written", "audited"])
def test_ctrl_c_while_writing_leaves_nothing(stage: str, people: Path, tmp_path: Path) -> None:
    """The staged file is destroyed on the way out."""
    assert run_and_die(stage, people, tmp_path / "release.csv", 2, "SIGINT") != 0
    assert list(tmp_path.iterdir()) == [people]


INTERRUPTED = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # those who run tests may have it ignored
from shoal.engines.duckdb_session import DuckSession
session = DuckSession(memory="500MB", threads=2, temp_directory=None)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    session.fetched("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b", "a test")
except KeyboardInterrupt:
    print("stopped")
session.close()
"""


def test_ctrl_c_stops_the_engine() -> None:
    """A statement that would run for hours ends at once."""
    # In a process of its own: a signal to this one would go to whoever runs the tests.
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert run.stdout == "stopped\n"


def test_a_release_replaces_the_file_behind_a_link(people: Path, tmp_path: Path) -> None:
    """The link stays a link."""
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=link, algorithm="exhaustive")
    assert link.is_symlink()
    assert real.read_text() != "old"


def test_a_full_disk_is_a_fault_of_the_world(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half-written stays."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(shoal.EngineError, match="No space left"):
        shoal.anonymize(
            people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [people]


def test_two_publications_to_one_folder_wait_for_each_other(tmp_path: Path) -> None:
    """Interleaved, the release of one run could end up beside the manifest of the other."""
    fcntl = pytest.importorskip("fcntl")
    target = tmp_path / "release.csv"
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with Staging(target) as staged:
        staged.path.write_text("new")
        second = threading.Thread(target=staged.publish, args=("{}",))
        second.start()
        second.join(timeout=0.3)
        assert second.is_alive()
        assert not target.exists()
        os.close(handle)
        second.join()
    assert target.read_text() == "new"


def test_ctrl_c_between_the_names_comes_too_late(people: Path, tmp_path: Path) -> None:
    """The few renames are finished: release and manifest are there, and the run says so."""
    target = tmp_path / "release.csv"
    script = KILLED.format(
        stage="release named", source=str(people), target=str(target), k=2, signal="SIGINT"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert is_whole(target)


@pytest.mark.parametrize("change", ["a row more", "another file"])
def test_a_source_that_changes_meanwhile_is_not_released(
    change: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts would be of one table and the rows of another."""
    search = shoal.release._solved

    def meanwhile(*arguments: object) -> object:
        if change == "a row more":
            people.write_text(people.read_text() + "Gus,46,10001,7\n")
        else:
            (tmp_path / "new.csv").write_text(people.read_text())
            (tmp_path / "new.csv").replace(people)
        return search(*arguments)

    monkeypatch.setattr("shoal.release._solved", meanwhile)
    with pytest.raises(shoal.EngineError, match="changed while it was read"):
        shoal.anonymize(
            people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [people]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_while_writing_is_named_with_the_release(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is about the release, not about the source, and nothing stays."""
    monkeypatch.setattr(Staging, "__enter__", lambda self: self.path.symlink_to("/dev/full") or self)
    with pytest.raises(shoal.EngineError, match=r"the release of source.csv: No space left on device"):
        shoal.anonymize(
            people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [people]
