"""One row per person: tokens, and what parties know of them.

A token is a secret of one customer. Each party is shown another ticket made from it, and has only a hash of
that ticket on its list: no list lets anybody submit, no party can use a ticket at another one, and parties
cannot find out by comparing tickets which of them belong together.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why, write_private

TICKET = 32
LIST = "tickets.txt"
USED = "used.txt"


def new_token() -> str:
    """A token, as its file has it."""
    return secrets.token_hex(TICKET)


def read_token(path: Path) -> bytes:
    """The token in a file."""
    try:
        text = path.read_text(encoding="ascii").strip()
        token = bytes.fromhex(text)
    except OSError as error:
        raise PolicyError(f"cannot read the token {path}: {why(error)}") from None
    except ValueError:
        token = b""
    if len(token) != TICKET:
        raise PolicyError(f"{path} is not a token of `shoal collect init`")
    return token


def ticket(token: bytes, party: str) -> bytes:
    """What the owner of a token shows to a party."""
    return hmac.digest(token, b"shoal collect ticket for " + party.encode(), "sha256")


def listed(tokens: Iterable[bytes], party: str) -> str:
    """A party's list, in an order that says nothing about the tokens."""
    return "".join(f"{each}\n" for each in sorted(_known_as(ticket(token, party)) for token in tokens))


class Tickets:
    """A party's list, and which tickets were used for what; survives a restart of the party.

    Parameters
    ----------
    folder
        The party's.
    used
        The file in it that says what tickets were used for.
    """

    def __init__(self, folder: Path, used: str = USED) -> None:
        self._path = folder / used
        self._used: dict[str, str | None] = dict.fromkeys(_lines(folder / LIST))
        self._places: dict[str, int] = {}
        if self._path.exists():
            self._mend()
            for line in _lines(self._path):
                known, _, content = line.partition(" ")
                if known in self._used and known not in self._places and content:
                    self._used[known] = content
                    self._places[known] = len(self._places)

    def _mend(self) -> None:
        """Cut off what a killed process left of a last line: nobody had an answer to it."""
        try:
            with self._path.open("r+b") as file:
                file.truncate(file.read().rfind(b"\n") + 1)
        except OSError as error:
            raise EngineError(f"cannot read {self._path}: {why(error)}") from None

    def __len__(self) -> int:
        return len(self._used)

    @property
    def used(self) -> int:
        """How many tickets were used."""
        return len(self._places)

    @property
    def all_used(self) -> bool:
        """Whether nobody is left."""
        return len(self._places) == len(self._used)

    def fault(self, shown: bytes, content: bytes) -> str | None:
        """Why a ticket is not accepted with a content; the same content may come again."""
        known = _known_as(shown)
        if known not in self._used:
            return "this token is not on the list of the collection"
        if self._used[known] not in (None, _digest(content)):
            return "this token was used already, for something else; each token is good for one row"
        return None

    def is_used(self, shown: bytes) -> bool:
        """Whether a ticket that is on the list was used."""
        return _known_as(shown) in self._places

    def place(self, shown: bytes) -> int | None:
        """How many tickets were used before this one; `None` if it was not used."""
        return self._places.get(_known_as(shown))

    def use(self, shown: bytes, content: bytes) -> None:
        """Write down, on disk before this returns, that a ticket was used for a content."""
        known, digest = _known_as(shown), _digest(content)
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, f"{known} {digest}\n".encode())
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise EngineError(f"cannot write {self._path}: {why(error)}") from None
        self._used[known] = digest
        self._places[known] = len(self._places)

    @staticmethod
    def write(folder: Path, tokens: Iterable[bytes], party: str) -> None:
        """Write a party's list into its folder."""
        write_private(folder / LIST, listed(tokens, party).encode())


def _known_as(shown: bytes) -> str:
    return hashlib.sha256(shown).hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split("\n")[:-1]
    except (OSError, UnicodeDecodeError):
        raise PolicyError(f"cannot read {path}; take it again from the party that made it") from None
