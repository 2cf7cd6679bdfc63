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
from shoal.engines.staging import PathStaging, check_no_input, check_place
from shoal.errors import EngineError, PolicyError
from shoal.files.exchange import exchange
from shoal.files.whole_file import sync


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
    """A release as a folder: hidden next to its target, and exchanged for it when complete and audited.

    Where the file system cannot exchange two folders, they are renamed one after the other; if the run is
    killed in between, the name is absent until the next run to it puts the old release back.

    Parameters
    ----------
    target
        The name of the release.
    inputs
        The inputs of the release: the name of each in messages -> its file.
    """

    def __init__(self, target: Path, inputs: Mapping[str, Path]) -> None:
        super().__init__(target)
        check_no_input(target, inputs, "release")
        for what, path in inputs.items():
            if self.target in Path(os.path.realpath(path)).parents or (
                Path(os.path.realpath(path)) in self.target.parents
            ):
                raise PolicyError(
                    f"the release {target} and {what} are inside one another; choose another place"
                )
        check_place(target)
        self.check_replaceable()

    def _is_release(self) -> bool:
        return self.target.is_dir() and super()._is_release()

    def _files(self, folder: Path) -> list[Path]:
        """The files of a release."""
        return parquet_files(folder)

    def _digest(self, path: Path) -> str:
        return _digest(path, self._files(path))

    def _sync(self) -> None:
        for path in self._files(self.place):
            sync(path)

    def _exchange(self) -> None:
        if exchange(self.place, self.target):
            return  # the old release is now in the private folder, and goes with it
        self.target.rename(self._old)
        try:
            self.place.rename(self.target)
        except OSError:
            self._old.rename(self.target)
            raise

    def publish(self, manifest: str) -> None:
        super().publish(manifest)
        shutil.rmtree(self._old, ignore_errors=True)

    def _recover(self) -> None:
        if self._old.exists() and not self.target.exists():
            self._old.rename(self.target)
        elif self._old.exists() and self._is_release():
            shutil.rmtree(self._old)
        super()._recover()


class TablesStaging(FolderStaging):
    """A release of several tables: a folder with a file for each, of any kind that is written."""

    def _files(self, folder: Path) -> list[Path]:
        return table_files(folder)


def table_files(folder: Path) -> list[Path]:
    """The files of a release of several tables, in the order of their names."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._")


def tables_digest(folder: Path) -> str:
    """SHA-256 of the names of the files of several tables, and of their bytes."""
    return _digest(folder, table_files(folder))
