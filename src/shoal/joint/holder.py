"""A holder's side of a joint release: answers the desk, and sends its recoded rows to the recipient.

It answers each round once, in the order of the protocol, and nothing that the protocol does not have. Rows
leave the process only as tokens with clamped counts, as masked sums, and recoded, sealed for the recipient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PartyError, PolicyError
from shoal.files.private_folder import PrivateFolder
from shoal.joint import messages as say
from shoal.joint.domains import price_of
from shoal.joint.keys import PublicKey, RunKeys, fresh_key, opened, sealed
from shoal.joint.masks import masked
from shoal.joint.own_rows import NodeOfRows, OwnRows, cells_of
from shoal.joint.policy import VERSION, JointPolicy
from shoal.joint.tokens import in_order, node_key, tokens_of
from shoal.network.frames import Frame
from shoal.network.identity import Identity
from shoal.network.meeting import connect
from shoal.network.peer import Peer

MOST_ROUNDS = 1_000_000


@dataclass
class Learned:
    """What a holder got to know in a run.

    Parameters
    ----------
    run
        The run.
    rows
        All rows of all holders.
    measured, priced
        Nodes that it was asked about, and those at which it was told of each of its groups whether it is
        refused.
    bits
        How many groups it was told of.
    levels, cost, status
        The release: levels per column, what it costs, and whether that is proved.
    transcript, release_digest
        What the manifest has of this conversation, and of the release.
    """

    run: str = ""
    rows: int = 0
    measured: int = 0
    priced: int = 0
    bits: int = 0
    levels: tuple[int, ...] = ()
    cost: float | None = None
    status: str = ""
    transcript: str = ""
    release_digest: str = ""
    notes: list[str] = field(default_factory=list)


class Holder:
    """One holder of one run.

    Parameters
    ----------
    policy
        What was agreed.
    identity
        Who this is.
    rows
        Its rows.
    on_node
        Called with the number of nodes that were answered.
    """

    def __init__(
        self,
        policy: JointPolicy,
        identity: Identity,
        rows: OwnRows,
        on_node: Callable[[int], None] | None = None,
    ) -> None:
        if identity.name not in policy.holders:
            raise PolicyError(f"{identity.name} is none of the holders that the policy names")
        self.learned = Learned()
        self._policy, self._identity, self._rows = policy, identity, rows
        self._on_node = on_node
        self._round = 0
        self._asked: list[NodeOfRows] = []

    async def run(self, *, recorder: Callable[[str, Frame], None] | None = None) -> Learned:
        """Take part in one run; raises, and has sent no recoded row that anybody publishes, if it fails."""
        stated = self._policy.stated
        host, port = stated.place
        desk = self._policy.certificates[stated.desk]
        peer = await connect(host, port, self._identity, desk, seconds=stated.meeting)
        peer.recorder = recorder
        try:
            await self._talk(peer)
        except PartyError as error:
            await peer.abort("it could not go on" if error.party == peer.name else str(error))
            raise
        except BaseException as error:
            await peer.abort(str(error) if isinstance(error, PolicyError) else "it ended its part")
            raise
        await peer.close()
        return self.learned

    async def _talk(self, peer: Peer) -> None:
        run = await self._hello(peer)
        keys = RunKeys(self._identity, run)
        public, recipient = await self._public_keys(peer, keys, run)
        await self._share(peer, keys, public)
        self._masks = keys.secrets(public, "mask")
        await self._sums(peer)
        released = await self._search(peer)
        await self._send_part(peer, released, keys.secret(self._policy.stated.recipient, recipient, "part"))
        await self._end(peer)

    async def _hello(self, peer: Peer) -> str:
        """Both sides say what they are about."""
        policy = self._policy
        frame = await peer.receive(say.HELLO, seconds=policy.stated.meeting, cap=say.SMALL)
        if say.whole(peer.name, frame.head, "version") != VERSION:
            raise PolicyError(
                f"{peer.name} speaks another version of the protocol; all parties need the same Shoal"
            )
        if say.text(peer.name, frame.head, "policy") != policy.digest:
            raise PolicyError(
                f"{peer.name} has another policy than this one (policy, hierarchies or parties differ); "
                "compare the digests that `shoal joint digest` prints"
            )
        run = say.text(peer.name, frame.head, "run")
        if len(run) != 32 or not all(sign in "0123456789abcdef" for sign in run):
            raise PartyError(peer.name, "sent no proper run where the protocol has one")
        self.learned.run = run
        head = {"version": VERSION, "run": run, "policy": policy.digest, "columns": list(self._rows.columns)}
        await peer.send(say.HELLO, head)
        return run

    async def _public_keys(
        self, peer: Peer, keys: RunKeys, run: str
    ) -> tuple[dict[str, PublicKey], PublicKey]:
        """Exchange the keys of this run; all are signed by their parties, not by the desk."""
        await peer.send(say.KEYS, keys.public.sent)
        frame = await self._receive(peer, say.KEYS)
        found = frame.head.get("keys")
        stated: Mapping[str, Any] = found if isinstance(found, dict) else {}
        certificates, policy = self._policy.certificates, self._policy.stated
        received = {
            name: PublicKey.received(stated.get(name), certificates[name], run)
            for name in (*policy.holders, policy.recipient)
        }
        return {name: received[name] for name in policy.holders}, received[policy.recipient]

    async def _share(self, peer: Peer, keys: RunKeys, public: Mapping[str, PublicKey]) -> None:
        """The first holder draws K; the others get it through the desk, which cannot read it."""
        first, own = self._policy.holders[0], self._identity.name
        wrapping = keys.secrets(public, "key")
        if own == first:
            self._key = fresh_key()
            sent = {name: sealed(key, 0, self._key, name).hex() for name, key in wrapping.items()}
            await peer.send(say.SHARED, {"sealed": sent})
            return
        frame = await self._receive(peer, say.SHARED)
        try:
            content = bytes.fromhex(say.text(peer.name, frame.head, "sealed"))
        except ValueError:
            raise PartyError(peer.name, "sent no sealed key where one is expected") from None
        self._key = opened(wrapping[first], 0, content, own, first)

    async def _sums(self, peer: Peer) -> None:
        """Rows first, because prices depend on how many there are; then what all rows cost per level."""
        await self._next(peer, say.SUM)
        await self._answer(peer, [self._rows.rows])
        frame = await self._next(peer, say.SUM)
        self.learned.rows = say.whole(peer.name, frame.head, "rows", least=self._rows.rows)
        self._price, _ = price_of(self._policy, self._rows.domains, self.learned.rows)
        await self._answer(peer, self._rows.fixed(self._price))

    async def _search(self, peer: Peer) -> tuple[NodeOfRows, NDArray[np.bool_]]:
        """Answer about nodes until one of them is released: its groups, and which of them are refused."""
        while True:
            frame = await self._next(peer, (say.MEASURE, say.PRICE, say.RELEASE, say.ENDED))
            if frame.kind == say.MEASURE:
                await self._measure(peer, frame)
            elif frame.kind == say.PRICE:
                await self._tell_price(peer, frame)
            elif frame.kind == say.RELEASE:
                return self._released(peer, frame)
            else:
                raise say.ended(peer.name, frame)

    async def _measure(self, peer: Peer, frame: Frame) -> None:
        """Tokens and clamped counts, a frame for each node."""
        nodes = frame.head.get("nodes")
        if not isinstance(nodes, list) or not 1 <= len(nodes) <= 256:
            raise PartyError(peer.name, "asked for no nodes, or for too many at once")
        self._asked = []
        k = self._policy.policy.k
        for number, stated in enumerate(nodes):
            levels = say.levels_of(peer.name, stated, self._policy.heights)
            node = self._rows.node(levels)
            if len(node.sizes) > say.MOST_TOKENS:
                raise PolicyError(
                    f"this holder has more than {say.MOST_TOKENS:,} combinations at one node; state "
                    "min_level for columns with many values"
                )
            tokens = tokens_of(node.parts, node_key(self._key, self.learned.run, levels))
            order = in_order(tokens)
            node = node.ordered(order)
            self._asked.append(node)
            clamped = np.minimum(node.sizes, k).astype(say.counts_type(k))
            await self._send(peer, say.TOKENS, {"node": number}, tokens[order], clamped)
            self.learned.measured += 1
            if self._on_node is not None:
                self._on_node(self.learned.measured)

    async def _tell_price(self, peer: Peer, frame: Frame) -> None:
        """Rows of refused groups and what they would cost if kept, summed, behind a mask."""
        values: list[int] = []
        for node, refused in self._refused(peer, frame):
            values += cells_of(self._price, node, refused)
            self.learned.priced += 1
        await self._answer(peer, values)

    def _released(self, peer: Peer, frame: Frame) -> tuple[NodeOfRows, NDArray[np.bool_]]:
        [(node, refused)] = self._refused(peer, frame)
        self.learned.levels = node.levels
        cost = frame.head.get("cost")
        self.learned.cost = float(cost) if isinstance(cost, int | float) else None
        self.learned.status = say.text(peer.name, frame.head, "status")
        return node, refused

    def _refused(self, peer: Peer, frame: Frame) -> list[tuple[NodeOfRows, NDArray[np.bool_]]]:
        """The nodes that a frame tells of, with a bit for each of this holder's groups."""
        numbers = frame.head.get("nodes")
        if (
            not isinstance(numbers, list)
            or len(numbers) != len(frame.arrays)
            or not numbers
            or not all(type(each) is int and 0 <= each < len(self._asked) for each in numbers)
        ):
            raise PartyError(peer.name, "told of nodes that it has not asked for")
        told = []
        for number, packed in zip(numbers, frame.arrays, strict=True):
            node = self._asked[number]
            told.append((node, say.bits(peer.name, packed, len(node.sizes))))
            self.learned.bits += len(node.sizes)
        return told

    async def _send_part(
        self, peer: Peer, released: tuple[NodeOfRows, NDArray[np.bool_]], key: bytes
    ) -> None:
        """The recoded rows, sealed for the recipient."""
        with PrivateFolder(None) as folder:
            place = folder.path / "part.tsv"
            self._rows.write(*released, place)
            number, left = 0, place.stat().st_size
            with place.open("rb") as part:
                while True:
                    content = part.read(say.CHUNK)
                    left -= len(content)
                    about = f"{self.learned.run}|{self._identity.name}|{'last' if left <= 0 else 'more'}"
                    chunk = np.frombuffer(sealed(key, number, content, about), np.uint8)
                    await self._send(peer, say.PART, {"number": number, "last": left <= 0}, chunk)
                    number += 1
                    if left <= 0:
                        return

    async def _end(self, peer: Peer) -> None:
        """The recipient has audited the release; both ends have the same transcript."""
        digest = peer.digest
        frame = await self._next(peer, (say.DONE, say.ENDED))
        if frame.kind == say.ENDED:
            raise say.ended(peer.name, frame)
        if say.text(peer.name, frame.head, "transcript") != digest:
            raise PartyError(peer.name, "has another transcript of this conversation")
        self.learned.transcript = digest
        self.learned.release_digest = say.text(peer.name, frame.head, "release_digest")

    async def _next(self, peer: Peer, kind: int | tuple[int, ...]) -> Frame:
        """The desk's next request, which must be of the next round."""
        frame = await self._receive(peer, kind)
        self._round += 1
        if self._round > MOST_ROUNDS:
            raise PartyError(peer.name, f"asked more than {MOST_ROUNDS:,} times")
        say.check_round(peer.name, frame, self._round)
        return frame

    async def _receive(self, peer: Peer, kind: int | tuple[int, ...]) -> Frame:
        # The desk may wait for another holder before it speaks.
        return await peer.receive(kind, seconds=self._policy.stated.patience)

    async def _send(self, peer: Peer, kind: int, head: dict[str, Any], *arrays: NDArray[Any]) -> None:
        await peer.send(kind, {"round": self._round, **head}, *arrays, seconds=self._policy.stated.timeout)

    async def _answer(self, peer: Peer, values: list[int]) -> None:
        """A masked term; each round has its own label."""
        policy = self._policy
        term = masked(values, self._identity.name, policy.holders, self._masks, f"round {self._round}")
        await self._send(peer, say.TERM, {}, term)
