"""Counts shared among three holders: sums and thresholds of them, of which only totals are opened.

Shamir's scheme with threshold 1, by MPyC, secure against one holder that keeps to the protocol and takes
notes; two who put theirs together learn everything. Its messages go over the holders' own lines, so they are
encrypted and authenticated like everything else.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.joint.no_desk.line import Line

_EXPONENTS = (61, 89, 107, 127)
"""Of Mersenne primes: the fields to choose from."""
_MASKING = 40  # bits by which random masks exceed what they hide
BATCH = 8192
"""Groups that are compared at a time: memory is bounded by it."""


class Shares:
    """The shared computation.

    Parameters
    ----------
    place
        Which of the three this holder is.
    lines
        Place -> the line to that holder.
    """

    def __init__(self, place: int, lines: dict[int, Line]) -> None:
        self._place = place
        self._runtime = _runtime(place, len(lines) + 1)
        self._connect(lines)

    def _connect(self, lines: dict[int, Line]) -> None:
        from mpyc.asyncoro import MessageExchanger  # type: ignore[import-untyped]  # it has no types

        runtime = self._runtime
        for party in runtime.parties:
            party.protocol = asyncio.get_running_loop().create_future() if party.pid == self._place else None
        for other, line in lines.items():
            # The lower of two begins, as a client would.
            exchanger = MessageExchanger(runtime, other if other > self._place else None)
            line.received = exchanger.data_received
            exchanger.connection_made(line)

    async def connected(self) -> None:
        """Wait until the keys of the computation are exchanged."""
        await self._runtime.parties[self._place].protocol

    async def totals(self, values: Sequence[int]) -> list[int]:
        """Sums over the holders, value by value."""
        if not values:
            return []
        field = self._runtime.SecFld(2**127 - 1)
        shared = self._runtime.input(field.array(field.field.array(np.array(values, object))))
        opened = await self._runtime.output(sum(shared[1:], shared[0]))
        return [int(each) for each in opened.value.tolist()]

    def judged(self, counts: NDArray[np.int64], prices: NDArray[np.object_], k: int, most: int) -> Judgement:
        """Judge groups by their summed counts.

        Parameters
        ----------
        counts, prices
            This holder's counts, clamped at k, and what these rows cost if they are kept; 0 for groups that
            it does not have.
        k
            The demanded size.
        most
            No total exceeds it.
        """
        bits = (4 * k).bit_length() + 1
        needed = max(bits + _MASKING, (2 * most).bit_length() + 1)
        exponent = next((each for each in _EXPONENTS if each > needed), None)
        if exponent is None:
            raise PolicyError("the cost has too large numbers for a computation on shares; choose 'height'")
        secret = self._runtime.SecInt(bits, p=2**exponent - 1)
        return Judgement(self._runtime, secret, counts, prices, k)


class Judgement:
    """Groups of one node, judged but not opened.

    Parameters
    ----------
    runtime, secret
        The computation, and its type of numbers.
    counts, prices, k
        As in `Shares.judged`.
    """

    def __init__(
        self, runtime: Any, secret: Any, counts: NDArray[np.int64], prices: NDArray[np.object_], k: int
    ) -> None:
        self._runtime, self._secret, self._k = runtime, secret, k
        self._counts, self._prices = counts, prices
        self._small: list[Any] = []

    async def rows(self) -> tuple[int, int]:
        """How many groups are small, and their rows."""
        groups, rows = 0, 0
        for begin in range(0, len(self._counts), BATCH):
            sums = self._summed(self._counts[begin : begin + BATCH])
            small = sums < self._k
            self._small.append(small)
            opened = await self._runtime.output([self._runtime.np_sum(small), small @ sums])
            groups, rows = groups + int(opened[0]), rows + int(opened[1])
        return groups, rows

    async def price(self) -> int:
        """What the rows of small groups would cost if they were kept."""
        total = 0
        for number, small in enumerate(self._small):
            prices = self._summed(self._prices[number * BATCH : (number + 1) * BATCH])
            total += int(await self._runtime.output(small @ prices))
        return total

    async def own(self, of_holder: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Whether each of this holder's groups is small; each holder learns its own alone.

        Parameters
        ----------
        of_holder
            Per holder the places of its groups.
        """
        mine = np.zeros(len(of_holder[self._runtime.pid]), np.bool_)
        for number, small in enumerate(self._small):
            for holder, places in enumerate(of_holder):
                inside = np.flatnonzero(places // BATCH == number)
                if not len(inside):
                    continue
                opened = await self._runtime.output(small[places[inside] % BATCH], receivers=holder)
                if holder == self._runtime.pid:
                    mine[inside] = np.array(opened, np.int64) == 1
        return mine

    def _summed(self, values: NDArray[Any]) -> Any:
        shared = self._runtime.input(self._secret.array(values))
        return sum(shared[1:], shared[0])


def _runtime(place: int, holders: int) -> Any:
    """A runtime of MPyC without its own connections; it reads the arguments of a program when imported."""
    given, sys.argv = sys.argv, [*sys.argv[:1], "--no-log"]
    try:
        import mpyc  # type: ignore[import-untyped]
        from mpyc import asyncoro, runtime, sectypes
    finally:
        sys.argv = given
    options = mpyc._get_arg_parser().parse_args([])
    options.threshold, options.no_log, options.no_async = (holders - 1) // 2, True, False
    parties = [runtime.Party(number, "", 0) for number in range(holders)]
    made = runtime.Runtime(place, parties, options)
    made.logging(False)
    for module in (sectypes, asyncoro, mpyc.mpctools, mpyc.seclists, mpyc.random, mpyc.statistics):
        module.runtime = made
    return made
