"""Publication: killed at any moment, the target is absent, or old and whole, or new and whole."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
import shoal.pipeline.solve
from shoal.engines.duckdb.folder import FolderStaging, folder_digest
from shoal.engines.staging import Staging
from shoal.files.exchange import exchange
from shoal.files.private_folder import PrivateFolder
from shoal.files.whole_file import write_text
from shoal.model.result.manifest import manifest_path
from tests.patience import PATIENCE

# A run that kills itself where `{stage}` says, as a power cut would.
KILLED = """
import os, signal, sys
from pathlib import Path
import shoal
from shoal.engines.duckdb.engine import DuckDB
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
    def counted(move):
        def moved(self, target):
            if Path(target).parent == Path({target!r}).parent:
                renames.append(target)
                if len(renames) == stage: die()
            return move(self, target)
        return moved
    Path.replace, Path.rename = counted(Path.replace), counted(Path.rename)
asked = dict(quasi_identifiers=["age"], other=["name", "zip"], algorithm="exhaustive")
shoal.anonymize({source!r}, **asked, k={k}, path={target!r})
"""


def run_and_die(stage: str | int, source: Path, target: Path, k: int, sign: str = "SIGKILL") -> int:
    """Run in a process of its own until it dies, perhaps before one of the renames of its publication."""
    script = KILLED.format(stage=stage, source=str(source), target=str(target), k=k, signal=sign)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, check=False)
    assert sign == "SIGKILL" or b"KeyboardInterrupt" in run.stderr
    return run.returncode


def is_whole(target: Path) -> bool:
    """Whether the release is the one that its manifest is about."""
    manifest = json.loads(target.with_name(target.name + ".manifest.json").read_text())
    return bool(manifest["release_digest"] == sha256(target.read_bytes()).hexdigest())


@pytest.mark.parametrize("stage", ["audited", 1, 2])
def test_a_killed_run_leaves_a_new_target_absent(stage: str | int, people: Path, tmp_path: Path) -> None:
    """A manifest may be there, but no release without one; the next run needs no permission."""
    target = tmp_path / "release.csv"
    assert run_and_die(stage, people, target, 2) == -signal.SIGKILL
    assert not target.exists()
    assert manifest_path(target).exists() == (stage == 2)
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert is_whole(target)
    assert not list(tmp_path.glob(".shoal-*"))


@pytest.mark.parametrize("stage", [1, 2, 3, 4])
def test_a_killed_run_leaves_the_target_old_or_new(stage: int, people: Path, tmp_path: Path) -> None:
    """Never a manifest beside another release; and the next run knows the target for a release."""
    target = tmp_path / "release.csv"
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    old = target.read_bytes()
    assert run_and_die(stage, people, target, 4) == -signal.SIGKILL
    assert (target.read_bytes() == old) == (stage != 4)
    assert manifest_path(target).exists() == (stage < 3)
    shoal.anonymize(people, quasi_identifiers=["age"], k=4, path=target, algorithm="exhaustive")
    assert is_whole(target)
    assert not list(tmp_path.glob(".shoal-*"))


def killed_while_replacing(people: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A release with k = 2, and a run with k = 4 that ends before its manifest has its name; the request."""
    asked: Any = {"quasi_identifiers": ["age"], "path": folder / "release.csv", "algorithm": "exhaustive"}
    shoal.anonymize(people, k=2, **asked)
    with monkeypatch.context() as patched:
        killed_at(4, patched, folder, exchanges=True)
        with pytest.raises(KilledError):
            shoal.anonymize(people, k=4, **asked)
    return dict(asked)


def test_a_file_put_where_a_killed_run_was_replacing_is_not_replaced(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifests that the run left do not describe it; and none of them gets next to it."""
    asked = killed_while_replacing(people, tmp_path, monkeypatch)
    target = asked["path"]
    target.write_text("mine")
    with pytest.raises(shoal.PolicyError, match="exists and is not a release of Shoal"):
        shoal.anonymize(people, k=2, **asked)
    assert target.read_text() == "mine"
    assert not manifest_path(target).exists()


def test_a_run_that_fails_after_a_killed_one_leaves_no_false_manifest(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the killed run had published gets its own manifest, not that of the release before."""
    asked = killed_while_replacing(people, tmp_path, monkeypatch)
    target = asked["path"]

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Staging, "_exchange", full)
        with pytest.raises(shoal.EngineError, match="No space left"):
            shoal.anonymize(people, k=2, **asked)
    assert is_whole(target)
    assert json.loads(manifest_path(target).read_text())["k"] == 4
    assert not list(tmp_path.glob(".shoal-*.json"))


