"""`shoal collect init`: a folder for each party of a collection, and a token for each customer.

Who makes the folders hands them out and keeps none of them: with a party's folder one can take its place. A
helper makes its scalar itself, in its own folder, so even who made the folders does not have it.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why
from shoal.joint.collect.sealing import KEY, SealingKey
from shoal.joint.collect.terms import COLLECTOR, CUSTOMERS, RELAY, Terms
from shoal.joint.collect.tickets import Tickets, new_token
from shoal.network.identity import Certificate, Identity

TOKENS = "tokens"
_PORT = 7400
_LONGEST = timedelta(days=3660)
_SPARE_DAYS = 30.0  # certificates outlive the closing time, so that a late evaluation can still happen


def found(
    folder: Path,
    *,
    method: str,
    k: int,
    closes: datetime,
    customers: int,
    quasi_identifiers: Sequence[str],
    others: Sequence[str],
    helpers: int = 2,
    row_bytes: int = 256,
    host: str = "127.0.0.1",
    first_port: int = _PORT,
) -> Terms:
    """Make a collection.

    Parameters
    ----------
    folder
        Where; it must not exist, or be empty.
    method, k, closes, customers, quasi_identifiers, others, helpers, row_bytes
        As in `Terms`.
    host, first_port
        Where the parties will listen: the first helper at this port, each of the others at the next one; 0
        for any free ports. The addresses can be changed in the parties' files later.
    """
    names = (*(f"helper{each + 1}" for each in range(helpers)), RELAY, COLLECTOR)
    ports = [first_port + place if first_port else 0 for place in range(len(names))]
    stand_in = Certificate("", "", "")
    terms = Terms(
        identity=secrets.token_hex(16),
        method=method,
        k=k,
        closes=closes.replace(microsecond=0),
        customers=customers,
        quasi_identifiers=tuple(quasi_identifiers),
        others=tuple(others),
        row_bytes=row_bytes,
        helpers=helpers,
        sealing_key="0" * 64,
        certificates=dict.fromkeys((*names, CUSTOMERS), stand_in),
        addresses={name: (host, port) for name, port in zip(names, ports, strict=True)},
    )
    if closes <= datetime.now(UTC):
        raise PolicyError("the closing time has passed; name a later one (--closes)")
    if closes > datetime.now(UTC) + _LONGEST:
        raise PolicyError("the closing time is more than ten years ahead; name an earlier one (--closes)")
    days = (closes - datetime.now(UTC)).total_seconds() / 86_400 + _SPARE_DAYS
    folders = _folders(folder, (*names, CUSTOMERS, TOKENS))
    terms = dataclasses.replace(
        terms,
        sealing_key=SealingKey.create(folders[COLLECTOR] / KEY).public.hex(),
        certificates={
            name: Identity.create(folders[name], name, days=days).certificate for name in terms.certificates
        },
    )
    tokens = [new_token() for _ in range(customers)]
    for name in terms.certificates:
        terms.write(folders[name])
    for name in (*terms.helper_names, RELAY):
        Tickets.write(folders[name], map(bytes.fromhex, tokens), name)
    width = len(str(customers))
    for number, token in enumerate(tokens, 1):
        _write_token(folders[TOKENS] / f"{number:0{width}}.token", token)
    return terms


def _write_token(path: Path, token: str) -> None:
    """Write a token that its owner alone can read. There can be a million: none is synced by itself."""
    try:
        with open(path, "x", encoding="ascii", opener=_private) as file:
            file.write(token)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {why(error)}") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _folders(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """New folders, which only their owner can enter."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise PolicyError(f"{folder} is not empty; name another folder for the collection")
        for name in names:
            (folder / name).mkdir(mode=0o700)
    except OSError as error:
        raise EngineError(f"cannot make the folder {folder}: {why(error)}") from None
    return {name: folder / name for name in names}
