"""The other end of a connection: frames go out and come in, and what goes wrong has a name.

Whatever happens to a connection becomes a `PartyError` that begins with the party's name. It never quotes
what was sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ssl
from collections.abc import Callable, Iterator
from typing import Any

from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.network.frames import ABORT, CAP, Frame, decoded, encoded, length_of

SECONDS = 60.0
"""How long to wait for another party, unless a protocol says otherwise."""

_FAREWELL = 2.0  # what is left to say at the end may take this long
_REASON = 300  # characters of another party's reason that are repeated


class Peer:
    """A party that this one talks to.

    Parameters
    ----------
    name
        What the other party is called.
    reader, writer
        The connection.

    Attributes
    ----------
    bytes_sent, bytes_received
        So far, without what TLS adds.
    recorder
        Called with "sent" or "received" and each frame; for tests.
    """

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.name = name
        self.bytes_sent = 0
        self.bytes_received = 0
        self.recorder: Callable[[str, Frame], None] | None = None
        self._hung_up = False
        self._reader = reader
        self._writer = writer
        self._sent = hashlib.sha256()
        self._received = hashlib.sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of what was sent and received, the same at both ends when nothing is under way."""
        both = sorted((self._sent.digest(), self._received.digest()))
        return hashlib.sha256(b"".join(both)).hexdigest()

    async def send(
        self, kind: int, head: dict[str, Any], *arrays: NDArray[Any], seconds: float = SECONDS
    ) -> None:
        """Send a frame, and wait until it is under way."""
        frame = Frame(kind, head, arrays)
        content = encoded(frame)
        with self._named():
            async with asyncio.timeout(seconds):
                self._writer.write(content)
                await self._writer.drain()
        self._sent.update(content)
        self.bytes_sent += len(content)
        if self.recorder:
            self.recorder("sent", frame)

    async def receive(
        self, kind: int | tuple[int, ...], *, seconds: float = SECONDS, cap: int = CAP
    ) -> Frame:
        """The next frame, which must be of this kind or one of these kinds.

        Parameters
        ----------
        kind
            What the protocol expects now.
        seconds
            How long to wait for it.
        cap
            The most bytes that it may have.
        """
        with self._named():
            async with asyncio.timeout(seconds):
                first = await self._reader.readexactly(4)
                length = length_of(first)
                if length > cap:
                    raise ValueError("a frame that is longer than the protocol allows")
                rest = await self._reader.readexactly(length)
            frame = decoded(rest)
        self._received.update(first)
        self._received.update(rest)
        self.bytes_received += 4 + length
        if self.recorder:
            self.recorder("received", frame)
        if frame.kind == ABORT:
            raise PartyError(self.name, f"ended the run: {_printable(frame.head.get('reason'))}")
        if frame.kind not in (kind if isinstance(kind, tuple) else (kind,)):
            raise PartyError(self.name, "sent something else than the protocol expects at this point")
        return frame

    async def abort(self, reason: str) -> None:
        """Tell the other party why the run ends, if it still listens, and hang up."""
        with contextlib.suppress(PartyError):
            await self.send(ABORT, {"reason": reason}, seconds=_FAREWELL)
        await self.close()

    async def close(self) -> None:
        """Hang up; once is enough, and a second time does nothing."""
        if self._hung_up:
            # Where the first farewell took too long, waiting for it again would raise CancelledError.
            return
        self._hung_up = True
        with contextlib.suppress(OSError, TimeoutError):
            self._writer.close()
            async with asyncio.timeout(_FAREWELL):
                await self._writer.wait_closed()
        self._writer.transport.abort()

    def drop(self) -> None:
        """Hang up at once, whatever is still to be sent."""
        self._writer.transport.abort()

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the connection, as errors of the party."""
        try:
            yield
        except TimeoutError:
            raise PartyError(self.name, "did not answer in time") from None
        except ssl.SSLError as error:
            raise PartyError(self.name, f"broke off the connection ({reason_of(error)})") from None
        except (OSError, EOFError):
            raise PartyError(self.name, "left: the connection was closed") from None
        except ValueError as error:
            raise PartyError(self.name, f"sent {error}") from None


def reason_of(error: ssl.SSLError) -> str:
    """What TLS complains about, in its own words."""
    words = getattr(error, "verify_message", None) or error.reason or type(error).__name__
    return str(words).replace("_", " ").lower()


def _printable(reason: object) -> str:
    """Another party's words, as far as they can be shown."""
    text = reason if isinstance(reason, str) else "no reason given"
    return "".join(sign if sign.isprintable() else " " for sign in text[:_REASON])
