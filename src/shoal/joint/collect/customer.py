"""A customer: sends one row, closed, and can try again after an interruption without sending two.

What was random is kept in a private file next to the token until the relay has accepted the row: a second
try asks the helpers the same question, and gives the relay the same bytes.
"""

from __future__ import annotations

import asyncio
import csv
import hmac
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import PartyError, PolicyError
from shoal.files.whole_file import why, write_private
from shoal.joint.collect.blinding import POINT, blinded, new_scalar, unblinded
from shoal.joint.collect.cells.encryption import encrypted
from shoal.joint.collect.message import Message, Polynomial
from shoal.joint.collect.party import Party, Setting
from shoal.joint.collect.row_text import STAR, canonical, joined, padded
from shoal.joint.collect.sealing import sealed
from shoal.joint.collect.terms import CELLS, CUSTOMERS, RELAY, Terms
from shoal.joint.collect.tickets import read_token, ticket
from shoal.joint.collect.wire import (
    ACCEPTED,
    ANSWER,
    ASK,
    EVALUATE,
    EVALUATED,
    KEY,
    KEY_SHARE,
    NOT_YET,
    SMALL,
    STARS,
    SUBMIT,
    as_array,
    field,
)

PENDING = ".pending"
_BETWEEN_QUESTIONS = 0.5  # seconds


def read_row(text: str, terms: Terms, where: str) -> tuple[str, ...]:
    """The one row of a CSV file with a header, in the order of the terms.

    Parameters
    ----------
    text
        The file.
    terms
        The collection, which says what columns a row has.
    where
        What the file is called in messages.
    """
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error:
        raise PolicyError(f"{where} is not CSV: a line of column names, and one row") from None
    if len(lines) != 2 or len(lines[0]) != len(lines[1]):
        raise PolicyError(f"{where} needs a line of column names and one row with as many values")
    names = [name.strip() for name in lines[0]]
    if sorted(names) != sorted(terms.columns):
        raise PolicyError(f"{where}: the columns of this collection are {', '.join(terms.columns)}")
    row = dict(zip(names, map(canonical, lines[1]), strict=True))
    starred = next((name for name in terms.quasi_identifiers if row[name] == STAR), None)
    if starred is not None:
        raise PolicyError(
            f"{where}: the column {starred!r} has a star, which means a suppressed cell; give a value"
        )
    return tuple(row[name] for name in terms.columns)


