"""A line to another holder: frames of the protocol, and between them the bytes of the shared computation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PartyError
from shoal.network.frames import Frame
from shoal.network.peer import Peer

SHARED = 40
"""The kind of frames with bytes of the shared computation."""
_MOST = 4 << 20


class Line:
    """Sorts what comes in, and sends what goes out in its order.

    Parameters
    ----------
    peer
        The other holder.
    seconds
        How long to wait for it.
    """

    def __init__(self, peer: Peer, seconds: float) -> None:
        self.name = peer.name
        self.received: Callable[[bytes], None] | None = None
        self._peer, self._seconds = peer, seconds
        self._frames: asyncio.Queue[Frame] = asyncio.Queue(maxsize=64)
        self._out = bytearray()
        self._waiting = asyncio.Event()
        self._turn = asyncio.Lock()

    @property
    def digest(self) -> str:
        """SHA-256 of the conversation."""
        return self._peer.digest

    @property
    def bytes_sent(self) -> int:
        """So far."""
        return self._peer.bytes_sent

    async def hear(self, kinds: tuple[int, ...]) -> None:
        """Receive until the other holder leaves; for a task of its own."""
        while True:
            frame = await self._peer.receive((*kinds, SHARED), seconds=self._seconds)
            if frame.kind != SHARED:
                try:
                    self._frames.put_nowait(frame)
                except asyncio.QueueFull:
                    raise PartyError(self.name, "sends more than anybody asked for") from None
            elif self.received is None or [(a.dtype.str, a.ndim) for a in frame.arrays] != [("|u1", 1)]:
                raise PartyError(self.name, "sent shares where the protocol has none")
            else:
                self.received(frame.arrays[0].tobytes())

    async def flush(self) -> None:
        """Send bytes of the shared computation as they come; for a task of its own."""
        while True:
            await self._waiting.wait()
            part = bytes(self._out[:_MOST])
            del self._out[:_MOST]
            if not self._out:
                self._waiting.clear()
            await self.send(SHARED, {}, np.frombuffer(part, np.uint8))

    def write(self, content: bytes) -> None:
        """Bytes of the shared computation, as its transport."""
        self._out += content
        self._waiting.set()

    def writelines(self, every: list[bytes]) -> None:
        """Several pieces of them."""
        self.write(b"".join(every))

    def close(self) -> None:
        """The connection stays until the run ends."""

    async def send(self, kind: int, head: dict[str, Any], *arrays: NDArray[Any]) -> None:
        """Send a frame of the protocol."""
        async with self._turn:
            await self._peer.send(kind, head, *arrays, seconds=self._seconds)

    async def receive(self, kind: int, about: dict[str, Any]) -> Frame:
        """The next frame of the protocol, which must be of this kind and about this."""
        frame = await self._frames.get()
        if frame.kind != kind or any(frame.head.get(key) != value for key, value in about.items()):
            raise PartyError(self.name, "is at another place of the protocol")
        return frame

    async def abort(self, reason: str) -> None:
        """Say why the run ends, and hang up."""
        await self._peer.abort(reason)

    async def hang_up(self) -> None:
        """End the conversation, once everything is said."""
        while self._out:
            await asyncio.sleep(0)
        async with self._turn:
            await self._peer.close()
