"""A table being opened: requested, read in the background, then shown; the previous one stays until then.

All of it is in the workspace. A reload, another tab or another step changes nothing: a task of the server
sees the reading through.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nicegui import background_tasks

import shoal
from shoal import FileSource, Inspected, PolicyError, Role, ShoalError, TableSource
from shoal.studio.parts import sentence
from shoal.studio.project import policy_of, restore
from shoal.studio.steps.open_table.database import remember_password, server_of
from shoal.studio.steps.open_table.paths import found_file, kind_of, place, short, suffix_of
from shoal.studio.steps.open_table.pending import Opening, Pending, Shown
from shoal.studio.steps.open_table.policy_import import MOST_POLICY, continued
from shoal.studio.workspace import MISSING, Opened, Workspace

JOB = "open"
LOOK = 0.1
"""Seconds between two checks whether a table was read."""

WRONG_KIND = (
    "the name does not show the kind of file; tables end in .csv, .tsv, .txt, .xlsx, .parquet, .jsonl, .sav, "
    ".dta, .sas7bdat and others, perhaps followed by .gz or .zip, and a policy in .toml. Rename the file, or "
    "save it as CSV"
)


def begin(workspace: Workspace, pending: Pending) -> None:
    """Read a table and open it on success; first confirm if runs of the current one would be lost."""
    opening = workspace.state(Opening)
    if opening.pending is not None:
        opening.pending.discard()
    if pending.policy is None and not pending.again:
        pending.policy = opening.policy
    if pending.policy is not None and not pending.how:
        pending.how = pending.policy.how
    forget_refused(opening, kept=pending.source)
    opening.pending, opening.failure = pending, ""
    server = server_of(pending.source)
    pending.server = "" if server in workspace.servers else server
    pending.unconfirmed = bool(workspace.runs)
    if pending.server or pending.unconfirmed:
        workspace.touch()
    else:
        read(workspace)


def confirm_server(workspace: Workspace) -> None:
    """Connect to the server of the requested table, now and later."""
    pending = workspace.state(Opening).pending
    if pending is None:
        return
    workspace.servers.add(pending.server)
    pending.server = ""
    if pending.unconfirmed:
        workspace.touch()
    else:
        read(workspace)


def read(workspace: Workspace) -> None:
    """Read the requested table, in a separate process."""
    pending = workspace.state(Opening).pending
    if pending is None or pending.job is not None or pending.server:
        return
    pending.unconfirmed = False
    title = f"Reading {short(pending.name)}"
    try:
        source, named = pending.as_read, _by_policy(workspace, pending)
    except PolicyError as error:
        opening = workspace.state(Opening)
        opening.pending, opening.failure = None, pending.without_secrets(str(error))
        _keep_refused(opening, pending)
        workspace.touch()
        return
    pending.job = workspace.workers.start(title, shoal.inspect, source, **named)
    workspace.jobs[JOB] = pending.job
    workspace.touch()
    background_tasks.create(_see_through(workspace, pending), name="open a table")


def _by_policy(workspace: Workspace, pending: Pending) -> dict[str, Any]:
    """How columns are read and which of them are known to others, by the policy to go on from."""
    if pending.policy is None:
        return {}
    draft = pending.policy.draft
    cells = {key: value for key, value in pending.how.items() if key == MISSING}
    reading = draft.reading()
    if reading is None and not cells:
        # How unique people are by what the policy takes for known, not by a guess.
        return {"quasi_identifiers": draft.columns(Role.QUASI_IDENTIFIER)}
    with tempfile.TemporaryDirectory(dir=workspace.folders.private, prefix="look-") as folder:
        return {"policy": (reading or draft.roles()).checked(Path(folder), cells)}


def cancel(workspace: Workspace) -> None:
    """Leave everything as it was."""
    opening = workspace.state(Opening)
    if opening.pending is not None:
        opening.pending.discard()
        opening.pending = None
    workspace.jobs.pop(JOB, None)
    workspace.touch()


def fail(workspace: Workspace, words: str) -> None:
    """Say why nothing was opened."""
    opening = workspace.state(Opening)
    forget_refused(opening)
    opening.failure = words
    workspace.touch()


async def _see_through(workspace: Workspace, pending: Pending) -> None:
    assert pending.job is not None
    while pending.job.is_running:
        await asyncio.sleep(LOOK)
    settle(workspace, pending)


def settle(workspace: Workspace, pending: Pending) -> None:
    """Open the table, or show why it could not be read."""
    opening, job = workspace.state(Opening), pending.job
    if opening.pending is not pending or job is None:  # another table was requested
        pending.discard()
        return
    opening.pending = None
    workspace.jobs.pop(JOB, None)
    try:
        if isinstance(job.result, Inspected):
            _open(workspace, pending, job.result)
            return
        if job.error is not None:
            opening.failure = pending.without_secrets(job.error)
    except ShoalError as error:
        opening.failure = sentence(error)
    _keep_refused(opening, pending)
    workspace.touch()


def read_again(workspace: Workspace, pending: Pending, how: Mapping[str, Any]) -> None:
    """Read a table in another way.

    Parameters
    ----------
    workspace
        Where it is open, or was refused.
    pending
        The table.
    how
        The keys of [source] that are stated now.
    """
    FileSource("any", **{key: value for key, value in how.items() if key != MISSING})  # is it valid?
    begin(workspace, replace(pending, how=dict(how), job=None, unconfirmed=False))


def of_open(workspace: Workspace) -> Pending:
    """The open table, as it was requested."""
    table = workspace.needed_table()
    return Pending(
        source=table.source,
        name=table.name,
        uploaded=table.uploaded,
        hierarchies=table.hierarchies,
        how=table.how,
        again=True,
    )


def forget_refused(opening: Opening, kept: object = None) -> None:
    """Remove the file that did not open, if it was uploaded and is not the one that is kept."""
    refused, opening.refused = opening.refused, None
    if refused is not None and refused.source != kept:
        refused.discard()


def _keep_refused(opening: Opening, pending: Pending) -> None:
    """Keep a file for another attempt; it is removed when another one is requested."""
    if isinstance(pending.source, TableSource) or not opening.failure:
        pending.discard()
    else:
        opening.refused = pending


def _open(workspace: Workspace, pending: Pending, inspected: Inspected) -> None:
    draft = None if pending.policy is None else pending.policy.draft_for(inspected)
    named = "" if pending.policy is None else pending.policy.name
    columns = {column.name for column in inspected.columns}
    if pending.again and columns == set(workspace.draft.attributes):
        draft, named = workspace.draft, workspace.state(Shown).policy
    workspace.open(
        Opened(
            source=pending.source,
            name=pending.name,
            inspected=inspected,
            how=pending.how,
            uploaded=pending.uploaded,
            hierarchies=pending.hierarchies,
        )
    )
    remember_password(workspace.workers, pending.password)
    if draft is not None:
        workspace.draft = draft
        workspace.history.begin(draft)
        workspace.state(Shown).policy = named
        if pending.policy is not None and pending.policy.folder is not None:
            restore(workspace, pending.policy.folder)
        workspace.touch()


def example(workspace: Workspace) -> None:
    """Open the bundled table, with its hierarchies."""
    names = shoal.datasets.ADULT_QUASI_IDENTIFIERS
    begin(
        workspace,
        Pending(
            source=shoal.datasets.adult_path(),
            name="adult.csv.gz",
            hierarchies={name: shoal.datasets.adult_hierarchy_path(name) for name in names},
        ),
    )


def open_path(workspace: Workspace, stated: str | Path) -> None:
    """Open a table or a policy by its path in an opened folder."""
    path = found_file(workspace.folders, stated)
    kind = kind_of(path.name)
    if kind == "policy":
        go_on(workspace, path.name, policy_bytes(path), path.parent)
    elif kind == "table":
        begin(workspace, Pending(source=path, name=path.name))
    elif kind == "database":
        raise PolicyError(f"{path.name!r} is a database; name its table under A table of a database")
    else:
        raise PolicyError(f"{path.name!r}: {WRONG_KIND}")


def open_first(workspace: Workspace, policy: Path) -> None:
    """Begin with a policy that was named on the command line; what is wrong with it is on the page."""
    try:
        open_path(workspace, policy)
    except ShoalError as error:
        fail(workspace, sentence(error))


def open_folder(workspace: Workspace, folder: Path) -> None:
    """Open a folder: a project by its policy, or the Parquet files in it as one table."""
    inside = place(workspace.folders, folder)
    policy = policy_of(inside)
    if policy is not None:
        open_path(workspace, policy)
    else:
        begin(workspace, Pending(source=inside, name=inside.name))


def policy_bytes(path: Path) -> bytes:
    """A policy's file, if it can be one."""
    try:
        if path.stat().st_size > MOST_POLICY:
            raise PolicyError(f"{path.name} is too large for a policy; is it the right file?")
        return path.read_bytes()
    except OSError as error:
        raise PolicyError(f"cannot read {path.name}: {error.strerror}; may you read it?") from None


