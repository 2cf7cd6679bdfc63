"""The service on real sockets: the same answers as a replay, nothing lost, bounded, and hard to upset."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InternalError, PolicyError
from shoal.location.cloaking import CLOAKERS
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.lbqid import Element, Lbqid
from shoal.location.cloaking.listening import Address
from shoal.location.cloaking.messages import FIELDS, message_of
from shoal.location.cloaking.replay import engine_of, replay
from shoal.location.cloaking.service import LONGEST_LINE, seconds_since_monday
from shoal.location.cloaking.settings import Settings
from shoal.network.identity import Identity
from shoal.network.tls import client_context
from tests.cloaking.people import SQUARE, TWELVE, anonymizer, placed
from tests.cloaking.served import Client, crowd, run, serving, until

HIGH_WATER = 64 * 1024  # bytes that asyncio buffers before it makes a writer wait
SETTINGS = Settings(
    square=SQUARE,
    ks=(3,),
    seed=0,
    tolerance=(6, 6, 20),
    cell=8,
    lbqids=(Lbqid(name="any", elements=(Element(Box(0, 7, 0, 15), 0, 86_400),)),),
)


@pytest.mark.parametrize("algorithm", list(CLOAKERS))
def test_a_replay_equals_the_stream(algorithm: str) -> None:
    """The same messages over a socket get the same answers, byte by byte, to the last that was dropped."""
    messages = crowd(7, 400)
    replayed = replay([message_of(each) for each in messages], algorithm, SETTINGS, measure=False)
    expected = [each.to_dict() for each in replayed.answers]
    assert sum(each["type"] == "cloak" for each in expected) > 20

    async def stream() -> None:
        async with serving(engine_of(algorithm, SETTINGS)) as served:
            client = await served.connect()
            sending = asyncio.create_task(client.send(*messages, {"type": "counts"}))
            answers = []
            while (answer := await client.receive())["type"] != "counts":
                answers.append(answer)
            await sending
            served.end.set()
            assert answers + await client.rest() == expected
            await client.close()
            assert served.service.counts()["errors"] == 0

    run(stream)


def test_under_load_every_request_is_answered_once() -> None:
    """Eight connections with 500 requests each, at the same time; in the end nothing is kept of them."""
    connections, requests = 8, 500

    async def talk(client: Client, number: int) -> set[str]:
        for each in range(requests):
            user = f"u{number}.{each % 10}"
            await client.send(
                {"type": "position", "user": user, "x": each % 16, "y": number},
                {"type": "request", "user": user, "id": f"{number}.{each}"},
            )
        answers = [await client.receive() for _ in range(requests)]
        assert {each["type"] for each in answers} <= {"cloak", "dropped"}
        await client.close()
        return {each["id"] for each in answers}

    async def load() -> None:
        async with serving(anonymizer("hilbert"), clock=lambda: 5) as served:
            clients = [await served.connect() for _ in range(connections)]
            answered = await asyncio.gather(*(talk(client, n) for n, client in enumerate(clients)))
            assert set().union(*answered) == {f"{n}.{m}" for n in range(connections) for m in range(requests)}
            await until(lambda: served.service.counts()["connections"] == 0)
            counts = served.service.counts()
            assert counts["asked"] == counts["cloaked"] + counts["dropped"] == connections * requests
            assert counts["users"] == 80
            assert (counts["errors"], counts["waiting"], len(served.service._owners)) == (0, 0, 0)

    run(load)


def test_who_does_not_read_is_not_read_from() -> None:
    """What is buffered for them stays small; when they read again, everything is answered, in order."""
    requests = 20_000
    names = [f"{number:06d}" for number in range(requests)]

    async def stubborn() -> None:
        async with serving(placed(anonymizer("hilbert"), TWELVE), clock=lambda: 5) as served:
            client = await served.connect()
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]
            lines = (
                json.dumps({"type": "request", "user": "a", "id": name}).encode() + b"\n" for name in names
            )
            client.writer.write(b"".join(lines))
            await until(lambda: served.writers)
            transport = served.writers[0].transport
            await until(lambda: transport.get_write_buffer_size() > HIGH_WATER)
            asked = served.service.counts()["asked"]
            for _ in range(100):
                await asyncio.sleep(0)
                assert transport.get_write_buffer_size() < HIGH_WATER + LONGEST_LINE
            assert served.service.counts()["asked"] == asked < requests
            other = await served.connect()
            await other.send({"type": "request", "user": "b", "id": "other"})
            assert (await other.receive())["id"] == "other"
            client.reader._transport.resume_reading()  # type: ignore[attr-defined]
            assert [(await client.receive())["id"] for _ in names] == names
            await client.close()
            await other.close()

    run(stubborn)


NO_MESSAGES = [
    b"hello\n",
    b"\xff\xfe\n",
    b"[]\n",
    b"{}\n",
    b'{"type":"position"}\n',
    b'{"type":"position","user":"a","x":"here","y":1}\n',
    b'{"type":"request","user":"nobody"}\n',
    b'{"type":"cancel","user":"a","id":"r"}\n',
    b'{"type":"counts","more":1}\n',
    b'{"a":' * 500 + b"\n",
    b'{"type":"position","user":"a","x":99,"y":1}\n',
]


def test_a_line_that_is_no_message_gets_a_reason() -> None:
    """One each, with its number and nothing that was sent; then the connection goes on."""

    async def garbage() -> None:
        async with serving(placed(anonymizer("hilbert"), TWELVE), clock=lambda: 5) as served:
            client = await served.connect()
            await client.send(*NO_MESSAGES)
            for number in range(1, len(NO_MESSAGES) + 1):
                told = await client.receive()
                assert (told["type"], told["line"]) == ("error", number)
                assert "here" not in told["reason"]
                assert "nobody" not in told["reason"]
            await client.send(b"\n", {"type": "request", "user": "a", "id": "good"})
            assert (await client.receive())["type"] == "cloak"
            await client.send({"type": "counts"})
            counts = await client.receive()
            assert (counts["errors"], counts["cloaked"], counts["users"]) == (len(NO_MESSAGES), 1, 12)
            await client.close()

    run(garbage)


def broken(chance: random.Random) -> bytes:
    """A good line with some bytes changed, left out or doubled; or only bytes."""
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(40)).replace(b"\n", b"") + b"\n"
    good = {"type": chance.choice(["position", "request", "cancel"]), "user": chance.choice("abc")}
    fields = {name: chance.choice([1, -1, 2**70, 0.5, None, "\ud800", [], {}, True]) for name in FIELDS[2:]}
    some = {name: value for name, value in fields.items() if chance.random() < 0.06}
    line = bytearray(json.dumps({**good, "x": chance.randrange(18), "y": 3, **some}).encode())
    for _ in range(chance.randrange(3)):
        place = chance.randrange(len(line))
        line[place : place + 1] = chance.choice([b"", bytes([chance.randrange(32, 256)]), line[place:][:2]])
    return bytes(line).replace(b"\n", b"") + b"\n"


@pytest.mark.parametrize("algorithm", list(CLOAKERS))
def test_broken_lines_never_upset_the_service(algorithm: str) -> None:
    """A thousand of them; it still counts, and nothing was raised behind its back."""
    raised: list[dict[str, Any]] = []
    chance = random.Random(algorithm)

    async def fuzzed() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
        async with serving(engine_of(algorithm, SETTINGS), clock=lambda: 5) as served:
            client = await served.connect()
            lines = [broken(chance) for _ in range(1_000)]
            sending = asyncio.create_task(client.send(*lines, {"type": "counts"}))
            seen = set()
            while (answer := await client.receive())["type"] != "counts":
                seen.add(answer["type"])
            await sending
            assert answer["connections"] == 1
            assert answer["errors"] > 100
            assert answer["asked"] > 50
            assert "error" in seen <= {"error", "cloak", "delayed", "dropped"}
            await client.close()

    run(fuzzed)
    assert raised == []


def test_a_line_without_end_is_cut_off() -> None:
    """A long one ends the connection, half a one is not taken for a message; others are served."""

    async def long() -> None:
        async with serving(placed(anonymizer("hilbert"), TWELVE), clock=lambda: 5) as served:
            client, other, half = [await served.connect() for _ in range(3)]
            await client.send(b"x" * (3 * LONGEST_LINE))
            [told] = await client.rest()
            assert told["reason"].startswith("a line has at most 4,096 bytes")
            await half.send(b'{"type":"request","user":"a"}')
            half.writer.write_eof()
            [told] = await half.rest()
            assert "has no end" in told["reason"]
            await other.send({"type": "request", "user": "b", "id": "r"})
            assert (await other.receive())["type"] == "cloak"
            assert served.service.counts()["asked"] == 1
            for each in (client, other, half):
                await each.close()

    run(long)


def request(user: str, name: str, x: int = 1) -> dict[str, Any]:
    """A request that tolerates much."""
    return {"type": "request", "user": user, "id": name, "x": x, "y": 1, "k": 2, "dx": 9, "dy": 9, "dt": 60}


def test_who_asked_is_answered_and_who_left_is_withdrawn() -> None:
    """A clique over two connections; a third one hangs up while its request waits."""

    async def clique() -> None:
        async with serving(anonymizer("clique", 2), clock=lambda: 5) as served:
            gone, first, second = [await served.connect() for _ in range(3)]
            await gone.send(request("z", "left"))
            assert (await gone.receive())["type"] == "delayed"
            await gone.close()
            await until(lambda: served.service.counts()["waiting"] == 0)
            await first.send(request("a", "r1"))
            assert await first.receive() == {"type": "delayed", "id": "r1", "until": 65}
            await second.send(request("b", "r2", 3))
            told = await second.receive(), await first.receive()
            assert [(each["id"], each["type"], each["x"]) for each in told] == [
                ("r2", "cloak", [1, 3]),
                ("r1", "cloak", [1, 3]),
            ]
            assert served.service.counts()["cancelled"] == 1
            await first.close()
            await second.close()

    run(clique)


def test_deadlines_pass_while_nobody_sends() -> None:
    """By the service's own clock, which is not let run backwards."""
    clock = [100]

    async def waiting() -> None:
        async with serving(anonymizer("clique", 2), clock=lambda: clock[0]) as served:
            client = await served.connect()
            await client.send(request("a", "r"))
            assert (await client.receive())["until"] == 160
            clock[0] = 50
            await client.send(request("a", "s"))
            assert (await client.receive())["until"] == 160
            clock[0] = 161
            assert [(await client.receive())["type"] for _ in range(2)] == ["dropped", "dropped"]
            await client.close()

    run(waiting)
    assert seconds_since_monday() > 0


