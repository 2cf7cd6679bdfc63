"""Names of groups that only all three holders together can make: a distributed pseudorandom function.

The name of a group is s1 s2 s3 H(run, node, part numbers) in ristretto255, hashed. Each holder has one of the
scalars. Who wants a name blinds the point, sends it round the ring, where each holder multiplies it by its
own scalar, and takes the blinding off again; nobody on the way learns the group or its name.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.joint.no_desk.line import Line
from shoal.joint.tokens import BYTES, Tokens, in_order, increasing
from shoal.joint.two_party.shuffle import secret_order

POINTS, NAMES = 31, 32
Points = NDArray[np.uint8]
_SIZE = 32


class Naming:
    """The function, as one holder takes part in it.

    Parameters
    ----------
    run
        The label of this run.
    after, before
        The next and the previous holder of the ring.
    """

    def __init__(self, run: bytes, after: Line, before: Line) -> None:
        import rbcl  # type: ignore[import-untyped]

        self._run, self._after, self._before = run, after, before
        self._scalar = rbcl.crypto_core_ristretto255_scalar_random()

    async def of(self, number: int, levels: Sequence[int], parts: NDArray[np.int32], most: int) -> Tokens:
        """The names of own groups at a node, in their order; the others get theirs at the same time.

        Parameters
        ----------
        number
            The number of the node in this run.
        levels, parts
            The node, and per own group its part numbers.
        most
            No holder has more groups.
        """
        import rbcl

        order = secret_order(len(parts))
        blinding = rbcl.crypto_core_ristretto255_scalar_random()
        both = rbcl.crypto_core_ristretto255_scalar_mul(blinding, self._scalar)
        plain = self._hashed(levels, parts[order])
        going = await asyncio.to_thread(_times, both, plain)
        for hop in range(3):
            coming = await self._passed(number, hop, going, most)
            if hop < 2:
                going = await self._multiplied(coming)
        if len(coming) != len(parts):
            raise PartyError(self._before.name, "returned another number of points than were sent")
        unblinded = await self._multiplied(coming, rbcl.crypto_core_ristretto255_scalar_invert(blinding))
        names = np.empty((len(parts), BYTES), np.uint8)
        names[order] = _shortened(unblinded)
        return names

    def _hashed(self, levels: Sequence[int], parts: NDArray[np.int32]) -> Points:
        import rbcl

        label = b"shoal no desk" + self._run + repr(tuple(levels)).encode() + b"|"
        lines = np.ascontiguousarray(parts, "<i4")
        hashes = (hashlib.sha512(label + line.tobytes()).digest() for line in lines)
        return _points([rbcl.crypto_core_ristretto255_from_hash(each) for each in hashes])

    async def _passed(self, number: int, hop: int, going: Points, most: int) -> Points:
        """Send points on, and receive those of the holder before."""
        about = {"node": number, "hop": hop}
        await self._after.send(POINTS, about, going)
        frame = await self._before.receive(POINTS, about)
        if len(frame.arrays) != 1 or frame.arrays[0].dtype != np.uint8 or frame.arrays[0].ndim != 2:
            raise PartyError(self._before.name, "sent no points where the protocol has them")
        points = frame.arrays[0]
        if points.shape[1] != _SIZE or len(points) > most:
            raise PartyError(self._before.name, "sent points for more groups than there are rows")
        return points

    async def _multiplied(self, points: Points, scalar: bytes | None = None) -> Points:
        try:
            return await asyncio.to_thread(_times, scalar or self._scalar, points)
        except RuntimeError:
            raise PartyError(self._before.name, "sent a point that is none of the group") from None


async def exchanged(names: Tokens, lines: Sequence[Line], number: int, most: int) -> list[Tokens]:
    """The names of the other holders at a node, each in increasing order, after sending own ones to them."""
    ordered = names[in_order(names)]
    for line in lines:
        await line.send(NAMES, {"node": number}, ordered)
    received = []
    for line in lines:
        frame = await line.receive(NAMES, {"node": number})
        shape = frame.arrays[0].shape if len(frame.arrays) == 1 else ()
        if len(shape) != 2 or shape[1] != BYTES or frame.arrays[0].dtype != np.uint8 or shape[0] > most:
            raise PartyError(line.name, "sent no names where the protocol has them")
        if not increasing(frame.arrays[0]):
            raise PartyError(line.name, "sent a name twice, or names out of their order")
        received.append(frame.arrays[0])
    return received


def _times(scalar: bytes, points: Points) -> Points:
    import rbcl

    return _points([rbcl.crypto_scalarmult_ristretto255(scalar, each.tobytes()) for each in points])


def _points(each: Sequence[bytes]) -> Points:
    return np.frombuffer(b"".join(each), np.uint8).reshape(-1, _SIZE)


def _shortened(points: Points) -> Tokens:
    names = [hashlib.blake2b(each.tobytes(), digest_size=BYTES).digest() for each in points]
    return np.frombuffer(b"".join(names), np.uint8).reshape(-1, BYTES)
