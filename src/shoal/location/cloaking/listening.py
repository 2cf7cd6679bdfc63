"""Where the service listens: a local socket that only its owner can open, or TLS with known parties."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import EngineError, InternalError, PolicyError
from shoal.files.whole_file import why
from shoal.location.cloaking.service import LONGEST_LINE, Service

if TYPE_CHECKING:
    from shoal.network.identity import Certificate, Identity

_HANDSHAKE = 10.0


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where to listen.

    Parameters
    ----------
    path
        The local socket; or
    host, port
        the address for TLS; port 0 is any free one.
    identity, trusted
        Who listens by TLS, and the certificates of those who may connect.
    """

    path: Path | None = None
    host: str = ""
    port: int = 0
    identity: Identity | None = None
    trusted: Sequence[Certificate] = ()


def certificates_of(identity: Path, trusted: Sequence[Path]) -> tuple[Identity, list[Certificate]]:
    """Read FOLDER/NAME with its key, and the certificates of those who may connect."""
    try:
        from shoal.network.identity import Certificate, Identity

        return (
            Identity.load(identity.parent, identity.name),
            [Certificate.load(path) for path in trusted],
        )
    except ImportError:
        raise PolicyError(
            "TLS needs the package cryptography: pip install 'shoal[location]'; or use --socket"
        ) from None


def accepted_by(address: Address) -> Callable[[asyncio.StreamWriter], bool] | None:
    """Who may connect: by TLS those whose certificate is known, on a local socket whoever can open it."""
    if address.identity is None:
        return None
    from shoal.network.tls import fingerprint_of

    known = {each.fingerprint for each in address.trusted}
    return lambda writer: fingerprint_of(writer.get_extra_info("ssl_object")) in known


async def listen(
    service: Service,
    address: Address,
    *,
    on_ready: Callable[[str], None],
    until: asyncio.Event | None = None,
) -> None:
    """Serve until an event is set or, if there is none, SIGINT or SIGTERM come.

    Parameters
    ----------
    service
        What answers.
    address
        Where.
    on_ready
        Called with where it listens, as soon as it does.
    until
        Ends it; signals do when it is absent.
    """
    end = until or asyncio.Event()
    loop = asyncio.get_running_loop()
    if until is None:
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C is an exception there
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, end.set)
    server, place = await _opened(service, address)
    clock = asyncio.create_task(service.tick())
    try:
        on_ready(place)
        ends = [asyncio.create_task(each.wait()) for each in (end, service.failed)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for each in ends:
            each.cancel()
    finally:
        server.close()
        clock.cancel()
        await asyncio.gather(clock, return_exceptions=True)
        await service.end()
        if address.path is not None:
            with contextlib.suppress(OSError):
                address.path.unlink()
    if service.failure is not None:
        kind = type(service.failure).__name__
        raise InternalError(f"{kind} in the service, which ended: what it knew may have been wrong")


async def _opened(service: Service, address: Address) -> tuple[asyncio.Server, str]:
    if address.path is not None:
        if not hasattr(asyncio, "start_unix_server"):
            raise PolicyError("this system has no local sockets; use --listen HOST:PORT")
        _check_free(address.path)
        before = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(service.serve, address.path, limit=LONGEST_LINE)
        except OSError as error:
            raise EngineError(f"cannot listen at {address.path}: {why(error)}") from None
        finally:
            os.umask(before)
        return server, str(address.path)
    from shoal.network.tls import server_context

    assert address.identity is not None
    context = server_context(address.identity, address.trusted)
    try:
        server = await asyncio.start_server(
            service.serve,
            address.host,
            address.port,
            limit=LONGEST_LINE,
            ssl=context,
            ssl_handshake_timeout=_HANDSHAKE,
            ssl_shutdown_timeout=2.0,
        )
    except (OSError, OverflowError) as error:
        raise EngineError(f"cannot listen at {address.host}:{address.port}: {error}") from None
    return server, f"{address.host}:{server.sockets[0].getsockname()[1]}"


def _check_free(path: Path) -> None:
    """A socket that a process left behind is replaced; nothing else is."""
    if not path.exists():
        return
    if not path.is_socket():
        raise PolicyError(f"{path} exists and is no socket; choose another name")
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.connect(str(path))
        raise PolicyError(f"somebody listens at {path} already; choose another name")
