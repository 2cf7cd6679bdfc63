"""A collection on one computer: every party a process of its own, with real connections between them.

Nine customers with the rows of the worked example; throw-away keys. What each party prints at its end is what
it has learned.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import re
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from shoal.errors import PartyError
from shoal.files.private_folder import PrivateFolder
from shoal.joint.collect.founding import TOKENS, found
from shoal.joint.collect.terms import CELLS, COLLECTOR, CUSTOMERS, RELAY, Terms

COLUMNS = ("birth year", "zip", "disease")
ROWS = (
    ("1957", "07028", "stroke"),
    ("1957", "07028", "polio"),
    ("1939", "07030", "diphtheria"),
    ("1957", "07028", "polio"),
    ("1940", "07030", "asthma"),
    ("1939", "07030", "flu"),
    ("1979", "07030", "flu"),
    ("1939", "07030", "asthma"),
    ("1940", "07029", "stroke"),
)
"""The customers; the diseases of those who stay closed in the worked example are ours."""

_LISTENS = re.compile(r"listens at (\S+):(\d+)")
_AT_A_TIME = 3
Say = Callable[[str], None]


async def demonstrate(method: str, output: Path, say: Say) -> None:
    """Run a collection of nine rows.

    Parameters
    ----------
    method
        "rows", with k = 3, or "cells", with k = 2.
    output
        The release to write.
    say
        Prints a line.
    """
    with PrivateFolder(None) as private:
        folder = private.path / "collection"
        terms = found(
            folder,
            method=method,
            k=2 if method == CELLS else 3,
            closes=datetime.now(UTC) + timedelta(hours=1),
            customers=len(ROWS),
            quasi_identifiers=COLUMNS[:2],
            others=COLUMNS[2:],
            first_port=0,
        )
        async with _Parties(folder, terms, say) as parties:
            await parties.start(COLLECTOR, "--output", str(output.absolute()))
            for name in reversed(terms.helper_names):
                await parties.start("helper", party=name)
            await parties.start(RELAY)
            await _customers(parties, private.path)
            await parties.end()


class _Parties:
    """The processes; those that still run at the end are ended."""

    def __init__(self, folder: Path, terms: Terms, say: Say) -> None:
        self.folder = folder
        self.terms = terms
        self.running: dict[str, asyncio.subprocess.Process] = {}
        self._say = say

    async def __aenter__(self) -> _Parties:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self.running.values():
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()

    async def start(self, command: str, *arguments: str, party: str | None = None) -> None:
        """Start a party, and wait until it listens."""
        name = party or command
        self.write_addresses(name)
        process = await _shoal(command, str(self.folder / name), *([party] if party else []), *arguments)
        self.running[name] = process
        assert process.stderr is not None
        async for line in _lines(process.stderr):
            if listening := _LISTENS.search(line):
                self.terms.addresses[name] = (listening[1], int(listening[2]))
                self._say(f"{name:<10} {line}")
                return
            self._say(f"{name:<10} {line}")
        raise PartyError(name, "ended before it listened")

    def write_addresses(self, name: str) -> None:
        """Tell a party where those listen who are here already."""
        self.terms.write(self.folder / name)

    async def end(self) -> None:
        """Wait until every party has ended, and repeat what each of them says."""
        order = [*self.terms.helper_names, RELAY, COLLECTOR]
        said = await asyncio.gather(*(self._rest(name) for name in order))
        for name, lines in zip(order, said, strict=True):
            for line in lines:
                self._say(f"{name:<10} {line}")
        for name in order:
            if self.running[name].returncode:
                raise PartyError(name, "failed; its own lines above say why")

    async def _rest(self, name: str) -> list[str]:
        process = self.running[name]
        assert process.stderr is not None
        lines = [line async for line in _lines(process.stderr)]
        await process.wait()
        return lines


async def _customers(parties: _Parties, folder: Path) -> None:
    """Every customer submits one row, a few at a time; with the method `cells` each then waits for all."""
    parties.write_addresses(CUSTOMERS)
    room = asyncio.Semaphore(len(ROWS) if parties.terms.method == CELLS else _AT_A_TIME)

    async def submit(number: int, row: tuple[str, ...]) -> None:
        file = folder / f"row{number}.csv"
        with file.open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines).writerows([COLUMNS, row])
        async with room:
            token = parties.folder / TOKENS / f"{number}.token"
            process = await _shoal("submit", str(parties.folder / CUSTOMERS), str(token), str(file))
            parties.running[f"customer {number}"] = process
            _, said = await process.communicate()
            if process.returncode:
                raise PartyError(f"customer {number}", f"failed: {said.decode(errors='replace').strip()}")

    async with asyncio.TaskGroup() as group:
        for number, row in enumerate(ROWS, 1):
            group.create_task(submit(number, row))


async def _shoal(command: str, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shoal.cli", "collect", command, *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    while line := await stream.readline():
        yield line.decode(errors="replace").rstrip()
