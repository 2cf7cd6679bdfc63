"""Folders of Parquet files, perhaps partitioned: `people/year=2024/part.parquet` adds a column `year`."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from shoal.engines.duckdb.file import FileTable, file_digest, file_stamp
from shoal.engines.staging import PathStaging, check_no_input, check_place, one_publication, undisturbed
from shoal.errors import EngineError, PolicyError
from shoal.files.private_folder import keep_mode
from shoal.files.whole_file import sync, write_new
from shoal.model.result.manifest import is_manifest, manifest_path

_OLD = ".shoal-old-"
"""A replaced release while the new one takes its name; the rest of the name identifies the target."""


def parquet_files(folder: Path) -> list[Path]:
    """The files, in the order of their names; hidden files and names that begin with `_` are not data."""
    files = [
        path
        for path in folder.rglob("*")
        if path.suffix.lower() == ".parquet"
        and path.is_file()
        and not any(part[0] in "._" for part in path.relative_to(folder).parts)
    ]
    if not files:
        raise EngineError(
            f"the folder {folder} has no Parquet files; name other files by a pattern, as in {folder}/*.csv"
        )
    return sorted(files)


def partitions_of(folder: Path, files: list[Path]) -> tuple[str, ...]:
    """The columns in the folders' names; the same for every file, or `EngineError`."""
    columns = {
        tuple(unquote(part.partition("=")[0]) for part in path.relative_to(folder).parts[:-1] if "=" in part)
        for path in files
    }
    if len(columns) > 1:
        raise EngineError(
            f"the folder {folder} is partitioned unevenly: its files are not all under the same columns"
        )
    return columns.pop()


def folder_stamp(folder: Path) -> tuple[int, ...]:
    """Identifies the current versions of the files."""
    stamps = repr([(str(path), file_stamp(path)) for path in parquet_files(folder)])
    return (int.from_bytes(hashlib.sha256(stamps.encode()).digest()[:8]),)


def folder_digest(folder: Path) -> str:
    """SHA-256 of the names of the files and of their bytes."""
    return _digest(folder, parquet_files(folder))


def _digest(folder: Path, files: list[Path]) -> str:
    sha = hashlib.sha256()
    for path in files:
        sha.update(repr((path.relative_to(folder).as_posix(), file_digest(path))).encode())
    return sha.hexdigest()


@dataclass(frozen=True, kw_only=True)
class FolderTable(FileTable):
    """A folder that DuckDB can select from.

    Parameters
    ----------
    partitions
        The columns in the names of its folders.
    """

    partitions: tuple[str, ...]

    def digest(self) -> str:
        return folder_digest(self.path)

    def current_stamp(self) -> tuple[int, ...]:
        return folder_stamp(self.path)


class FolderStaging(PathStaging):
    """A release as a folder: hidden next to its target, and renamed when it is complete and audited.

    An existing folder is replaced only if it is a release, that is, if its manifest is next to it. If the
    second of the two renames fails, the name is absent, and the old folder is put back.

    Parameters
    ----------
    target
        The name of the release.
    inputs
        The inputs of the release: the name of each in messages -> its file.
    """

    def __init__(self, target: Path, inputs: Mapping[str, Path]) -> None:
        super().__init__(target)
        self._manifest = manifest_path(self.target)
        check_no_input(target, inputs, "release")
        for what, path in inputs.items():
            if self.target in Path(os.path.realpath(path)).parents or (
                Path(os.path.realpath(path)) in self.target.parents
            ):
                raise PolicyError(
                    f"the release {target} and {what} are inside one another; choose another place"
                )
        check_place(target)
        self._check_replaceable()
        mark = hashlib.sha256(os.fsencode(self.target.name)).hexdigest()[:16]
        self._old = self.target.with_name(f"{_OLD}{mark}")

    def _check_replaceable(self) -> None:
        if self.target.exists() and not self._is_release():
            raise PolicyError(
                f"{self.target} exists and is not a release of Shoal, so it is not replaced; remove it, or "
                "give the release another name"
            )

    def _is_release(self) -> bool:
        try:
            return self.target.is_dir() and is_manifest(self._manifest.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return False

    def _prepare(self) -> None:
        with one_publication(self.target.parent):
            self._clear_up()

    def _clear_up(self) -> None:
        """Finish what a killed run began: an old release gets its name back if nobody took it."""
        if self._old.exists() and not self.target.exists():
            self._old.rename(self.target)
        elif self._old.exists():
            shutil.rmtree(self._old)
            manifest_path(self._old).unlink(missing_ok=True)
        if manifest_path(self._old).exists() and not self._manifest.exists():
            manifest_path(self._old).rename(self._manifest)

    def _files(self) -> list[Path]:
        """The files of the release."""
        return parquet_files(self.place)

    def settle(self) -> str:
        try:
            files = self._files()
            for path in files:
                sync(path)
            return _digest(self.place, files)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None

    def publish(self, manifest: str) -> None:
        staged, old = manifest_path(self.place), self._old
        try:
            write_new(staged, manifest.encode())
            with one_publication(self.target.parent), undisturbed():
                self._check_replaceable()  # again: others may have written a folder meanwhile
                self._clear_up()  # after another run that was killed meanwhile
                replaces = self.target.exists()
                keep_mode(self.place, self.target)
                keep_mode(staged, self._manifest)
                if replaces:
                    self._manifest.rename(manifest_path(old))
                try:
                    if replaces:
                        self.target.rename(old)
                    self.place.rename(self.target)
                except OSError:
                    if old.exists():
                        old.rename(self.target)
                    if replaces:
                        manifest_path(old).rename(self._manifest)
                    raise
                manifest_path(old).unlink(missing_ok=True)
                staged.replace(self._manifest)
                sync(self.target.parent)
        except OSError as error:
            raise EngineError(f"cannot publish {self.target.name}: {error.strerror}") from None
        shutil.rmtree(old, ignore_errors=True)


class TablesStaging(FolderStaging):
    """A release of several tables: a folder with a file for each, of any kind that is written."""

    def _files(self) -> list[Path]:
        return table_files(self.place)


def table_files(folder: Path) -> list[Path]:
    """The files of a release of several tables, in the order of their names."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._")


def tables_digest(folder: Path) -> str:
    """SHA-256 of the names of the files of several tables, and of their bytes."""
    return _digest(folder, table_files(folder))
