"""What goes wrong in a collection: named parties, nothing written, and a second run that succeeds."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import secrets
from datetime import timedelta
from pathlib import Path

import pytest

from shoal.errors import EngineError, PartyError, PolicyError
from shoal.joint.collect.customer import Customer
from shoal.joint.collect.party import Setting
from shoal.joint.collect.terms import COLLECTOR, RELAY
from shoal.joint.collect.tickets import Tickets, new_token, read_token, ticket
from shoal.joint.collect.wire import ACCEPTED, SUBMIT, as_array
from shoal.network.frames import Frame, encoded
from shoal.network.identity import Identity
from shoal.network.meeting import connect
from tests.joint.collect.running import NINE, Collection, closed_earlier, ran, running

HELPERS = ("helper2", "helper1")
OPEN = sorted(row for row in NINE if row[:2] in {("1957", "07028"), ("1939", "07030")})


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Nine customers, k = 3, two helpers."""
    return Collection(tmp_path)


def test_a_torn_last_line_of_used_tickets_is_cut_off(tmp_path: Path) -> None:
    """A process that is killed while it writes has accepted nothing; what comes next is written whole."""
    tokens = [bytes.fromhex(new_token()) for _ in range(3)]
    Tickets.write(tmp_path, tokens, RELAY)
    one, two, three = (ticket(token, RELAY) for token in tokens)
    tickets = Tickets(tmp_path)
    tickets.use(one, b"first")
    with (tmp_path / "used.txt").open("a") as file:
        file.write(hashlib.sha256(two).hexdigest()[:20])
    tickets = Tickets(tmp_path)
    assert (tickets.used, tickets.place(one), tickets.place(two)) == (1, 0, None)
    tickets.use(three, b"third")
    tickets = Tickets(tmp_path)
    assert (tickets.place(one), tickets.place(two), tickets.place(three)) == (0, None, 1)
    assert tickets.fault(three, b"third") is None
    assert "used already" in (tickets.fault(three, b"other") or "")
    assert "not on the list" in (tickets.fault(bytes(32), b"") or "")
    assert not tickets.all_used


def test_a_helper_that_is_not_there_is_named_and_the_second_try_succeeds(collection: Collection) -> None:
    """The same token, the same row, the same question to the helper that had answered."""

    async def run() -> None:
        async with running(collection, only=(COLLECTOR, *HELPERS, RELAY)):
            await collection.stop("helper2")
            # On a busy machine the other helper can be too slow as well.
            with pytest.raises(PartyError, match=r"helper\d: (nobody|did not) answer") as raised:
                await collection.submit(1, NINE[0], seconds=0.5)
            assert raised.value.exit_code == 6
            with pytest.raises(PolicyError, match="another row"):
                await collection.submit(1, NINE[4])
            await collection.start("helper2")
            await collection.submit_all(NINE)
            await collection.ended(COLLECTOR, RELAY)

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_token_is_good_for_one_row(collection: Collection) -> None:
    """A second row is refused by the helpers, and a second message by the relay."""
    token = collection.folder / "tokens" / "1.token"

    async def run() -> None:
        async with running(collection):
            await collection.submit(1, NINE[0])
            with pytest.raises(PartyError, match=r"helper\d: ended the run: this token was used already"):
                await collection.submit(1, NINE[4])
            assert await asked(collection, RELAY, read_token(token)) == "this token was used already"
            assert await asked(collection, RELAY, bytes(32)) == "this token is not on the list"
            assert collection.parties[RELAY].accepted == 1

    ran(run())


async def asked(collection: Collection, name: str, token: bytes) -> str:
    """How a party refuses a message with this token."""
    terms = collection.terms
    identity = Identity.load(collection.folder / "customers", "customers")
    peer = await connect(*terms.addresses[name], identity, terms.certificates[name])
    message = secrets.token_bytes(collection.parties[RELAY]._waiting.size)
    head = {"collection": terms.digest}
    await peer.send(SUBMIT, head, as_array(ticket(token, name)), as_array(message))
    try:
        await peer.receive(ACCEPTED)
    except PartyError as error:
        return str(error).removeprefix(f"{name}: ended the run: ").partition(",")[0].partition(" of the c")[0]
    finally:
        await peer.close()
    return "accepted"


def test_the_same_message_may_come_again(collection: Collection) -> None:
    """A customer who did not hear the answer asks again, and is one row all the same."""

    async def run() -> None:
        async with running(collection):
            customer = Customer(collection.folder / "customers", collection.folder / "tokens" / "1.token")
            unheard = customer._hand_in
            calls = []

            async def twice(kind: int, message: bytes) -> None:
                calls.append(message)
                await unheard(kind, message)
                if len(calls) == 1:
                    raise PartyError(RELAY, "left")

            customer._hand_in = twice  # type: ignore[method-assign]
            with pytest.raises(PartyError):
                await customer.submit(NINE[0])
            await customer.submit(NINE[0])
            assert calls[0] == calls[1]
            assert collection.parties[RELAY].accepted == 1

    ran(run())


