"""What the detector says about columns that would be released unchanged, asked behind the page.

It reads the table, so it is asked only when roles change, and answers are kept as long as the table is open.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nicegui import background_tasks

import shoal
from shoal import InternalError, PolicyError, Role, ShoalError
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.parts import in_background, sentence
from shoal.studio.steps.protect.wording import Remark
from shoal.studio.workspace import Workspace

PATIENCE = 0.6
"""Seconds without another change before the table is read."""

BY_NAME = "likely-quasi-identifier"
"""Said of each column by itself here, and at once, for it needs no look at the rows."""


@dataclass
class Looked:
    """What was found in this table: what a policy says of its columns -> remarks.

    Attributes
    ----------
    found
        The answers.
    at_work
        Whether somebody is at it: one at a time.
    """

    found: dict[str, tuple[Remark, ...]] = field(default_factory=dict)
    at_work: bool = False


def known(workspace: Workspace) -> tuple[Remark, ...]:
    """What is known of the policy as it is; nothing yet if the table must first be looked at."""
    looked = workspace.state(Looked)
    said = _said(workspace.draft)
    if said not in looked.found and workspace.draft.columns(Role.QUASI_IDENTIFIER) and not looked.at_work:
        looked.at_work = True
        background_tasks.create(_look(workspace, looked), name="what unchanged columns give away")
    return looked.found.get(said, ())


def leaks_of(draft: Draft, folders: Folders, source: Mapping[str, str]) -> tuple[Remark, ...]:
    """The detector's warnings for a policy. Reads the table; writes the policy where only we can read it."""
    with tempfile.TemporaryDirectory(dir=folders.private, prefix="look-") as folder:
        seen = shoal.inspect(policy=draft.checked(Path(folder), source))
    return tuple(
        Remark(sentence(PolicyError(each)), each.columns[0]) for each in seen.warnings if each.code != BY_NAME
    )


def _said(draft: Draft) -> str:
    """All of a policy that the detector looks at."""
    privacy: dict[str, Any] = draft.stated["privacy"]
    columns = {name: (said.get("role"), said.get("acknowledge")) for name, said in draft.attributes.items()}
    return repr(
        (
            sorted(columns.items(), key=lambda each: each[0]),
            privacy.get("entity"),
            privacy.get("survey_weight"),
        )
    )


async def _look(workspace: Workspace, looked: Looked) -> None:
    """Look until the policy as it is has an answer."""
    table = workspace.needed_table()
    try:
        while (said := _said(workspace.draft)) not in looked.found:
            await asyncio.sleep(PATIENCE)
            if workspace.table is not table:
                return
            if said != _said(workspace.draft):
                continue
            try:
                looked.found[said] = await in_background(
                    leaks_of, workspace.draft.copy(), workspace.folders, table.stated()
                )
            except (ShoalError, InternalError):
                return  # what is wrong with the policy is told beside it
            workspace.touch()
    finally:
        looked.at_work = False
