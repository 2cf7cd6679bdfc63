"""A project: a folder with the policy, its hierarchies and what was filled in, to go on from another day.

No row of the table and no release is in it, so it can be kept next to the table, or in version control. The
policy is one that the command line takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal import PolicyError
from shoal.studio.draft import POLICY
from shoal.studio.file_transaction import FileTransaction, new_token
from shoal.studio.policy_export import policy_files, stated_source
from shoal.studio.workspace import Workspace

PROJECT = "project.json"
_FIELDS = ("signer", "role", "purpose", "ledger", "with_report", "with_pdf", "with_json", "with_policy")
"""Of the form in Release; the date is of the day it is signed."""
MOST_BYTES = 2**20


def usual_name(workspace: Workspace) -> str:
    """What a project is called unless somebody says otherwise."""
    stem = workspace.needed_table().name.split(".")[0]
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in stem)[:60] + "-project"


def save(workspace: Workspace, name: str) -> Path:
    """Write the project, whole or not at all; its folder.

    Parameters
    ----------
    workspace
        What is saved.
    name
        The folder, in one of those that were opened; files of an earlier project in it are replaced.
    """
    folder = workspace.folders.resolved(name)
    if folder in workspace.folders.opened:
        raise PolicyError("name a folder of its own for the project, such as stays-project")
    if folder.exists() and not (folder / PROJECT).is_file():
        raise PolicyError(f"{folder.name!r} is there already, and is no project; choose another name")
    if not folder.parent.is_dir():
        raise PolicyError("the folder above that one does not exist; choose one that does")
    source = stated_source(workspace.needed_table(), workspace.folders, folder)
    release = f"release{workspace.needed_table().suffix}"
    texts = policy_files(workspace.draft, source, release)
    state = _form(workspace)
    form: dict[str, Any] = {key: getattr(state, key) for key in _FIELDS}
    texts[PROJECT] = json.dumps({"shoal": "project", "release": form}, indent=2) + "\n"
    fresh = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with FileTransaction(new_token()) as files:
            for path, text in texts.items():
                files.stage(folder / path, text.encode())
            files.place()
            files.keep()
    except BaseException:
        if fresh and not any(folder.iterdir()):
            folder.rmdir()
        raise
    return folder


def _form(workspace: Workspace) -> Any:
    """The form of the step Release."""
    # Imported here: that step judges policies as Protect does, which has the button that saves.
    from shoal.studio.steps.release.state import ReleaseState

    return workspace.state(ReleaseState)


def policy_of(folder: Path) -> Path | None:
    """The policy of a project, if the folder is one."""
    return folder / POLICY if (folder / PROJECT).is_file() and (folder / POLICY).is_file() else None


def restore(workspace: Workspace, folder: Path) -> None:
    """Fill in what the project of a folder remembers; one that was damaged is no reason to fail.

    Parameters
    ----------
    workspace
        Where its policy was opened.
    folder
        The folder of the policy.
    """
    path = folder / PROJECT
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return
        form = json.loads(path.read_text(encoding="utf-8"))["release"]
        state = _form(workspace)
        for key in _FIELDS:
            if isinstance(form.get(key), type(getattr(state, key))):
                setattr(state, key, form[key])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