def test_who_comes_late_is_refused(collection: Collection) -> None:
    """By helpers and relay; the eight who were in time are evaluated without the ninth."""

    async def run() -> None:
        async with running(collection):
            for number, row in enumerate(NINE[:8], 1):
                await collection.submit(number, row)
            closing = collection.parties["helper1"]._closing
            closing._now = lambda: collection.terms.closes + timedelta(seconds=1)
            with pytest.raises(
                PartyError, match=r"helper1: (ended the run: the collection is closed|nobody|left)"
            ):
                await collection.submit(9, NINE[8], seconds=1)
            collection.late = True
            await collection.ended()

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_collection_that_has_closed_starts_no_helper(collection: Collection) -> None:
    """One sentence, and its scalar is gone."""
    collection.terms = closed_earlier(collection.terms)

    async def run() -> None:
        with pytest.raises(PolicyError, match="the collection is closed"):
            await collection.start("helper1")

    ran(run())


def test_other_terms_are_refused(collection: Collection) -> None:
    """Who was told another k is no customer of this collection."""

    async def run() -> None:
        async with running(collection):
            agreed = collection.terms
            dataclasses.replace(agreed, k=2).write(collection.folder / "customers")
            with pytest.raises(PartyError, match=r"helper\d: ended the run: the terms differ"):
                await collection.submit(1, NINE[0])

    ran(run())


def test_a_stranger_stays_outside(collection: Collection, tmp_path: Path) -> None:
    """A certificate that is not the customers', and a party that does not have the pinned one."""
    stranger = Identity.create(tmp_path, "stranger")

    async def run() -> None:
        async with running(collection):
            terms = collection.terms
            host, port = terms.addresses["helper1"]
            peer = await connect(host, port, stranger, terms.certificates["helper1"])
            with pytest.raises(PartyError, match=r"helper1: (left|broke off)"):
                await peer.receive(ACCEPTED)
            await peer.close()
            terms.addresses["helper1"] = terms.addresses[RELAY]
            terms.write(collection.folder / "customers")
            with pytest.raises(PartyError, match=r"helper1: who answers .* does not have its certificate"):
                await collection.submit(1, NINE[0])

    ran(run())


def test_a_collector_that_is_not_there_loses_nothing(collection: Collection) -> None:
    """The relay names it and keeps the messages; started again, it passes them on."""

    async def run() -> None:
        async with running(collection, only=(COLLECTOR, *HELPERS)):
            await collection.start(RELAY, seconds=0.3)
            await collection.stop(COLLECTOR)
            await collection.submit_all(NINE)
            with pytest.raises(PartyError, match="collector: nobody answers"):
                await collection.ended(RELAY)
            assert not collection.output.exists()
            await collection.start(COLLECTOR)
            collection.terms.write(collection.folder / RELAY)
            await collection.made(RELAY).run()
            await collection.ended(COLLECTOR)

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_release_that_cannot_be_written_is_written_by_the_second_run(collection: Collection) -> None:
    """Nothing is destroyed before the release has its name."""
    collection.output.write_text("precious\n")

    async def run() -> None:
        async with running(collection):
            await collection.submit_all(NINE)
            with pytest.raises(PolicyError, match="not a release of Shoal"):
                await collection.ended(COLLECTOR)
            with pytest.raises(PartyError, match="collector: ended the run"):
                await collection.ended(RELAY)
            assert collection.output.read_text() == "precious\n"
            await collection.start(COLLECTOR, replace=True)
            collection.terms.write(collection.folder / RELAY)
            await collection.made(RELAY).run()
            await collection.ended(COLLECTOR)

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_helper_that_was_killed_goes_on_with_the_same_scalar(collection: Collection) -> None:
    """And remembers which tokens were used."""

    async def run() -> None:
        async with running(collection):
            for number, row in enumerate(NINE[:4], 1):
                await collection.submit(number, row)
            await collection.stop("helper1")
            await collection.start("helper1")
            with pytest.raises(PartyError, match="used already"):
                await collection.submit(1, NINE[4])
            (collection.folder / "tokens" / "1.token.pending").unlink()
            collection.terms.write(collection.folder / RELAY)
            for number, row in enumerate(NINE[4:], 5):
                await collection.submit(number, row)
            await collection.ended(COLLECTOR, RELAY)

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_scalar_that_is_gone_is_noticed(collection: Collection) -> None:
    """With a new one, the customers who asked before would be alone."""

    async def run() -> None:
        async with running(collection):
            await collection.submit(1, NINE[0])
            await collection.stop("helper1")
            (collection.folder / "helper1" / "secret.key").unlink()
            with pytest.raises(PolicyError, match=r"secret\.key is gone"):
                await collection.start("helper1")

    ran(run())


def mutated(content: bytes, count: int) -> list[bytes]:
    """A frame with random bytes changed, one to four each time, after its length."""
    random = secrets.SystemRandom()
    made = []
    for _ in range(count):
        changed = bytearray(content)
        for _ in range(random.randint(1, 4)):
            changed[random.randrange(4, len(changed))] = random.randrange(256)
        made.append(bytes(changed))
    return made


