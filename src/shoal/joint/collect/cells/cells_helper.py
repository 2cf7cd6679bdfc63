"""The two helpers of the method `cells`.

The first gets the encrypted rows from the relay and hides in each difference which column it is of; the
second counts what is left. Neither sees a cell: for that they would have to work together.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.joint.collect.cells.encryption import (
    PAIR,
    Pair,
    combination,
    differences,
    differs,
    halves,
    key_share,
    pairs_of,
)
from shoal.joint.collect.closing import Closing
from shoal.joint.collect.helper import check_helper
from shoal.joint.collect.own_scalar import OwnScalar
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.terms import COLLECTOR, CUSTOMERS, RELAY
from shoal.joint.collect.wire import (
    COMBINATIONS,
    DIFFERENCES,
    DISTANCES,
    EVALUATION,
    KEY,
    KEY_SHARE,
    PARTS,
    ROWS,
    SMALL,
    STARS,
    as_array,
    as_table,
    check_terms,
    malformed,
    numbers,
    table,
)
from shoal.network.peer import Peer

_PAIRS = 256  # pairs of rows per frame


class CellsHelper(Party):
    """A helper of the method `cells`.

    Parameters
    ----------
    folder, name
        The folder that `shoal collect init` made, and which helper it is.
    setting
        What it runs in, if not as usual.

    Attributes
    ----------
    rows
        Rows that were compared.
    """

    def __init__(self, folder: Path, name: str, setting: Setting | None = None) -> None:
        check_helper(folder, name)
        super().__init__(folder, name, setting)
        self.rows = 0
        self._own = OwnScalar(folder)

    @property
    def _upstream(self) -> str:
        return RELAY if self.name == self.terms.helper_names[0] else self.terms.helper_names[0]

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> None:
        """Give customers the key, and compare rows when they come; then destroy the scalar.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """
        self._scalar = self._own.value(is_known=False)
        self._done = asyncio.Event()
        visitors = (CUSTOMERS, self._upstream)
        await self._receive(visitors, self._serve, self._finished, listen, announce)
        self._scalar = b""
        self._own.destroy()

    async def _finished(self) -> None:
        closing = Closing(self.terms.closes)
        try:
            async with asyncio.timeout(closing.seconds + EVALUATION):
                await self._done.wait()
        except TimeoutError:
            raise PartyError(self._upstream, "did not come in time") from None

    async def _serve(self, peer: Peer) -> None:
        if peer.name == CUSTOMERS:
            check_terms(peer, await peer.receive(KEY, cap=SMALL), self.terms.digest)
            await peer.send(KEY_SHARE, {}, as_array(key_share(self._scalar)))
        elif peer.name == RELAY:
            await self._hide(peer)
            self._done.set()
        else:
            await self._count(peer)
            self._done.set()

    async def _hide(self, relay: Peer) -> None:
        """The first helper's part."""
        rows = await self._received(relay)
        columns = len(self.terms.quasi_identifiers)
        async with self._connected(self.terms.helper_names[1]) as other:
            await self._compare(rows, other)
            frame = await other.receive(PARTS, seconds=EVALUATION)
            parts = part_members(other, numbers(other, frame, 0, len(rows)), self.terms.k)
            made = [
                b"".join(
                    combination([rows[row] for row in part], column, self._scalar)
                    for column in range(columns)
                )
                for part in parts
            ]
            await other.send(COMBINATIONS, {}, as_table(made))
            frame = await other.receive(STARS, seconds=EVALUATION)
            stars = table(other, frame, 0, columns)
            if len(stars) != len(parts):
                raise malformed(other)
            of_row = [b""] * len(rows)
            for part, each in zip(parts, stars, strict=True):
                for row in part:
                    of_row[row] = each
            await relay.send(STARS, {}, as_table(of_row))
        self.rows = len(rows)

    async def _received(self, relay: Peer) -> list[list[Pair]]:
        rows: list[list[Pair]] = []
        while True:
            frame = await relay.receive(ROWS)
            check_terms(relay, frame, self.terms.digest)
            try:
                rows += map(pairs_of, table(relay, frame, 0, PAIR * len(self.terms.quasi_identifiers)))
            except ValueError:
                raise malformed(relay) from None
            if len(rows) > self.terms.customers:
                raise malformed(relay)
            if frame.head.get("last") is True:
                if len(rows) < self.terms.k:
                    raise malformed(relay)
                return rows

    async def _compare(self, rows: Sequence[Sequence[Pair]], other: Peer) -> None:
        """Send the hidden differences of all pairs of rows."""
        all_pairs = len(rows) * (len(rows) - 1) // 2
        done = 0
        for batch in _batched(itertools.combinations(range(len(rows)), 2)):
            made = await asyncio.to_thread(_all_differences, rows, batch, self._scalar)
            done += len(batch)
            head = {"collection": self.terms.digest, "rows": len(rows), "last": done == all_pairs}
            await other.send(DIFFERENCES, head, as_table(made), seconds=EVALUATION)
            self._setting.on_progress(f"compared {done:,} of {all_pairs:,} pairs of rows")

    async def _count(self, first: Peer) -> None:
        """The second helper's part."""
        columns = len(self.terms.quasi_identifiers)
        async with self._connected(COLLECTOR) as collector:
            matrix = await self._distances(first)
            await collector.send(DISTANCES, {"collection": self.terms.digest}, matrix)
            frame = await collector.receive(PARTS, seconds=EVALUATION)
            parts = numbers(collector, frame, 0, len(matrix))
            members = part_members(collector, parts, self.terms.k)
            await first.send(PARTS, {}, parts)
            made = table(first, await first.receive(COMBINATIONS, seconds=EVALUATION), 0, PAIR * columns)
            if len(made) != len(members):
                raise malformed(first)
            stars = as_table([bytes(self._opened(first, each)) for each in made])
            await collector.send(STARS, {}, stars)
            await first.send(STARS, {}, stars)
        self.rows = len(matrix)

    async def _distances(self, first: Peer) -> NDArray[np.uint8]:
        columns = len(self.terms.quasi_identifiers)
        counts: list[int] = []
        while True:
            frame = await first.receive(DIFFERENCES, seconds=EVALUATION)
            check_terms(first, frame, self.terms.digest)
            rows, made = frame.head.get("rows"), table(first, frame, 0, PAIR * columns)
            if type(rows) is not int or not self.terms.k <= rows <= self.terms.customers:
                raise malformed(first)
            counts += await asyncio.to_thread(self._counted, first, made)
            if len(counts) > rows * (rows - 1) // 2:
                raise malformed(first)
            if frame.head.get("last") is True:
                break
        if len(counts) != rows * (rows - 1) // 2:
            raise malformed(first)
        matrix = np.zeros((rows, rows), np.uint8)
        matrix[np.triu_indices(rows, 1)] = counts
        return matrix + matrix.T

    def _counted(self, first: Peer, made: Sequence[bytes]) -> list[int]:
        return [sum(self._opened(first, each)) for each in made]

    def _opened(self, first: Peer, text: bytes) -> list[bool]:
        """Per half-opened cell, whether it is the difference of unequal ones."""
        try:
            return [differs(each, self._scalar) for each in halves(text)]
        except ValueError:
            raise malformed(first) from None


def part_members(peer: Peer, parts: NDArray[np.int32], k: int) -> list[list[int]]:
    """The rows of each part, or `PartyError` if a part is too small or does not exist."""
    count = int(parts.max()) + 1 if len(parts) and parts.min() >= 0 else 0
    members: list[list[int]] = [[] for _ in range(min(count, len(parts)))]
    if not members or count > len(parts):
        raise malformed(peer)
    for row, part in enumerate(parts.tolist()):
        members[part].append(row)
    if min(map(len, members)) < k:
        raise malformed(peer)
    return members


def _batched(pairs: Iterator[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    while batch := list(itertools.islice(pairs, _PAIRS)):
        yield batch


def _all_differences(
    rows: Sequence[Sequence[Pair]], pairs: Sequence[tuple[int, int]], key: bytes
) -> list[bytes]:
    return [differences(rows[one], rows[two], key) for one, two in pairs]
