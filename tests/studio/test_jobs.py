"""Jobs: what runs behind the page ends when it is told to, never hangs, and tells nothing private."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.studio.jobs import MOST_IDLE, Workers
from shoal.studio.process import CRASHED, ENDED_FROM_OUTSIDE
from tests.patience import PATIENCE, until

SECRET = "Mrs. Private, 1987-03-02"


def nap(seconds: float = PATIENCE) -> str:
    """Sleep, and say so."""
    time.sleep(seconds)
    return "rested"


def count(upto: int, tell: Callable[[int], None]) -> int:
    """Tell each number."""
    for each in range(upto):
        tell(each)
    return upto


def fail() -> None:
    """Fail with a cell in the message."""
    raise ValueError(SECRET)


def refuse() -> None:
    """Fail as Shoal does."""
    raise shoal.PolicyError("k must be at least 1")


def cannot_be_packed() -> object:
    """Answer what no pipe can take."""
    return lambda: SECRET


def kill_itself(number: int) -> None:
    """End without an answer."""
    os.kill(os.getpid(), number)


def start_a_child() -> None:
    """Start a process, write down its number, and wait."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    Path(os.environ["CHILD"]).write_text(str(child.pid), encoding="utf-8")
    child.wait()


def catch_one_stop(tell: Callable[[str], None]) -> str:
    """Answer when it is stopped, as a search does."""
    try:
        tell("begun")
        time.sleep(PATIENCE)
    except KeyboardInterrupt:
        return "the best so far"
    return "all"


def hear_nothing(tell: Callable[[str], None]) -> None:
    """Go on whatever comes."""
    tell("begun")
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(1)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Workers that are closed at the end."""
    made = Workers()
    made.warm()
    yield made
    made.close()


def gone(number: int) -> bool:
    """Whether a process has ended and was buried."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_job_tells_reports_and_its_answer(workers: Workers) -> None:
    """All reports come before the answer; of very many some are forgotten, never the last."""
    job = workers.start("count", count, 5_000, reports="tell")
    assert job.wait(PATIENCE)
    assert (job.state, job.result) == ("done", 5_000)
    assert len(job.reports) <= 2_000
    assert job.reports[-1] == 4_999
    assert job.reports == sorted(job.reports)


def test_the_second_wish_ends_at_once(workers: Workers) -> None:
    """The first is Ctrl-C, which this function answers to; one that is deaf to it is ended."""
    job = workers.start("stop", catch_one_stop, reports="tell")
    until(lambda: job.reports, lambda: job.error)
    job.stop()
    assert job.wait(PATIENCE)
    assert (job.state, job.result) == ("done", "the best so far")
    until(lambda: gone(job.process_id or 0))
    deaf = workers.start("deaf", hear_nothing, reports="tell")
    until(lambda: deaf.reports)
    deaf.stop()
    assert not deaf.wait(0.3)
    assert deaf.state == "stopping"
    deaf.stop()
    assert deaf.wait(PATIENCE)
    assert deaf.state == "stopped"
    assert deaf.result is None


def test_a_stop_that_comes_with_the_answer_leaves_a_settled_job(workers: Workers) -> None:
    """Whichever is first, the job is over, and what it says of itself fits together."""
    for delay in (0.0, 0.005, 0.01, 0.02, 0.03):
        job = workers.start("short", nap, 0.02)
        time.sleep(0.6 if delay == 0 else delay)
        job.stop()
        assert job.wait(PATIENCE)
        assert (job.state, job.result) in {("done", "rested"), ("stopped", None)}
        job.stop()
        assert not job.is_running


@pytest.mark.parametrize(
    ("signal_name", "words"),
    [("SIGKILL", ENDED_FROM_OUTSIDE), ("SIGSEGV", CRASHED)],
    ids=["killed", "crashed"],
)
def test_a_worker_that_dies_is_a_sentence(workers: Workers, signal_name: str, words: str) -> None:
    """Nothing waits for an answer that cannot come."""
    job = workers.start("dies", kill_itself, getattr(signal, signal_name))
    assert job.wait(PATIENCE)
    assert (job.state, job.error) == ("failed", words)


