"""The desk's side of a joint release: it has no rows, adds up what holders send, and runs the search.

The search is `lattice` itself. A node is measured by tokens: groups with equal tokens are one group, and
their counts, clamped at k, say whether it is large enough. What refused rows cost is a masked sum.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.levels.elsewhere import MeasuredElsewhere, search_elsewhere
from shoal.cost import LevelPrice
from shoal.errors import EngineError, InfeasibleError, NotProvedError, PartyError, ShoalError
from shoal.joint import messages as say
from shoal.joint.domains import domains_of, price_of
from shoal.joint.facts import Facts
from shoal.joint.judged import Judged, judged
from shoal.joint.keys import PublicKey, RunKeys
from shoal.joint.masks import summed
from shoal.joint.outcome import check_result
from shoal.joint.policy import VERSION, JointPolicy, without_clock
from shoal.joint.recipient import Published, Recipient
from shoal.model.policy.budget import ProgressCallback
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Result
from shoal.network.frames import CAP, Frame
from shoal.network.identity import Identity
from shoal.network.meeting import Door
from shoal.network.peer import Peer


@dataclass
class DeskLearned:
    """What the desk got to know in a run.

    Parameters
    ----------
    run, rows
        The run, and all rows of all holders.
    nodes, priced
        Nodes that were measured, and those whose refused rows were priced.
    tokens, bytes
        Tokens that it saw, and bytes that it received.
    """

    run: str = ""
    rows: int = 0
    nodes: int = 0
    priced: int = 0
    tokens: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Finished:
    """A run that ended well.

    Parameters
    ----------
    result
        The answer of the search.
    published
        What the recipient wrote; `None` where the recipient is another party.
    learned
        What the desk got to know.
    """

    result: Result
    published: Published | None
    learned: DeskLearned


class Desk:
    """The desk of one run.

    Parameters
    ----------
    policy
        What was agreed.
    identity
        Who this is.
    recipient
        Writes the release here; `None` where the policy names another party for that.
    on_progress
        Called now and then while the search runs.
    recorder
        Called with each party and each frame; for tests.
    """

    def __init__(
        self,
        policy: JointPolicy,
        identity: Identity,
        recipient: Recipient | None,
        *,
        on_progress: ProgressCallback | None = None,
        recorder: Callable[[str, str, Frame], None] | None = None,
    ) -> None:
        self.learned = DeskLearned(run=secrets.token_hex(16))
        self._policy, self._identity, self._recipient = policy, identity, recipient
        self._on_progress, self._recorder = on_progress, recorder
        self._domains = domains_of(policy)
        self._peers: dict[str, Peer] = {}
        self._round = 0

    async def run(self, door: Door) -> Finished:
        """Meet the parties at the door, and see the run through; nothing is written if it fails."""
        try:
            await self._meet(door)
            return await self._run()
        except (InfeasibleError, NotProvedError) as error:
            await self._end(error)
            raise
        except BaseException as error:
            await self._abort(str(error) if isinstance(error, ShoalError) else "the desk ended the run")
            raise

    @property
    def _holders(self) -> list[Peer]:
        return [self._peers[name] for name in self._policy.holders]

    async def _meet(self, door: Door) -> None:
        stated = self._policy.stated
        names = [name for name in stated.parties if name != stated.desk]

        async def meet(name: str) -> None:
            self._peers[name] = await door.peer(name, seconds=stated.meeting)
            if self._recorder is not None:
                recorder = self._recorder
                self._peers[name].recorder = lambda way, frame: recorder(name, way, frame)

        await _all(meet(name) for name in names)

    async def _run(self) -> Finished:
        columns = await self._hello()
        keys = await self._keys()
        await self._share()
        self.learned.rows = (await self._sums({}, 1))[0]
        self._price = await self._priced()
        result = await self._search()
        facts = Facts.of(self.learned.run, self.learned.rows, columns, result)
        winner = await self._ask([list(_levels(result))])
        facts = replace(facts, groups=winner[0].groups)
        await self._announce(result, winner[0])
        published = await self._publish(facts, keys)
        return Finished(result, published, self.learned)

    async def _hello(self) -> tuple[str, ...]:
        """Everybody says what they are about; their columns must be the same."""
        run, digest = self.learned.run, self._policy.digest
        await _all(
            each.send(say.HELLO, {"version": VERSION, "run": run, "policy": digest})
            for each in self._peers.values()
        )
        columns: dict[str, Any] = {}

        async def hear(peer: Peer) -> None:
            frame = await self._receive(peer, say.HELLO, say.SMALL)
            if say.whole(peer.name, frame.head, "version") != VERSION:
                raise PartyError(peer.name, "speaks another version of the protocol")
            if say.text(peer.name, frame.head, "policy") != digest:
                raise PartyError(peer.name, "has another policy; compare the digests")
            if say.text(peer.name, frame.head, "run") != run:
                raise PartyError(peer.name, "is in another run")
            columns[peer.name] = frame.head.get("columns")

        await _all(hear(each) for each in self._peers.values())
        first = columns[self._policy.holders[0]]
        if not isinstance(first, list) or not all(isinstance(each, str) for each in first):
            raise PartyError(self._policy.holders[0], "sent no columns where the protocol has them")
        for name in self._policy.holders[1:]:
            if columns[name] != first:
                raise PartyError(
                    name,
                    f"its table has other columns than that of {self._policy.holders[0]}, or another order; "
                    "all holders need the same columns in the same order",
                )
        return tuple(first)

    async def _keys(self) -> RunKeys:
        """Relay the keys of this run; the desk's own is for parts of the release, if it is the recipient."""
        run, certificates = self.learned.run, self._policy.certificates
        own = RunKeys(self._identity, run)
        frames = dict(zip(self._peers, await self._hear_all(say.KEYS, say.SMALL, self._peers), strict=True))
        self._public = {
            name: PublicKey.received(dict(frame.head), certificates[name], run)
            for name, frame in frames.items()
        }
        self._public[self._identity.name] = own.public
        every = {name: key.sent for name, key in self._public.items()}
        await _all(each.send(say.KEYS, {"keys": every}) for each in self._peers.values())
        return own

    async def _share(self) -> None:
        """Relay K, which the desk cannot read, from the first holder to the others."""
        first, *others = self._holders
        frame = await self._receive(first, say.SHARED, say.SMALL)
        sent = frame.head.get("sealed")
        if not isinstance(sent, dict) or sorted(sent) != sorted(each.name for each in others):
            raise PartyError(first.name, "sent no sealed key for each of the others")
        await _all(each.send(say.SHARED, {"sealed": sent[each.name]}) for each in others)

    async def _sums(self, head: Mapping[str, Any], length: int) -> list[int]:
        """A sum over all holders of which the desk sees no term."""
        await self._request(say.SUM, head)
        return await self._terms(length)

    async def _terms(self, length: int) -> list[int]:
        frames = await self._hear_all(say.TERM, say.SMALL + 8 * length)
        terms = []
        for peer, frame in zip(self._holders, frames, strict=True):
            say.check_round(peer.name, frame, self._round)
            terms.append(say.vector(peer.name, frame, length))
        return summed(terms)

    async def _priced(self) -> LevelPrice:
        """The price, with what all rows together cost per column and level."""
        rows = self.learned.rows
        if not 0 < rows < 2**31:
            raise EngineError("the holders' numbers of rows do not add up to a table; one of them is wrong")
        price, _ = price_of(self._policy, self._domains, rows)
        lengths = [len(units) for units in price.units]
        sums = await self._sums({"rows": rows}, sum(lengths))
        if not price.units:  # levels alone cost something, or suppressed rows do
            return price
        if not all(0 <= each <= price.suppressed_row * rows for each in sums):
            raise EngineError("the holders' sums of losses are impossible; one of them is wrong")
        ends = np.cumsum([0, *lengths])
        fixed = [sums[begin:end] for begin, end in itertools.pairwise(ends)]
        return replace(price, fixed=fixed)

    async def _search(self) -> Result:
        policy, loop = without_clock(self._policy.policy), asyncio.get_running_loop()

        def measure(nodes: list[list[int]]) -> list[MeasuredElsewhere]:
            # The search has a thread of its own, and waits there for what this loop hears.
            return asyncio.run_coroutine_threadsafe(self._measure(nodes), loop).result()

        result = await asyncio.to_thread(
            search_elsewhere,
            self._domains,
            self._price,
            self._policy.ranges,
            self._most_suppressed,
            policy.budget,
            measure,
            self._on_progress,
        )
        check_result(self._policy, result, self._most_suppressed, self.learned.rows)
        return result

    @property
    def _most_suppressed(self) -> int:
        limit = self._policy.policy.suppression.limit(self.learned.rows)
        return self.learned.rows if limit is None else min(limit, self.learned.rows)

    async def _ask(self, nodes: Sequence[Sequence[int]]) -> list[Judged]:
        """The groups of some nodes, judged one after the other: only one node's tokens are held."""
        await self._request(say.MEASURE, {"nodes": [list(each) for each in nodes]})
        policy, found = self._policy, []
        for number in range(len(nodes)):
            tokens, counts = [], []
            frames = await self._hear_all(say.TOKENS, CAP)
            for peer, frame in zip(self._holders, frames, strict=True):
                say.check_round(peer.name, frame, self._round)
                if say.whole(peer.name, frame.head, "node") != number:
                    raise PartyError(peer.name, "answered about another node than the one that is next")
                sent = say.tokens_and_counts(peer.name, frame, policy.policy.k, self.learned.rows)
                tokens.append(sent[0])
                counts.append(sent[1])
                self.learned.tokens += len(sent[1])
            found.append(judged(tokens, counts, policy.policy.k, insider=policy.stated.insider))
            self.learned.nodes += 1
        return found

    async def _measure(self, nodes: list[list[int]]) -> list[MeasuredElsewhere]:
        """Nodes as the search wants them; refused rows are priced where the node may be released."""
        found = await self._ask(nodes)
        insider, limit = self._policy.stated.insider, self._most_suppressed
        asked = [
            number
            for number, each in enumerate(found)
            if each.small and (insider or (self._price.units and each.small <= limit))
        ]
        below = dict(zip(asked, await self._prices(found, asked), strict=True)) if asked else {}
        measured = []
        for number, (levels, each) in enumerate(zip(nodes, found, strict=True)):
            rows, cells = below.get(number, (each.small, 0))
            if not insider and rows != each.small:
                raise EngineError("the holders count refused rows in two ways; one of them is wrong")
            due = self._price.suppressed_row * rows - cells
            fixed = sum(of[level] for of, level in zip(self._price.fixed, levels, strict=True))
            measured.append((each.groups, rows, fixed + due, due))
        return measured

    async def _prices(self, found: Sequence[Judged], asked: Sequence[int]) -> list[tuple[int, int]]:
        """Per node the rows of refused groups, and what they would cost if they were kept."""
        await self._request(say.PRICE, {"nodes": list(asked)}, [found[number] for number in asked])
        self.learned.priced += len(asked)
        sums = await self._terms(2 * len(asked))
        most = self._price.suppressed_row * self.learned.rows
        if not all(0 <= each <= max(most, self.learned.rows) for each in sums):
            raise EngineError("the holders' sums over refused rows are impossible; one of them is wrong")
        return list(zip(sums[::2], sums[1::2], strict=True))

    async def _announce(self, result: Result, winner: Judged) -> None:
        cost = None if result.cost is None else float(result.cost)
        head = {"nodes": [0], "cost": cost, "status": result.status.value}
        await self._request(say.RELEASE, head, [winner])

    async def _publish(self, facts: Facts, keys: RunKeys) -> Published | None:
        """Hand the parts to the recipient, and tell the holders once the release is audited and named."""
        stated = self._policy.stated
        if self._recipient is not None:
            place = self._recipient
            part_keys = {name: keys.secret(name, self._public[name], "part") for name in stated.holders}
            place.open(part_keys, facts.run)
            try:
                await _all(self._parts(each, place.take) for each in self._holders)
                published = await asyncio.to_thread(place.publish, facts.with_transcripts(self._transcripts))
            finally:
                place.close()
            digest = published.release_digest
        else:
            peer, published = self._peers[stated.recipient], None
            for each in self._holders:
                await self._parts(each, _relay(peer, stated.timeout))
            await peer.send(say.FACTS, facts.with_transcripts(self._transcripts).sent, seconds=stated.timeout)
            frame = await peer.receive(say.DONE, seconds=stated.patience, cap=say.SMALL)
            digest = say.text(peer.name, frame.head, "release_digest")
        transcripts = self._transcripts
        self.learned.bytes = sum(each.bytes_received for each in self._peers.values())
        self._round += 1
        for each in self._holders:
            head = {
                "round": self._round,
                "transcript": transcripts[each.name],
                "release_digest": digest,
            }
            await each.send(say.DONE, head, seconds=stated.timeout)
        return published

    @property
    def _transcripts(self) -> dict[str, str]:
        return {each.name: each.digest for each in self._holders}

    async def _parts(
        self, peer: Peer, take: Callable[[str, int, bool, NDArray[np.uint8]], Awaitable[None]]
    ) -> None:
        """One holder's part of the release, chunk by chunk."""
        number, last = 0, False
        while not last:
            frame = await self._receive(peer, say.PART, say.CHUNK + say.SMALL)
            say.check_round(peer.name, frame, self._round)
            if say.whole(peer.name, frame.head, "number") != number or len(frame.arrays) != 1:
                raise PartyError(peer.name, "sent parts of the release out of their order")
            last = frame.head.get("last") is True
            await take(peer.name, number, last, frame.arrays[0])
            number += 1

    async def _request(self, kind: int, head: Mapping[str, Any], about: Sequence[Judged] = ()) -> None:
        """Ask all holders; each gets the bits of its own groups at the nodes that are told of."""
        self._round += 1
        await _all(
            peer.send(
                kind,
                {"round": self._round, **head},
                *(np.packbits(each.refused[place]) for each in about),
                seconds=self._policy.stated.timeout,
            )
            for place, peer in enumerate(self._holders)
        )

    async def _hear_all(self, kind: int, cap: int, names: Iterable[str] | None = None) -> list[Frame]:
        chosen = self._policy.holders if names is None else names
        return await _all(self._receive(self._peers[name], kind, cap) for name in chosen)

    async def _receive(self, peer: Peer, kind: int, cap: int) -> Frame:
        return await peer.receive(kind, seconds=self._policy.stated.timeout, cap=cap)

    async def _end(self, error: ShoalError) -> None:
        """Tell everybody why there is nothing to release, which is nobody's fault."""
        self._round += 1
        head: dict[str, Any] = {"round": self._round, "code": error.exit_code, "reason": str(error)}
        if isinstance(error, InfeasibleError):
            head |= {"k": error.k, "limit": error.limit, "suppressed": error.suppressed}
        await asyncio.gather(
            *(each.send(say.ENDED, head, seconds=2) for each in self._peers.values()), return_exceptions=True
        )

    async def _abort(self, reason: str) -> None:
        await asyncio.gather(*(each.abort(reason) for each in self._peers.values()), return_exceptions=True)


def _relay(recipient: Peer, seconds: float) -> Callable[[str, int, bool, NDArray[np.uint8]], Awaitable[None]]:
    async def take(holder: str, number: int, last: bool, chunk: NDArray[np.uint8]) -> None:
        head = {"holder": holder, "number": number, "last": last}
        await recipient.send(say.PART, head, chunk, seconds=seconds)

    return take


def _levels(result: Result) -> tuple[int, ...]:
    assert isinstance(result.recoding, LevelRecoding)  # `check_result` has seen it
    return result.recoding.levels


async def _all(work: Iterable[Awaitable[Any]]) -> list[Any]:
    """Do several things at once; the first failure ends the others and is raised."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
