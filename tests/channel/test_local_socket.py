"""A member's user talks to it through a socket: nothing is lost when a reader goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from shoal.channel.local_socket import LocalSocket, ask
from shoal.channel.participant import Participant
from shoal.errors import EngineError, PolicyError
from tests.channel.group import keys, membership
from tests.patience import PATIENCE


def served(folder: Path, work: Callable[[Participant, Path], Coroutine[Any, Any, None]]) -> None:
    """Run something next to a member that has not met anybody."""

    async def both() -> None:
        member = Participant(membership((3,)), keys("ann"))
        path = folder / "s"
        async with LocalSocket(member, path).serve():
            await work(member, path)

    asyncio.run(asyncio.wait_for(both(), PATIENCE))


async def told(member: Participant) -> None:
    """Tell the member's user that something changed."""
    async with member.changed:
        member.changed.notify_all()


def test_a_reader_that_goes_away_takes_nothing(tmp_path: Path) -> None:
    """Before the text comes, or before it says that it has it; the next reader gets it."""

    async def work(member: Participant, path: Path) -> None:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b'{"do": "receive", "count": 1}\n')
        await writer.drain()
        writer.close()  # while it waits
        member.inbox.texts.append(b"text")
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b'{"do": "receive", "count": 1}\n')
        assert json.loads(await reader.readline()) == {"texts": ["text"]}
        writer.close()  # without a word
        await writer.wait_closed()
        answer = await asyncio.to_thread(ask, path, {"do": "receive", "count": 1})
        assert answer == {"texts": ["text"]}
        answer = await asyncio.to_thread(ask, path, {"do": "receive", "count": 0})
        assert answer == {"texts": []}

    served(tmp_path, work)


@pytest.mark.parametrize(
    "line", [b"\n", b"[]\n", b"no json\n", b'{"do": "leave"}\n', b'{"do": "send", "to": 3}\n']
)
def test_what_is_no_request_does_no_harm(tmp_path: Path, line: bytes) -> None:
    """A sentence, or the end of the connection; the next request is answered."""

    async def work(member: Participant, path: Path) -> None:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(line)
        writer.write_eof()
        answer = await reader.read()
        assert not answer or "does not know" in json.loads(answer)["error"]
        writer.close()
        assert (await asyncio.to_thread(ask, path, {"do": "status"}))["name"] == "ann"

    served(tmp_path, work)


def test_a_second_process_of_a_member_is_refused(tmp_path: Path) -> None:
    """While the first one answers; a socket that was left behind is replaced."""

    async def work(member: Participant, path: Path) -> None:
        assert path.stat().st_mode & 0o077 == 0
        with pytest.raises(PolicyError, match="already runs"):
            async with LocalSocket(member, path).serve():
                pass

    served(tmp_path, work)
    assert not (tmp_path / "s").exists()


def test_nobody_there_is_said(tmp_path: Path) -> None:
    """With the way out; so is a path that no socket can have."""
    with pytest.raises(EngineError, match="no member answers at"):
        ask(tmp_path / "s", {"do": "status"})
    with pytest.raises(PolicyError, match="too long for a socket"):
        ask(tmp_path / ("s" * 100), {"do": "status"})


def test_send_waits_until_the_message_has_arrived(tmp_path: Path) -> None:
    """And says in how many pieces; a receiver that does not exist gets a sentence."""

    async def work(member: Participant, path: Path) -> None:
        request = {"do": "send", "to": "bob", "text": "a", "wait": True}
        waiting = asyncio.create_task(asyncio.to_thread(ask, path, request))
        while (piece := member.outbox.next()) is None:
            await asyncio.sleep(0.01)
        while piece is not None:
            assert not waiting.done()
            member.outbox.settle(piece, [piece])
            piece = member.outbox.next()
        await told(member)
        assert await waiting == {"pieces": 3}
        with pytest.raises(PolicyError, match="no member zoe"):
            await asyncio.to_thread(ask, path, {**request, "to": "zoe"})

    served(tmp_path, work)
