"""Who takes part: `group.toml`, the same file for every member.

It names the members with their certificates and the keys that messages to them are encrypted to, deals them
into groups by a public text (the beacon) that nobody can choose for their own ends, and has what all must
agree on: k, the share of corrupt members it allows for, how often proofs are repeated, and how long silence
may last.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.channel.group_size import MOST, least_size
from shoal.channel.proof import TIMES
from shoal.errors import PolicyError
from shoal.files.whole_file import why
from shoal.network.identity import Certificate


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all members agree on.

    Parameters
    ----------
    k
        Honest members among whom a sender hides.
    corrupt
        The share of corrupt members that groups are large enough for.
    beacon
        The public text that deals members into groups.
    proofs
        How often each proof is repeated: a cheat passes with probability 2^-proofs.
    timeout
        Seconds after which a member that says nothing is asked for; it is blamed after twice as many.
    interval
        Seconds between rounds.
    """

    k: int
    corrupt: str = "0"
    beacon: str = ""
    proofs: int = TIMES
    timeout: float = 30.0
    interval: float = 1.0

    def __post_init__(self) -> None:
        if type(self.proofs) is not int or not 1 <= self.proofs <= 256:
            raise PolicyError("`proofs` is a whole number from 1 to 256; 40 is usual")
        for name in ("timeout", "interval"):
            value = getattr(self, name)
            if (
                type(value) not in (int, float)
                or not 0 <= value <= 3600
                or (name == "timeout" and value <= 0)
            ):
                raise PolicyError(f"`{name}` is a number of seconds, 3600 at most")
        if type(self.k) is not int:
            raise PolicyError("`k` is a whole number")
        self.least_size()

    def least_size(self, silent: int = 0) -> int:
        """The least number of members of a group of which some fell silent and may have been honest."""
        try:
            share = Fraction(self.corrupt)
        except (ValueError, TypeError, ZeroDivisionError):
            raise PolicyError('`corrupt` is a share as text, such as "0.1"') from None
        return least_size(self.k + silent, share)


@dataclass(frozen=True, kw_only=True)
class Member:
    """One member.

    Parameters
    ----------
    name
        As its certificate has it.
    group
        The number of its group.
    host, port
        Where it listens.
    certificate
        Whom the others accept as this member.
    box
        The public key, X25519, that messages to it are encrypted to.
    """

    name: str
    group: int
    host: str
    port: int
    certificate: Certificate
    box: bytes


@dataclass(frozen=True)
class Membership:
    """All members of all groups, and what they agree on."""

    settings: Settings
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        for number in range(self.groups):
            size, least = len(self.group(number)), self.settings.least_size()
            if not least <= size <= MOST:
                raise PolicyError(
                    f"group {number} has {size} members; k = {self.settings.k} with a corrupt share of "
                    f"{self.settings.corrupt} needs {least} to {MOST}"
                )

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return 1 + max((each.group for each in self.members), default=-1)

    @cached_property
    def by_name(self) -> Mapping[str, Member]:
        """Each member by its name."""
        return {each.name: each for each in self.members}

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of what members agree on; addresses may change."""
        members = [
            [each.name, each.group, each.certificate.fingerprint, each.box.hex()] for each in self.members
        ]
        return hashlib.sha256(json.dumps([asdict(self.settings), sorted(members)]).encode()).digest()

    def group(self, number: int) -> tuple[str, ...]:
        """The names of a group, sorted."""
        return tuple(sorted(each.name for each in self.members if each.group == number))

    def of(self, name: str) -> Member:
        """The member of this name."""
        if name not in self.by_name:
            raise PolicyError(
                f"the group file has no member {name}; it has {', '.join(sorted(self.by_name))}"
            )
        return self.by_name[name]

    def to_toml(self) -> str:
        """The group file; certificates lie next to it as NAME.crt."""
        settings = asdict(self.settings)
        lines = ["# The same file for every member; `shoal channel member` reads it.", "[channel]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        for each in self.members:
            lines += ["", "[[members]]", f'name = "{each.name}"', f"group = {each.group}"]
            lines += [f"host = {json.dumps(each.host)}", f"port = {each.port}"]
            lines += [f'certificate = "{each.name}.crt"', f'box = "{each.box.hex()}"']
        return "\n".join(lines) + "\n"

    @classmethod
    def read(cls, path: Path) -> Membership:
        """Read a group file and the certificates that it names."""
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise PolicyError(f"cannot read the group file {path}: {why(error)}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise PolicyError(f"the group file {path} is not TOML: {error}") from None
        try:
            settings = Settings(**found.pop("channel"))
            listed = found.pop("members")
            members = tuple(_member(each, path.parent) for each in listed)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, PolicyError):
                raise
            raise PolicyError(
                f"the group file {path} has something missing, unknown or of the wrong kind ({error}); "
                "`shoal channel init` writes one"
            ) from None
        if found or len({each.name for each in members}) != len(members):
            raise PolicyError(f"the group file {path} has a table that is unknown, or a member twice")
        return cls(settings, members)


def dealt(members: Sequence[Member], settings: Settings) -> Membership:
    """Members in groups, as many groups as have enough members, dealt by the beacon."""
    least = settings.least_size()
    if len(members) < least:
        raise PolicyError(
            f"{len(members)} members are too few: k = {settings.k} with a corrupt share of "
            f"{settings.corrupt} needs {least}"
        )
    count = len(members) // least

    def place(member: Member) -> bytes:
        text = f"{settings.beacon}\0{member.name}\0{member.certificate.fingerprint}"
        return hashlib.sha256(text.encode()).digest()

    in_order = sorted(members, key=place)
    grouped = [replace(each, group=at % count) for at, each in enumerate(in_order)]
    return Membership(settings, tuple(sorted(grouped, key=lambda each: (each.group, each.name))))


def _member(found: dict[str, Any], folder: Path) -> Member:
    certificate = Certificate.load(folder / found.pop("certificate"))
    box = bytes.fromhex(found.pop("box"))
    member = Member(certificate=certificate, box=box, **found)
    if certificate.name != member.name:
        raise PolicyError(f"the certificate of {member.name} belongs to {certificate.name}")
    if len(box) != 32 or type(member.port) is not int or not 0 <= member.port < 2**16:
        raise PolicyError(f"the key or the port of {member.name} is none")
    if type(member.group) is not int or not 0 <= member.group < 256 or type(member.host) is not str:
        raise PolicyError(
            f"the group or the host of {member.name} is none; groups have numbers from 0 to 255"
        )
    return member