@pytest.fixture
def parts(people: Path, tmp_path: Path) -> Path:
    """The people as a folder of Parquet files."""
    source = tmp_path / "source"
    source.mkdir()
    pandas.read_csv(people).to_parquet(source / "rows.parquet")
    return source


class KilledError(BaseException):
    """Ends a run where a kill would; nothing is cleaned up."""


def killed_at(rename: int | str, patched: pytest.MonkeyPatch, folder: Path, *, exchanges: bool) -> None:
    """End the next run before one of the renames of its publication, or when its rows are written."""
    renames = []

    def counted(move: Any) -> Any:
        def moved(path: Path, target: Path) -> Any:
            renames.append(target) if target.parent == folder else None
            if len(renames) == rename:
                raise KilledError
            return move(path, target)

        return moved

    def die(_: object) -> None:
        raise KilledError

    def unlocked(private: PrivateFolder) -> None:
        if private._handle is not None:
            private._handle.close()

    patched.setattr(Path, "replace", counted(Path.replace))
    patched.setattr(Path, "rename", counted(Path.rename))
    patched.setattr(
        "shoal.engines.duckdb.folder.exchange", counted(exchange) if exchanges else lambda *_: False
    )
    patched.setattr(PrivateFolder, "remove", unlocked)
    if rename == "written":
        patched.setattr(FolderStaging, "settle", die)


@pytest.mark.parametrize(
    ("moment", "exchanges", "state"),
    [
        *(("written", True, "old"), (2, True, "old"), (3, True, "old"), (4, True, "new")),
        *((2, False, "old"), (3, False, "old"), (4, False, "absent"), (5, False, "new")),
    ],
)
def test_a_killed_run_leaves_a_folder_old_or_new(
    moment: str | int,
    exchanges: bool,
    state: str,
    parts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Absent in one moment alone, where folders cannot be exchanged; rows that nobody audited go."""
    target = tmp_path / "out"
    asked: Any = {"quasi_identifiers": ["age"], "path": target, "algorithm": "exhaustive"}
    shoal.anonymize(parts, k=2, **asked)
    old = folder_digest(target)
    with monkeypatch.context() as patched:
        killed_at(moment, patched, tmp_path, exchanges=exchanges)
        with pytest.raises(KilledError):
            shoal.anonymize(parts, k=4, **asked)
    assert state == (("old" if folder_digest(target) == old else "new") if target.exists() else "absent")
    shoal.anonymize(parts, k=2, **{**asked, "path": tmp_path / "other"})
    assert [path.parent.name[:11] for path in tmp_path.glob(".shoal-*/*")] == (
        [".shoal-old-"] if moment in (4, 5) and not exchanges else []
    )
    with pytest.raises(shoal.PolicyError):
        shoal.anonymize(parts, k=1000, **asked)  # a later run that fails takes nothing with it
    shoal.anonymize(parts, k=2, **asked)
    assert json.loads(manifest_path(target).read_text())["release_digest"] == folder_digest(target) == old
    assert not list(tmp_path.glob(".shoal-*"))


def test_two_folders_of_one_system_are_exchanged(tmp_path: Path) -> None:
    """In one step; an absent one is an error, and where the call is missing nothing is done."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    (one / "mine").touch()
    if not exchange(one, other):
        pytest.skip("this file system cannot exchange two folders")
    assert [path.parent.name for path in tmp_path.rglob("mine")] == ["other"]
    with pytest.raises(FileNotFoundError):
        exchange(one, tmp_path / "absent")


@pytest.mark.parametrize("name", ["release.csv", "release.csv.manifest.json"])
def test_a_file_that_shoal_did_not_write_is_not_replaced(name: str, people: Path, tmp_path: Path) -> None:
    """Also one in the place of the manifest; `replace` allows it, and releases need no permission."""
    foreign, target = tmp_path / name, tmp_path / "release.csv"
    foreign.write_text('{"mine": 1}')
    asked: Any = {"quasi_identifiers": ["age"], "k": 2, "path": target, "algorithm": "exhaustive"}
    with pytest.raises(shoal.PolicyError, match=f"{name} exists and is not a (release|manifest) of Shoal"):
        shoal.anonymize(people, **asked)
    assert foreign.read_text() == '{"mine": 1}'
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, people.name])
    shoal.anonymize(people, **asked, replace=True)
    assert is_whole(target)
    shoal.anonymize(people, **asked)


