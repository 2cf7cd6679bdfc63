"""What is measured for a review: each once per run, a few at a time, whatever the pages do."""

from __future__ import annotations

import importlib.util
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from nicegui import ui

import shoal
from shoal import Explanation, TableSource
from shoal.studio.jobs import Job
from shoal.studio.parts import notice, secondary
from shoal.studio.redraw import INTERVAL
from shoal.studio.workspace import Run, Workspace

Part = Literal["pairs", "audit", "risk", "risk-before", "attack", "utility", "why"]
AT_FIRST: tuple[Part, ...] = ("pairs", "audit", "risk", "risk-before", "attack", "utility")
"""What starts when a run is first shown, in this order."""
TITLES: dict[Part, str] = {
    "pairs": "Pairing rows",
    "audit": "Auditing",
    "risk": "Measuring risks",
    "risk-before": "Measuring risks of the original",
    "attack": "Attacking",
    "utility": "Measuring utility",
    "why": "Explaining",
}
AT_ONCE = 2
"""Each reads the whole table: more at a time would only get into each other's way."""


@dataclass
class Measures:
    """What waits for its turn."""

    waiting: deque[tuple[Run, Part]] = field(default_factory=deque)
    at_work: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)


def job_name(run: Run, part: Part) -> str:
    """Under which name the workspace has the work."""
    return f"{part}-{run.number}"


def unpaired_words(workspace: Workspace, run: Run) -> str:
    """Why nobody can say which released row was made from which; empty if the order of rows shows it."""
    if isinstance(workspace.needed_table().source, TableSource):
        return (
            "Rows of a database have no order, so it is unknown which released row was made from which. "
            "Below are the first released rows by themselves. Open the table as a file to see both side by "
            "side."
        )
    if run.release is not None and run.release.manifest.order == "shuffle":
        return (
            "The rows were shuffled, so nobody can say which released row was made from which. Below are the "
            "first released rows by themselves. To see both side by side, search with the order of the "
            "source."
        )
    return ""


def begin(workspace: Workspace, run: Run) -> None:
    """Measure what was not yet measured of a run."""
    for part in AT_FIRST:
        request(workspace, run, part)


def request(workspace: Workspace, run: Run, part: Part, *, again: bool = False) -> None:
    """Measure a part, unless that was done or waits already; `again` forgets what failed."""
    if part == "pairs" and unpaired_words(workspace, run):
        return
    state, name = workspace.state(Measures), job_name(run, part)
    with state.lock:
        known = workspace.jobs.get(name)
        if again and known is not None and known.state in ("failed", "stopped"):
            del workspace.jobs[name]
        if name in workspace.jobs or any(other is run and one == part for other, one in state.waiting):
            return
        state.waiting.append((run, part))
    _go_on(workspace, state)


def cancel(workspace: Workspace, run: Run, part: Part) -> None:
    """End the measuring of a part, or take it off the list; it can be requested again."""
    state, name = workspace.state(Measures), job_name(run, part)
    with state.lock:
        waiting = len(state.waiting)
        state.waiting = deque(each for each in state.waiting if each != (run, part))
        if len(state.waiting) < waiting:
            ended = workspace.jobs[name] = Job(TITLES[part])
            ended.end("stopped")
        job = workspace.jobs.get(name)
    if job is not None:
        job.stop()
        job.stop()  # at once: there is no best so far


def _go_on(workspace: Workspace, state: Measures) -> None:
    """Start what waits, as long as little is at work. Another table ends it."""
    with state.lock:
        while state.waiting and state.at_work < AT_ONCE and workspace.state(Measures) is state:
            run, part = state.waiting.popleft()
            if workspace.run(run.number) is not run:
                continue
            job = workspace.jobs[job_name(run, part)] = _started(workspace, run, part)
            state.at_work += 1
            threading.Thread(target=_after, args=(workspace, state, job), daemon=True).start()