class Customer(Party):
    """A customer of a collection.

    Parameters
    ----------
    folder
        The folder for customers that `shoal collect init` made.
    token
        The file with the customer's token.
    setting
        What it runs in, if not as usual.
    """

    def __init__(self, folder: Path, token: Path, setting: Setting | None = None) -> None:
        super().__init__(folder, CUSTOMERS, setting)
        self._token = read_token(token)
        self._pending = token.with_name(token.name + PENDING)

    async def submit(self, row: tuple[str, ...]) -> None:
        """Send a row; `PartyError` names the party that did not take part.

        Parameters
        ----------
        row
            Its values, in the order of the terms.
        """
        content = padded(row, self.terms.row_bytes)
        kept = self._kept_for(content)
        if self.terms.method == CELLS:
            await self._submit_cells(row, kept)
            self._pending.unlink(missing_ok=True)
            return
        message = kept.get("message")
        if message is None:
            value = self.terms.digest.encode() + joined(row[: len(self.terms.quasi_identifiers)])
            point = await self._keyed(value, kept["blind"])
            polynomial = Polynomial.of(value, point, self.terms.k)
            text = Message.closing(content, polynomial).to_bytes()
            message = sealed(text, bytes.fromhex(self.terms.sealing_key), self.terms.digest)
            self._keep(kept | {"message": message})
        await self._hand_in(SUBMIT, message)
        self._pending.unlink(missing_ok=True)

    async def _submit_cells(self, row: tuple[str, ...], kept: dict[str, bytes]) -> None:
        """Send the row encrypted, wait for its stars, and send it with them."""
        names = self.terms.quasi_identifiers
        if "message" not in kept:
            shares = [await self._key_share(name) for name in self.terms.helper_names]
            try:
                kept["message"] = encrypted(self.terms.digest, names, row[: len(names)], shares)
            except ValueError:
                raise self._no_point() from None
            self._keep(kept)
            await self._hand_in(SUBMIT, kept["message"])
            self._setting.on_progress(
                "the encrypted row is with the relay; waiting for the stars of its part"
            )
        if "answer" not in kept:
            await self._hand_in(SUBMIT, kept["message"])
            stars = await self._stars()
            starred = [STAR if star else cell for star, cell in zip(stars, row[: len(names)], strict=True)]
            content = padded([*starred, *row[len(names) :]], self.terms.row_bytes)
            kept["answer"] = sealed(content, bytes.fromhex(self.terms.sealing_key), self.terms.digest)
            self._keep(kept)
        await self._hand_in(ANSWER, kept["answer"])

    async def _key_share(self, name: str) -> bytes:
        async with self._connected(name) as peer:
            await peer.send(KEY, {"collection": self.terms.digest})
            return field(
                peer, await peer.receive(KEY_SHARE, seconds=self._setting.seconds, cap=SMALL), 0, POINT
            )

    async def _stars(self) -> bytes:
        """Which columns are not released; asked for until they are known."""
        while True:
            async with self._connected(RELAY) as peer:
                head = {"collection": self.terms.digest}
                await peer.send(ASK, head, as_array(ticket(self._token, RELAY)))
                frame = await peer.receive((STARS, NOT_YET), seconds=self._setting.seconds, cap=SMALL)
                if frame.kind == STARS:
                    return field(peer, frame, 0, len(self.terms.quasi_identifiers))
            await asyncio.sleep(_BETWEEN_QUESTIONS)

    async def _keyed(self, value: bytes, blind: bytes) -> bytes:
        """The keyed hash of the quasi-identifiers; the helpers do not see them."""
        request = blinded(value, blind)
        answers = [await self._asked(name, request) for name in self.terms.helper_names]
        try:
            return unblinded(answers, blind)
        except ValueError:
            raise self._no_point() from None

    def _no_point(self) -> PartyError:
        names = ", ".join(self.terms.helper_names)
        return PartyError(names, "answered with something that is not a point")

    async def _asked(self, name: str, request: bytes) -> bytes:
        async with self._connected(name) as peer:
            await peer.send(EVALUATE, *self._shown(name, request))
            return field(
                peer, await peer.receive(EVALUATED, seconds=self._setting.seconds, cap=SMALL), 0, POINT
            )

    async def _hand_in(self, kind: int, message: bytes) -> None:
        async with self._connected(RELAY) as peer:
            await peer.send(kind, *self._shown(RELAY, message))
            await peer.receive(ACCEPTED, seconds=self._setting.seconds, cap=SMALL)

    def _shown(self, name: str, content: bytes) -> tuple[Any, ...]:
        head = {"collection": self.terms.digest}
        return head, as_array(ticket(self._token, name)), as_array(content)

    def _kept_for(self, content: bytes) -> dict[str, bytes]:
        """What an interrupted try with this row has left, or a new beginning, on disk."""
        kept = self._kept()
        if not kept:
            blind = new_scalar()
            kept = {"blind": blind, "row": _mark(content, blind)}
            self._keep(kept)
        elif kept["row"] != _mark(content, kept["blind"]):
            raise PolicyError(
                f"{self._pending} is of an interrupted submission of another row; each token is good for one "
                "row, so submit that one"
            )
        return kept

    def _kept(self) -> dict[str, bytes]:
        """What an interrupted try has left."""
        try:
            found = json.loads(self._pending.read_bytes())
            kept = {name: bytes.fromhex(each) for name, each in found.items()}
            if not {"blind", "row"} <= kept.keys():
                raise ValueError
            return kept
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise PolicyError(f"cannot read {self._pending}: {why(error)}") from None
        except (ValueError, AttributeError, TypeError):
            raise PolicyError(
                f"{self._pending} is not what an interrupted submission left; if this token was never used, "
                "remove that file"
            ) from None

    def _keep(self, facts: Mapping[str, bytes]) -> None:
        write_private(self._pending, json.dumps({name: each.hex() for name, each in facts.items()}).encode())


def _mark(content: bytes, blind: bytes) -> bytes:
    """By which a row is recognised, and not found out."""
    return hmac.digest(blind, content, "sha256")
