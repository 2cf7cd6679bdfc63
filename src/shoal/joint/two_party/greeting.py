"""How two sites begin: same version, same policy, same people, and columns that add up to the policy's."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import PartyError, PolicyError
from shoal.joint.two_party.site import Site
from shoal.network.frames import Frame
from shoal.network.peer import Peer

HELLO = 1
VERSION = 1


@dataclass(frozen=True)
class Met:
    """What both sites know after the greeting.

    Parameters
    ----------
    run
        A label of this run alone, to which both contributed.
    columns
        The quasi-identifiers of the other site.
    """

    run: bytes
    columns: tuple[str, ...]


async def greeted(peer: Peer, site: Site, protocol: str, *, first: bool, seconds: float) -> Met:
    """Exchange greetings; `PartyError` if the other site has another policy, protocol or other people.

    Parameters
    ----------
    peer
        The other site.
    site
        This one.
    protocol
        "tds" or "dka".
    first
        Whether this site is the first one, which writes the release.
    seconds
        How long to wait.
    """
    draw = secrets.token_bytes(16)
    own = {
        "version": VERSION,
        "protocol": protocol,
        "policy": site.policy.digest,
        "first": first,
        "people": len(site.ids),
        "who": site.people_digest,
        "columns": list(site.columns),
        "draw": draw.hex(),
    }
    await peer.send(HELLO, own, seconds=seconds)
    theirs = await peer.receive(HELLO, seconds=seconds)
    _check_equal(peer.name, own, theirs)
    if theirs.head.get("first") is first:
        which = "first" if first else "second"
        raise PartyError(peer.name, f"says that it is the {which} site, too; one listens, the other connects")
    columns = _columns(peer.name, theirs)
    _check_columns(peer.name, site, columns)
    if not first:
        _check_second(site)
    drawn = _bytes(peer.name, theirs)
    both = draw + drawn if first else drawn + draw
    return Met(hashlib.sha256(b"shoal two sites" + both).digest(), columns)


def _check_second(site: Site) -> None:
    """Raise `PolicyError` for columns that the first site could not release, or should not see."""
    if site.others:
        raise PolicyError(
            f"column {site.others[0]!r} is no quasi-identifier, and the first site would see whose cell is "
            'which; remove it from the file, give it treatment = "drop", or let this site be the first'
        )
    for each in site.policy.quasi_identifiers:
        if each.name in site.columns and (each.format is not None or each.missing is not None):
            raise PolicyError(
                f"column {each.name!r}: format and missing are for the columns of the first site; write its "
                "cells plainly here, as in 12.5 and 2026-01-31, and missing ones empty"
            )


def _check_equal(name: str, own: dict[str, object], theirs: Frame) -> None:
    wrong = {
        "version": "has another version of Shoal, which speaks differently",
        "protocol": "was started with another protocol",
        "policy": "has another policy (its digest differs)",
        "people": "has another number of people",
        "who": "has other people, or other classes for them",
    }
    for key, words in wrong.items():
        if theirs.head.get(key) != own[key]:
            raise PartyError(name, words)


def _columns(name: str, frame: Frame) -> tuple[str, ...]:
    columns = frame.head.get("columns")
    if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
        raise PartyError(name, "sent a greeting without its columns")
    return tuple(columns)


def _bytes(name: str, frame: Frame) -> bytes:
    text = frame.head.get("draw")
    try:
        drawn = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        drawn = b""
    if len(drawn) != 16:
        raise PartyError(name, "sent a greeting without its random draw")
    return drawn


def _check_columns(name: str, site: Site, theirs: Sequence[str]) -> None:
    every = [each.name for each in site.policy.quasi_identifiers]
    both = [each for each in theirs if each in site.columns]
    if both:
        raise PartyError(name, f"has column {both[0]!r}, too; each quasi-identifier belongs to one site")
    absent = [each for each in every if each not in site.columns and each not in theirs]
    if absent:
        raise PartyError(name, f"lacks column {absent[0]!r} of the policy, and so does this site")
    unknown = [each for each in theirs if each not in every]
    if unknown:
        raise PartyError(name, "names columns that are no quasi-identifiers of the policy")
