"""Errors of a PostgreSQL server, in our own messages.

The server's messages can quote cells, and a driver's a password. So none is repeated: an error is identified
by its SQLSTATE or, before a server could send one, by libpq's few fixed phrases.
"""

from __future__ import annotations

import re

LOST = "the connection to the server was lost. Nothing was published; run again"
CANCELLED = "57014"

_MESSAGES = {
    "08": LOST,
    "0A": "the server cannot do this",
    "22": "a value does not fit its type",
    "23": "a constraint of the table refuses a row",
    "25": "the transaction cannot continue",
    "28": "the login failed: the user or the password is wrong, or the server's pg_hba.conf refuses it",
    "40": "another transaction changed the same tables meanwhile; run again",
    "53": "the server has too few resources",
    "54": "the statement is larger than the server allows",
    "57": LOST,
    "58": "the server could not read or write its files",
    "XX": "the server reports damaged data or an internal error; contact its administrator",
    "08P01": "the server and the driver use different protocols",
    "22021": "a label or a name has a character that the database's encoding cannot store",
    "22P05": "a label or a name has a character that the database's encoding cannot store",
    "25006": "the server or the connection is read-only; connect to the primary server, with write access",
    "25P03": "the server ended the idle transaction (idle_in_transaction_session_timeout); raise that limit",
    "25P04": "the server ended the long transaction (transaction_timeout); raise that limit",
    "2BP01": "other objects, like views, depend on the table; drop them first, or choose another name",
    "3D000": "the database does not exist on the server",
    "3F000": "the schema does not exist, or none is set to create tables in",
    "42501": "permission denied",
    "42703": "the column does not exist",
    "42P01": "the table does not exist",
    "42P07": "a table with that name already exists",
    "53100": "the server's disk is full. Nothing was published; free space there and run again",
    "53200": "the server has too little memory",
    "53300": "the server has no free connection",
    "53400": "the server's limit for temporary files is too low (temp_file_limit)",
    "55P03": "another transaction holds a lock on the table; run again later",
    CANCELLED: "the statement was cancelled at the server, by an administrator or by statement_timeout",
}

# libpq's own phrases for a failed connection, each part of a longer message.
_UNREACHED = (
    (
        r"invalid URI|percent-encoded|invalid percent|unexpected spaces|invalid port|missing \"=\"",
        "the address cannot be read; write postgres://user@host:port/database, and percent-encode "
        "characters like : / @ % in a part of it",
    ),
    (r"Connection refused|No such file or directory", "no server answers there; is it running?"),
    (r"could not translate host name", "the host does not exist"),
    (r"timeout expired|timed out", "the server did not answer in time"),
    (r"No route to host|Network is unreachable", "the network does not reach the host"),
    (r"SSL|certificate", "the encrypted connection failed (sslmode, certificates)"),
    (r'database ".*" does not exist', _MESSAGES["3D000"]),
    (r"too many connections|connection slots", _MESSAGES["53300"]),
    (r"password|authentication|role|pg_hba", _MESSAGES["28"]),
)


def sqlstate(error: BaseException) -> str | None:
    """The code that the server sent with an error, whatever the driver."""
    code = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    return code if isinstance(code, str) else None


def fault(error: BaseException) -> str:
    """What an error of an open connection means."""
    state = sqlstate(error)
    if state is not None:
        return _MESSAGES.get(state) or _MESSAGES.get(state[:2]) or f"PostgreSQL failed (SQLSTATE {state})"
    if type(error).__name__ in ("OperationalError", "InterfaceError"):
        return LOST
    return f"PostgreSQL's driver failed ({type(error).__name__})"


def unreached(error: BaseException) -> str:
    """Why the connection failed."""
    if sqlstate(error) is not None:
        return fault(error)
    for pattern, message in _UNREACHED:
        if re.search(pattern, str(error)):
            return message
    return "the connection could not be made"