def test_a_file_that_came_meanwhile_is_not_replaced(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at before the search, and again before the release gets its name."""
    target, settle = tmp_path / "release.csv", Staging.settle
    monkeypatch.setattr(Staging, "settle", lambda self: target.write_text("mine") and settle(self))
    with pytest.raises(shoal.PolicyError, match=r"is not a release of Shoal.*--replace, replace=True"):
        shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert target.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release.csv", people.name]


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet"])
def test_what_a_killed_run_left_is_private_and_cleaned_up_by_the_next(
    name: str, people: Path, tmp_path: Path
) -> None:
    """Rows that nobody audited are for the one user's eyes, and the next run in that folder removes them."""
    run_and_die("written", people, tmp_path / name, 2)
    (leftover,) = [path for path in tmp_path.iterdir() if path != people]
    assert leftover.name.startswith(".")
    assert stat.S_IMODE(leftover.stat().st_mode) == 0o700
    assert (leftover / name).stat().st_size
    shoal.anonymize(
        people, quasi_identifiers=["age"], k=2, path=tmp_path / "other.csv", algorithm="exhaustive"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "other.csv",
        "other.csv.manifest.json",
        "source.csv",
    ]


WRITTEN = """
import os, signal, sys, pathlib
import pandas, shoal
from shoal.files.whole_file import write_text
from shoal.studio.file_transaction import FileTransaction

folder = pathlib.Path({folder!r})
os.umask(0o022)
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
what = {what!r}
if what == "folder":
    from shoal.engines.duckdb.folder import FolderStaging
    FolderStaging.settle = die
    shoal.anonymize(folder / "source", quasi_identifiers=["age"], k=2, path=folder / "out")
os.fsync = die
if what == "text":
    write_text(folder / "report.html", "rows")
if what == "studio":
    with FileTransaction("token") as placing:
        placing.stage(folder / "release.csv", b"rows")
"""


@pytest.mark.parametrize("what", ["folder", "text", "studio"])
def test_a_file_is_private_until_it_has_its_name(what: str, tmp_path: Path) -> None:
    """Also folders, reports and what the studio writes: others cannot read what a kill left."""
    (tmp_path / "source").mkdir()
    rows = pandas.DataFrame({"age": [20, 20, 30, 30], "sex": list("fmfm")})
    rows.to_parquet(tmp_path / "source" / "rows.parquet")
    script = WRITTEN.format(folder=str(tmp_path), what=what)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr
    (left,) = [path for path in tmp_path.iterdir() if path.name != "source"]
    assert left.name.startswith(".shoal-")
    assert not stat.S_IMODE(left.stat().st_mode) & 0o077


@pytest.mark.parametrize("name", ["release.csv", "release.parquet", "folder"])
def test_a_release_has_the_mode_of_a_new_file_or_of_the_one_it_replaces(
    name: str, people: Path, tmp_path: Path
) -> None:
    """What was private on its way is published as any file would be."""
    source: Path = people
    if name == "folder":
        source = tmp_path / "source"
        source.mkdir()
        pandas.read_csv(people).to_parquet(source / "rows.parquet")
    target, plain = tmp_path / name, tmp_path / "plain"
    plain.mkdir() if name == "folder" else plain.touch()
    for _ in range(2):
        shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
        assert target.stat().st_mode == plain.stat().st_mode
        for path in (plain, target):
            path.chmod(0o750 if name == "folder" else 0o640)
        mode = plain.stat().st_mode
    shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert target.stat().st_mode == mode


@pytest.mark.parametrize("moment", ["manifest gone", "old gone"])
def test_a_folder_that_lost_its_name_to_a_kill_gets_it_back(
    moment: str, people: Path, tmp_path: Path
) -> None:
    """Of the two renames only the first was done: the next run to that name puts the old release back."""
    source, target = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    pandas.read_csv(people).to_parquet(source / "rows.parquet")
    shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    before = folder_digest(target)
    staging = FolderStaging(target, {})
    manifest_path(target).rename(manifest_path(staging._old))
    if moment == "old gone":
        target.rename(staging._old)
    with staging:
        assert folder_digest(target) == before
        assert json.loads(manifest_path(target).read_text())["release_digest"] == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("out", "out.manifest.json", "source", "source.csv")
    ]


