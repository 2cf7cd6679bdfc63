"""Staged releases in Spark: a folder of Parquet files, or a table of the catalog.

Both are written under a hidden name next to the target, audited there, and renamed. Folders of this machine
are exchanged for the old release in one step. Elsewhere, file systems like HDFS and catalogs cannot exchange
two names: the old release is first renamed out of the way, and removed at the end. If the run is killed at
any moment, the target is absent, or old and complete, or new and complete; where it is absent, the next run
to that name puts the old release back.

An existing target is replaced only if it is a release itself. A folder is marked by a file in it that Parquet
readers skip, because a manifest next to it can be lost; a table is marked by its properties.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp

from shoal.engines.spark.files import Files
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.staging import Staged, alive, host, one_publication, undisturbed
from shoal.errors import EngineError, PolicyError
from shoal.model.result.manifest import is_manifest

MARK = "_shoal_release"
MANIFEST = "shoal.manifest"
_HIDDEN = ".shoal-"
_OLD = ".shoal-old-"
_HIDDEN_TABLE = "shoal_staged_"
_OLD_TABLE = "shoal_old_"
_PROPERTY_LENGTH = 4000  # the limit of a property in older metastores


def _token() -> str:
    return f"{host()}-{os.getpid()}-{secrets.token_hex(4)}"


def _stale(name: str, start: str, separator: str) -> bool:
    """Whether a hidden name belongs to an ended process of this machine."""
    parts = name.removeprefix(start).split(separator)
    return parts[0] == host() and len(parts) > 1 and parts[1].isdigit() and not alive(int(parts[1]))


class StagedFolder(Staged):
    """A folder of Parquet files. Leaving the `with` statement without `publish` destroys it.

    Parameters
    ----------
    session
        The session whose workers write it.
    target
        The path of the release.
    """

    def __init__(self, session: SparkSqlSession, target: str) -> None:
        self._files = Files(session.spark)
        self.target = self._files.whole(target)
        self._name = self._files.name(self.target)
        self._place = self._files.sibling(self.target, f"{_HIDDEN}{_token()}-{self._name}")
        self._manifest = f"{self._place}.manifest.json"
        mark = hashlib.sha256(self._name.encode()).hexdigest()[:16]
        self._old = self._files.sibling(self.target, f"{_OLD}{mark}")

    @property
    def place(self) -> str:
        return self._place

    def check(self, inputs: Mapping[str, str]) -> None:
        """Raise, before any work is done, if the release cannot or must not be written there.

        Parameters
        ----------
        inputs
            The inputs of the release: the name of each in messages -> its path.
        """
        files, target = self._files, self.target
        for what, path in inputs.items():
            whole = files.whole(path)
            if whole == target or whole.startswith(f"{target}/") or target.startswith(f"{whole}/"):
                raise PolicyError(
                    f"the release {self._name} is {what} itself, or inside it; a release never overwrites "
                    "what it is made from"
                )
        if not files.is_folder(files.parent(target)):
            raise EngineError(f"cannot write {self._name}: its folder does not exist")
        self._check_replaceable()
        # Check that the new names can be written.
        files.write(self._manifest, "")
        files.remove(self._manifest)

    def _check_replaceable(self) -> None:
        if self._files.exists(self.target) and not self._is_release():
            raise PolicyError(
                f"{self._name} exists and is not a release of Shoal, so it is not replaced; remove it, or "
                "give the release another name"
            )

    def _is_release(self) -> bool:
        files, target = self._files, self.target
        if not files.is_folder(target):
            return False
        manifest = f"{target}.manifest.json"
        return files.exists(f"{target}/{MARK}") or (
            files.exists(manifest) and is_manifest(files.read(manifest))
        )

    def __enter__(self) -> StagedFolder:
        files, here = self._files, self._files.on_this_machine(self.target)
        with _one_publication(here):
            self._recover()
        for name in files.names(files.parent(self.target)):
            if name.startswith(_HIDDEN) and _stale(name, _HIDDEN, "-"):  # whatever its target
                with contextlib.suppress(EngineError):
                    files.remove(files.sibling(self.target, name))
        return self

    def _recover(self) -> None:
        """Finish what a killed run began: an old release gets its name back if nobody took it."""
        files = self._files
        if not files.exists(self._old):
            return
        if files.exists(self.target):
            files.remove(self._old)
        else:
            files.rename(self._old, self.target)

    def __exit__(self, *_: object) -> None:
        for path in (self.place, self._manifest):
            with contextlib.suppress(EngineError):
                self._files.remove(path)

    def settle(self) -> str:
        """Mark the folder as a release, and return the digest of its files."""
        self._files.write(f"{self.place}/{MARK}", "")
        return self._files.digest(self.place)

    def publish(self, manifest: str) -> None:
        """Give the release and its manifest their names."""
        files, target = self._files, self.target
        named = f"{target}.manifest.json"
        files.write(self._manifest, manifest)
        with _one_publication(files.on_this_machine(target)), undisturbed():
            self._check_replaceable()  # again: others may have written a folder meanwhile
            self._recover()
            before = files.read(named) if files.exists(named) else None
            files.remove(named)
            try:
                self._exchange()
            except EngineError:
                if before is not None and files.exists(target):
                    files.write(named, before)
                raise
            files.rename(self._manifest, named)
        with contextlib.suppress(EngineError):
            files.remove(self._old)

    def _exchange(self) -> None:
        """Give the staged folder the target's name, which an old release may have."""
        files, target = self._files, self.target
        if not files.exists(target):
            if not files.rename(self.place, target):
                raise EngineError(f"cannot publish {self._name}: it cannot be renamed")
            return
        if files.exchange(self.place, target):
            return  # the old release now has the hidden name, and goes with it
        if not files.rename(target, self._old):
            raise EngineError(f"cannot publish {self._name}: the old release cannot be renamed")
        try:
            if not files.rename(self.place, target):
                raise EngineError(f"cannot publish {self._name}: it cannot be renamed")
        except EngineError:
            files.rename(self._old, target)
            raise


