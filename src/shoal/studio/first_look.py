"""What a search would release by now: the same policy on the same rows, after two seconds of search.

A search that takes half a minute shows a number while it runs, and no table. So once it has run for a few
seconds, another process makes a release with little time: complete and audited, only worse than what comes.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import shoal
from shoal import ShoalError, SideBySide
from shoal.formatting.columns import Column
from shoal.studio.run_key import with_key

if TYPE_CHECKING:
    from shoal.studio.workspace import Run, Workspace

AFTER = 2.5
"""Seconds after which a search that still runs gets a first look; most on small tables are over by then."""
SECONDS = 2.0
"""Seconds of search for it."""
LEAST_SECONDS = 8
"""Searches that may take less get none: they are as quick themselves."""
MOST_ROWS = 300_000
"""Of more rows, counting and writing take most of the time: a look would come late, and slow the search."""
SHOWN = 6
"""Rows that are shown."""


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """A release after little time, as far as it is shown.

    Parameters
    ----------
    columns
        What became of each quasi-identifier.
    cost
        What it loses.
    groups
        Its groups.
    rows
        Its first rows next to the original's; `None` if nobody can say which is which.
    """

    columns: tuple[Column, ...]
    cost: float | None
    groups: int
    rows: SideBySide | None


def job_name(run: Run) -> str:
    """Under which name the workspace has the work."""
    return f"look-{run.number}"


def looked(policy: str, place: str) -> FirstLook:
    """Make a release with little time, look at it, and remove it."""
    stated = shoal.read_policy(policy)
    stated = replace(stated, budget=replace(stated.budget, seconds=SECONDS))
    files = (Path(place), Path(f"{place}.manifest.json"))
    try:
        release = shoal.anonymize(policy=stated, path=place)
        rows = None
        with contextlib.suppress(ShoalError):  # rows that are shuffled, or of a database, have no partner
            rows = shoal.side_by_side(place, policy=stated, rows=SHOWN)
        facts = release.manifest
        return FirstLook(columns=release.columns, cost=facts.cost, groups=facts.groups, rows=rows)
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def begin(workspace: Workspace, run: Run) -> None:
    """Look at a run once it has taken some seconds, if it may take long."""
    table, search = workspace.needed_table(), run.draft.stated["search"]
    seconds = search.get("seconds", "unlimited")
    short = isinstance(seconds, int | float) and seconds < LEAST_SECONDS
    if short or "nodes" in search or table.inspected.rows > MOST_ROWS:
        return

    def look() -> None:
        if run.job.wait(AFTER) or run.job.state != "running" or workspace.run(run.number) is not run:
            return
        place = run.folder / f"look{run.release_path.suffix}"
        job = workspace.workers.start(
            f"First look at {run.title[:60]}", with_key, run.key, looked, str(run.policy_path), str(place)
        )
        workspace.jobs[job_name(run)] = job
        workspace.touch()
        run.job.wait()
        job.stop()  # the release itself is better
        job.stop()

    threading.Thread(target=look, daemon=True, name="first look").start()
