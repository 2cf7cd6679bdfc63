"""The policy that is being written: a document as its file has it, so that what runs here runs anywhere.

The studio never runs anything but a policy file. What the page shows of a policy is read from this document,
and what it changes is written into it; Shoal itself checks whether it is one.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from shoal import Inspected, Policy, Role, read_policy

HIERARCHIES = "hierarchies"
"""The folder next to a policy with its hierarchies."""

POLICY = "policy.toml"

_ORDER = ("source", "attributes", "privacy", "objective", "search", "release", "attacks", "front")
_SENSITIVE_KEYS = (
    *("role", "type", "format", "missing", "order", "hierarchy", "suppressed_top"),
    *("treatment", "acknowledge"),
)
_TREATED_KEYS = ("format", "missing", "acknowledge", "treatment")
_LABELS = ("hierarchy", "suppressed_top")


class Draft:
    """A policy's document without its source and release, and the hierarchy files that it names.

    Parameters
    ----------
    stated
        The document: table -> key -> value, as TOML has it.
    files
        The hierarchy files, name -> text in ARX's layout.
    """

    def __init__(
        self, stated: Mapping[str, Any] | None = None, files: Mapping[str, str] | None = None
    ) -> None:
        self.stated: dict[str, Any] = {
            "attributes": {},
            "privacy": {"k": 10},
            "objective": {},
            "search": {"seconds": 30},
        }
        if stated is not None:
            self.stated = copy.deepcopy(dict(stated))
        for table in ("attributes", "privacy", "objective", "search"):
            self.stated.setdefault(table, {})
        self.files = dict(files or {})
        self._former: dict[str, dict[str, Any]] = {}

    @classmethod
    def suggested(cls, inspected: Inspected) -> Draft:
        """A first policy for a table: the roles that its columns probably have."""
        draft = cls()
        for column in inspected.columns:
            draft.set_role(column.name, column.likely_role)
        return draft

    def mark_missing(self, markers: Any) -> None:
        """State the missing markers of [source] by column: a draft has no source of its own."""
        # A column that is named as other is accepted as it is, so the others stay unnamed.
        read = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.CLASS)
        for name, settings in self.attributes.items() if markers is not None else ():
            if self.role(name) in read:
                settings.setdefault("missing", copy.deepcopy(markers))

    def reading(self) -> Draft | None:
        """Only what the policy says about reading the columns, and their roles; `None` if it says nothing."""
        keys = ("type", "format", "missing")
        if not any(key in settings for settings in self.attributes.values() for key in keys):
            return None
        return self._with_only(("role", *keys))

    def roles(self) -> Draft:
        """Only the roles of the columns."""
        return self._with_only(("role",))

    def _with_only(self, keys: Sequence[str]) -> Draft:
        return Draft(
            {
                "attributes": {
                    name: {key: settings[key] for key in keys if key in settings}
                    for name, settings in self.attributes.items()
                },
                "privacy": {"k": 2},
            }
        )

    def copy(self) -> Draft:
        """The same policy, to be changed apart from this one."""
        return Draft(self.stated, self.files)

    @property
    def attributes(self) -> dict[str, dict[str, Any]]:
        """Column -> its settings."""
        stated: dict[str, dict[str, Any]] = self.stated["attributes"]
        return stated

    def role(self, column: str) -> Role:
        """The role of a column."""
        return Role(self.attributes.get(column, {}).get("role", Role.OTHER))

    def columns(self, role: Role) -> list[str]:
        """The columns that have a role."""
        return [name for name in self.attributes if self.role(name) is role]

    def set_role(self, column: str, role: Role) -> None:
        """Give a column a role. Settings that belong to a role come back with it."""
        now = self.role(column)
        if now is role and column in self.attributes:
            return
        # Settings that the present role lacks are remembered; those that it has and does not use are gone.
        settings = {
            key: value for key, value in self._former.get(column, {}).items() if not _belongs(key, now)
        }
        settings |= self.attributes.get(column, {})
        self._former[column] = settings
        self.attributes[column] = {**_kept(settings, role), "role": role.value}
        if role is Role.CLASS:  # there is one
            for other in self.columns(Role.CLASS):
                if other != column:
                    self.set_role(other, Role.OTHER)

    def set_hierarchy_file(self, column: str, text: str) -> None:
        """Give a column a hierarchy, as text in ARX's layout."""
        known = self.attributes[column].get("hierarchy")
        name = known if isinstance(known, str) else f"{HIERARCHIES}/{file_name(column, [*self.files])}"
        self.files[name] = text
        self.attributes[column]["hierarchy"] = name

    def say(self, table: str, key: str, value: Any) -> None:
        """State a key of a table; `None` leaves it out."""
        if value is None:
            self.stated.setdefault(table, {}).pop(key, None)
        else:
            self.stated.setdefault(table, {})[key] = value

    def document(self, source: Mapping[str, Any], release: str | None = None) -> dict[str, Any]:
        """The whole policy.

        Parameters
        ----------
        source
            Its table [source].
        release
            The path of the release; `None` for a trial in the studio, which enters no ledger: what is
            there counts as published.
        """
        whole: dict[str, Any] = {"source": dict(source), **copy.deepcopy(self.stated)}
        if release is not None:
            whole["release"] = {**whole.get("release", {}), "path": release}
        elif "release" in whole:
            whole["release"].pop("ledger", None)
        # What is reviewed has no structs, so neither has what is published.
        whole.get("release", {}).pop("nested", None)
        # Columns that have no part need not be named.
        whole["attributes"] = {
            name: settings
            for name, settings in whole["attributes"].items()
            if settings != {"role": Role.OTHER.value}
        }
        return {name: whole[name] for name in _ORDER if whole.get(name)}

    def text(self, source: Mapping[str, Any], release: str | None = None) -> str:
        """The policy's file."""
        return tomli_w.dumps(self.document(source, release))

    @property
    def demanded(self) -> tuple[Any, ...]:
        """What a release must answer: all but how it is searched for, and what becomes of it."""
        roles = {
            name: settings
            for name, settings in self.attributes.items()
            if settings != {"role": Role.OTHER.value}
        }
        return roles, self.stated["privacy"], self.stated["objective"], self.used_files()

    def used_files(self) -> dict[str, str]:
        """The hierarchy files that the policy names."""
        named = [settings.get("hierarchy") for settings in self.attributes.values()]
        return {name: text for name, text in self.files.items() if name in named}

    def write(self, folder: Path, source: Mapping[str, Any], release: str | None = None) -> Path:
        """Write the policy and its hierarchies into a folder; the policy's path."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.used_files().items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        path = folder / POLICY
        path.write_text(self.text(source, release), encoding="utf-8")
        return path

    def checked(self, folder: Path, source: Mapping[str, Any]) -> Policy:
        """The policy as Shoal reads it; `PolicyError` if it is invalid."""
        return read_policy(self.write(folder, source))


def _belongs(key: str, role: Role) -> bool:
    """Whether a role has a setting, so that its absence means something."""
    if role is Role.QUASI_IDENTIFIER:
        return key != "treatment"
    return key in _SENSITIVE_KEYS if role is Role.SENSITIVE else role is Role.OTHER and key == "treatment"


def _kept(settings: Mapping[str, Any], role: Role) -> dict[str, Any]:
    """The settings of a column that apply to a role."""
    stated = settings.get("treatment")
    name = stated.get("name") if isinstance(stated, Mapping) else stated
    if role is Role.QUASI_IDENTIFIER:
        return {key: value for key, value in settings.items() if key != "treatment"}
    if role is Role.SENSITIVE:
        keys = [key for key in _SENSITIVE_KEYS if key != "treatment" or name != "drop"]
    elif role is Role.OTHER and stated is not None:
        keys = [*_TREATED_KEYS, *(_LABELS if name == "generalize" else ())]
    else:
        # An untreated column that is named as other would be accepted as it is, without a warning.
        keys = []
    return {key: settings[key] for key in settings if key in keys}


def file_name(column: str, taken: Sequence[str] = ()) -> str:
    """The name of a column's hierarchy file, which no column's name can turn into another path."""
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_") else "_" for sign in column)
    stem = plain[:60] or "column"
    number, name = 1, f"{stem}.csv"
    while f"{HIERARCHIES}/{name}" in taken:
        number += 1
        name = f"{stem}-{number}.csv"
    return name
