"""Whatever a party does wrong: it is named, the run ends with 6, nothing is written, the next run works."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.errors import EngineError, PartyError, PolicyError
from shoal.joint import messages as say
from shoal.joint.desk import Desk
from shoal.joint.holder import Holder
from shoal.joint.policy import JointPolicy
from shoal.model.policy.suppression import Suppression
from shoal.network.frames import Frame, encoded
from shoal.network.identity import Identity
from shoal.network.peer import Peer
from tests.joint.hospitals import SECRET, policy, tables
from tests.joint.parties import Run, identities, joint_policy, run_joint
from tests.patience import PATIENCE

Arrays = tuple[Any, ...]
Change = Callable[[dict[str, Any], Arrays], tuple[dict[str, Any], Arrays]]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Parties of all runs."""
    return identities(tmp_path_factory.mktemp("parties"))


@pytest.fixture
def agreed(known: dict[str, Identity]) -> JointPolicy:
    """The policy of three hospitals."""
    return joint_policy(policy(), known, 3)


def altered(kind: int, change: Change, at: int = 0) -> Callable[[Holder], None]:
    """A holder that changes what it sends, from the frame of this kind with this number on."""

    def spoil(holder: Holder) -> None:
        seen = 0

        async def send(peer: Peer, sent: int, head: dict[str, Any], *arrays: Any) -> None:
            nonlocal seen
            head = {"round": holder._round, **head}
            if sent == kind:
                if seen >= at:
                    head, arrays = change(head, arrays)
                seen += 1
            await peer.send(sent, head, *arrays, seconds=PATIENCE)

        holder._send = send  # type: ignore[method-assign]

    return spoil


def ended(run: Run, target: Path, words: str, party: str = "south") -> None:
    """The desk names the party, the others hear of it, and there is no file."""
    error = run.errors["desk"]
    assert isinstance(error, EngineError)
    assert error.exit_code == 6
    assert words in str(error)
    if isinstance(error, PartyError):
        assert error.party == party
    assert run.finished is None
    for name in {"north", "south", "west"} - {party}:
        assert isinstance(run.errors[name], PartyError), run.errors[name]
        assert words in str(run.errors[name])
    assert [each.name for each in target.parent.iterdir() if not each.name.startswith("rows-")] == []
    for each in run.errors.values():
        assert SECRET not in str(each)


