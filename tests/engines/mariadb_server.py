"""A MariaDB server of the tests' own, on a socket in a temporary folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pymysql

from tests.engines.postgres_server import MissingServerError
from tests.patience import PATIENCE, until


class MariaServer:
    """A server without a network, as a user who is not root, with one empty database."""

    def __init__(self) -> None:
        self._server, self._install = shutil.which("mariadbd", path=_PATH), shutil.which("mariadb-install-db")
        if self._server is None or self._install is None:
            raise MissingServerError("no MariaDB server is installed; scripts/system-packages does it")
        # It refuses to run as root.
        user = ["--user=mysql"] if os.getuid() == 0 else []
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-mariadb-", dir="/tmp"))
        if user:
            shutil.chown(self.folder, "mysql")
        self.socket = self.folder / "socket"
        # Temporary tables of two servers in one folder delete each other.
        common = ["--no-defaults", f"--datadir={self.folder / 'data'}", f"--tmpdir={self.folder}", *user]
        made = subprocess.run(
            [self._install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise MissingServerError(f"mariadb-install-db failed: {made.stderr}")
        self._connection: Any = None
        self._process = subprocess.Popen(
            [
                *(self._server, *common, "--skip-networking", f"--socket={self.socket}"),
                *("--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M"),
                f"--pid-file={self.folder / 'pid'}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(self._answers, self._process.poll)
            self._connection = pymysql.connect(
                unix_socket=str(self.socket),
                user="root",
                autocommit=True,
                charset="utf8mb4",
                connect_timeout=round(PATIENCE),
            )
            self.execute("CREATE DATABASE warehouse CHARACTER SET utf8mb4")
            self.execute("USE warehouse")
        except BaseException:
            self.stop()
            raise

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def execute(self, statement: str, rows: list[tuple[Any, ...]] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement, for each of some rows if there are any; what it returns."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement) if rows is None else cursor.executemany(statement, rows)
            return list(cursor.fetchall())

    def stop(self) -> None:
        """End the server, and remove its folder."""
        if self._connection is not None:
            self._connection.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
