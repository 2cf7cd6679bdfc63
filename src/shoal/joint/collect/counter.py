"""Where many come, one after the other, each for one exchange: a door that does not remember who was there.

All customers show the same certificate, which lets them in; who may do what is decided by tickets. What one
of them does wrong ends that connection and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

from shoal.errors import PartyError
from shoal.network.identity import Certificate, Identity
from shoal.network.meeting import Door
from shoal.network.peer import Peer

Serve = Callable[[Peer], Awaitable[None]]


class Counter(Door):
    """A door for any number of visits.

    Parameters
    ----------
    host, port, identity, expected
        As for `Door`.
    serve
        What is done for a visitor; its `PartyError` is told to the visitor.
    """

    def __init__(
        self, host: str, port: int, identity: Identity, expected: Sequence[Certificate], serve: Serve
    ) -> None:
        super().__init__(host, port, identity, expected)
        self._serve = serve
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def until(self, end: Awaitable[None]) -> None:
        """Serve until something ends, or until this party itself fails, which is raised.

        Parameters
        ----------
        end
            What is waited for.
        """
        ending = asyncio.ensure_future(end)
        try:
            await asyncio.wait({ending, self._failed}, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                self._failed.result()
            await ending
        finally:
            ending.cancel()

    async def _seated(self, peer: Peer, fingerprint: str | None) -> None:
        peer.name = self._names.get(fingerprint or "", "a visitor")
        try:
            await self._serve(peer)
        except PartyError as error:
            if error.party == peer.name:
                # The visitor's own fault, or gone: nothing of it concerns the others.
                self.refused[str(error).partition(": ")[2]] += 1
                with contextlib.suppress(PartyError):
                    await peer.abort(str(error).partition(": ")[2])
            else:
                await self._fail(peer, error)
        except Exception as error:  # this party's own: a disk, or a bug
            await self._fail(peer, error)
        finally:
            await peer.close()

    async def _fail(self, peer: Peer, error: Exception) -> None:
        await peer.abort("it cannot go on; its own messages say why")
        if not self._failed.done():
            self._failed.set_exception(error)
