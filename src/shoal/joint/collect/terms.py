"""What everybody in a collection has agreed on: one file, the same for all, known by its digest.

Addresses are not part of the digest: a party may move. Everything else is, down to the certificates of the
parties; whoever has other terms is refused by every party with the first frame.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.files.whole_file import why, write_text
from shoal.model.suggestion import suggestion
from shoal.network.identity import Certificate

FILE = "collection.toml"
ROWS, CELLS = "rows", "cells"
METHODS = (ROWS, CELLS)
CUSTOMERS = "customers"
RELAY, COLLECTOR = "relay", "collector"
MOST_CUSTOMERS = {ROWS: 1_000_000, CELLS: 3_000}
MOST_HELPERS = 9
LARGEST_ROW = 16_384
_IDENTITY = re.compile(r"[0-9a-f]{32}")
_KEY = re.compile(r"[0-9a-f]{64}")
_KEYS = (
    *("identity", "method", "k", "closes", "customers", "quasi_identifiers", "others", "row_bytes"),
    *("helpers", "sealing_key"),
)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms of a collection.

    Parameters
    ----------
    identity
        Random; two collections with equal terms have nothing in common.
    method
        "rows" or "cells".
    k
        Least rows of a group.
    closes
        From this moment on no row is accepted.
    customers
        How many tokens there are.
    quasi_identifiers, others
        The columns: those by which people could be recognised, and the rest.
    row_bytes
        The length of every row, padded.
    helpers
        The number of helpers.
    sealing_key
        The collector's public key, in hexadecimal digits.
    certificates
        Party -> its certificate; "customers" is one that all customers have in common.
    addresses
        Party -> host and port.
    """

    identity: str
    method: str
    k: int
    closes: datetime
    customers: int
    quasi_identifiers: tuple[str, ...]
    others: tuple[str, ...]
    row_bytes: int
    helpers: int
    sealing_key: str
    certificates: dict[str, Certificate]
    addresses: dict[str, tuple[str, int]]

    def __post_init__(self) -> None:
        _check_numbers(self)
        columns = self.columns
        if not self.quasi_identifiers:
            raise PolicyError("a collection needs at least one quasi-identifier (-q)")
        twice = next((each for each in columns if columns.count(each) > 1), None)
        if twice is not None:
            raise PolicyError(f"the column {twice!r} is named twice; name each column once")
        if self.method == CELLS and self.helpers != 2:
            raise PolicyError(f"the method cells has two helpers; there are {self.helpers}")
        if not _IDENTITY.fullmatch(self.identity) or not _KEY.fullmatch(self.sealing_key):
            raise PolicyError(
                "the collection's identity or sealing_key is not as `shoal collect init` writes it"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, the quasi-identifiers first."""
        return (*self.quasi_identifiers, *self.others)

    @property
    def helper_names(self) -> tuple[str, ...]:
        """The helpers."""
        return tuple(f"helper{number}" for number in range(1, self.helpers + 1))

    @property
    def parties(self) -> tuple[str, ...]:
        """All who listen somewhere."""
        return (*self.helper_names, RELAY, COLLECTOR)

    @property
    def digest(self) -> str:
        """SHA-256 of the terms, without the addresses."""
        facts = {
            "identity": self.identity,
            "method": self.method,
            "k": self.k,
            "closes": self.closes.astimezone(UTC).isoformat(),
            "customers": self.customers,
            "quasi_identifiers": self.quasi_identifiers,
            "others": self.others,
            "row_bytes": self.row_bytes,
            "helpers": self.helpers,
            "sealing_key": self.sealing_key,
            "certificates": {name: each.fingerprint for name, each in sorted(self.certificates.items())},
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write the terms, and the certificates, into a party's folder."""
        for certificate in self.certificates.values():
            write_text(folder / f"{certificate.name}.crt", certificate.pem)
        write_text(folder / FILE, self._toml())

    def _toml(self) -> str:
        lines = [f"# Terms of a collection; every party has the same. Digest: {self.digest}", "[collection]"]
        lines += [f"{name} = {_as_toml(getattr(self, name))}" for name in _KEYS]
        lines += ["", "[addresses]  # not part of the digest"]
        lines += [f'{name} = "{host}:{port}"' for name, (host, port) in self.addresses.items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def load(cls, folder: Path) -> Terms:
        """Read what `write` wrote."""
        path = folder / FILE
        facts = _read(path)
        stated = facts.get("collection")
        addresses = facts.get("addresses")
        if not isinstance(stated, dict) or not isinstance(addresses, dict):
            raise PolicyError(f"{path} needs the tables [collection] and [addresses]")
        unknown = next((each for each in stated if each not in _KEYS), None)
        if unknown is not None:
            raise PolicyError(f"{path}: [collection] has no key {unknown!r}.{suggestion(unknown, _KEYS)}")
        missing = [each for each in _KEYS if each not in stated]
        if missing:
            raise PolicyError(f"{path}: [collection] lacks {', '.join(missing)}")
        for name in ("quasi_identifiers", "others"):
            if not isinstance(stated[name], list) or not all(isinstance(each, str) for each in stated[name]):
                raise PolicyError(f"{path}: {name} is a list of columns")
            stated[name] = tuple(stated[name])
        if type(stated["helpers"]) is not int or not 1 <= stated["helpers"] <= MOST_HELPERS:
            raise PolicyError(f"{path}: helpers is a whole number from 1 to {MOST_HELPERS}")
        names = [*(f"helper{each + 1}" for each in range(stated["helpers"])), RELAY, COLLECTOR]
        return cls(
            **stated,
            certificates={name: Certificate.load(folder / f"{name}.crt") for name in (*names, CUSTOMERS)},
            addresses={name: address_of(addresses.get(name), f"{path}: {name}") for name in names},
        )


def address_of(text: object, what: str) -> tuple[str, int]:
    """HOST:PORT as a host and a port; `PolicyError` that begins with `what` otherwise."""
    host, sign, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not sign or not host or not port.isdecimal() or int(port) > 65_535:
        raise PolicyError(f"{what}: an address is HOST:PORT, as in 127.0.0.1:7400")
    return host.strip("[]"), int(port)


def _check_numbers(terms: Terms) -> None:
    if terms.method not in METHODS:
        raise PolicyError(f"there is no method {terms.method!r}.{suggestion(str(terms.method), METHODS)}")
    most = MOST_CUSTOMERS[terms.method]
    if terms.method == CELLS and type(terms.customers) is int and terms.customers > most:
        raise PolicyError(
            f"the method cells compares every two of {terms.customers:,} customers, which would take days; "
            f"it takes at most {most:,}. Use the method rows"
        )
    for name, least, greatest in (
        ("k", 2, 1000),
        ("customers", 2, most),
        ("row_bytes", 16, LARGEST_ROW),
        ("helpers", 1, MOST_HELPERS),
    ):
        value = getattr(terms, name)
        if type(value) is not int or not least <= value <= greatest:
            raise PolicyError(f"{name} is a whole number from {least:,} to {greatest:,}; it is {value!r}")
    if terms.k > terms.customers:
        raise PolicyError(
            f"k = {terms.k:,} is more than the {terms.customers:,} customers; choose a smaller k, or invite "
            "more"
        )
    if not isinstance(terms.closes, datetime) or terms.closes.tzinfo is None:
        raise PolicyError("closes is a time with its offset, as in 2030-01-31T12:00:00Z")


def _as_toml(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return json.dumps(value)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PolicyError(
            f"cannot read {path}: {why(error)}; name the folder that `shoal collect init` made for this party"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise PolicyError(f"{path} is not TOML in UTF-8; take it again from the party that made it") from None
