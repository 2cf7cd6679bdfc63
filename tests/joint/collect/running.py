"""Collections in this process: every party on one loop, with real sockets and TLS between them."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import dataclasses
from collections.abc import AsyncIterator, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from shoal.joint.collect.cells.cells_helper import CellsHelper
from shoal.joint.collect.cells.collector import CellsCollector
from shoal.joint.collect.cells.relay import CellsRelay
from shoal.joint.collect.collector import Collector
from shoal.joint.collect.customer import Customer
from shoal.joint.collect.demo import COLUMNS, ROWS
from shoal.joint.collect.founding import found
from shoal.joint.collect.helper import Helper
from shoal.joint.collect.party import Setting
from shoal.joint.collect.relay import Relay
from shoal.joint.collect.terms import CELLS, COLLECTOR, RELAY, Terms
from shoal.network.frames import Frame
from shoal.network.peer import SECONDS
from tests.patience import PATIENCE

T = TypeVar("T")
NINE = ROWS
Transcript = list[tuple[str, Frame]]


def ran(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; what hangs is ended."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


class Collection:
    """A collection in a folder, with the parties that run.

    Parameters
    ----------
    folder
        Where.
    method, k, customers, helpers
        As in the terms.
    """

    def __init__(
        self, folder: Path, *, method: str = "rows", k: int = 3, customers: int = 9, helpers: int = 2
    ) -> None:
        self.folder = folder / "collection"
        self.output = folder / "release.csv"
        self.terms: Terms = found(
            self.folder,
            method=method,
            k=k,
            closes=datetime.now(UTC) + timedelta(days=1),
            customers=customers,
            quasi_identifiers=COLUMNS[:2],
            others=COLUMNS[2:],
            helpers=helpers,
            row_bytes=64,
            first_port=0,
        )
        self.parties: dict[str, Any] = {}
        self.tasks: dict[str, asyncio.Task[Any]] = {}
        self.transcripts: dict[str, Transcript] = {}
        self.late = False

    def now(self) -> datetime:
        """The parties' clock."""
        return datetime.now(UTC) + timedelta(days=2 if self.late else 0)

    def made(self, name: str, *, seconds: float = SECONDS, replace: bool = False) -> Any:
        """A party."""
        folder, cells = self.folder / name, self.terms.method == CELLS
        setting = Setting(
            now=self.now,
            recorder=lambda way, frame: self.transcripts.setdefault(name, []).append((way, frame)),
            seconds=seconds,
        )
        if name == COLLECTOR:
            collector = CellsCollector if cells else Collector
            return collector(folder, self.output, replace=replace, setting=setting)
        if name == RELAY:
            return (CellsRelay if cells else Relay)(folder, setting)
        return (CellsHelper if cells else Helper)(folder, name, setting)

    async def start(self, *names: str, **options: Any) -> None:
        """Start parties, each when the one before listens."""
        for name in names:
            self.terms.write(self.folder / name)
            party = self.made(name, **options)
            listens: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(party.run(None, listens.set_result))
            self.parties[name], self.tasks[name] = party, task
            await asyncio.wait({task, listens}, return_when=asyncio.FIRST_COMPLETED)
            if not listens.done():
                await task
            self.terms.addresses[name] = ("127.0.0.1", listens.result())
        self.terms.write(self.folder / "customers")

    async def start_all(self, **options: Any) -> None:
        """Start every party, in the order in which they need each other."""
        await self.start(COLLECTOR, *reversed(self.terms.helper_names), RELAY, **options)

    async def submit(self, number: int, row: Sequence[str], *, seconds: float = SECONDS) -> None:
        """One customer's whole part."""
        token = self.folder / "tokens" / f"{number:0{len(str(self.terms.customers))}}.token"
        await Customer(self.folder / "customers", token, Setting(seconds=seconds)).submit(tuple(row))

    async def submit_encrypted(self, number: int, row: Sequence[str]) -> None:
        """The first half of a customer's part with the method cells: then it is interrupted."""
        submitting = asyncio.create_task(self.submit(number, row))
        relay = self.parties[RELAY]
        before = relay.accepted
        while relay.accepted == before and not submitting.done():
            await asyncio.sleep(0.01)
        submitting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await submitting

    async def submit_all(self, rows: Sequence[Sequence[str]]) -> None:
        """All customers' parts; with the method cells they wait for each other."""
        if self.terms.method == CELLS:
            await asyncio.gather(*(self.submit(number, row) for number, row in enumerate(rows, 1)))
        else:
            for number, row in enumerate(rows, 1):
                await self.submit(number, row)

    async def ended(self, *names: str) -> list[Any]:
        """Wait for parties, all of them by default."""
        return await asyncio.gather(*(self.tasks[name] for name in names or self.tasks))

    async def stop(self, *names: str) -> None:
        """Kill parties, as far as one loop can."""
        for name in names or tuple(self.tasks):
            self.tasks[name].cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self.tasks[name]

    @property
    def released(self) -> list[tuple[str, ...]]:
        """The rows of the release."""
        with self.output.open(encoding="utf-8", newline="") as file:
            return [tuple(line) for line in csv.reader(file)][1:]


@contextlib.asynccontextmanager
async def running(collection: Collection, *, only: Sequence[str] | None = None) -> AsyncIterator[Collection]:
    """All parties, or some, stopped at the end."""
    try:
        if only is None:
            await collection.start_all()
        else:
            await collection.start(*only)
        yield collection
    finally:
        await collection.stop()


async def whole(collection: Collection, rows: Sequence[Sequence[str]]) -> list[Any]:
    """A run without faults."""
    async with running(collection):
        await collection.submit_all(rows)
        return await collection.ended()


def closed_earlier(terms: Terms) -> Terms:
    """The same terms with a closing time that has passed."""
    return dataclasses.replace(terms, closes=datetime.now(UTC) - timedelta(hours=1))
