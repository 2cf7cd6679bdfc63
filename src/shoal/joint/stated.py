"""The table [joint] of a policy: who takes part, where they meet, how long they wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from shoal.errors import PolicyError
from shoal.model.suggestion import suggestion


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What [joint] says.

    Parameters
    ----------
    holders
        Those who have rows.
    parties
        Every party's name -> the fingerprint of its certificate.
    address
        Where the desk listens, as HOST:PORT.
    desk
        The party that searches and has no rows; empty if three holders do without one.
    recipient
        The party that gets the release: the desk, or one that has no other part; without a desk, the first
        holder.
    insider
        Whether a group must have k rows even without those of any single holder.
    timeout
        Seconds to wait for one answer.
    meeting
        Seconds to wait until all parties are there.
    addresses
        Without a desk: where each holder but the last listens, as HOST:PORT.
    """

    holders: tuple[str, ...]
    parties: Mapping[str, str]
    address: str = "127.0.0.1:7443"
    desk: str = "desk"
    recipient: str = ""
    insider: bool = False
    timeout: float = 60.0
    meeting: float = 600.0
    addresses: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.recipient:
            first = self.holders[0] if self.holders else ""
            object.__setattr__(self, "recipient", self.desk or first)
        for name in ("timeout", "meeting"):
            if not 0 < getattr(self, name) <= 86_400:
                raise PolicyError(f"[joint]: {name} is a number of seconds, above 0 and at most a day")
        self.place  # noqa: B018  checked now

    @property
    def place(self) -> tuple[str, int]:
        """Host and port of the desk."""
        return _place("address", self.address)

    def place_of(self, holder: str) -> tuple[str, int]:
        """Host and port of a holder, where there is no desk."""
        if holder not in self.addresses:
            raise PolicyError(f"[joint.addresses] does not say where {holder} listens, as HOST:PORT")
        return _place(f"the address of {holder}", self.addresses[holder])

    @property
    def patience(self) -> float:
        """How long a holder waits for the desk, which may wait for another holder, or for the audit."""
        return 2 * self.timeout + self.meeting

    @property
    def agreed(self) -> dict[str, Any]:
        """What every party must have stated alike: all but where the desk is and how long to wait."""
        return {
            "holders": list(self.holders),
            "parties": dict(self.parties),
            "desk": self.desk,
            "recipient": self.recipient,
            "insider": self.insider,
        }


def _place(what: str, address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65_535:
        raise PolicyError(f'[joint]: {what} is HOST:PORT, as in "desk.example.org:7443"')
    return host.strip("[]"), int(port)


_KINDS: dict[str, tuple[type, str]] = {
    "holders": (list, "a list of names"),
    "parties": (dict, "a table of names and fingerprints"),
    "address": (str, "text"),
    "desk": (str, "a name"),
    "recipient": (str, "a name"),
    "insider": (bool, "true or false"),
    "timeout": (float, "a number of seconds"),
    "meeting": (float, "a number of seconds"),
    "addresses": (dict, "a table of names and addresses"),
}


def stated_of(table: object) -> Stated:
    """What the table says; `PolicyError` for what it may not say."""
    if not isinstance(table, dict):
        raise PolicyError(
            "the policy has no table [joint], which names the parties; `shoal joint init` writes one"
        )
    for name, value in table.items():
        if name not in _KINDS:
            raise PolicyError(f"[joint] has an unknown key {name!r}.{suggestion(name, _KINDS)}")
        kind, words = _KINDS[name]
        plain = isinstance(value, (int, float) if kind is float else kind)
        if not plain or isinstance(value, bool) != (kind is bool):
            raise PolicyError(f"[joint]: {name} must be {words}")
    holders, parties = table.get("holders", []), table.get("parties", {})
    places = table.get("addresses", {})
    if not all(isinstance(each, str) for each in (*holders, *parties.values(), *places.values())):
        raise PolicyError("[joint]: parties are named, and their fingerprints written, as text")
    said = {each.name: table[each.name] for each in fields(Stated) if each.name in table}
    lower = {name: value.lower().replace(":", "") for name, value in parties.items()}
    return Stated(**{**said, "holders": tuple(holders), "parties": lower})
