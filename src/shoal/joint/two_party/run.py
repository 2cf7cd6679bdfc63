"""A whole run of one of two sites: read, meet, agree, and at the first site write.

Whatever goes wrong ends the run at both sites with the name of the party that failed, and nothing is written.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import EngineError, PartyError, PolicyError, ShoalError
from shoal.joint.needed import check_packages
from shoal.joint.two_party.block_release import release_of_blocks, tell_blocks
from shoal.joint.two_party.dka import check_dka, go_up
from shoal.joint.two_party.greeting import Met, greeted
from shoal.joint.two_party.joined_release import release_of_columns, tell_columns
from shoal.joint.two_party.publication import Joined, check_place, published
from shoal.joint.two_party.site import Site, check_policy, read_site
from shoal.joint.two_party.specialization import own_problem, specialize
from shoal.model.policy.policy import Policy
from shoal.network.identity import Certificate, Identity
from shoal.network.meeting import Door, connect
from shoal.network.peer import SECONDS, Peer
from shoal.pipeline.release import Release

DONE = 9
PROTOCOLS = ("tds", "dka")


@dataclass(frozen=True, kw_only=True)
class SiteRun:
    """What a site needs for a run.

    Parameters
    ----------
    policy
        The policy that both sites have.
    data
        The site's own file.
    identity, other
        Who this site is, and the certificate of the other.
    host, port
        Where the first site listens.
    first
        Whether this is the first site: it listens, and it writes the release.
    protocol
        "tds" or "dka".
    seconds
        How long to wait for the other site at a time.
    told
        Called with sentences about what goes on.
    recorder
        Called with each frame; for tests.
    """

    policy: Policy
    data: Path
    identity: Identity
    other: Certificate
    host: str
    port: int
    first: bool
    protocol: str = "tds"
    seconds: float = SECONDS
    told: Callable[[str], None] = print
    recorder: Callable[[str, Any], None] | None = None


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a run ended well.

    Parameters
    ----------
    release
        The release, at the site that wrote it.
    digest
        SHA-256 of the released file.
    bytes_sent, bytes_received
        What went over the wire.
    transcript
        SHA-256 of what both sites sent; the same at both.
    """

    release: Release | None
    digest: str
    bytes_sent: int
    bytes_received: int
    transcript: str


def run_site(run: SiteRun) -> Finished:
    """Carry out a run at this site; raises, and nothing is written, if it cannot be finished."""
    if run.protocol not in PROTOCOLS:
        raise PolicyError(f"there is no protocol {run.protocol!r}; there are {' and '.join(PROTOCOLS)}")
    check_policy(run.policy)
    with engine_for(run.data, threads=run.policy.threads) as engine:
        table = engine.read_once(run.data)
        site = read_site(engine, table, run.policy)
        if run.first:
            check_place(engine, run.policy, run.data)
        _check_protocol(site, run.protocol)
        return asyncio.run(_met(run, engine, table, site))


def _check_protocol(site: Site, protocol: str) -> None:
    """Raise before anybody is met if this site's part of the policy does not fit."""
    if protocol == "tds":
        own_problem(site)
    else:
        check_packages("rbcl")
        check_dka(site)


async def _met(run: SiteRun, engine: SqlEngine, table: Any, site: Site) -> Finished:
    async with _other(run) as peer:
        peer.recorder = run.recorder
        try:
            return await _agreed(run, engine, table, site, peer)
        except (asyncio.CancelledError, KeyboardInterrupt):
            await peer.abort("it was interrupted")
            raise
        except PartyError as error:
            await peer.abort(f"this site saw a fault: {error.what}")
            raise
        except ShoalError as error:
            # Messages name columns and files, never a cell; files are nobody else's concern.
            await peer.abort("the other site cannot go on" if isinstance(error, EngineError) else str(error))
            raise
        except Exception:
            await peer.abort("the other site failed")
            raise


@asynccontextmanager
async def _other(run: SiteRun) -> AsyncIterator[Peer]:
    """The other site, as soon as it is there."""
    if not run.first:
        peer = await connect(run.host, run.port, run.identity, run.other, seconds=run.seconds)
        try:
            yield peer
        finally:
            await peer.close()
        return
    async with Door(run.host, run.port, run.identity, [run.other]) as door:
        run.told(f"listening at {run.host}:{door.port} for {run.other.name}")
        yield await door.peer(run.other.name, seconds=run.seconds)


async def _agreed(run: SiteRun, engine: SqlEngine, table: Any, site: Site, peer: Peer) -> Finished:
    met = await greeted(peer, site, run.protocol, first=run.first, seconds=run.seconds)
    agree = _by_specialization if run.protocol == "tds" else _by_blocks
    joined = await agree(run, site, peer, met)
    if joined is None:
        return await _told_the_end(peer, run.seconds)
    with _interruptible():
        release = published(engine, table, site, run.data, joined)
    return await _tell_the_end(peer, release, run.seconds)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends what runs here at once; otherwise the loop would look at it only after the publication."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def _by_specialization(run: SiteRun, site: Site, peer: Peer, met: Met) -> Joined | None:
    ended = await specialize(peer, site, seconds=run.seconds, told=run.told)
    if run.first:
        return await release_of_columns(peer, site, met, ended, seconds=run.seconds)
    await tell_columns(peer, site, ended, seconds=run.seconds)
    return None


async def _by_blocks(run: SiteRun, site: Site, peer: Peer, met: Met) -> Joined | None:
    ladder = check_dka(site)
    ended = await go_up(peer, site, ladder, met.run, first=run.first, seconds=run.seconds, told=run.told)
    if run.first:
        return await release_of_blocks(peer, site, met, ladder, ended, seconds=run.seconds)
    await tell_blocks(peer, site, ladder, ended, seconds=run.seconds)
    return None


async def _tell_the_end(peer: Peer, release: Release, seconds: float) -> Finished:
    digest = release.manifest.release_digest or ""
    transcript = peer.digest
    with suppress(PartyError):  # the release is written and audited, whether the other hears of it or not
        await peer.send(DONE, {"release": digest}, seconds=seconds)
    return Finished(
        release=release,
        digest=digest,
        bytes_sent=peer.bytes_sent,
        bytes_received=peer.bytes_received,
        transcript=transcript,
    )


async def _told_the_end(peer: Peer, seconds: float) -> Finished:
    transcript = peer.digest
    frame = await peer.receive(DONE, seconds=seconds)
    digest = frame.head.get("release")
    if not isinstance(digest, str) or len(digest) != 64:
        raise PartyError(peer.name, "did not say which file it wrote")
    return Finished(
        release=None,
        digest=digest,
        bytes_sent=peer.bytes_sent,
        bytes_received=peer.bytes_received,
        transcript=transcript,
    )