def _after(workspace: Workspace, state: Measures, job: Job) -> None:
    job.wait()
    with state.lock:
        state.at_work -= 1
    _go_on(workspace, state)


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A public function, and what to call it with."""


def call_of(workspace: Workspace, run: Run, part: Part) -> Call:
    """How a part is measured."""
    release, policy = run.release_path, run.policy_path
    source = workspace.needed_table().as_read
    calls: dict[Part, Call] = {
        "pairs": (shoal.side_by_side, (release,), {"policy": policy, "rows": 0, "pairs": pairs_path(run)}),
        "audit": (shoal.audit, (release,), {"policy": policy}),
        "risk": (shoal.risk, (release,), {"policy": policy}),
        "risk-before": (shoal.risk, (), {"policy": policy}),
        "attack": (
            shoal.attack,
            (release,),
            {"policy": policy, "external": None if _known_apart(run) else source, "original": source},
        ),
        "utility": (shoal.utility, (release,), {"policy": policy, "models": can_train()}),
        "why": (explained, (str(policy), str(release)), {}),
    }
    return calls[part]


def _started(workspace: Workspace, run: Run, part: Part) -> Job:
    function, arguments, named = call_of(workspace, run, part)
    return workspace.workers.start(f"{TITLES[part]} of {run.title[:60]}", function, *arguments, **named)


def _known_apart(run: Run) -> bool:
    """Whether others know columns in sets: then nobody is promised to hide from one who knows all of them."""
    return len(run.draft.stated["privacy"].get("sets") or []) > 1


def pairs_path(run: Run) -> Path:
    """Where the pairs of rows are kept: in the run's own folder, gone with it."""
    return run.folder / "pairs.npz"


def can_train() -> bool:
    """Whether models can be trained here."""
    return importlib.util.find_spec("sklearn") is not None


def explained(policy: str, release: str) -> Explanation:
    """Why the columns of a release are as coarse as they are; its own recoding is read from its manifest."""
    stated = replace(shoal.read_policy(policy), release=Path(release))
    return shoal.explain(policy=stated, constraints=False)


class Filling:
    """A place on the page that shows progress while something is measured, then the result.

    Parameters
    ----------
    workspace, run, part
        What is measured.
    waiting
        What is being done, in words.
    draw
        Puts what was found onto the page.
    until
        Puts there what is known before, and if this fails.
    """

    def __init__(
        self,
        workspace: Workspace,
        run: Run,
        part: Part,
        waiting: str,
        draw: Callable[[Any], None],
        *,
        until: Callable[[], None] | None = None,
    ) -> None:
        self._workspace, self._run, self._part = workspace, run, part
        self._waiting, self._draw, self._until = waiting, draw, until
        # Not the box itself: a reader would hear whole tables when they appear.
        self._said = ui.label().classes("review-said").props("role=status")
        self._box = ui.element("div").classes("filling")
        self._seen: object = None
        self._words: ui.label | None = None
        self._look()
        ui.timer(INTERVAL, self._look)

    def _look(self) -> None:
        job = self._workspace.jobs.get(job_name(self._run, self._part))
        state = (id(job), "running" if job is None or job.is_running else job.state)
        if state[1] == "running":
            state = (0, "running")
            self._say_how_long(job)
        if state == self._seen:
            return
        if self._seen is not None and job is not None and job.state == "done":
            self._said.set_text(f"{TITLES[self._part]}: done")
        self._seen, self._words = state, None
        self._box.clear()
        with self._box:
            if self._until is not None and (job is None or job.state != "done"):
                self._until()
            if job is None or job.is_running:
                self._at_work(job)
            elif job.state == "done":
                self._draw(job.result)
            else:
                self._failed(job)

    def _at_work(self, job: Job | None) -> None:
        with ui.element("div").classes("row at-work-here"):
            self._words = ui.label().classes("waiting")
            cancelled = secondary("Cancel", lambda: cancel(self._workspace, self._run, self._part))
            cancelled.props["aria-label"] = f"Cancel: {TITLES[self._part]}"
        self._say_how_long(job)

    def _say_how_long(self, job: Job | None) -> None:
        if self._words is None:
            return
        if job is None:
            self._words.set_text(f"{self._waiting} It waits for its turn.")
        else:
            seconds = int(job.seconds)
            self._words.set_text(self._waiting + (f" {seconds} s" if seconds > 1 else ""))

    def _failed(self, job: Job) -> None:
        notice(job.error or "This was stopped before it had an answer.", "bad" if job.error else "warn")
        secondary("Try again", lambda: request(self._workspace, self._run, self._part, again=True))
