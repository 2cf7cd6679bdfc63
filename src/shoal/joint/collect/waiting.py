"""Messages that wait at the relay: in a private file, all of one length, until they are passed on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from shoal.errors import EngineError
from shoal.files.whole_file import why
from shoal.joint.collect.wire import BATCHED, as_array, as_table
from shoal.network.peer import Peer

WAITING = "waiting.bin"


class Waiting:
    """A file of messages.

    Parameters
    ----------
    path
        The file.
    size
        The bytes of a message.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size

    def keep(self, message: bytes, place: int) -> None:
        """Write a message, on disk before this returns; one that is at this place already is replaced."""
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                # At a whole number of messages: a process that was killed can have left a part of one.
                os.lseek(handle, place * self.size, os.SEEK_SET)
                os.write(handle, message)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise EngineError(f"cannot write {self.path}: {why(error)}") from None

    def shuffled(self, count: int) -> list[int]:
        """The places of so many messages in a random order."""
        order = list(range(count))
        secrets.SystemRandom().shuffle(order)
        return order

    def batches(self, order: Sequence[int]) -> Iterator[tuple[list[bytes], bool]]:
        """The messages in an order, some at a time, and whether they are the last."""
        if not order:
            yield [], True
            return
        try:
            with self.path.open("rb") as file:
                for start in range(0, len(order), BATCHED):
                    batch = []
                    for place in order[start : start + BATCHED]:
                        file.seek(place * self.size)
                        batch.append(file.read(self.size))
                    yield batch, start + BATCHED >= len(order)
        except OSError as error:
            raise EngineError(f"cannot read {self.path}: {why(error)}") from None

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


async def pass_on(peer: Peer, kind: int, waiting: Waiting, order: Sequence[int], digest: str) -> None:
    """Send messages to a party, in an order.

    Parameters
    ----------
    peer, kind
        To whom, and in what frames.
    waiting, order
        The messages, and the order.
    digest
        Of the collection.
    """
    for batch, last in waiting.batches(order):
        content = as_table(batch) if batch else as_array(b"")
        await peer.send(kind, {"collection": digest, "last": last}, content)