def _count(value: int) -> Change:
    def change(head: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
        counts = arrays[1].copy()
        counts[-1] = value
        return head, (arrays[0], counts)

    return change


def _repeated(head: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    return head, (np.concatenate([arrays[0], arrays[0][-1:]]), np.append(arrays[1], arrays[1][-1]))


def _invented(head: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    tokens = np.frombuffer(np.arange(500, dtype=">u8").tobytes() * 2, np.uint8).reshape(2, 500, 8)
    return head, (np.concatenate([tokens[0], tokens[1]], axis=1), np.ones(500, np.uint8))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (altered(say.TOKENS, _repeated), "south: sent a token twice"),
        (altered(say.TOKENS, lambda h, a: (h, (a[0][::-1], a[1])), 3), "south: sent a token twice, or"),
        (altered(say.TOKENS, _count(0)), "south: sent a count that is not from 1 to k"),
        (altered(say.TOKENS, _count(4), 5), "south: sent a count that is not from 1 to k"),
        (altered(say.TOKENS, _invented), "south: sent tokens for more rows than all holders have"),
        (altered(say.TOKENS, lambda h, a: ({**h, "round": 2}, a)), "south: sent a frame of another round"),
        (altered(say.TOKENS, lambda h, a: ({**h, "round": "3"}, a)), "south: sent no proper round"),
        (altered(say.TOKENS, lambda h, a: ({**h, "node": 7}, a)), "south: answered about another node"),
        (altered(say.TOKENS, lambda h, a: (h, a[:1])), "south: sent no tokens"),
        (altered(say.TOKENS, lambda h, a: (h, (a[0][:, :8], a[1]))), "south: sent no tokens"),
        (altered(say.TOKENS, lambda h, a: (h, (a[0], a[1][:-1]))), "south: sent tokens without a count"),
        (altered(say.TERM, lambda h, a: (h, (np.append(a[0], np.uint64(1)),))), "south: sent no vector"),
        (altered(say.TERM, lambda h, a: ({**h, "round": 9}, a), 1), "south: sent a frame of another round"),
        (altered(say.TERM, lambda h, a: (h, (a[0] + np.uint64(2**40),))), "numbers of rows do not add up"),
        (altered(say.TERM, lambda h, a: (h, (a[0] + np.uint64(2**62),)), 1), "sums of losses are impossible"),
        (altered(say.TERM, lambda h, a: (h, (a[0] + np.uint64(1),)), 2), "count refused rows in two ways"),
        (altered(say.PART, lambda h, a: ({**h, "number": 4}, a)), "south: sent parts of the release out"),
        (altered(say.PART, lambda h, a: (h, (a[0] ^ np.uint8(1),))), "south: what it sealed was changed"),
        (altered(say.PART, lambda h, a: ({**h, "last": False}, a)), "south: what it sealed was changed"),
    ],
)  # fmt: skip
def test_a_holder_that_breaks_the_protocol_is_named(
    tmp_path: Path,
    known: dict[str, Identity],
    agreed: JointPolicy,
    spoil: Callable[[Holder], None],
    words: str,
) -> None:
    """Tokens, counts, rounds, vectors and parts that cannot be."""
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", spoil={"south": spoil})
    named = words.startswith("south")
    ended(run, tmp_path / "release.csv", words, "south" if named else "")


def _leaves(at: str) -> Callable[[Holder], None]:
    """A holder whose connection is gone before it does a step."""

    def spoil(holder: Holder) -> None:
        async def gone(peer: Peer, *_: Any) -> None:
            peer._writer.transport.abort()
            raise PartyError(peer.name, "cut")

        setattr(holder, at, gone)

    return spoil


@pytest.mark.parametrize(
    "at", ["_hello", "_public_keys", "_share", "_sums", "_measure", "_tell_price", "_send_part"]
)
def test_a_holder_that_drops_out_ends_the_run(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy, at: str
) -> None:
    """In every phase; and a second run with the same parties succeeds."""
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", spoil={"south": _leaves(at)})
    ended(run, tmp_path / "release.csv", "south: left")
    if at == "_measure":
        again = run_joint(agreed, known, tables(), tmp_path / "release.csv")
        assert again.errors == {}
        assert (tmp_path / "release.csv").exists()


def test_a_holder_that_stalls_is_named(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desk waits no longer than the policy says; the others, who answered, are not blamed."""
    heard = Desk._receive

    async def impatient(self: Desk, peer: Peer, kind: int, cap: int) -> Frame:
        if peer.name == "south" and kind == say.TOKENS:
            return await peer.receive(kind, seconds=0.05, cap=cap)
        return await heard(self, peer, kind, cap)

    def spoil(holder: Holder) -> None:
        async def stalls(peer: Peer, frame: Frame) -> None:
            await peer.receive(say.MEASURE, seconds=PATIENCE)  # until the desk hangs up

        holder._measure = stalls  # type: ignore[method-assign]

    monkeypatch.setattr(Desk, "_receive", impatient)
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", spoil={"south": spoil})
    ended(run, tmp_path / "release.csv", "south: did not answer in time")


def test_another_policy_is_told_apart_from_a_fault(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy
) -> None:
    """Its own user gets 2, since only they can repair it; all others get 6 and the party's name."""
    other = joint_policy(replace(policy(), suppression=Suppression(11)), known, 3)
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", policies={"south": other})
    error = run.errors["south"]
    assert isinstance(error, PolicyError)
    assert error.exit_code == 2
    assert "desk has another policy" in str(error)
    ended(run, tmp_path / "release.csv", "south: ended the run: desk has another policy than this one")


def test_other_columns_are_named(tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy) -> None:
    """Before any row was counted for the others."""
    given = tables()
    given[1] = given[1].rename(columns={"note": "remark"})
    run = run_joint(agreed, known, given, tmp_path / "release.csv")
    ended(run, tmp_path / "release.csv", "south: its table has other columns than that of north")


def test_rows_that_a_holder_hides_are_caught_by_the_audit(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy
) -> None:
    """A part without rows that were counted is not the release that was promised."""

    def spoil(holder: Holder) -> None:
        write = holder._rows.write

        def fewer(node: Any, refused: Any, place: Path) -> None:
            write(node, refused, place)
            place.write_bytes(b"\n".join(place.read_bytes().splitlines()[:-1]) + b"\n")

        holder._rows.write = fewer  # type: ignore[method-assign]

    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", spoil={"south": spoil})
    assert "the audit refused the release" in str(run.errors["desk"])
    assert run.errors["desk"].exit_code == 5  # type: ignore[attr-defined]
    assert not (tmp_path / "release.csv").exists()


def _garbage(number: int) -> bytes:
    """A frame that is broken in one of many ways."""
    random_bytes = random.Random(number)
    content = bytearray(
        encoded(
            Frame(say.TOKENS, {"round": 3, "node": 0}, (np.zeros((3, 16), np.uint8), np.ones(3, np.uint8)))
        )
    )
    for _ in range(random_bytes.randint(1, 8)):
        content[random_bytes.randrange(len(content))] = random_bytes.randrange(256)
    return bytes(content[: random_bytes.randint(1, len(content))])


@pytest.mark.parametrize("number", range(6))
def test_garbage_from_a_holder_ends_the_run(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy, number: int
) -> None:
    """Mutated and cut frames, and then a closed connection: always the party's name and nothing else."""

    def spoil(holder: Holder) -> None:
        async def rubbish(peer: Peer, frame: Frame) -> None:
            peer._writer.write(_garbage(number))
            await peer.close()
            raise PartyError(peer.name, "cut")

        holder._measure = rubbish  # type: ignore[method-assign]

    run = run_joint(agreed, known, tables(), tmp_path / "release.csv", spoil={"south": spoil})
    ended(run, tmp_path / "release.csv", "south: ")


@pytest.mark.parametrize(
    ("kind", "head", "words"),
    [
        (say.MEASURE, {"round": 3, "nodes": [[0, 9]]}, "desk: named levels that the hierarchies do not have"),
        (say.MEASURE, {"round": 3, "nodes": [[0]]}, "desk: named levels"),
        (say.MEASURE, {"round": 3, "nodes": []}, "desk: asked for no nodes"),
        (say.MEASURE, {"round": 2, "nodes": [[0, 0]]}, "desk: sent a frame of another round"),
        (say.PRICE, {"round": 3, "nodes": [0]}, "desk: told of nodes that it has not asked for"),
        (say.RELEASE, {"round": 3, "nodes": [0]}, "desk: told of nodes that it has not asked for"),
        (say.DONE, {"round": 3}, "desk: sent something else than the protocol expects"),
    ],
)
def test_a_desk_that_breaks_the_protocol_is_named(
    tmp_path: Path,
    known: dict[str, Identity],
    agreed: JointPolicy,
    monkeypatch: pytest.MonkeyPatch,
    kind: int,
    head: dict[str, Any],
    words: str,
) -> None:
    """No holder answers what the protocol does not ask."""

    async def wrong(self: Desk) -> None:
        await asyncio.gather(*(each.send(kind, head, seconds=PATIENCE) for each in self._holders))
        await asyncio.gather(*(each.receive(99, seconds=PATIENCE) for each in self._holders))

    monkeypatch.setattr(Desk, "_search", wrong)
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv")
    for name in agreed.holders:
        assert words in str(run.errors[name])
        assert isinstance(run.errors[name], PartyError)


Step = Callable[..., Awaitable[Any]]


def test_a_desk_that_dies_is_named(
    tmp_path: Path, known: dict[str, Identity], agreed: JointPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection ends without a word."""

    async def dies(self: Desk) -> None:
        for each in self._holders:
            each._writer.transport.abort()
        raise EngineError("dead")

    monkeypatch.setattr(Desk, "_search", dies)
    run = run_joint(agreed, known, tables(), tmp_path / "release.csv")
    for name in agreed.holders:
        assert str(run.errors[name]).startswith("desk: left")
    assert not (tmp_path / "release.csv").exists()