def test_a_worker_that_dies_waiting_is_replaced(workers: Workers) -> None:
    """The process that was started ahead may be gone when it is needed."""
    workers.warm()
    assert bool(workers._idle)
    (waiting,) = workers._idle
    os.kill(waiting.number, signal.SIGKILL)
    waiting.join()
    job = workers.start("next", nap, 0.0)
    assert job.wait(PATIENCE)
    assert job.result == "rested"


def test_errors_carry_nothing_private(workers: Workers) -> None:
    """Messages of Shoal's own errors are safe; of others only the kind is told."""
    jobs = [workers.start("fails", each) for each in (fail, refuse, cannot_be_packed)]
    assert all(job.wait(PATIENCE) for job in jobs)
    assert [(job.state, job.error_kind) for job in jobs] == [
        ("failed", "InternalError"),
        ("failed", "PolicyError"),
        ("failed", "InternalError"),
    ]
    assert not any(SECRET in f"{job.error}" for job in jobs)
    assert jobs[1].error == "k must be at least 1"
    unsent = workers.start("cannot be sent", lambda: SECRET)
    assert unsent.wait(PATIENCE)
    assert unsent.error_kind == "InternalError"
    assert SECRET not in f"{unsent.error}"


def test_queued_jobs_take_turns(workers: Workers) -> None:
    """Two at once; one that waits can be stopped, and one that is paused makes room."""
    first, second, third, fourth = (
        workers.start(name, nap, queued=True) for name in ("first", "second", "third", "fourth")
    )
    assert [job.state for job in (first, second, third, fourth)] == ["running"] * 2 + ["waiting"] * 2
    assert third.is_running
    assert third.seconds == 0
    fourth.stop()
    assert (fourth.state, fourth.is_running) == ("stopped", False)
    first.pause()
    until(lambda: third.state == "running")
    for job in (first, second, third):
        job.stop()
        job.stop()
        assert job.wait(PATIENCE)
        assert job.state == "stopped"


@pytest.mark.slow
def test_many_quick_jobs_leave_no_process_behind(workers: Workers) -> None:
    """Every process is buried, except those that wait for another job."""
    jobs = [workers.start(f"{each}", nap, 0.0) for each in range(4)]
    assert all(job.wait(PATIENCE) for job in jobs)
    until(lambda: len(workers._alive) <= MOST_IDLE + 1)
    until(lambda: not workers._followers)
    assert set(workers._idle) == workers._alive


def test_a_process_that_answered_takes_the_next_job(workers: Workers) -> None:
    """No job waits for imports; one that was stopped, paused, or failed is not trusted with another."""
    first = workers.start("first", os.getpid)
    assert first.wait(PATIENCE)
    until(lambda: not workers._followers)
    numbers = set()
    for _ in range(3):
        job = workers.start("next", os.getpid)
        assert job.wait(PATIENCE)
        numbers.add(job.result)
        until(lambda: not workers._followers)
    assert len(numbers) == 1  # always the one that answered last
    stopped = workers.start("stopped", nap)
    stopped.stop()
    assert stopped.wait(PATIENCE)
    until(lambda: not workers._followers)
    after = workers.start("after", os.getpid)
    assert after.wait(PATIENCE)
    assert stopped.process_id != after.result
    workers.renew()
    renewed = workers.start("renewed", os.getpid)
    assert renewed.wait(PATIENCE)
    assert renewed.result not in (after.result, first.result)


def test_jobs_leave_no_descriptors_open(workers: Workers) -> None:
    """However many run, and although their jobs are remembered: two stayed open for each."""

    def ended() -> bool:
        return not workers._followers

    def opened() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    jobs = []

    def run() -> None:
        jobs.append(workers.start("quick", os.getpid))
        assert jobs[-1].wait(PATIENCE)
        until(lambda: ended() and bool(workers._idle))

    while len(workers._idle) < MOST_IDLE:  # with as many, no job starts a process that waits
        run()
    before = opened()
    for _ in range(3):
        run()
    assert opened() == before
    jobs[-1].stop()  # nothing is left to stop