def test_hostile_frames_end_their_own_connection_alone(collection: Collection) -> None:
    """Random bytes, cut frames, wrong kinds, shapes and lengths; then nine customers as if nothing was."""
    good = Frame(SUBMIT, {"collection": "?"}, (as_array(bytes(32)), as_array(bytes(32))))
    hostile = [
        b"",
        b"\x00",
        b"\xff\xff\xff\xff",
        (1_000_000).to_bytes(4) + b"x" * 100,
        secrets.token_bytes(300),
        encoded(good),
        encoded(good)[:-7],
        encoded(Frame(200, {})),
        encoded(Frame(SUBMIT, {"collection": collection.terms.digest})),
        encoded(
            Frame(1, {"collection": collection.terms.digest}, (as_array(bytes(31)), as_array(bytes(32))))
        ),
        encoded(
            Frame(1, {"collection": collection.terms.digest}, (as_array(bytes(32)), as_array(bytes(32))))
        ),
        encoded(Frame(0, {"reason": "x" * 2000})),
        encoded(Frame(1, {"collection": {"nested": [1]}})),
    ]

    async def run() -> None:
        async with running(collection):
            identity = Identity.load(collection.folder / "customers", "customers")
            hostile.extend(mutated(encoded(good), 25))
            for name in ("helper1", RELAY):
                address, trusted = collection.terms.addresses[name], collection.terms.certificates[name]
                for content in hostile:
                    peer = await connect(*address, identity, trusted)
                    peer._writer.write(content)
                    peer._writer.write_eof() if peer._writer.can_write_eof() else None
                    await peer.close()
            await collection.submit_all(NINE)
            await collection.ended()
            assert collection.parties["helper1"].answered == 9
            refused = collection.parties["helper1"].refused
            assert refused["sent a frame that is longer than the protocol allows"] == 1
            assert refused["sent a frame that is not as the protocol describes it"] >= 1
            assert refused["this token is not on the list of the collection"] == 1

    ran(run())
    assert sorted(collection.released) == OPEN


def test_a_relay_with_more_messages_than_customers_is_refused(collection: Collection) -> None:
    """What the collector keeps in memory is bounded by the terms."""

    async def run() -> None:
        async with running(collection, only=(COLLECTOR,)):
            terms = collection.terms
            relay = Identity.load(collection.folder / RELAY, RELAY)
            peer = await connect(*terms.addresses[COLLECTOR], relay, terms.certificates[COLLECTOR])
            size = collection.made(RELAY)._waiting.size
            table = as_array(bytes(10 * size)).reshape(10, size)
            await peer.send(5, {"collection": terms.digest, "last": False}, table)
            with pytest.raises(PartyError, match="relay: sent a frame that is not as the protocol"):
                await collection.ended(COLLECTOR)
            await peer.close()

    ran(run())
    assert not collection.output.exists()


def test_a_party_whose_disk_fails_stops(collection: Collection) -> None:
    """Its own fault is its own error, and the customer hears that it cannot go on."""

    async def run() -> None:
        async with running(collection):
            (collection.folder / RELAY / "waiting.bin").mkdir()
            with pytest.raises(PartyError, match="relay: ended the run: it cannot go on"):
                await collection.submit(1, NINE[0])
            with pytest.raises(EngineError, match="cannot write"):
                await collection.ended(RELAY)

    ran(run())


def test_ctrl_c_leaves_a_submission_that_goes_on(collection: Collection) -> None:
    """Cancelled while it waits for a helper, it has kept what it needs to ask the same again."""

    async def run() -> None:
        async with running(collection):
            await collection.stop("helper2")
            waiting = asyncio.create_task(collection.submit(1, NINE[0]))
            pending = collection.folder / "tokens" / "1.token.pending"
            while not pending.exists():
                await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert pending.stat().st_mode & 0o077 == 0
            await collection.start("helper2")
            await collection.submit(1, NINE[0])
            assert not pending.exists()

    ran(run())


def test_ctrl_c_while_groups_are_opened_writes_nothing(collection: Collection) -> None:
    """The collector ends before the release has a name; started again, it evaluates."""

    async def run() -> None:
        async with running(collection):
            collector = collection.parties[COLLECTOR]
            collector._setting = Setting(on_progress=lambda _: collection.tasks[COLLECTOR].cancel())
            await collection.submit_all(NINE)
            with pytest.raises(asyncio.CancelledError):
                await collection.ended(COLLECTOR)
            assert not collection.output.exists()
            with pytest.raises(PartyError, match=r"collector: (left|ended)"):
                await collection.ended(RELAY)
            await collection.start(COLLECTOR)
            collection.terms.write(collection.folder / RELAY)
            await collection.made(RELAY).run()
            await collection.ended(COLLECTOR)

    ran(run())
    assert sorted(collection.released) == OPEN
