"""Files and folders as Spark's workers see them: Hadoop's file systems, through the driver's Java process."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.spark.errors import translated
from shoal.errors import EngineError
from shoal.files.exchange import exchange

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Files:
    """The file systems that a Spark session reaches: this machine's, HDFS, object stores.

    Parameters
    ----------
    spark
        The session.
    """

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        with translated("Spark"):
            self._fs = jvm.org.apache.hadoop.fs
            self._io = jvm.org.apache.commons.io.IOUtils
            self._bounded = jvm.org.apache.commons.io.input.BoundedInputStream
            self._codec = jvm.org.apache.commons.codec.digest.DigestUtils
            self._configuration = spark._jsparkSession.sessionState().newHadoopConf()

    def exists(self, path: str) -> bool:
        """Whether a file or folder exists."""
        with translated(self.name(path)):
            return bool(self._system(path).exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        """Whether a folder exists."""
        with translated(self.name(path)):
            here = self._path(path)
            system = self._system(path)
            return bool(system.exists(here) and system.getFileStatus(here).isDirectory())

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted."""
        with translated(self.name(folder)):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(str(each.getPath().getName()) for each in listed)

    def digest(self, folder: str) -> str:
        """SHA-256 of the names of the Parquet files in a folder and of their checksums.

        On this machine these are SHA-256 of their bytes, and the digest is that of `folder_digest`; elsewhere
        they are the file system's own checksums, because the bytes would have to pass through the driver.
        """
        with translated(self.name(folder)):
            system, root = self._system(folder), str(self._path(folder).toUri().getPath())
            sha = hashlib.sha256()
            for path, size, _ in self.stamps(folder):
                name = str(self._path(path).toUri().getPath()).removeprefix(f"{root}/")
                if not name.endswith(".parquet") or any(part[0] in "._" for part in name.split("/")):
                    continue
                own = system.getFileChecksum(self._path(path))
                here = system.getUri().getScheme() == "file"
                checksum = self._sha256(path) if here else f"{size} {own.toString() if own else ''}"
                sha.update(repr((name, checksum)).encode())
            return sha.hexdigest()

    def _sha256(self, path: str) -> str:
        stream = self._system(path).open(self._path(path))
        try:
            return str(self._codec.sha256Hex(stream))
        finally:
            stream.close()

    def head(self, path: str, size: int) -> bytes:
        """The first bytes of a file."""
        with translated(self.name(path)):
            stream = self._system(path).open(self._path(path))
            try:
                return bytes(self._io.toByteArray(self._bounded(stream, size)))
            finally:
                stream.close()

    def stamps(self, path: str) -> list[tuple[str, int, int]]:
        """Path, size and time of change of each file at or below a path, sorted."""
        with translated(self.name(path)):
            system = self._system(path)
            listed = system.listFiles(self._path(path), True)
            files = []
            while listed.hasNext():
                status = listed.next()
                files.append((str(status.getPath()), int(status.getLen()), int(status.getModificationTime())))
            return sorted(files)

    def whole(self, path: str) -> str:
        """The absolute path with its scheme; on this machine, links are followed."""
        with translated(self.name(path)):
            system = self._system(path)
            if system.getUri().getScheme() == "file":
                path = os.path.realpath(str(self._path(path).toUri().getPath()))
            return str(system.makeQualified(self._path(path)).toString())

    def rename(self, old: str, new: str) -> bool:
        """Rename a file or folder within a file system; `False` if the system refused, or the name is taken.

        Hadoop itself would move a folder into one that has the name already.
        """
        with translated(self.name(new)):
            system = self._system(old)
            return not system.exists(self._path(new)) and bool(
                system.rename(self._path(old), self._path(new))
            )

    def exchange(self, one: str, other: str) -> bool:
        """Exchange two folders in one step; `False`, and nothing done, where that is impossible."""
        here, there = self.on_this_machine(one), self.on_this_machine(other)
        try:
            return here is not None and there is not None and exchange(here, there)
        except OSError as error:
            raise EngineError(f"{self.name(other)}: {error.strerror}") from None

    def on_this_machine(self, path: str) -> Path | None:
        """The path for this process, if the file system is that of the driver's machine."""
        with translated(self.name(path)):
            system = self._system(path)
            return (
                Path(str(self._path(path).toUri().getPath()))
                if system.getUri().getScheme() == "file"
                else None
            )

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with its contents, if it exists."""
        with translated(self.name(path)):
            self._system(path).delete(self._path(path), True)

    def write(self, path: str, text: str) -> None:
        """Write a small file, replacing an existing one."""
        with translated(self.name(path)):
            out = self._system(path).create(self._path(path), True)
            try:
                out.write(bytearray(text.encode()))
            finally:
                out.close()

    def read(self, path: str) -> str:
        """The text of a small file."""
        with translated(self.name(path)):
            stream = self._system(path).open(self._path(path))
            try:
                return bytes(self._io.toByteArray(stream)).decode()
            finally:
                stream.close()

    def parent(self, path: str) -> str:
        """The folder of a file or folder."""
        with translated(self.name(path)):
            return str(self._path(path).getParent().toString())

    def sibling(self, path: str, name: str) -> str:
        """The path of another name in the same folder."""
        with translated(self.name(path)):
            here = self._path(path)
            return str(self._fs.Path(here.getParent(), name).toString())

    def name(self, path: str) -> str:
        """The last part of a path."""
        return path.rstrip("/").rpartition("/")[2]  # not by Java, which may be gone: messages name files

    def literal(self, path: str) -> str:
        """The path for Spark's readers, with the characters of patterns escaped."""
        return re.sub(r"([\\{}\[\]*?,])", r"\\\1", path)

    def unescaped(self, name: str) -> str:
        """The name of a column, or a value, from the name of a folder."""
        return re.sub("%([0-9a-fA-F]{2})", lambda match: chr(int(match[1], 16)), name)

    def _path(self, path: str) -> Any:
        return self._fs.Path(path)

    def _system(self, path: str) -> Any:
        system = self._path(path).getFileSystem(self._configuration)
        # On this machine, without the checksum files that Hadoop writes next to each file.
        return system.getRaw() if system.getUri().getScheme() == "file" else system
