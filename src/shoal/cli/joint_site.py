"""`shoal joint site` and `shoal joint site-demo`: two sites with different columns of the same people."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.console import reported, say
from shoal.errors import EngineError, PolicyError, ShoalWarning

if TYPE_CHECKING:
    from shoal.joint.two_party.run import Finished, SiteRun

_PROTOCOL = typer.Option(
    "--protocol",
    help="tds: top-down specialization, the release that tds makes of the joined table. dka: a reproduction "
    "of DkA, which reveals more than its release.",
)


def site(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help="The policy file, the same at both sites.")
    ],
    data: Annotated[Path, typer.Option("--data", help="This site's own file.")],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="Which site this is.")],
    other: Annotated[str, typer.Option("--other", metavar="NAME", help="Which site the other is.")],
    protocol: Annotated[str, _PROTOCOL] = "tds",
    keys: Annotated[
        Path, typer.Option("--keys", help="The folder with this site's NAME.key and both NAME.crt.")
    ] = Path(),
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="HOST:PORT", help="Be the first site: wait here, and write."),
    ] = None,
    connect: Annotated[
        str | None, typer.Option("--connect", metavar="HOST:PORT", help="Be the second site: go there.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The release, which the first site writes.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="How long to wait for the other site at a time.")
    ] = 60.0,
) -> None:
    """Release columns of two sites together: one of the two sides of a run.

    Both sites have the same people and know each other's certificate. The site that listens writes the
    release; the other brings quasi-identifiers alone.
    """
    with reported(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # printed below, as lines of the command
        from shoal.joint.needed import check_packages

        check_packages()
        from shoal.joint.two_party.run import run_site

        asked = _asked(policy, data, name, other, protocol, keys, listen, connect, output, seconds)
        _show(run_site(asked), asked)


def _asked(
    policy: Path,
    data: Path,
    name: str,
    other: str,
    protocol: str,
    keys: Path,
    listen: str | None,
    connect: str | None,
    output: Path | None,
    seconds: float,
) -> SiteRun:
    from shoal.api.read_policy import read_policy
    from shoal.joint.two_party.run import SiteRun
    from shoal.network.identity import Certificate, Identity

    if (listen is None) == (connect is None):
        raise PolicyError(
            "one site listens (--listen HOST:PORT), and the other connects (--connect HOST:PORT)"
        )
    if connect is not None and output is not None:
        raise PolicyError("the site that listens writes the release; leave out --output here")
    host, port = _address(listen or connect or "")
    read = read_policy(policy)
    if output is not None:
        read = dataclasses.replace(read, release=output)
    return SiteRun(
        policy=read,
        data=data,
        identity=Identity.load(keys, name),
        other=Certificate.load(keys / f"{other}.crt"),
        host=host,
        port=port,
        first=listen is not None,
        protocol=protocol,
        seconds=seconds,
        told=say,
    )


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise PolicyError(f"an address is HOST:PORT, as in 10.0.0.5:7700; {text!r} is none")
    return host.strip("[]"), int(port)


def _show(finished: Finished, asked: SiteRun) -> None:
    from shoal.cli.summary import outcome

    if finished.release is not None:
        for line in outcome(finished.release):
            say(line)
        for warning in finished.release.warnings:
            say(f"shoal: warning: {warning}")
        for note in finished.release.manifest.notes:
            say(note)
    else:
        say(f"{asked.other.name} wrote the release, SHA-256 {finished.digest}")
    say(f"{finished.bytes_sent:,} bytes sent, {finished.bytes_received:,} received")


def site_demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="A new folder for everything.")] = Path(
        "site-demo"
    ),
    protocol: Annotated[str, _PROTOCOL] = "tds",
    people: Annotated[int, typer.Option("--people", min=10, help="How many of the census table.")] = 2000,
    k: Annotated[int, typer.Option("-k", min=1, help="Least rows of a group.")] = 5,
) -> None:
    """Two sites in two processes on this machine, with throw-away keys, release the Adult census together."""
    with reported(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        from shoal.api.anonymize import anonymize
        from shoal.joint.needed import check_packages

        check_packages("cryptography", "rbcl")
        from shoal.joint.two_party.demo import prepare, run_demo

        try:
            output.mkdir(parents=True)
        except OSError as error:
            raise EngineError(f"cannot make the folder {output}: {error.strerror}; name a new one") from None
        prepare(output, protocol, people, k)
        run_demo(output, protocol, say)
        if protocol == "tds":
            central = output / "central.csv"
            anonymize(output / "joined.csv", output / "policy.toml", path=central)
            same = central.read_bytes() == (output / "release.csv").read_bytes()
            say(
                f"the release of tds on the joined table is {'the same, byte by byte' if same else 'another'}"
            )
            if not same:
                raise EngineError("the two releases differ; please report this")