def upload_place(workspace: Workspace, name: str) -> Path:
    """The path of an upload: a name chosen here, with the ending of its kind."""
    if kind_of(name) == "policy":
        ending = ".toml"
    elif not (ending := suffix_of(name)):
        raise PolicyError(f"{short(name)!r}: {WRONG_KIND}")
    return workspace.folders.private / f"upload-{secrets.token_hex(8)}{ending}"


def open_upload(workspace: Workspace, name: str, stored: Path) -> None:
    """Open what came through the browser."""
    if kind_of(name) != "policy":
        begin(workspace, Pending(source=stored, name=name, uploaded=True))
        return
    try:
        go_on(workspace, short(name), policy_bytes(stored), None)
    finally:
        stored.unlink(missing_ok=True)


def go_on(workspace: Workspace, name: str, text: bytes, folder: Path | None) -> None:
    """Go on from a policy: open its table, or wait for the one that its user names."""
    opening = workspace.state(Opening)
    policy = continued(name, text, workspace.folders, folder)
    opening.failure = ""
    opening.policy = policy if policy.source is None else None
    if policy.source is None:
        workspace.touch()
        return
    source = policy.source
    shown = source.name if isinstance(source, Path) else str(source.table)
    begin(workspace, Pending(source=source, name=shown, policy=policy, password=policy.password))


def forget_policy(workspace: Workspace) -> None:
    """Open the next table without the policy that waits for one."""
    workspace.state(Opening).policy = None
    workspace.touch()
