"""However the studio or a job ends, no process stays, and no half of a release in the user's folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from shoal import PolicyError
from shoal.studio.file_transaction import FileTransaction
from shoal.studio.folders import Folders
from shoal.studio.jobs import Workers
from shoal.studio.write_order import Order, check_again, left
from tests.patience import PATIENCE, until
from tests.studio.test_jobs import gone


def order_for(folder: Path) -> Order:
    """What shall be written into a folder that has an older release."""
    (folder / "people-k3.csv").write_text("older")
    return Order(
        number=1,
        release=folder,
        digest=None,
        meets=True,
        policy=folder,
        original=folder / "people.csv",
        work=folder,
        folder=folder,
        name="people-k3.csv",
        files={"people-k3.hierarchies/zip.csv": "a;*\n"},
        folders=Folders((folder,), folder.parent / "private"),
        replaced=(folder / "people-k3.csv",),
    )


def write_slowly(order: Order, tell: Callable[[str], None], *, stubborn: bool) -> None:
    """Stand in the middle of a writing, and hear no wish to stop if it is stubborn."""
    if stubborn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with FileTransaction(order.token) as placing:
        for target in order.targets:
            placing.stage(target, b"newer")
        placing.place()
        tell("placed")
        time.sleep(PATIENCE)


def found(folder: Path) -> set[str]:
    """All that is in a folder, hidden things too."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


STUDIO = """
import os, signal, sys
from functools import partial
from pathlib import Path
from shoal.studio.jobs import Workers
from shoal.studio.write_order import left
from tests.patience import until
from tests.studio.test_endings import order_for, write_slowly
from tests.studio.test_jobs import nap, sleeps
if __name__ == "__main__":
    workers, order = Workers(), order_for(Path(sys.argv[1]))
    paused = workers.start("nap", nap)
    told = {"stubborn": False, "reports": "tell", "afterwards": partial(left, order)}
    job = workers.start("write", write_slowly, order, **told)
    until(lambda: job.reports, lambda: job.error)
    paused.pause()
    until(lambda: sleeps(paused.process_id))
    print(paused.process_id, job.process_id, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["close", "stop twice", "stubborn"])
def test_a_writer_that_is_ended_leaves_what_was_there(tmp_path: Path, end: str) -> None:
    """By Ctrl-C of the studio, by another table, and also if it had to be killed."""
    workers, order = Workers(), order_for(tmp_path)
    job = workers.start(
        "write",
        write_slowly,
        order,
        stubborn=end == "stubborn",
        reports="tell",
        afterwards=partial(left, order),
    )
    until(lambda: job.reports, lambda: job.error)
    assert len(found(tmp_path)) > 3
    if end != "close":
        job.stop()
        job.stop()
        until(lambda: not workers._followers)
    workers.close()
    assert found(tmp_path) == {"people-k3.csv"}
    assert (tmp_path / "people-k3.csv").read_text() == "older"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_studio_leaves_no_process_and_no_half_release(tmp_path: Path) -> None:
    """Nobody told the workers: one that writes takes it back, one that is paused is woken and ends."""
    script, folder = tmp_path / "studio.py", tmp_path / "folder"
    folder.mkdir()
    script.write_text(STUDIO, encoding="utf-8")
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, str(script), str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    for number in map(int, ran.stdout.split()):
        until(lambda number=number: gone(number))  # type: ignore[misc]
    assert found(folder) == {"people-k3.csv"}


def test_places_are_looked_at_again_before_writing(tmp_path: Path) -> None:
    """A folder that became a link meanwhile, and a file that came since, end it."""
    opened, inner, away = tmp_path / "opened", tmp_path / "opened" / "inner", tmp_path / "away"
    inner.mkdir(parents=True)
    away.mkdir()
    order = replace(order_for(inner), folders=Folders((opened,), tmp_path / "private"))
    check_again(order)
    (inner / "people-k3.csv.manifest.json").write_text("another's")
    with pytest.raises(PolicyError, match=r"manifest\.json did not exist"):
        check_again(order)
    inner.rename(tmp_path / "moved")
    inner.symlink_to(away)
    with pytest.raises(PolicyError, match="none of the folders"):
        check_again(order)
