"""The anonymizer as a service: messages come in and answers go out as lines of JSON.

Everything is in memory, and all of it is bounded: users and waiting requests by the settings, lines and
what is not read yet by the connection. Whoever does not read answers is not read from. A line that is no
message is answered with what is wrong with it; nothing that was sent is quoted. If the program contradicts
itself, the service ends: with wrong counts it could promise what does not hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from shoal.errors import PolicyError
from shoal.location.cloaking.answers import Answer, Delayed
from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.messages import Cancel, message_of
from shoal.location.cloaking.recording import fields_of

LONGEST_LINE = 4096
_MONDAY = 4 * 86_400  # 1970-01-01 was a Thursday
_TICK = 1.0


def seconds_since_monday() -> int:
    """The system's clock: whole seconds since Monday, 5 January 1970, 00:00 UTC."""
    return int(time.time()) - _MONDAY


class _Connection:
    """Whoever sends messages: where answers go, and which requests wait for one."""

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.lines = 0
        self.waiting: set[tuple[str, str]] = set()
        self._writer = writer

    def tell(self, facts: dict[str, Any]) -> None:
        """Send a line, unless nobody is there any more."""
        if not self._writer.is_closing():
            self._writer.write(json.dumps(facts, separators=(",", ":")).encode() + b"\n")


class Service:
    """Answers the messages of all connections.

    Parameters
    ----------
    engine
        The anonymizer.
    clock
        Gives the time of messages; None if messages have a time of their own.
    most_connections
        How many connections are served at a time.
    accepted
        Who may connect, by what TLS says of them; everybody when absent.

    Attributes
    ----------
    errors
        How many lines were no message.
    refused
        How many connections were turned away.
    failure
        The error that shows a bug, if there was one; `failed` is then set.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], int] | None,
        most_connections: int = 1_000,
        accepted: Callable[[asyncio.StreamWriter], bool] | None = None,
    ) -> None:
        self.errors = self.refused = 0
        self.failure: Exception | None = None
        self.failed = asyncio.Event()
        self._engine = engine
        self._clock = clock
        self._most = most_connections
        self._accepted = accepted
        self._number = 0
        self._connections: dict[int, asyncio.Task[Any] | None] = {}
        self._owners: dict[tuple[str, str], _Connection] = {}

    def counts(self) -> dict[str, int]:
        """What the engine counts, and connections; nothing of places or names."""
        here = {"connections": len(self._connections), "errors": self.errors, "refused": self.refused}
        return {**self._engine.counts(), **here}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it ends."""
        self._number += 1
        connection = _Connection(self._number, writer)
        if (self._accepted and not self._accepted(writer)) or len(self._connections) >= self._most:
            self.refused += 1
            connection.tell(
                _error("there is no room for another connection, or it is not one of those expected")
            )
            await _hang_up(writer)
            return
        self._connections[connection.number] = asyncio.current_task()
        try:
            await self._converse(reader, writer, connection)
        except (OSError, asyncio.CancelledError):
            pass  # the other side is gone, or the service ends
        except Exception as error:
            self._fail(error)
        finally:
            del self._connections[connection.number]
            if self.failure is None:
                self._withdraw(connection)
            await _hang_up(writer)

    async def tick(self) -> None:
        """Let time pass while nobody sends anything, by the clock; never returns."""
        while True:
            await asyncio.sleep(_TICK)
            if self._clock is not None:
                try:
                    self._send(self._engine.pass_time(self._now()))
                except Exception as error:
                    self._fail(error)

    async def end(self) -> None:
        """Drop what waits, tell it, and hang up."""
        if self.failure is None:
            self._send(self._engine.end())
        tasks = [task for task in self._connections.values() if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: _Connection
    ) -> None:
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                if error.partial.strip():
                    self._refuse(connection, "the last line has no end, and was not read")
                return
            except asyncio.LimitOverrunError:
                self._refuse(
                    connection, f"a line has at most {LONGEST_LINE:,} bytes; this connection ends here"
                )
                return
            connection.lines += 1
            if line.strip():
                self._take(line, connection)
            # Nothing more is read from somebody who does not read what is answered.
            await writer.drain()

    def _take(self, line: bytes, connection: _Connection) -> None:
        try:
            fields = fields_of(line)
            if fields == {"type": "counts"}:
                connection.tell({"type": "counts", **self.counts()})
                return
            now = None if self._clock is None else self._now()
            message = message_of(fields, now=now, name=f"{connection.number}.{connection.lines}")
            self._send(self._engine.take(message), connection)
        except PolicyError as error:
            self._refuse(connection, str(error))
            self._send(self._engine.due())

    def _send(self, answers: Iterable[Answer], asking: _Connection | None = None) -> None:
        """Send answers to those who asked: whoever asks now, or asked what waited."""
        for answer in answers:
            key = (answer.request.user, answer.request.id)
            if isinstance(answer, Delayed):
                assert asking is not None
                self._owners[key] = asking
                asking.waiting.add(key)
                asking.tell(answer.to_dict())
                continue
            owner = self._owners.pop(key, asking)
            if owner is not None:
                owner.waiting.discard(key)
                owner.tell(answer.to_dict())

    def _withdraw(self, connection: _Connection) -> None:
        """Cancel what a connection that ended waits for."""
        for user, name in sorted(connection.waiting):
            self._owners.pop((user, name), None)
            if self._engine.now is not None:
                self._engine.take(Cancel(user, self._engine.now, name))

    def _fail(self, error: Exception) -> None:
        self.failure = error
        self.failed.set()

    def _refuse(self, connection: _Connection, reason: str) -> None:
        self.errors += 1
        connection.tell({**_error(reason), "line": max(connection.lines, 1)})

    def _now(self) -> int:
        """The clock, which never runs backwards."""
        assert self._clock is not None
        return max(self._clock(), self._engine.now if self._engine.now is not None else self._clock())


def _error(reason: str) -> dict[str, Any]:
    return {"type": "error", "reason": reason}


async def _hang_up(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
        writer.close()
        async with asyncio.timeout(2):
            await writer.wait_closed()
    writer.transport.abort()
