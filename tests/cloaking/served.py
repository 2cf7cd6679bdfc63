"""A service on a real socket, and whoever talks to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from shoal.location.cloaking.engine import Engine
from shoal.location.cloaking.listening import Address, accepted_by, listen
from shoal.location.cloaking.service import Service
from tests.patience import PATIENCE


class Client:
    """One connection: lines of JSON in both directions."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, *messages: dict[str, Any] | bytes) -> None:
        for each in messages:
            self.writer.write(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n")
            await self.writer.drain()

    async def receive(self) -> dict[str, Any]:
        line = await self.reader.readline()
        assert line, "the service hung up"
        return dict(json.loads(line))

    async def rest(self) -> list[dict[str, Any]]:
        """Everything until the service hangs up."""
        return [json.loads(line) async for line in self.reader]

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


class Served:
    """A running service.

    Attributes
    ----------
    service, place
        What answers, and where.
    writers
        The service's own ends of connections.
    """

    def __init__(self, service: Service, place: str, end: asyncio.Event) -> None:
        self.service, self.place, self.end = service, place, end
        self.writers: list[asyncio.StreamWriter] = []

    async def connect(self) -> Client:
        """Connect to the local socket."""
        return Client(*await asyncio.open_unix_connection(self.place))


@contextlib.asynccontextmanager
async def serving(
    engine: Engine, address: Address | None = None, *, clock: Callable[[], int] | None = None, most: int = 100
) -> AsyncIterator[Served]:
    """A service that listens until the block ends, or before if its end is set."""
    with tempfile.TemporaryDirectory(prefix="cloak") as folder:
        address = address or Address(path=Path(folder) / "socket")
        service = Service(engine, clock=clock, most_connections=most, accepted=accepted_by(address))
        loop = asyncio.get_running_loop()
        ready, end = loop.create_future(), asyncio.Event()
        served = Served(service, "", end)
        plain = service.serve

        async def noted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            served.writers.append(writer)
            await plain(reader, writer)

        service.serve = noted  # type: ignore[method-assign]
        task = asyncio.create_task(listen(service, address, on_ready=ready.set_result, until=end))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()  # raises why it cannot listen
        served.place = await ready
        try:
            yield served
        finally:
            end.set()
            await task


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test on a loop of its own, and end it if it hangs."""

    async def limited() -> None:
        await asyncio.wait_for(work(), PATIENCE)

    asyncio.run(limited())


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds, while everything else on the loop goes on."""
    while not holds():
        await asyncio.sleep(0.005)


def crowd(seed: int, messages: int) -> list[dict[str, Any]]:
    """Users of a square of 16 who come, move, ask, withdraw and leave; all messages are good ones."""
    chance = random.Random(seed)
    known: set[str] = set()
    made: list[dict[str, Any]] = []
    for time in range(messages):
        user, kind = f"u{chance.randrange(12)}", chance.random()
        if user not in known or kind < 0.5:
            place = {"x": chance.randrange(16), "y": chance.randrange(16)}
            made.append({"type": "position", "user": user, "time": time, **place})
            known.add(user)
        elif kind < 0.95:
            made.append({"type": "request", "user": user, "time": time, "id": f"r{time}"})
        else:
            made.append({"type": "cancel", "user": user, "time": time})
            known.discard(user)
    return made
