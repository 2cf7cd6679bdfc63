"""Warnings about columns that would be released unchanged, computed in the background.

The detector reads the table, so it runs only when roles change, and its answers are kept until the table is
closed.
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
from shoal.studio.steps.protect.remark import Remark
from shoal.studio.workspace import Workspace

PATIENCE = 0.6
"""Seconds without another change before the table is read."""

BY_NAME = "likely-quasi-identifier"
"""Shown per column elsewhere, at once, because it does not need the rows."""


@dataclass
class Warned:
    """Warnings about this table: settings of a policy -> remarks.

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
    """The warnings about the current policy; none yet if the table must be read first."""
    warned = workspace.state(Warned)
    settings = _settings(workspace.draft)
    if settings not in warned.found and workspace.draft.columns(Role.QUASI_IDENTIFIER) and not warned.at_work:
        warned.at_work = True
        background_tasks.create(_look(workspace, warned), name="what unchanged columns give away")
    return warned.found.get(settings, ())


def leaks_of(draft: Draft, folders: Folders, source: Mapping[str, Any]) -> tuple[Remark, ...]:
    """The detector's warnings for a policy. Reads the table; writes the policy where only we can read it."""
    with tempfile.TemporaryDirectory(dir=folders.private, prefix="look-") as folder:
        seen = shoal.inspect(policy=draft.checked(Path(folder), source))
    return tuple(
        Remark(sentence(PolicyError(warning)), warning.columns[0] if warning.columns else None)
        for warning in seen.warnings
        if warning.code != BY_NAME
    )


def _settings(draft: Draft) -> str:
    """The part of a policy that the detector depends on."""
    privacy: dict[str, Any] = draft.stated["privacy"]
    columns = {
        name: (settings.get("role"), settings.get("acknowledge"), repr(settings.get("treatment")))
        for name, settings in draft.attributes.items()
    }
    return repr(
        (
            sorted(columns.items(), key=lambda each: each[0]),
            *(privacy.get(key) for key in ("entity", "linkable", "household", "survey_weight")),
            repr(draft.stated.get("release", {}).get("order")),
            repr(draft.stated.get("release", {}).get("acknowledge")),
        )
    )


async def _look(workspace: Workspace, warned: Warned) -> None:
    """Run until the current policy has an answer."""
    table = workspace.needed_table()
    try:
        while (settings := _settings(workspace.draft)) not in warned.found:
            await asyncio.sleep(PATIENCE)
            if workspace.table is not table:
                return
            if settings != _settings(workspace.draft):
                continue
            try:
                warned.found[settings] = await in_background(
                    leaks_of, workspace.draft.copy(), workspace.folders, table.stated()
                )
            except (ShoalError, InternalError):
                return  # errors of the policy are shown next to it
            workspace.touch()
    finally:
        warned.at_work = False
