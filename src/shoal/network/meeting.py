"""How parties come together: one listens at a door, the others connect.

A door lets in the parties that it was told of, each once. Anybody else is turned away and counted by the
reason; so is a connection that does not finish its handshake in time, and it keeps nobody waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections import Counter
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, Self

from shoal.errors import EngineError, PartyError
from shoal.network.identity import Certificate, Identity
from shoal.network.peer import SECONDS, Peer, reason_of
from shoal.network.tls import client_context, fingerprint_of, server_context

_HANDSHAKE = 10.0
_BETWEEN_TRIES = 0.1
_FAREWELL = 2.0
_WAITING = 64  # handshakes at a time


async def connect(
    host: str, port: int, identity: Identity, party: Certificate, *, seconds: float = SECONDS
) -> Peer:
    """Connect to a party; tries again while nobody listens there.

    Parameters
    ----------
    host, port
        Where the party listens.
    identity
        Who connects.
    party
        The only certificate that is accepted there.
    seconds
        How long to try.
    """
    context = client_context(identity, [party])
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    reader, writer = await asyncio.open_connection(
                        host, port, ssl=context, ssl_handshake_timeout=seconds, ssl_shutdown_timeout=_FAREWELL
                    )
                    return Peer(party.name, reader, writer)
                except ssl.SSLError:
                    raise
                except OSError:
                    await asyncio.sleep(_BETWEEN_TRIES)
    except TimeoutError:
        raise PartyError(party.name, f"nobody answers at {host}:{port}") from None
    except ssl.SSLError as error:
        raise PartyError(
            party.name, f"who answers at {host}:{port} does not have its certificate ({reason_of(error)})"
        ) from None


class Door:
    """Where a party listens for others; an asynchronous context manager.

    Parameters
    ----------
    host, port
        Where to listen; port 0 is any free one.
    identity
        Who listens.
    expected
        The parties to let in.

    Attributes
    ----------
    port
        Where it listens.
    refused
        How many connections were turned away, by reason.
    """

    def __init__(self, host: str, port: int, identity: Identity, expected: Sequence[Certificate]) -> None:
        self.port = port
        self.refused: Counter[str] = Counter()
        self._host = host
        self._context = server_context(identity, expected)
        self._names = {each.fingerprint: each.name for each in expected}
        self._came: dict[str, asyncio.Future[Peer]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(_WAITING)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._came = {name: loop.create_future() for name in self._names.values()}
        try:
            made = socket.create_server((self._host, self.port), family=_family(self._host))
        except (OSError, OverflowError) as error:
            raise EngineError(f"cannot listen at {self._host}:{self.port}: {error}") from None
        self._socket = _Listening(fileno=made.detach())
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        self._start(self._listen())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._socket.close()
        for connection in self._socket.accepted:
            connection.close()
        for came in self._came.values():
            if came.done() and not came.cancelled():
                await came.result().close()
            came.cancel()

    async def peer(self, name: str, *, seconds: float = SECONDS) -> Peer:
        """The party of this name, as soon as it has connected."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._came[name])
        except TimeoutError:
            raise PartyError(name, "did not connect in time") from None

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._room.acquire()
            try:
                connection, _ = await loop.sock_accept(self._socket)
            except OSError:
                # Too many open files, or a connection that was gone at once.
                self._room.release()
                await asyncio.sleep(_BETWEEN_TRIES)
                continue
            self._start(self._welcome(connection))

    async def _welcome(self, connection: socket.socket) -> None:
        """Shake hands, and see who it is."""
        loop = asyncio.get_running_loop()
        try:
            reader = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await loop.connect_accepted_socket(
                lambda: protocol,
                connection,
                ssl=self._context,
                ssl_handshake_timeout=_HANDSHAKE,
                ssl_shutdown_timeout=_FAREWELL,
            )
        except ssl.SSLError as error:
            self.refused[reason_of(error)] += 1
        except OSError:
            self.refused["the handshake was not finished"] += 1
        else:
            peer = Peer("", reader, asyncio.StreamWriter(transport, protocol, reader, loop))
            await self._seated(peer, fingerprint_of(transport.get_extra_info("ssl_object")))
        finally:
            self._socket.accepted.discard(connection)  # whatever became of it, asyncio has it
            self._room.release()

    async def _seated(self, peer: Peer, fingerprint: str | None) -> None:
        name = self._names.get(fingerprint or "")
        if name is None or self._came[name].done():
            self.refused["the party is here already" if name else "unknown certificate"] += 1
            with contextlib.suppress(PartyError):
                await peer.abort("this party is here already")
            return
        peer.name = name
        self._came[name].set_result(peer)


class _Listening(socket.socket):
    """A socket that knows which connections nobody has taken: a task can be cancelled before it begins."""

    def __init__(self, **kept: Any) -> None:
        super().__init__(**kept)
        self.accepted: set[socket.socket] = set()

    def accept(self) -> tuple[socket.socket, Any]:
        connection, address = super().accept()
        self.accepted.add(connection)
        return connection, address


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
