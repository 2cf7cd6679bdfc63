"""The state of the step: signatory, destination, and what was written."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from shoal import PolicyError, TableSource
from shoal.studio.concerns import concerns, report_words
from shoal.studio.draft import Draft
from shoal.studio.file_transaction import new_token
from shoal.studio.jobs import Job
from shoal.studio.policy_export import policy_files, stated_source
from shoal.studio.publish import ledger_stated
from shoal.studio.reproducibility import reproducible
from shoal.studio.steps.review.judgement import judgement
from shoal.studio.workspace import COMMAND, Opened, Run, Workspace
from shoal.studio.write_order import KINDS, Order, Signing, Written, file_name

WRITING, REPORTING, CHECKING = "release: write", "release: report", "release: check"
"""The jobs of this step by their names in the workspace."""


@dataclass
class ReleaseState:
    """The form, and what came of it. Pages bind to its fields; a reload loses nothing."""

    signer: str = ""
    role: str = ""
    purpose: str = ""
    date: str = field(default_factory=lambda: datetime.date.today().isoformat())
    checked: set[str] = field(default_factory=set)
    into_table: bool = False
    folder: str = ""
    names: dict[int, str] = field(default_factory=dict)
    table_name: str = ""
    with_report: bool = True
    with_pdf: bool = False
    with_json: bool = False
    with_policy: bool = True
    ledger: str = ""
    ledger_of_policy: str | None = None
    """The one that the policy named when it was last read."""
    strict: bool = True
    order: Order | None = None
    """What is being written."""
    report_order: Order | None = None
    """Whose report is being made."""
    check_number: int | None = None
    """Which run is being repeated by the command line."""
    written: dict[int, Written] = field(default_factory=dict)
    reports: dict[int, Mapping[str, Path]] = field(default_factory=dict)
    checks: dict[int, tuple[bool, str]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """Job -> why it failed, in words."""

    @property
    def signing(self) -> Signing:
        """What the report states in addition to measurements."""
        return Signing(name=self.signer, role=self.role, purpose=self.purpose, date=self.date)


def state_of(workspace: Workspace) -> ReleaseState:
    """What is remembered, with the answers of jobs that have ended since."""
    state = workspace.state(ReleaseState)
    for name, take in ((WRITING, _take_written), (REPORTING, _take_report), (CHECKING, _take_check)):
        job = workspace.jobs.get(name)
        if job is not None and not job.is_running and take(state, job):
            if job.state != "done":
                state.errors[name] = job.error or "It was stopped; nothing was written."
            workspace.touch()
    return state


def _take_written(state: ReleaseState, job: Job) -> bool:
    order, state.order = state.order, None
    if order is None:
        return False
    if isinstance(job.result, Written):
        state.written[order.number] = job.result
        if job.result.reports:
            state.reports[order.number] = job.result.reports
    return True


def _take_report(state: ReleaseState, job: Job) -> bool:
    order, state.report_order = state.report_order, None
    if order is not None and job.state == "done":
        state.reports[order.number] = job.result
    return order is not None


def _take_check(state: ReleaseState, job: Job) -> bool:
    number, state.check_number = state.check_number, None
    if number is not None and job.state == "done":
        state.checks[number] = job.result
    return number is not None


def selected_run(workspace: Workspace) -> Run | None:
    """The run that is released: the chosen one, or the newest that has a release."""
    if workspace.chosen is not None and workspace.chosen.release is not None:
        return workspace.chosen
    return next((run for run in reversed(workspace.runs) if run.release is not None), None)


def take_ledger(state: ReleaseState, draft: Draft) -> None:
    """Put the ledger that a policy names into the form, once: the user may then choose another, or none."""
    named = draft.stated.get("release", {}).get("ledger")
    if named != state.ledger_of_policy:
        state.ledger_of_policy = named
        state.ledger = named or state.ledger


def release_name(state: ReleaseState, table: Opened, run: Run) -> str:
    """The name of the release: the user's, or by its table and k, as the command line does."""
    if run.number in state.names:
        return state.names[run.number]
    stem = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in table.name.split(".")[0])
    k = run.draft.stated["privacy"].get("k", "")
    return f"{stem.strip('_-')[:60] or 'release'}-k{k}{run.release_path.suffix}"


