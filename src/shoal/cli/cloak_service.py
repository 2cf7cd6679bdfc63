"""`shoal cloak serve` and `shoal cloak identity`: the anonymizer as a service."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import cloak_flags as flags
from shoal.cli.console import reported, say
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.location.cloaking.listening import Address


@flags.with_settings
def serve(
    algorithm: flags.Algorithm = "hilbert",
    socket: Annotated[
        Path | None,
        typer.Option("--socket", metavar="PATH", help="Listen at a local socket, open to its owner."),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="HOST:PORT", help="Listen by TLS; port 0 is any free one."),
    ] = None,
    identity: Annotated[
        Path | None,
        typer.Option("--identity", metavar="FOLDER/NAME", help="TLS: NAME.crt and NAME.key of this service."),
    ] = None,
    trust: Annotated[
        list[Path] | None,
        typer.Option(
            "--trust", metavar="FILE", help="TLS: the certificate of who may connect; can be repeated."
        ),
    ] = None,
    clock: Annotated[
        str,
        typer.Option(
            "--clock",
            metavar="server|messages",
            help="Whose time counts: this machine's, or that of messages.",
        ),
    ] = "server",
    counts: Annotated[
        Path | None,
        typer.Option("--counts", metavar="FILE", help="Write the counts when it ends; never positions."),
    ] = None,
    most_connections: Annotated[
        int, typer.Option("--most-connections", help="Connections at a time.")
    ] = 1_000,
    quiet: flags.Quiet = False,
    **stated: Any,
) -> None:
    """Answer positions and requests, lines of JSON, over a local socket or TLS, until Ctrl-C.

    Everything stays in memory and is gone when it ends.
    """
    with reported():
        from shoal.files.whole_file import write_text
        from shoal.location.cloaking.listening import accepted_by
        from shoal.location.cloaking.listening import listen as serve_until
        from shoal.location.cloaking.replay import engine_of
        from shoal.location.cloaking.service import Service, seconds_since_monday

        if clock not in ("server", "messages"):
            raise PolicyError("--clock is server or messages")
        address = _address(socket, listen, identity, trust or [])
        settings = flags.settings_of(flags.Stated(**stated), None)
        service = Service(
            engine_of(algorithm, settings),
            clock=seconds_since_monday if clock == "server" else None,
            most_connections=most_connections,
            accepted=accepted_by(address),
        )
        flags.warn(algorithm, None)
        asyncio.run(serve_until(service, address, on_ready=_quietly if quiet else _ready))
        if counts is not None:
            write_text(counts, json.dumps(service.counts(), indent=2) + "\n")
        if not quiet:
            say("   ".join(f"{name} {value:,}" for name, value in service.counts().items()))


def make_identity(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the party is called.")],
    folder: Annotated[
        Path, typer.Option("--folder", help="Where NAME.key and NAME.crt are written.")
    ] = Path(),
    days: Annotated[float, typer.Option("--days", help="How long the certificate is valid.")] = 365,
) -> None:
    """Make the key and the certificate of a service, or of somebody who connects to one by TLS."""
    with reported():
        try:
            from shoal.network.identity import Identity

            made = Identity.create(folder, name, days=days)
        except ImportError:
            raise PolicyError("this needs the package cryptography: pip install 'shoal[location]'") from None
        say(f"{made.certificate_path}: pass it on to the others; fingerprint {made.certificate.fingerprint}")
        say(f"{made.key_path}: keep it; whoever has it is taken for {name}")


def _ready(place: str) -> None:
    say(f"listening at {place}")


def _quietly(place: str) -> None:
    pass


def _address(socket: Path | None, listen: str | None, identity: Path | None, trust: list[Path]) -> Address:
    from shoal.location.cloaking.listening import Address, certificates_of

    if socket is not None and listen is None:
        return Address(path=socket)
    if listen is None or socket is not None:
        raise PolicyError(
            "say where to listen: --socket PATH, or --listen HOST:PORT with --identity and --trust"
        )
    if identity is None or not trust:
        raise PolicyError(
            "--listen needs --identity FOLDER/NAME and --trust FILE.crt, which `shoal cloak identity` makes"
        )
    host, port = _host(listen)
    own, trusted = certificates_of(identity, trust)
    return Address(host=host, port=port, identity=own, trusted=trusted)


def _host(text: str) -> tuple[str, int]:
    host, sign, port = text.rpartition(":")
    if not sign or not host or not port.isdecimal() or int(port) > 65_535:
        raise PolicyError("--listen takes a host and a port: --listen 127.0.0.1:7400")
    return host.strip("[]"), int(port)
