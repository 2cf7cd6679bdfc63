"""The policy of a run as others can use it, and the command line's answer to it.

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
from urllib.parse import unquote, urlsplit

from shoal import EngineError, PolicyError, TableSource
from shoal.studio.draft import POLICY, Draft
from shoal.studio.folders import Folders
from shoal.studio.workspace import Opened, Run

_NEVER = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a .zip: the same policy makes the same bytes."""

_PARENT_DIED = 1  # PR_SET_PDEATHSIG


def stated_source(table: Opened, folders: Folders, folder: Path | None = None) -> dict[str, str]:
    """The table [source] of a policy that lies in a folder; relative where both are in one opened folder.

    Parameters
    ----------
    table
        What is released.
    folders
        Those that were opened.
    folder
        Where the policy goes; `None` if nobody knows.
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
    source: Mapping[str, str],
    release: str,
    *,
    beside: str = "",
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
        Where its release goes.
    beside
        Begins the names of all files, so that they tell whose they are.
    ledger, strict
        Where its release is written down; whether k must hold together with what was released before.
    """
    draft = draft.copy()
    draft.say("release", "ledger", ledger)
    if ledger is not None and strict:
        draft.say("attacks", "composition", 0.0)
    used = draft.used_files()
    if beside:
        names = {name: f"{beside}.{name}" for name in used}
        for said in draft.attributes.values():
            if said.get("hierarchy") in names:
                said["hierarchy"] = names[said["hierarchy"]]
        used = {names[name]: text for name, text in used.items()}
    return {f"{beside}.{POLICY}" if beside else POLICY: draft.text(source, release), **used}


def zipped(files: Mapping[str, str], folder: str) -> bytes:
    """Files in a folder of a .zip; the same files make the same bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", date_time=_NEVER)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            made.writestr(entry, files[name].encode())
    return held.getvalue()


def commands(run: Run, release: str, policy: str = POLICY) -> list[str]:
    """What to type beside the policy for the same release, and to audit it."""
    name, policy = shlex.quote(release), shlex.quote(policy)
    return [run.command.format(policy=policy, release=name), f"shoal audit {name} --policy {policy}"]


@dataclass(frozen=True, kw_only=True)
class Rerun:
    """A run of the command line that shall give the same bytes.

    Parameters
    ----------
    folder
        A folder of its own; there is none of that name yet.
    command
        With `{policy}` and `{release}` for the files.
    files
        The policy as it is handed out, and its hierarchies.
    release
        The name of the file.
    expected
        The file with the bytes that it must have.
    beside
        Files that lie beside the policy, as their owner has them: name -> where they are.
    environment
        What else the command must know: a password.
    """

    folder: Path
    command: str
    files: Mapping[str, str]
    release: str
    expected: Path
    beside: Mapping[str, Path] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def rerun_of(run: Run, table: Opened, folders: Folders, folder: Path, release: str) -> Rerun:
    """What the command line is asked, so that it does the same as a run did."""
    beside: dict[str, Path] = {}
    secret: dict[str, str] = {}
    if isinstance(table.source, TableSource):
        password = urlsplit(str(table.source.connection)).password
        secret = {} if password is None else {"PGPASSWORD": unquote(password)}
    elif table.uploaded:
        if Path(table.name).name != table.name:
            raise PolicyError("the table was uploaded under a name that is no file name; upload it again")
        beside = {table.name: table.source}
    return Rerun(
        folder=folder,
        command=run.command,
        files=policy_files(run.draft, stated_source(table, folders), release),
        release=release,
        expected=run.release_path,
        beside=beside,
        environment=secret,
    )


def same_by_command_line(asked: Rerun) -> tuple[bool, str]:
    """Run the command line by the policy as it is handed out; whether its bytes are the same, and words."""
    asked.folder.mkdir()
    for name, text in asked.files.items():
        (asked.folder / name).parent.mkdir(exist_ok=True)
        (asked.folder / name).write_text(text, encoding="utf-8")
    for name, path in asked.beside.items():
        try:
            (asked.folder / name).symlink_to(path)
        except OSError:  # not everybody may on Windows
            shutil.copyfile(path, asked.folder / name)
    typed = [
        part.format(policy=POLICY, release=f"./{asked.release}")
        for part in shlex.split(asked.command)[1:]  # the first is `shoal`
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "shoal.cli", *typed, "--quiet"],
        cwd=asked.folder,
        env={**os.environ, **asked.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )
    written = asked.folder / asked.release
    if ran.returncode != 0 or not written.is_file():
        said = [line for line in ran.stderr.splitlines() if line.strip()]
        raise EngineError(
            f"the command line ended with exit code {ran.returncode}" + (f": {said[-1]}" if said else "")
        )
    if filecmp.cmp(written, asked.expected, shallow=False):
        return True, f"The same to the byte: {written.stat().st_size:,} bytes, made by the command line."
    return False, "The command line made another release from this policy."


def _end_with_parent() -> None:
    """A worker that is killed takes its command along."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)
