"""The collector of the method `cells`: partitions rows by their distances, and publishes rows with stars.

It sees the distances of all pairs of rows, which columns of which parts have stars, and in the end the rows
with stars, in an order that says nothing about the distances.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, PartyError, ShoalError
from shoal.formatting.numbers import counted
from shoal.joint.collect.cells.publishing import published_cells
from shoal.joint.collect.leaks import cells_notes
from shoal.joint.collect.party import Announce, Party, Place, Setting
from shoal.joint.collect.row_text import unpadded
from shoal.joint.collect.sealing import KEY, OVERHEAD, SealingKey
from shoal.joint.collect.terms import COLLECTOR, RELAY
from shoal.joint.collect.wire import (
    BATCH,
    DISTANCES,
    EVALUATION,
    PARTS,
    STARS,
    TAKEN,
    all_batches,
    check_terms,
    malformed,
    table,
)
from shoal.model.result.manifest import Manifest
from shoal.network.peer import Peer


class CellsCollector(Party):
    """The collector of a collection by the method `cells`.

    Parameters
    ----------
    folder
        The folder that `shoal collect init` made.
    output
        The release to write.
    replace
        Whether a file that is no release of Shoal may be replaced.
    setting
        What it runs in, if not as usual.

    Attributes
    ----------
    distances, parts, stars
        What it learned on the way: a matrix, the rows of each part, and per part and column whether it is not
        released.
    """

    def __init__(
        self, folder: Path, output: Path, *, replace: bool = False, setting: Setting | None = None
    ) -> None:
        super().__init__(folder, COLLECTOR, setting)
        self.distances: NDArray[np.uint8] | None = None
        self.parts: list[list[int]] = []
        self.stars: list[bytes] = []
        self._key = SealingKey(folder / KEY)
        self._output = output
        self._replace = replace

    async def run(self, listen: Place | None = None, announce: Announce | None = None) -> Manifest:
        """Partition the rows, wait for them, and publish them.

        Parameters
        ----------
        listen
            Host and port, if not those of the terms.
        announce
            Called with the port, once somebody can connect.
        """
        self._published: asyncio.Future[Manifest] = asyncio.get_running_loop().create_future()
        visitors = (self.terms.helper_names[1], RELAY)
        await self._receive(visitors, self._serve, self._finished, listen, announce)
        return self._published.result()

    async def _finished(self) -> None:
        await asyncio.shield(self._published)

    async def _serve(self, peer: Peer) -> None:
        if peer.name == RELAY:
            await self._collect(peer)
        else:
            await self._partition(peer)

    async def _partition(self, helper: Peer) -> None:
        # Imported here: customers, helpers and the relay need none of the searches.
        from shoal.algorithms.rows.meyerson_williams import parts_of_distances

        frame = await helper.receive(DISTANCES, seconds=EVALUATION)
        check_terms(helper, frame, self.terms.digest)
        distances = self._checked(helper, frame.arrays[0] if frame.arrays else None)
        self._setting.on_progress(f"the distances of {counted(len(distances), 'row')} came; forming parts")
        parts = await asyncio.to_thread(parts_of_distances, distances.astype(np.int64), self.terms.k)
        of_row = np.empty(len(distances), np.int32)
        for number, part in enumerate(parts):
            of_row[part] = number
        await helper.send(PARTS, {}, of_row)
        frame = await helper.receive(STARS, seconds=EVALUATION)
        stars = table(helper, frame, 0, len(self.terms.quasi_identifiers))
        if len(stars) != len(parts):
            raise malformed(helper)
        self.distances, self.parts, self.stars = distances, parts, stars

    def _checked(self, helper: Peer, matrix: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """The matrix, or `PartyError` if it cannot be one of distances."""
        if matrix is None or matrix.ndim != 2 or matrix.dtype != np.uint8:
            raise malformed(helper)
        rows = len(matrix)
        if matrix.shape != (rows, rows) or not self.terms.k <= rows <= self.terms.customers:
            raise malformed(helper)
        equal = matrix == 0
        first = np.argmax(equal, axis=1)
        plain = (
            int(matrix.max()) <= len(self.terms.quasi_identifiers)
            and bool(np.array_equal(matrix, matrix.T))
            and bool(equal.diagonal().all())
            # To be equal is transitive, and equal rows are equally far from all others.
            and bool(np.array_equal(matrix, matrix[np.ix_(first, first)]))
        )
        if not plain:
            raise PartyError(helper.name, "sent numbers that cannot be distances of rows")
        return matrix

    async def _collect(self, relay: Peer) -> None:
        sealed = await all_batches(
            relay, BATCH, self.terms.row_bytes + OVERHEAD, self.terms.customers, self.terms.digest
        )
        if self.distances is None:
            raise PartyError(relay.name, "brought rows before the helpers brought distances")
        try:
            manifest = self._release(sealed)
        except InfeasibleError:
            self._key.destroy()
            await relay.send(TAKEN, {})
            raise
        except ShoalError:
            await relay.abort("it could not publish the rows; its own messages say why")
            raise
        self._key.destroy()
        await relay.send(TAKEN, {})
        self._published.set_result(manifest)

    def _release(self, sealed: list[bytes]) -> Manifest:
        rows = []
        for each in sealed:
            try:
                row = unpadded(self._key.unsealed(each, self.terms.digest) or b"")
            except ValueError:
                continue
            if len(row) == len(self.terms.columns):
                rows.append(tuple(row))
        assert self.distances is not None
        stars = sum(len(part) * sum(each) for part, each in zip(self.parts, self.stars, strict=True))
        # A row loses at least its distance to its (k - 1)th nearest row.
        bound = int(np.sort(self.distances, axis=1)[:, self.terms.k - 1].sum())
        return published_cells(
            self.terms,
            rows,
            self._output,
            cells_notes(self.terms, len(self.parts), stars),
            bound=bound if len(rows) == len(self.distances) else None,
            replace=self._replace,
        )
