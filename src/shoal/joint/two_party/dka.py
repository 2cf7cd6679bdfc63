"""Distributed k-anonymity (DkA): two sites go up until the joined table is k-anonymous.

A block is the people with the same released values at one site. The joined table is k-anonymous if and only
if every block of one site and every block of the other have 0 or at least k people in common. The sites count
that on identifiers that both have encrypted; as long as it fails, the site that is lower goes up a rung.

It shows both sites, round by round, how many people their blocks have in common, also below k. That is more
than the release tells, the manifest says so, and the page recommends something else for real data.

Papers: Jiang and Clifton, 2005 and 2006, from accounts of them. docs/how-to/release-with-another-site.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, PartyError, PolicyError
from shoal.joint.two_party.commutative import SIZE, Points, RoundKey, hashed
from shoal.joint.two_party.ladder import Ladder, blocks_at, datafly_ladder, first_rung
from shoal.joint.two_party.shuffle import secret_order
from shoal.joint.two_party.site import Site
from shoal.model.policy.attribute import Role
from shoal.network.frames import Frame
from shoal.network.peer import Peer

OWN, TWICE, MATCH = 5, 6, 7
Matrix = NDArray[np.int64]
Told = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a site in an order that means nothing, with what stands for their people.

    Parameters
    ----------
    sizes
        People per block.
    tokens
        Block by block what stands for each person.
    """

    sizes: NDArray[np.uint32]
    tokens: Points

    @property
    def of_token(self) -> dict[bytes, int]:
        """The block of each token."""
        numbers = np.repeat(np.arange(len(self.sizes)), self.sizes).tolist()
        return {token.tobytes(): block for token, block in zip(self.tokens, numbers, strict=True)}


@dataclass(frozen=True, eq=False)
class Joinable:
    """Where the rounds ended.

    Parameters
    ----------
    rung
        The rung of this site.
    own
        Per person the block of this site, as the matrix numbers it.
    matrix
        How many people each block of the first site has in common with each of the second.
    rounds
        How many rounds there were.
    """

    rung: int
    own: NDArray[np.int64]
    matrix: Matrix
    rounds: int


def check_dka(site: Site) -> Ladder:
    """This site's ladder; `PolicyError` for what DkA does not do."""
    policy = site.policy
    if policy.algorithm != "datafly":
        raise PolicyError(
            f'two sites go up by the rule of "datafly", and the policy names {policy.algorithm!r}; set '
            'algorithm = "datafly", or choose another protocol'
        )
    classes = [each.name for each in policy.attributes if each.role is Role.CLASS]
    for name in (*classes, *site.others):
        raise PolicyError(
            f"column {name!r} is no quasi-identifier, and this protocol joins blocks, not people; remove it, "
            "or choose the protocol tds"
        )
    return datafly_ladder(site)


def admissible(matrix: Matrix, k: int) -> bool:
    """Whether every two blocks have nobody or at least k people in common."""
    return bool(((matrix == 0) | (matrix >= k)).all())


def first_goes_up(first: Fraction, second: Fraction) -> bool:
    """Which site goes up: the lower one, the first if they are equally high."""
    return first <= second


async def go_up(
    peer: Peer,
    site: Site,
    ladder: Ladder,
    run: bytes,
    *,
    first: bool,
    seconds: float,
    told: Told | None = None,
) -> Joinable:
    """Round by round, until the joined table is k-anonymous.

    Parameters
    ----------
    peer, site
        The other site, and this one.
    ladder
        In which order this site goes up.
    run
        The label of this run.
    first
        Whether this site is the first one.
    seconds
        How long to wait for each answer.
    told
        Called with a sentence about each round.
    """
    k, rung = site.policy.k, first_rung(site.table, ladder, site.policy.k)
    if rung is None:
        raise InfeasibleError(f"there are fewer than k = {k} people", k=k, limit=0, suppressed=len(site.ids))
    names = await asyncio.to_thread(hashed, run, site.ids)
    exchange = Exchange(peer, first, seconds)
    number = 0
    while True:
        numbers, order = _shuffled_blocks(blocks_at(site.table, ladder.rungs[rung]))
        share = ladder.share(rung)
        matrix, other = await exchange.round(number, share, numbers, names[order])
        if told is not None:
            told(f"round {number + 1}: {matrix.shape[0]:,} blocks and {matrix.shape[1]:,} blocks")
        if admissible(matrix, k):
            return Joinable(rung, _block_of_person(numbers, order), matrix, number + 1)
        shares = (share, other) if first else (other, share)
        if first_goes_up(*shares) is first:
            if rung + 1 == len(ladder.rungs):
                raise PartyError(peer.name, "expects this site to go up, and there is nothing left to join")
            rung += 1
        number += 1