def safe_name(state: ReleaseState, table: Opened, run: Run) -> str:
    """The same, as a valid file name whatever the user typed."""
    try:
        return file_name(release_name(state, table, run), run.release_path.suffix)
    except PolicyError:
        return f"release-{run.number}{run.release_path.suffix}"


def report_order(workspace: Workspace, run: Run, kinds: tuple[str, ...] = ("html",)) -> Order:
    """What makes the report alone."""
    table, state = workspace.needed_table(), workspace.state(ReleaseState)
    release, token = run.release, new_token()
    assert release is not None
    return Order(
        number=run.number,
        release=run.release_path,
        digest=release.manifest.release_digest,
        meets=release.verdict.meets,
        policy=run.policy_path,
        original=table.source,
        work=run.folder / f"report-{token}",
        name=safe_name(state, table, run),
        reports=kinds,
        signing=state.signing,
        raised=report_words(workspace, run, concerns(workspace, run, judgement(workspace, run).audited)),
        key=run.key,
        token=token,
    )


def order_of(workspace: Workspace, run: Run) -> Order:
    """The order of the form; `PolicyError` if it is invalid."""
    table, state = workspace.needed_table(), workspace.state(ReleaseState)
    wanted = (state.with_report, state.with_pdf, state.with_json)
    kinds = tuple(kind for kind, want in zip(KINDS, wanted, strict=True) if want)
    order = report_order(workspace, run, kinds)
    ledger = workspace.folders.resolved(state.ledger) if state.ledger.strip() else None
    order = replace(order, ledger=_checked_ledger(ledger, run), strict=state.strict)
    if state.into_table and isinstance(table.source, TableSource):
        return replace(order, name=_table_name(state, run))
    if not workspace.folders.opened:
        raise PolicyError("no folder was opened; start the studio with one: shoal studio FOLDER")
    folder = workspace.folders.resolved(state.folder.strip() or workspace.folders.opened[0])
    if not folder.is_dir():
        raise PolicyError("there is no such folder; choose one that exists")
    name = file_name(release_name(state, table, run), run.release_path.suffix)
    files: dict[str, str] = {}
    if state.with_policy:
        source = stated_source(table, workspace.folders, folder)
        stated = ledger_stated(ledger, folder)
        stem = name.rsplit(".", 1)[0]
        files = policy_files(run.draft, source, name, prefix=stem, ledger=stated, strict=state.strict)
    return replace(order, folder=folder, name=name, files=files)


def _table_name(state: ReleaseState, run: Run) -> str:
    name = state.table_name.strip()
    if not name or any(sign in "/\\;'\"" or not sign.isprintable() for sign in name):
        raise PolicyError("name the table to make, with its schema if it needs one: stays_released")
    if run.command != COMMAND:
        raise PolicyError(
            "a point of the front is released as a file here; by the command line it can become a table"
        )
    return name


def _checked_ledger(ledger: Path | None, run: Run) -> Path | None:
    """A release that enters a ledger is made again by its policy: it must be the same."""
    if ledger is None:
        return None
    if ledger.is_dir() or not ledger.parent.is_dir():
        raise PolicyError("a ledger is a file in a folder that exists, such as releases.jsonl")
    if run.command != COMMAND:
        raise PolicyError("a point of the front cannot be written into a ledger here; leave the ledger out")
    same, why = reproducible(run, with_its_key=True)
    if not same:
        raise PolicyError(
            "with a ledger, Shoal runs the policy once more as it writes, and that could end elsewhere. "
            f"{why} Search again, or leave the ledger out"
        )
    return ledger