def test_a_name_of_250_characters_is_no_reason_to_fail_later(people: Path, tmp_path: Path) -> None:
    """The names of staged files are no longer than those of the release; a manifest's can be too long."""
    longest = 255 - len(".manifest.json")
    target = tmp_path / ("n" * (longest - 4) + ".csv")
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert is_whole(target)
    for length in (longest + 1, 255, 300):
        with pytest.raises(shoal.EngineError, match=r"cannot write .*: File name too long"):
            shoal.anonymize(
                people,
                quasi_identifiers=["age"],
                k=2,
                path=tmp_path / ("m" * (length - 4) + ".csv"),
                algorithm="exhaustive",
            )
    assert len(list(tmp_path.iterdir())) == 3


def test_the_file_of_a_living_run_is_left_alone(tmp_path: Path) -> None:
    """Two runs to one target do not tear each other's file."""
    with Staging(tmp_path / "release.csv") as first:
        first.place.write_text("being written")
        with Staging(tmp_path / "release.csv"), Staging(tmp_path / "other.csv"):
            assert first.place.exists()


@pytest.mark.parametrize("stage", ["before writing", "written", "audited"])
def test_ctrl_c_while_writing_leaves_nothing(stage: str, people: Path, tmp_path: Path) -> None:
    """The staged file is destroyed on the way out."""
    assert run_and_die(stage, people, tmp_path / "release.csv", 2, "SIGINT") != 0
    assert list(tmp_path.iterdir()) == [people]


INTERRUPTED = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # those who run tests may have it ignored
from shoal.engines.duckdb.session import DuckSession
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
    shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=link, algorithm="exhaustive", replace=True)
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
        staged.place.write_text("new")
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
    script = KILLED.format(stage=2, source=str(people), target=str(target), k=2, signal="SIGINT")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert is_whole(target)


@pytest.mark.parametrize("change", ["a row more", "another file"])
def test_a_source_that_changes_meanwhile_is_not_released(
    change: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts would be of one table and the rows of another."""
    search = shoal.pipeline.solve.search

    def meanwhile(*arguments: object) -> object:
        if change == "a row more":
            people.write_text(people.read_text() + "Gus,46,10001,7\n")
        else:
            (tmp_path / "new.csv").write_text(people.read_text())
            (tmp_path / "new.csv").replace(people)
        return search(*arguments)

    monkeypatch.setattr("shoal.pipeline.solve.search", meanwhile)
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
    enter = Staging.__enter__
    monkeypatch.setattr(Staging, "__enter__", lambda self: enter(self).place.symlink_to("/dev/full") or self)
    with pytest.raises(shoal.EngineError, match=r"the release of source.csv: No space left on device"):
        shoal.anonymize(
            people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [people]


def test_a_pipe_is_no_place_for_a_release(people: Path, tmp_path: Path) -> None:
    """It would be replaced by a plain file, and so would a device of the machine; it stays what it is."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(shoal.EngineError, match="it is a device, a pipe or a socket; name a plain file"):
        shoal.anonymize(people, quasi_identifiers=["age"], k=2, path=pipe)
    assert pipe.is_fifo()


def test_a_report_to_a_device_is_written_to_it() -> None:
    """The device is there afterwards: only files are replaced by whole ones."""
    write_text(Path(os.devnull), "nothing")
    assert Path(os.devnull).is_char_device()