def _one_publication(target: Path | None) -> contextlib.AbstractContextManager[None]:
    """One publication in a folder of this machine at a time; other file systems have no locks."""
    return contextlib.nullcontext() if target is None else one_publication(target.parent)


class StagedTable(Staged):
    """A table of the catalog. Leaving the `with` statement without `publish` destroys it.

    Parameters
    ----------
    session
        The session whose catalog it is.
    target
        The table's name.
    """

    def __init__(self, session: SparkSqlSession, target: exp.Table) -> None:
        self._session = session
        self.target = target
        self._place = self._sibling(f"{_HIDDEN_TABLE}{_token()}_{target.name}".replace("-", "_"))
        mark = hashlib.sha256(target.name.casefold().encode()).hexdigest()[:16]
        self._old = self._sibling(f"{_OLD_TABLE}{mark}")

    @property
    def place(self) -> exp.Table:
        return self._place

    def _sibling(self, name: str) -> exp.Table:
        table = self.target.copy()
        table.set("this", exp.to_identifier(name, quoted=True))
        return table

    def check(self, source: exp.Table | None) -> None:
        """Raise, before any work is done, if the release must not be written there.

        Parameters
        ----------
        source
            The table that is released, if it is in the catalog.
        """
        session, name = self._session, self.target.name
        if (
            source is not None
            and session.rendered(source).casefold() == session.rendered(self.target).casefold()
        ):
            raise PolicyError(f"the release is the source itself, table {name!r}; give it another name")
        self._check_replaceable()

    def _check_replaceable(self) -> None:
        if self._exists(self.target) and not is_release(self._session, self.target):
            raise PolicyError(
                f"table {self.target.name!r} exists and is not a release of Shoal, so it is not replaced; "
                "drop it, or give the release another name"
            )

    def _exists(self, table: exp.Table) -> bool:
        return bool(self._session.spark.catalog.tableExists(self._session.rendered(table)))

    def __enter__(self) -> StagedTable:
        within = self.target.copy()
        scope = f" IN {'.'.join(p.sql('spark') for p in within.parts[:-1])}" if len(within.parts) > 1 else ""
        shown = self._session.shown(f"SHOW TABLES{scope}", self.target.name)
        for row in shown:
            name = str(row[1])
            if name.startswith(_HIDDEN_TABLE) and _stale(name, _HIDDEN_TABLE, "_"):  # whatever its target
                with contextlib.suppress(EngineError):
                    self._drop(self._sibling(name))
        self._recover()
        return self

    def _recover(self) -> None:
        """Finish what a killed run began: an old release gets its name back if nobody took it."""
        if not self._exists(self._old):
            return
        if self._exists(self.target):
            self._drop(self._old)
        else:
            self._rename(self._old, self.target)

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(EngineError):
            self._drop(self.place)

    def _drop(self, table: exp.Table) -> None:
        self._session.command(f"DROP TABLE IF EXISTS {self._session.rendered(table)}", table.name)

    def _rename(self, old: exp.Table, new: exp.Table) -> None:
        names = f"{self._session.rendered(old)} RENAME TO {self._session.rendered(new)}"
        self._session.command(f"ALTER TABLE {names}", self.target.name)

    def settle(self) -> None:
        """Do nothing: a table of the catalog is complete once it exists."""

    def publish(self, manifest: str) -> None:
        """Give the table its manifest and its name."""
        session = self._session
        parts = [manifest[at : at + _PROPERTY_LENGTH] for at in range(0, len(manifest), _PROPERTY_LENGTH)]
        properties = {MANIFEST: str(len(parts)), **{f"{MANIFEST}.{i}": part for i, part in enumerate(parts)}}
        assignments = ", ".join(
            f"{exp.Literal.string(key).sql('spark')} = {exp.Literal.string(value).sql('spark')}"
            for key, value in properties.items()
        )
        table = session.rendered(self.place)
        session.command(f"ALTER TABLE {table} SET TBLPROPERTIES ({assignments})", self.target.name)
        with undisturbed():
            self._check_replaceable()  # again: others may have written a table meanwhile
            self._recover()
            replaced = self._exists(self.target)
            if replaced:
                self._rename(self.target, self._old)
            try:
                self._rename(self.place, self.target)
            except EngineError:
                if replaced:
                    self._rename(self._old, self.target)
                raise
            if replaced:
                with contextlib.suppress(EngineError):
                    self._drop(self._old)


def is_release(session: SparkSqlSession, table: exp.Table) -> bool:
    """Whether a table of the catalog is a release of Shoal."""
    return manifest_of(session, table) is not None


def manifest_of(session: SparkSqlSession, table: exp.Table) -> str | None:
    """The manifest of a table of the catalog, if it is a release."""
    shown = session.shown(f"SHOW TBLPROPERTIES {session.rendered(table)}", table.name)
    properties = {str(key): str(value) for key, value in shown}
    if not properties.get(MANIFEST, "").isdigit():
        return None
    return "".join(properties.get(f"{MANIFEST}.{at}", "") for at in range(int(properties[MANIFEST])))