def test_more_connections_than_allowed_are_turned_away() -> None:
    """With a reason; when one leaves there is room again."""

    async def crowded() -> None:
        async with serving(anonymizer("hilbert"), clock=lambda: 5, most=1) as served:
            first = await served.connect()
            await first.send({"type": "counts"})
            await first.receive()
            second = await served.connect()
            [told] = await second.rest()
            await second.close()
            assert told["reason"].startswith("there is no room for another connection")
            await first.close()
            await until(lambda: served.service.counts()["connections"] == 0)
            again = await served.connect()
            await again.send({"type": "counts"})
            assert (await again.receive())["refused"] == 1
            await again.close()

    run(crowded)


def test_over_tls_only_known_parties_are_served(tmp_path: Path) -> None:
    """Both sides show certificates; a stranger's is refused."""
    desk, gateway, stranger = (Identity.create(tmp_path, name) for name in ("desk", "gateway", "stranger"))
    address = Address(host="127.0.0.1", port=0, identity=desk, trusted=[gateway.certificate])

    async def connected(served_at: str, who: Identity) -> Client:
        host, _, port = served_at.rpartition(":")
        context = client_context(who, [desk.certificate])
        return Client(*await asyncio.open_connection(host, int(port), ssl=context))

    async def over_tls() -> None:
        async with serving(placed(anonymizer("hilbert"), TWELVE), address, clock=lambda: 5) as served:
            client = await connected(served.place, gateway)
            await client.send({"type": "request", "user": "a", "id": "r"})
            assert (await client.receive())["x"] == [1, 3]
            with contextlib.suppress(OSError):  # TLS tells the stranger now or with the first answer
                other = await connected(served.place, stranger)
                await other.send({"type": "request", "user": "a", "id": "r"})
                assert await other.rest() == []
            assert served.service.counts()["asked"] == 1
            await client.close()

    run(over_tls)


