"""A holder's side of a joint release without a desk.

All three holders do the same: they name groups, compare shared counts with k, open totals, and run the same
search on them. The search is `lattice`, with the same order and the same ties, so no holder needs to be told
what another has found. The first holder also writes the release.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.levels.elsewhere import MeasuredElsewhere, search_elsewhere
from shoal.cost import LevelPrice
from shoal.errors import (
    EngineError,
    InfeasibleError,
    NotProvedError,
    PartyError,
    PolicyError,
    ShoalError,
)
from shoal.files.private_folder import PrivateFolder
from shoal.joint import messages as say
from shoal.joint.domains import price_of
from shoal.joint.facts import Facts
from shoal.joint.no_desk.line import Line
from shoal.joint.no_desk.naming import NAMES, POINTS, Naming, exchanged
from shoal.joint.no_desk.shares import Judgement, Shares
from shoal.joint.outcome import check_result
from shoal.joint.own_rows import NodeOfRows, OwnRows
from shoal.joint.policy import VERSION, JointPolicy
from shoal.joint.recipient import Published, Recipient
from shoal.joint.tokens import numbered
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Result
from shoal.network.frames import Frame

HELLO, PART, DONE, BYE = 30, 33, 34, 35
KINDS = (HELLO, POINTS, NAMES, PART, DONE, BYE)


@dataclass(frozen=True)
class Finished:
    """A run that ended well.

    Parameters
    ----------
    result
        The answer of the search, the same at all holders.
    published
        What the first holder wrote; `None` at the others.
    digest
        SHA-256 of the release.
    names
        How many names of groups were seen.
    """

    result: Result
    published: Published | None
    digest: str
    names: int


class EqualHolder:
    """One of three holders.

    Parameters
    ----------
    policy
        What was agreed.
    name, rows
        Who this is, and its rows.
    lines
        Name -> the line to each of the other two.
    recipient
        Writes the release; of the first holder alone.
    on_node
        Called with the number of nodes that were measured, first with 0 when all three are there.

    Attributes
    ----------
    end
        How it ended, as soon as that is known: a release that is published, or why there is none.
    """

    def __init__(
        self,
        policy: JointPolicy,
        name: str,
        rows: OwnRows,
        lines: dict[str, Line],
        recipient: Recipient | None,
        on_node: Callable[[int], None] | None = None,
    ) -> None:
        self._policy, self._name, self._rows, self._recipient = policy, name, rows, recipient
        self._on_node = on_node
        self._holders = policy.holders
        self._place = self._holders.index(name)
        self._lines = lines
        self._number, self._names = 0, 0
        self.end: Finished | ShoalError | None = None

    @property
    def _others(self) -> list[Line]:
        """The other two, in the order of the policy."""
        return [self._lines[each] for each in self._holders if each != self._name]

    async def run(self) -> Finished:
        """See the run through, as soon as the lines are heard."""
        run, self._columns = await self._hello()
        if self._on_node is not None:
            self._on_node(0)
        places = {self._holders.index(line.name): line for line in self._others}
        self._shares = Shares(self._place, places)
        await self._shares.connected()
        after, before = places[(self._place + 1) % 3], places[(self._place - 1) % 3]
        self._naming = Naming(run, after, before)
        self._all_rows = (await self._shares.totals([self._rows.rows]))[0]
        self._price = await self._priced()
        try:
            result = await self._search()
        except (InfeasibleError, NotProvedError) as error:
            # All three find this out by themselves, and nobody is at fault.
            await self._part(error)
            raise
        node, refused, groups = await self._winner(result)
        published, digest = await self._publish(run, result, node, refused, groups)
        finished = Finished(result, published, digest, self._names)
        await self._part(finished)
        return finished

    async def _part(self, end: Finished | ShoalError) -> None:
        """Nobody hangs up before all three know how it ended."""
        self.end = end
        for line in self._others:
            await line.send(BYE, {})
        for line in self._others:
            await line.receive(BYE, {})

    async def _hello(self) -> tuple[bytes, tuple[str, ...]]:
        """Everybody says what they are about; the run's label has a draw of each."""
        draws, columns = {self._name: secrets.token_hex(16)}, list(self._rows.columns)
        own = {
            "version": VERSION,
            "policy": self._policy.digest,
            "columns": columns,
            "draw": draws[self._name],
        }
        for line in self._others:
            await line.send(HELLO, own)
        for line in self._others:
            frame = await line.receive(HELLO, {})
            if frame.head.get("version") != VERSION:
                raise PartyError(line.name, "speaks another version of the protocol")
            if frame.head.get("policy") != self._policy.digest:
                raise PartyError(line.name, "has another policy; compare the digests")
            if frame.head.get("columns") != columns:
                raise PartyError(line.name, "its table has other columns, or another order of them")
            draws[line.name] = say.text(line.name, frame.head, "draw", 32)
        drawn = "".join(draws[name] for name in self._holders)
        return hashlib.sha256(drawn.encode()).digest(), tuple(columns)

    async def _priced(self) -> LevelPrice:
        """The price, with what all rows together cost per column and level."""
        if not 0 < self._all_rows < 2**31:
            raise EngineError("the holders' numbers of rows do not add up to a table; one of them is wrong")
        price, _ = price_of(self._policy, self._rows.domains, self._all_rows)
        sums = await self._shares.totals(self._rows.fixed(price))
        if not price.units:
            return price
        if not all(0 <= each <= price.suppressed_row * self._all_rows for each in sums):
            raise EngineError("the holders' sums of losses are impossible; one of them is wrong")
        ends = np.cumsum([0, *(len(units) for units in price.units)])
        return replace(price, fixed=[sums[begin:end] for begin, end in itertools.pairwise(ends)])

    @property
    def _most_suppressed(self) -> int:
        limit = self._policy.policy.suppression.limit(self._all_rows)
        return self._all_rows if limit is None else min(limit, self._all_rows)

    async def _search(self) -> Result:
        """The search, in a thread; it must be the same at all holders, so no clock may end it."""
        loop = asyncio.get_running_loop()

        def measure(nodes: list[list[int]]) -> list[MeasuredElsewhere]:
            return asyncio.run_coroutine_threadsafe(self._measured(nodes), loop).result()

        result = await asyncio.to_thread(
            search_elsewhere,
            self._rows.domains,
            self._price,
            self._policy.ranges,
            self._most_suppressed,
            replace(self._policy.policy.budget, seconds=None),
            measure,
            None,
        )
        check_result(self._policy, result, self._most_suppressed, self._all_rows)
        return result

    async def _measured(self, nodes: Sequence[Sequence[int]]) -> list[MeasuredElsewhere]:
        """Nodes as the search wants them; small groups are priced where the node may be released."""
        measured = []
        for levels in nodes:
            _, judgement, every, _ = await self._judged(levels)
            small, rows = await judgement.rows()
            cells = 0
            if rows and self._price.units and rows <= self._most_suppressed:
                cells = await judgement.price()
            due = self._price.suppressed_row * rows - cells
            fixed = sum(of[level] for of, level in zip(self._price.fixed, levels, strict=True))
            measured.append((every - small, rows, fixed + due, due))
            if self._on_node is not None:
                self._on_node(self._number)
        return measured

    async def _judged(
        self, levels: Sequence[int]
    ) -> tuple[NodeOfRows, Judgement, int, list[NDArray[np.int64]]]:
        """Name the groups of a node, and share their counts: nothing is opened yet."""
        self._number += 1
        node, k = self._rows.node(levels), self._policy.policy.k
        own = await self._naming.of(self._number, levels, node.parts, self._all_rows)
        received = await exchanged(own, self._others, self._number, self._all_rows)
        received.insert(self._place, own)
        every, of_holder = numbered(received)
        self._names += sum(map(len, received))
        counts, prices = np.zeros(every, np.int64), np.zeros(every, object)
        clamped = np.minimum(node.sizes, k)
        counts[of_holder[self._place]] = clamped
        prices[of_holder[self._place]] = self._prices(node) * clamped
        most = max(self._price.suppressed_row, k) * max(self._all_rows, k)
        # All positions are those of sorted names: the same at each holder.
        ordered = [np.sort(numbers) for numbers in of_holder]
        ordered[self._place] = of_holder[self._place]
        return node, self._shares.judged(counts, prices, k, most), every, ordered

    def _prices(self, node: NodeOfRows) -> NDArray[np.object_]:
        """What one row of each group costs if it is kept."""
        of_row = np.zeros(len(node.sizes), object)
        for attribute, units in enumerate(self._price.units):
            of_row += np.array(units[node.levels[attribute]], object)[node.parts[:, attribute]]
        return of_row

    async def _winner(self, result: Result) -> tuple[NodeOfRows, NDArray[np.bool_], int]:
        """The released node: own groups, which of them are refused, and how many all holders release."""
        assert isinstance(result.recoding, LevelRecoding)
        node, judgement, every, of_holder = await self._judged(result.recoding.levels)
        small, rows = await judgement.rows()
        if rows != result.suppressed:
            raise EngineError("the holders count refused rows in two ways; one of them is wrong")
        if not small:
            return node, np.zeros(len(node.sizes), np.bool_), every
        # Each holder's groups in the order of its places; own ones are put back into the node's order.
        order = np.argsort(of_holder[self._place])
        of_holder[self._place] = of_holder[self._place][order]
        opened = await judgement.own(of_holder)
        refused = np.zeros(len(order), np.bool_)
        refused[order] = opened
        return node, refused, every - small

    async def _publish(
        self, run: bytes, result: Result, node: NodeOfRows, refused: NDArray[np.bool_], groups: int
    ) -> tuple[Published | None, str]:
        """The first holder gathers the recoded rows, audits and names the release; the others hear of it."""
        with PrivateFolder(None) as folder:
            part = folder.path / "part.tsv"
            self._rows.write(node, refused, part)
            if self._recipient is None:
                first = self._lines[self._holders[0]]
                await _send_part(first, part.read_bytes())
                frame = await first.receive(DONE, {})
                return None, say.text(first.name, frame.head, "release_digest", 64)
            place = self._recipient
            place.open({}, run.hex())
            try:
                place.put(self._name, part.read_bytes())
                for line in self._others:
                    await _receive_part(line, place)
                facts = Facts.of(run.hex(), self._all_rows, self._columns, result)
                facts = replace(facts, groups=groups)
                transcripts = {line.name: line.digest for line in self._others}
                published = await asyncio.to_thread(place.publish, facts.with_transcripts(transcripts))
            finally:
                place.close()
        for line in self._others:
            await line.send(DONE, {"release_digest": published.release_digest})
        return published, published.release_digest


async def _send_part(line: Line, content: bytes) -> None:
    every = [content[begin : begin + say.CHUNK] for begin in range(0, max(1, len(content)), say.CHUNK)]
    for number, chunk in enumerate(every):
        head = {"number": number, "last": number + 1 == len(every)}
        await line.send(PART, head, np.frombuffer(chunk, np.uint8))


async def _receive_part(line: Line, place: Recipient) -> None:
    for number in itertools.count():
        frame: Frame = await line.receive(PART, {"number": number})
        if [(each.dtype.str, each.ndim) for each in frame.arrays] != [("|u1", 1)]:
            raise PartyError(line.name, "sent no part of the release where one is expected")
        place.put(line.name, frame.arrays[0].tobytes())
        if frame.head.get("last") is True:
            return


def check_no_desk(policy: JointPolicy, name: str) -> None:
    """Raise `PolicyError` unless this party is one of three holders without a desk."""
    if policy.stated.desk:
        raise PolicyError(
            'the policy names a desk; for three holders without one, set desk = "" under [joint], and '
            "[joint.addresses]"
        )
    if name not in policy.holders:
        raise PolicyError(f"{name} is none of the holders that the policy names")