def _shuffled_blocks(blocks: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Sizes of the blocks in a random order, and people block by block, in a random order inside."""
    renumbered = secret_order(int(blocks.max()) + 1)[blocks]
    order = np.lexsort((secret_order(len(blocks)), renumbered))
    return np.bincount(renumbered).astype(np.uint32), order.astype(np.int64)


def _block_of_person(sizes: NDArray[np.uint32], order: NDArray[np.int64]) -> NDArray[np.int64]:
    own = np.empty(len(order), np.int64)
    own[order] = np.repeat(np.arange(len(sizes)), sizes)
    return own


class Exchange:
    """The rounds with another site, as the wire sees them.

    Parameters
    ----------
    peer
        The other site.
    first
        Whether this site is the first one.
    seconds
        How long to wait for each answer.
    """

    def __init__(self, peer: Peer, first: bool, seconds: float) -> None:
        self._peer, self._first, self._seconds = peer, first, seconds

    async def round(
        self, number: int, share: Fraction, sizes: NDArray[np.uint32], names: Points
    ) -> tuple[Matrix, Fraction]:
        """One round: the matrix, and how high the other site is.

        Parameters
        ----------
        number
            The round.
        share
            How high this site is.
        sizes, names
            Own blocks, and block by block H of the people.
        """
        people, key = len(names), RoundKey()
        head = {"round": number, "share": [share.numerator, share.denominator]}
        await self._send(OWN, head, sizes, await asyncio.to_thread(key.encrypted, names))
        theirs, other = self._blocks(await self._receive(OWN, number), people)
        again = await self._encrypted_again(key, theirs)
        await self._send(TWICE, {"round": number}, again.tokens)
        frame = await self._receive(TWICE, number)
        own = Blocks(sizes, self._tokens(frame.arrays, people))
        await self._send(MATCH, {"round": number}, own.tokens)
        # The other site returns what this one has encrypted: both then count on the same tokens.
        returned = self._tokens((await self._receive(MATCH, number)).arrays, people)
        if Blocks(theirs.sizes, returned).of_token != again.of_token:
            raise PartyError(self._peer.name, "returned other tokens than it was sent")
        matrix = self._matrix(own, again)
        return (matrix if self._first else matrix.T), other

    async def _encrypted_again(self, key: RoundKey, blocks: Blocks) -> Blocks:
        """The other site's blocks in its order, each person encrypted by both, in a new order inside."""
        try:
            tokens = await asyncio.to_thread(key.encrypted, blocks.tokens)
        except ValueError as error:
            raise PartyError(self._peer.name, f"sent {error}") from None
        numbers = np.repeat(np.arange(len(blocks.sizes)), blocks.sizes)
        return Blocks(blocks.sizes, tokens[np.lexsort((secret_order(len(tokens)), numbers))])

    def _matrix(self, own: Blocks, theirs: Blocks) -> Matrix:
        counted = np.zeros((len(own.sizes), len(theirs.sizes)), np.int64)
        place = theirs.of_token
        for token, block in own.of_token.items():
            if token not in place:
                raise PartyError(self._peer.name, "has other people, or changed its tokens")
            counted[block, place[token]] += 1
        return counted

    def _blocks(self, frame: Frame, people: int) -> tuple[Blocks, Fraction]:
        name, match = self._peer.name, frame.head.get("share")
        if not (isinstance(match, list) and len(match) == 2 and all(type(each) is int for each in match)):
            raise PartyError(name, "did not say how high it is")
        above, below = match
        if not 0 <= above <= below < 2**31 or below == 0:
            raise PartyError(name, "did not say how high it is")
        sizes = frame.arrays[0] if frame.arrays else np.zeros(0, np.uint32)
        if sizes.dtype.str != "<u4" or sizes.ndim != 1 or not (sizes > 0).all() or sizes.sum() != people:
            raise PartyError(name, "sent blocks of another number of people")
        return Blocks(sizes, self._tokens(frame.arrays[1:], people)), Fraction(above, below)

    def _tokens(self, arrays: tuple[NDArray[np.uint8], ...], people: int) -> Points:
        if [(each.dtype.str, each.shape) for each in arrays] != [("|u1", (people, SIZE))]:
            raise PartyError(self._peer.name, "sent another number of tokens than people")
        tokens = arrays[0]
        if len(np.unique(tokens, axis=0)) != people:
            raise PartyError(self._peer.name, "sent a token twice")
        return tokens

    async def _send(self, kind: int, head: dict[str, object], *arrays: NDArray[np.generic]) -> None:
        await self._peer.send(kind, head, *arrays, seconds=self._seconds)

    async def _receive(self, kind: int, number: int) -> Frame:
        frame = await self._peer.receive(kind, seconds=self._seconds)
        if frame.head.get("round") != number:
            raise PartyError(self._peer.name, "is in another round")
        return frame