def test_a_bug_ends_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """With counts that may be wrong it answers nobody; it says so, and shows no traceback."""
    raised: list[dict[str, Any]] = []
    engine = placed(anonymizer("hilbert"), TWELVE)
    monkeypatch.setattr(engine.cloaker, "ask", lambda asked: 1 // 0)

    async def failing() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
        async with serving(engine, clock=lambda: 5) as served:
            client, other = await served.connect(), await served.connect()
            await client.send({"type": "request", "user": "a", "id": "r"})
            assert [await each.rest() for each in (client, other)] == [[], []]
            await client.close()
            await other.close()

    with pytest.raises(InternalError, match="ZeroDivisionError in the service, which ended"):
        run(failing)
    assert raised == []


def test_a_socket_in_use_is_not_taken_over(tmp_path: Path) -> None:
    """One that was left behind is; a file never is. Only its owner can open it."""

    async def twice() -> None:
        async with serving(anonymizer("hilbert")) as served:
            path = Path(served.place)
            assert path.stat().st_mode & 0o077 == 0
            with pytest.raises(PolicyError, match="somebody listens"):
                async with serving(anonymizer("hilbert"), Address(path=path)):
                    pass
            assert path.is_socket()
        assert not path.exists()
        file = tmp_path / "file"
        file.write_text("mine")
        with pytest.raises(PolicyError, match="no socket"):
            async with serving(anonymizer("hilbert"), Address(path=file)):
                pass
        assert file.read_text() == "mine"

    run(twice)
