"""A table of a database by its address, with the password kept apart: no policy and no page ever has it.

A search runs by its policy file, and that holds the address without the password. So the password is where
PostgreSQL's own programs look for it, the environment of this server and of its workers, until another
table is opened. On the command line it is taken from the usual places.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from shoal import PolicyError, TableSource
from shoal.studio.folders import Folders
from shoal.studio.jobs import Workers
from shoal.studio.steps.open_table.paths import found_file
from shoal.studio.steps.open_table.server_address import servers_of

VARIABLE = "PGPASSWORD"
_BEFORE = os.environ.get(VARIABLE)
_IN_USER = re.compile(r"(?<=://)([^/?#@:]*):([^/?#]*)(?=@)")
_IN_QUERY = re.compile(r"(?i)(?<=[?&])(password|sslpassword)=([^&#]*)&?")
DUCKDB = "duckdb:///"


def table_source(folders: Folders, url: str, table: str) -> TableSource:
    """The table that a user named; a database in a file must lie in an opened folder.

    Parameters
    ----------
    folders
        What may be read.
    url
        `duckdb:///FILE` or `postgres://...`, without a password.
    table
        The table's name there.
    """
    url, table = url.strip(), table.strip()
    if not url.startswith((DUCKDB, "postgres://", "postgresql://")):
        raise PolicyError(
            "the address of a database begins with duckdb:/// or postgres://, as in "
            "postgres://user@host/database; tables of Spark are released by the command line"
        )
    if not table:
        raise PolicyError("name the table, with its schema if it needs one, as in public.stays")
    if "\0" in url + table:
        raise PolicyError("an address or a name has no NUL in it; type it again")
    if url.startswith(DUCKDB):
        url = DUCKDB + str(found_file(folders, url.removeprefix(DUCKDB)))
    else:
        servers_of(url)
    return TableSource(connection=url, table=table)


def server_of(source: Path | TableSource) -> str:
    """The server that reading a table connects to, as its user would know it; empty for a file.

    All that the address and the environment state is in the answer. `PolicyError` for an address that
    PostgreSQL's library might read in another way.
    """
    if not isinstance(source, TableSource) or str(source.connection).startswith(DUCKDB):
        return ""
    return ", ".join(servers_of(str(source.connection)))


def without_password(url: str) -> tuple[str, str | None]:
    """An address, and the password that was written into it."""
    match = _IN_USER.search(url) or _IN_QUERY.search(url)
    if match is None or not url.startswith(("postgres://", "postgresql://")):
        return url, None
    bare = _IN_QUERY.sub("", _IN_USER.sub(r"\1", url)).rstrip("?&")
    return bare, unquote(match[2])


def with_password(source: TableSource, password: str | None) -> TableSource:
    """The source that is read to see whether it opens; it is handed to one worker and kept nowhere."""
    if source.engine is None or source.engine.name != "postgres":
        return source
    if not password:
        # That of the table that is still open is not for this server: an address that says nothing would
        # get it from the environment.
        if os.environ.get(VARIABLE) == _BEFORE:
            return source
        password = _BEFORE or ""
    url = str(source.connection)
    joined = f"{url}{'&' if '?' in url else '?'}password={quote(password, safe='')}"
    return TableSource(connection=joined, table=source.table)


def remember_password(workers: Workers, password: str | None) -> None:
    """Let PostgreSQL's library find the password, here and in workers to come; `None` takes it away."""
    before = os.environ.get(VARIABLE)
    wanted = password or _BEFORE
    if before == wanted:
        return
    if wanted is None:
        del os.environ[VARIABLE]
    else:
        os.environ[VARIABLE] = wanted
    workers.renew()
