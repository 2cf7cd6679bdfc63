"""How programs on the same machine talk to a member: lines of JSON over a socket of its user alone.

| request | answer |
|---|---|
| `{"do": "send", "to": NAME, "text": TEXT, "wait": true}` | `{"pieces": 3}`, when all of them have arrived |
| `{"do": "receive", "count": 1}` | `{"texts": [...]}`; then `{"taken": 1}` is expected, and removes them |
| `{"do": "status"}` | facts |

What cannot be done is answered with `{"error": SENTENCE, "code": EXIT CODE}`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from shoal.channel.participant import Participant
from shoal.errors import EngineError, PolicyError, ShoalError

_LONGEST = 100  # bytes of a socket's path, on every system


class LocalSocket:
    """Serves one member's user.

    Parameters
    ----------
    participant
        The member.
    path
        Where the socket is.
    """

    def __init__(self, participant: Participant, path: Path) -> None:
        self._participant = participant
        self._path = path
        self._receiving = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        """Listen until the end of the context."""
        _check(self._path)
        if _answers(self._path):
            raise PolicyError(f"a member already runs at {self._path}; end it first")
        before = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(self._serve, self._path)
        except OSError as error:
            raise EngineError(f"cannot listen at {self._path}: {error.strerror}") from None
        finally:
            os.umask(before)
        try:
            yield
        finally:
            server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, EOFError, asyncio.CancelledError):
            while line := await reader.readline():
                try:
                    await self._answer(json.loads(line), reader, writer)
                except ShoalError as error:
                    await _say(writer, {"error": str(error), "code": error.exit_code})
        writer.close()

    async def _answer(
        self, asked: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        match asked:
            case {"do": "send", "to": str(to), "text": str(text), "wait": bool(wait)}:
                before = self._participant.outbox.waiting
                number = self._participant.send(to, text.encode())
                pieces = self._participant.outbox.waiting - before
                if wait:
                    await self._until(lambda: self._participant.outbox.arrived >= number, reader)
                await _say(writer, {"pieces": pieces})
            case {"do": "receive", "count": int(count)}:
                await self._receive(count, reader, writer)
            case {"do": "status"}:
                await _say(writer, self._participant.status())
            case _:
                raise PolicyError("the member does not know this request")

    async def _receive(self, count: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        texts = self._participant.inbox.texts
        async with self._receiving:
            await self._until(lambda: len(texts) >= count, reader)
            shown = list(texts)
            await _say(writer, {"texts": [each.decode(errors="replace") for each in shown]})
            # Only what its reader has is removed: a client that was interrupted loses nothing.
            if json.loads(await reader.readline() or "{}") == {"taken": len(shown)}:
                for _ in shown:
                    texts.popleft()

    async def _until(self, holds: Callable[[], bool], reader: asyncio.StreamReader) -> None:
        """Wait for something, as long as who asked for it is there; EOFError when it is gone."""

        async def held() -> None:
            async with self._participant.changed:
                await self._participant.changed.wait_for(holds)

        waiting = asyncio.create_task(held())
        gone = asyncio.create_task(reader.read(1))
        done, pending = await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        if waiting not in done:
            raise EOFError


def ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Ask the member whose socket this is; waits for its answer."""
    _check(path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(path))
            with connection.makefile("rwb") as both:
                both.write(json.dumps(request).encode() + b"\n")
                both.flush()
                answer: dict[str, Any] = json.loads(both.readline() or "{}")
                if "texts" in answer:
                    both.write(json.dumps({"taken": len(answer["texts"])}).encode() + b"\n")
                    both.flush()
    except (FileNotFoundError, ConnectionError):
        answer = {}
    except OSError as error:
        raise EngineError(f"cannot talk to the member at {path}: {error.strerror}") from None
    if not answer:
        raise EngineError(
            f"no member answers at {path}, or it ended; `shoal channel member` starts it and says why it ends"
        )
    if "error" in answer:
        raise (PolicyError if answer.get("code") == PolicyError.exit_code else EngineError)(answer["error"])
    return answer


def _check(path: Path) -> None:
    if not hasattr(socket, "AF_UNIX"):
        raise PolicyError("the channel needs local sockets, which this system does not have")
    if len(os.fsencode(path)) > _LONGEST:
        raise PolicyError(f"the path {path} is too long for a socket; choose another with --socket")


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        return connection.connect_ex(str(path)) == 0


async def _say(writer: asyncio.StreamWriter, answer: dict[str, Any]) -> None:
    writer.write(json.dumps(answer).encode() + b"\n")
    await writer.drain()
