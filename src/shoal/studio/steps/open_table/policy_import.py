"""A policy file to continue with: its document becomes the draft, with its files, and its table is opened.

Every path in it must lead into an opened folder before anything is read by it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from shoal import EngineError, Inspected, PolicyError, Role, TableSource, read_policy
from shoal.studio.draft import Draft
from shoal.studio.folders import Folders
from shoal.studio.steps.open_table.database import DUCKDB, table_source, without_password
from shoal.studio.steps.open_table.paths import found_file, place

MOST_POLICY = 2**22
MOST_HIERARCHY = 2**27


@dataclass(frozen=True, kw_only=True)
class Continued:
    """A policy that was read.

    Parameters
    ----------
    name
        Its file.
    draft
        Its content.
    source
        Its table, if that could be found.
    wanted
        What the policy calls its table.
    how
        Its further keys of [source].
    password
        One that was written into its address; the draft has it no more.
    folder
        Where it lies; `None` if it was uploaded.
    """

    name: str
    draft: Draft
    source: Path | TableSource | None
    wanted: str
    how: Mapping[str, Any] = field(default_factory=dict)
    password: str | None = None
    folder: Path | None = None

    def draft_for(self, inspected: Inspected) -> Draft:
        """The draft for a table; `PolicyError` if the policy is for another one."""
        known = [column.name for column in inspected.columns]
        points = [name for name, each in self.draft.attributes.items() if each.get("type") == "point"]
        if points:
            raise PolicyError(
                f"the policy {self.name} makes the point {_quoted(points)} from two columns, and the studio "
                "does not show that; release it with `shoal anonymize`, which writes the same report"
            )
        strange = [name for name in self.draft.attributes if name not in known]
        if strange:
            raise PolicyError(
                f"the policy {self.name} speaks of {_quoted(strange)}, and the table has no such column; "
                "open the table that the policy is for"
            )
        draft = self.draft.copy()
        for name in known:  # after those of the policy: their order is part of it
            if name not in draft.attributes:
                draft.set_role(name, Role.OTHER)
        return draft


_PLACE = ("path", "connection", "table")
"""The keys of [source] that say where the table is; the others say how it is read."""


def continued(name: str, text: bytes, folders: Folders, folder: Path | None) -> Continued:
    """A policy, as Shoal reads it.

    Parameters
    ----------
    name
        What its file is called.
    text
        What is in it.
    folders
        What may be read.
    folder
        Its folder; for an uploaded one there is none, and the opened folders are searched.
    """
    try:
        document = tomllib.loads(text.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise PolicyError(
            f"{name} is not TOML, and so no policy; open one that `shoal` or this studio wrote"
        ) from None
    bases = folders.opened if folder is None else (folder,)
    stated = _table(document.pop("source", {}), "source")
    how = {key: value for key, value in stated.items() if key not in _PLACE}
    draft = _draft(name, {**document, "source": how}, folders, bases)
    source, password = _source(stated, folders, bases)
    wanted = Path(str(stated.get("path") or stated.get("table") or "")).name
    return Continued(
        name=name, draft=draft, source=source, wanted=wanted, how=how, password=password, folder=folder
    )


def _draft(name: str, document: dict[str, Any], folders: Folders, bases: Sequence[Path]) -> Draft:
    attributes = _table(document.get("attributes", {}), "attributes")
    texts: dict[str, str] = {}
    for column, settings in attributes.items():
        if isinstance(settings, dict) and isinstance(settings.get("hierarchy"), str):
            texts[column] = _read(_existing(settings.pop("hierarchy"), folders, bases), MOST_HIERARCHY)
    for table, key in (("privacy", "population"), ("release", "ledger")):
        settings = _table(document.get(table, {}), table)
        if isinstance(settings.get(key), str):
            where = _existing if key == "population" else _within
            settings[key] = str(where(settings[key], folders, bases))
    _table(document.get("release", {}), "release").pop("path", None)
    _check(name, document, folders)
    draft = Draft({table: settings for table, settings in document.items() if table != "source"})
    for column, text in texts.items():
        draft.set_hierarchy_file(column, text)
    return draft


def _check(name: str, document: dict[str, Any], folders: Folders) -> None:
    """Shoal checks whether it is a policy; an unknown table or key is an error."""
    path = folders.private / "continued.toml"
    path.write_text(tomli_w.dumps(document), encoding="utf-8")
    try:
        read_policy(path)
    except PolicyError as error:
        raise PolicyError(str(error).replace(path.name, name, 1)) from None
    finally:
        path.unlink(missing_ok=True)


def _source(
    stated: dict[str, Any], folders: Folders, bases: Sequence[Path]
) -> tuple[Path | TableSource | None, str | None]:
    if "connection" in stated:
        url, password = without_password(str(stated["connection"]))
        if url.startswith(DUCKDB):
            url = DUCKDB + str(_existing(url.removeprefix(DUCKDB), folders, bases))
        return table_source(folders, url, str(stated.get("table", ""))), password
    try:
        return _existing(str(stated["path"]), folders, bases, or_folder=True), None
    except (KeyError, PolicyError):
        return None, None  # the user chooses the table


def _existing(stated: str, folders: Folders, bases: Sequence[Path], *, or_folder: bool = False) -> Path:
    for base in bases:
        try:
            if or_folder and (inside := place(folders, base / stated)).is_dir():
                return inside
            return found_file(folders, base / stated)
        except PolicyError:
            continue
    raise PolicyError(
        f"the policy names {Path(stated).name!r}, which was not found in the opened folders; put the policy "
        "and its files into one of them, and open it there"
    )


def _within(stated: str, folders: Folders, bases: Sequence[Path]) -> Path:
    return place(folders, bases[0] / stated if bases else stated)


def _read(path: Path, most: int) -> str:
    try:
        if path.stat().st_size > most:
            raise PolicyError(f"{path.name} is too large for a hierarchy; is it the right file?")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError(f"{path.name} is not UTF-8 text; convert it first") from None
    except OSError as error:
        raise EngineError(f"cannot read {path.name}: {error.strerror}") from None


def _table(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PolicyError(f"[{name}] of the policy is no table; open one that `shoal` or this studio wrote")
    return value


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:60]) for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
