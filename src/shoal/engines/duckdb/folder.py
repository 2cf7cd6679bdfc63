"""Folders of Parquet files, perhaps partitioned: `people/year=2024/part.parquet` is a column `year`, too."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from shoal.engines.duckdb.file import FileTable, file_digest, file_stamp
from shoal.engines.staging import PathStaging, check_no_input, check_place, named_alone, undisturbed
from shoal.errors import EngineError, PolicyError
from shoal.files.private_folder import keep_mode
from shoal.files.whole_file import sync, write_new
from shoal.model.result.manifest import is_manifest, manifest_path

_OLD = ".shoal-old-"
"""A replaced release while the new one takes its name; what follows tells whose it is."""


def parquet_files(folder: Path) -> list[Path]:
    """The files, in the order of their names; what is hidden or begins with `_` is not data."""
    found = [
        path
        for path in folder.rglob("*")
        if path.suffix.lower() == ".parquet"
        and path.is_file()
        and not any(part[0] in "._" for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise EngineError(f"there is no Parquet file in the folder {folder}")
    return sorted(found)


def partitions_of(folder: Path, files: list[Path]) -> tuple[str, ...]:
    """The columns that the folders' names tell; the same for every file, or `EngineError`."""
    told = {
        tuple(unquote(part.partition("=")[0]) for part in path.relative_to(folder).parts[:-1] if "=" in part)
        for path in files
    }
    if len(told) > 1:
        raise EngineError(
            f"the folder {folder} is partitioned unevenly: not all files lie below the same columns"
        )
    return told.pop()


def folder_stamp(folder: Path) -> tuple[int, ...]:
    """What tells the files from later ones."""
    stamps = repr([(str(path), file_stamp(path)) for path in parquet_files(folder)])
    return (int.from_bytes(hashlib.sha256(stamps.encode()).digest()[:8]),)


def folder_digest(folder: Path) -> str:
    """SHA-256 of the names of the files and of their bytes."""
    sha = hashlib.sha256()
    for path in parquet_files(folder):
        sha.update(repr((path.relative_to(folder).as_posix(), file_digest(path))).encode())
    return sha.hexdigest()


@dataclass(frozen=True, kw_only=True)
class FolderTable(FileTable):
    """A folder that DuckDB can select from.

    Parameters
    ----------
    partitions
        The columns that the names of its folders tell.
    """

    partitions: tuple[str, ...]

    def digest(self) -> str:
        return folder_digest(self.path)

    def current_stamp(self) -> tuple[int, ...]:
        return folder_stamp(self.path)


class FolderStaging(PathStaging):
    """A release that is a folder: hidden beside its name, and renamed when it is whole and audited.

    A folder that is there already is replaced only if it is a release, that is, if its manifest stands beside
    it. Of its two renames the second can fail: then the name is absent, and the old folder is put back.

    Parameters
    ----------
    target
        The name that the release shall have.
    inputs
        What the release is made from: what to call it -> its file.
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
                    f"the release {target} and {what} lie in one another; give it another place"
                )
        check_place(target)
        self._check_replaceable()
        mark = hashlib.sha256(os.fsencode(self.target.name)).hexdigest()[:16]
        self._old = self.target.with_name(f"{_OLD}{mark}")

    def _check_replaceable(self) -> None:
        if self.target.exists() and not self._is_release():
            raise PolicyError(
                f"{self.target} exists and is no release of Shoal, so it is not replaced; remove it, or "
                "give the release another name"
            )

    def _is_release(self) -> bool:
        try:
            return self.target.is_dir() and is_manifest(self._manifest.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return False

    def _prepare(self) -> None:
        with named_alone(self.target.parent):
            self._clear_up()

    def _clear_up(self) -> None:
        """Finish what a killed run began: an old release whose name nobody took gets it back."""
        if self._old.exists() and not self.target.exists():
            self._old.rename(self.target)
        elif self._old.exists():
            shutil.rmtree(self._old)
            manifest_path(self._old).unlink(missing_ok=True)
        if manifest_path(self._old).exists() and not self._manifest.exists():
            manifest_path(self._old).rename(self._manifest)

    def settle(self) -> str:
        try:
            for path in parquet_files(self.place):
                sync(path)
            return folder_digest(self.place)
        except OSError as error:
            raise EngineError(f"cannot write {self.target.name}: {error.strerror}") from None

    def publish(self, manifest: str) -> None:
        staged, old = manifest_path(self.place), self._old
        try:
            write_new(staged, manifest.encode())
            with named_alone(self.target.parent), undisturbed():
                self._check_replaceable()  # again: a search takes long, and others write folders, too
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
