"""The policy of a run for use elsewhere, and a check of it by the command line.

A policy that is handed out names the table as its owner knows it: no folder of the studio's own, no password.
"""

from __future__ import annotations

import contextlib
import ctypes
import filecmp
import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from shoal import EngineError, PolicyError, TableSource
from shoal.studio.draft import POLICY, Draft
from shoal.studio.folders import Folders
from shoal.studio.reproducibility import needs_key
from shoal.studio.run_key import environment
from shoal.studio.workspace import Opened, Run

_NEVER = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a .zip: the same policy makes the same bytes."""

_PARENT_DIED = 1  # PR_SET_PDEATHSIG


def stated_source(table: Opened, folders: Folders, folder: Path | None = None) -> dict[str, Any]:
    """The table [source] of a policy in a folder; relative where both are in one opened folder.

    Parameters
    ----------
    table
        What is released.
    folders
        Those that were opened.
    folder
        The policy's folder; `None` if unknown.
    """
    stated = table.stated(portable=True)
    if folder is None or table.uploaded or not isinstance(table.source, Path):
        return stated
    source = table.source.resolve()
    if any(source.is_relative_to(each) and folder.is_relative_to(each) for each in folders.opened):
        stated["path"] = Path(os.path.relpath(source, folder)).as_posix()
    return stated


def policy_files(
    draft: Draft,
    source: Mapping[str, Any],
    release: str,
    *,
    prefix: str = "",
    ledger: str | None = None,
    strict: bool = False,
) -> dict[str, str]:
    """The policy and the hierarchies that it names: name -> text.

    Parameters
    ----------
    draft
        The policy.
    source
        Its table [source].
    release
        The path of its release.
    prefix
        Begins the names of all files, so that they show which release they belong to.
    ledger, strict
        Where its release is written down; whether k must hold together with what was released before.
    """
    draft = draft.copy()
    draft.say("release", "ledger", ledger)
    if ledger is not None and strict:
        draft.say("attacks", "composition", 0.0)
    used = draft.used_files()
    if prefix:
        names = {name: f"{prefix}.{name}" for name in used}
        for settings in draft.attributes.values():
            if settings.get("hierarchy") in names:
                settings["hierarchy"] = names[settings["hierarchy"]]
        used = {names[name]: text for name, text in used.items()}
    return {f"{prefix}.{POLICY}" if prefix else POLICY: draft.text(source, release), **used}


def zipped(files: Mapping[str, str], folder: str) -> bytes:
    """Files in a folder of a .zip; the same files make the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", date_time=_NEVER)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, files[name].encode())
    return packed.getvalue()


def commands(run: Run, release: str, policy: str = POLICY) -> list[str]:
    """The commands that repeat the release from the policy, and audit it."""
    name, policy = shlex.quote(release), shlex.quote(policy)
    return [run.command.format(policy=policy, release=name), f"shoal audit {name} --policy {policy}"]


@dataclass(frozen=True, kw_only=True)
class Rerun:
    """A run of the command line that must produce the same bytes.

    Parameters
    ----------
    folder
        A new folder that does not exist yet.
    command
        With `{policy}` and `{release}` for the files.
    files
        The exported policy, and its hierarchies.
    release
        The name of the file.
    expected
        The file with the bytes that it must have.
    linked
        Files that belong next to the policy: name -> where they are.
    environment
        What else the command must know: a password, the key of the run.
    keyed
        Whether the release depends on that key.
    """

    folder: Path
    command: str
    files: Mapping[str, str]
    release: str
    expected: Path
    linked: Mapping[str, Path] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    keyed: bool = False


def rerun_of(run: Run, table: Opened, folders: Folders, folder: Path, release: str) -> Rerun:
    """The run of the command line that repeats a run of the studio."""
    linked: dict[str, Path] = {}
    secret: dict[str, str] = {}
    if isinstance(table.source, TableSource):
        password = urlsplit(str(table.source.connection)).password
        secret = {} if password is None else {"PGPASSWORD": unquote(password)}
    elif table.uploaded:
        if Path(table.name).name != table.name:
            raise PolicyError("the table was uploaded under a name that is no file name; upload it again")
        linked = {table.name: table.source}
    return Rerun(
        folder=folder,
        command=run.command,
        files=policy_files(run.draft, stated_source(table, folders), release),
        release=release,
        expected=run.release_path,
        linked=linked,
        environment={**secret, **environment(run.key)},
        keyed=needs_key(run),
    )


def same_by_command_line(rerun: Rerun) -> tuple[bool, str]:
    """Run the command line with the exported policy; whether its bytes are the same, and a sentence."""
    rerun.folder.mkdir()
    for name, text in rerun.files.items():
        (rerun.folder / name).parent.mkdir(exist_ok=True)
        (rerun.folder / name).write_text(text, encoding="utf-8")
    for name, path in rerun.linked.items():
        try:
            (rerun.folder / name).symlink_to(path)
        except OSError:  # not everybody may on Windows
            shutil.copyfile(path, rerun.folder / name)
    typed = [
        part.format(policy=POLICY, release=f"./{rerun.release}")
        for part in shlex.split(rerun.command)[1:]  # the first is `shoal`
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "shoal.cli", *typed, "--quiet"],
        cwd=rerun.folder,
        env={**os.environ, **rerun.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )
    written = rerun.folder / rerun.release
    if ran.returncode != 0 or not written.is_file():
        errors = [line for line in ran.stderr.splitlines() if line.strip()]
        raise EngineError(
            f"the command line ended with exit code {ran.returncode}" + (f": {errors[-1]}" if errors else "")
        )
    if filecmp.cmp(written, rerun.expected, shallow=False):
        with_key = " with the key of this run" if rerun.keyed else ""
        size = f"{written.stat().st_size:,} bytes"
        return True, f"The same to the byte: {size}, made by the command line{with_key}."
    return False, "The command line made another release from this policy."


def _end_with_parent() -> None:
    """A worker that is killed takes its command along."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)
