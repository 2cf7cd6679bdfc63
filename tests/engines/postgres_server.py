"""A PostgreSQL server of the tests' own, and databases in it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.patience import PATIENCE

READER = "reader"
"""A user who may do nothing but connect, until a test grants more."""

SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "listen_addresses": "127.0.0.1",
}


class MissingServerError(Exception):
    """There is no PostgreSQL here that could be started."""


def programs() -> Path:
    """The folder with the server's programs; Debian keeps it outside PATH."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: float(each.parent.name))
    if found is None and not folders:
        raise MissingServerError("no PostgreSQL server is installed; scripts/system-packages does it")
    return folders[-1] if folders else Path(found or "").resolve().parent


class PostgresServer:
    """A server in a folder of its own, on a free port, as a user who is not root."""

    def __init__(self) -> None:
        self._programs = programs()
        # PostgreSQL refuses to run as root.
        self._as: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-postgres-", dir="/tmp"))
        self.password = secrets.token_hex(8)
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        self.own(self.folder)
        data, word = self.folder / "data", self.folder / "password"
        word.write_text(self.password)
        self.own(word)
        command = [self._programs / "initdb", "-D", data, "-U", "postgres", "--pwfile", word, "-E", "UTF8"]
        command += ["--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync"]
        made = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self.folder, **self._as
        )
        if made.returncode:
            raise MissingServerError(f"initdb failed: {made.stderr}")
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder)}
        for _ in range(5):  # another process can take the port before the server does
            self.port = _free_port()
            options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
            with (self.folder / "log").open("ab") as log:
                self._process = subprocess.Popen(
                    [self._programs / "postgres", "-D", data, "-p", str(self.port), *options],
                    stdout=log,
                    stderr=log,
                    cwd=self.folder,
                    **self._as,
                )
            if self._answers():
                break
        else:
            raise MissingServerError(f"the server did not start: {(self.folder / 'log').read_text()}")
        with self.connected() as admin:
            admin.execute(f"CREATE ROLE {READER} LOGIN PASSWORD '{self.password}'")

    def own(self, path: Path) -> None:
        """Give a file to the user that the server runs as."""
        if self._as:
            shutil.chown(path, **self._as)

    def _answers(self) -> bool:
        assert self._process is not None
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self._process.poll() is not None:
                return False
            with contextlib.suppress(psycopg.OperationalError), self.connected():
                return True
            time.sleep(0.05)
        self.stop()
        return False

    def terminate(self, pid: int) -> None:
        """End a connection at the server's side."""
        with self.connected() as admin:
            admin.execute("SELECT pg_terminate_backend(%s)", (pid,))

    def stop(self) -> None:
        """End the server, and remove what it stored."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)  # at once; nothing is kept
            self._process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, user: str = "postgres", password: str | None = None) -> str:
        """An address with a password in it."""
        return f"postgres://{user}:{password or self.password}@127.0.0.1:{self.port}/{database}"

    def connected(self, database: str = "postgres", user: str = "postgres") -> psycopg.Connection[Any]:
        """A connection of the test itself; each statement is a transaction."""
        return psycopg.connect(self.url(database, user), autocommit=True)

    @contextlib.contextmanager
    def database(self, encoding: str = "UTF8") -> Iterator[Database]:
        """An empty database, gone at the end; connections that were left open are an error."""
        name = f"test_{secrets.token_hex(4)}"
        locale = "C.UTF-8" if encoding == "UTF8" else "C"
        with self.connected() as admin:
            admin.execute(
                f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE '{locale}'"
            )
        database = Database(self, name)
        try:
            yield database
        finally:
            database.close()
            left = self._left(name)
            with self.connected() as admin:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        assert not left, "connections were left open"

    def _left(self, database: str) -> bool:
        """Whether there are still connections, when those that are just ending have ended."""
        with self.connected() as admin:
            end = time.monotonic() + 60  # one that was forgotten stays for good
            while time.monotonic() < end:
                if not admin.execute(
                    "SELECT FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
                    (database,),
                ).fetchall():
                    return False
                time.sleep(0.02)
        return True


class Database:
    """An empty database, and what a test does with it."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.server = server
        self.name = name
        self.url = server.url(name)
        self._admin = server.connected(name)
        self._others: list[Any] = []

    def closing(self, connection: Any) -> Any:
        """A connection of a test that is closed when the test ends."""
        self._others.append(connection)
        return connection

    def close(self) -> None:
        for connection in (*self._others, self._admin):
            connection.close()

    def url_of(self, user: str) -> str:
        """The address as another user has it."""
        return self.server.url(self.name, user)

    def execute(self, statement: str) -> None:
        """Run a statement as superuser, at once visible to all."""
        self._admin.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query answers."""
        return self._admin.execute(query).fetchall()

    def store(self, name: str, columns: dict[str, Sequence[Any]], types: dict[str, str]) -> None:
        """Make a table of columns; `name` is an identifier, not yet quoted."""
        declared = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(types[column])) for column in columns
        )
        self._admin.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(name), declared))
        with self._admin.cursor() as cursor:
            marks = sql.SQL(", ").join(sql.Placeholder() * len(columns))
            cursor.executemany(
                sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(name), marks),
                list(zip(*columns.values(), strict=True)),
            )

    def tables(self) -> list[str]:
        """The names of all tables that everyone can see, with their schemas."""
        return [
            name
            for (name,) in self.rows(
                "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n "
                "ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname "
                "NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1"
            )
        ]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