def test_close_ends_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What runs, what waits, what is paused, what was started ahead, and what workers have started."""
    monkeypatch.setenv("CHILD", str(tmp_path / "child"))
    own = Workers(at_once=1)
    parent = own.start("parent", start_a_child, queued=True)
    waiting = own.start("waiting", nap, queued=True)
    paused = own.start("paused", nap)
    until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text())
    paused.pause()
    own.close()
    assert all(job.wait(PATIENCE) and job.state == "stopped" for job in (parent, waiting, paused))
    child = int((tmp_path / "child").read_text())
    until(lambda: gone(child) or "Z" in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2][:3])
    late = own.start("late", nap)
    own.warm()
    assert late.state == "stopped"
    assert not own._idle


@pytest.fixture
def hard(tmp_path: Path) -> dict[str, Any]:
    """A search that goes on for longer than any test."""
    attributes = "".join(
        f'[attributes."{each}"]\nrole = "quasi-identifier"\n'
        for each in shoal.datasets.ADULT_QUASI_IDENTIFIERS
    )
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f'[source]\npath = "{shoal.datasets.adult_path()}"\n{attributes}'
        '[privacy]\nk = 5\n[objective]\ncost = "general-loss"\nsuppression = "1%"\n'
        "[search]\nseconds = 3600\n",
        encoding="utf-8",
    )
    return {"policy": policy, "path": tmp_path / "release.csv", "reports": "on_progress"}


def test_a_stopped_search_answers_with_its_best(workers: Workers, hard: dict[str, Any]) -> None:
    """The release is whole, audited, and says that it was interrupted."""
    job = workers.start("search", shoal.anonymize, **hard)
    until(lambda: job.reports and job.reports[-1].cost is not None, lambda: job.error)
    job.stop()
    assert job.state == "stopping"
    assert job.wait(PATIENCE)
    assert isinstance(job.result, shoal.Release)
    assert job.result.result.interrupted
    assert job.result.verdict.holds
    assert hard["path"].exists()


def sleeps(number: int) -> bool:
    """Whether a process was stopped, as by SIGSTOP."""
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_pause_takes_no_time_from_the_search(workers: Workers, hard: dict[str, Any]) -> None:
    """Its clock, which its budget is measured by, goes on where it stood; the search does, too."""
    job = workers.start("search", shoal.anonymize, **hard)
    until(lambda: job.reports and job.reports[-1].seconds > 0.3, lambda: job.error)
    asked = time.monotonic()
    job.pause()
    assert job.state == "paused"
    until(lambda: sleeps(job.process_id or 0))
    before = time.monotonic() - asked  # it may have worked so long
    heard = None
    while heard is not job.reports[-1]:  # the last that it said may be on its way
        heard = job.reports[-1]
        time.sleep(0.2)
    seconds = job.seconds
    pause = 3.0
    time.sleep(pause)
    assert job.reports[-1] == heard
    assert job.seconds == seconds
    woken = time.monotonic()
    job.resume()
    for _ in range(3):  # a quick hand does not make it sleep for ever
        job.pause()
        job.resume()
    until(lambda: job.reports[-1].seconds > heard.seconds, lambda: job.error)
    since, worked = job.reports[-1].seconds - heard.seconds, before + time.monotonic() - woken
    assert since < worked + pause / 2
    until(lambda: job.reports[-1].seconds > heard.seconds + 0.5, lambda: job.error)
    job.stop()
    assert job.wait(PATIENCE)
    assert job.result is not None


TERMINAL = """
import sys, time
from shoal.studio.jobs import MOST_IDLE, Workers
if __name__ == "__main__":
    workers = Workers()
    job = workers.start("nap", time.sleep, 900)
    workers.warm()
    try:
        print("ready", flush=True)
        time.sleep(900)
    except KeyboardInterrupt:
        print(job.state, flush=True)
        workers.close()
        job.wait()
        print(job.state, *(each.is_alive for each in workers._alive), flush=True)
"""


def test_ctrl_c_in_the_terminal_is_for_the_studio_alone(tmp_path: Path) -> None:
    """It reaches all processes of a terminal, also those that are just starting: they say nothing."""
    script = tmp_path / "terminal.py"
    script.write_text(TERMINAL, encoding="utf-8")
    studio = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert studio.stdout is not None
    assert studio.stdout.readline() == "ready\n"
    time.sleep(0.1)
    os.killpg(studio.pid, signal.SIGINT)
    said, complained = studio.communicate(timeout=PATIENCE)
    assert said.split("\n")[0] == "running", complained
    assert said.split("\n")[1].startswith("stopped"), complained
    assert "True" not in said
    assert complained == ""
