"""Keys of one run: pairwise secrets of the holders, the key K that all of them share, and what is sealed.

Each holder draws an X25519 key for the run and signs it with its certificate's Ed25519 key. Two of them
derive a secret by HKDF; the desk, which relays the public keys, cannot. The first holder draws K and sends it
to each other under ChaCha20-Poly1305. Nothing of this is written anywhere: keys end with the process.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shoal.errors import PartyError
from shoal.network.identity import Certificate, Identity

KEY_BYTES = 32


@dataclass(frozen=True)
class PublicKey:
    """A party's key of this run, signed.

    Parameters
    ----------
    raw
        The X25519 key.
    signature
        By the key of the party's certificate.
    """

    raw: bytes
    signature: bytes

    @property
    def sent(self) -> dict[str, str]:
        """As a frame has it."""
        return {"key": self.raw.hex(), "signature": self.signature.hex()}

    @classmethod
    def received(cls, stated: object, party: Certificate, run: str) -> PublicKey:
        """The key that a frame has of a party; `PartyError` unless that party signed it for this run."""
        try:
            assert isinstance(stated, dict)
            found = cls(bytes.fromhex(stated["key"]), bytes.fromhex(stated["signature"]))
            assert len(found.raw) == KEY_BYTES
        except (AssertionError, KeyError, TypeError, ValueError):
            raise PartyError(party.name, "sent no key where one is expected") from None
        if not party.verify(found.signature, _signed(run, party.name, found.raw)):
            raise PartyError(party.name, "its key of this run is not signed by its certificate's key")
        return found


class RunKeys:
    """A party's keys of one run.

    Parameters
    ----------
    identity
        Who it is.
    run
        The run.
    """

    def __init__(self, identity: Identity, run: str) -> None:
        self._name, self._run = identity.name, run
        self._private = X25519PrivateKey.generate()
        raw = self._private.public_key().public_bytes_raw()
        self.public = PublicKey(raw, identity.sign(_signed(run, identity.name, raw)))

    def secret(self, party: str, key: PublicKey, purpose: str) -> bytes:
        """What this party and another one share for a purpose."""
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(key.raw))
        # Both ends name the two parties and their keys in the same order.
        ends = sorted([(self._name, self.public.raw.hex()), (party, key.raw.hex())])
        info = "|".join(["shoal joint", purpose, *(word for end in ends for word in end)])
        return HKDF(SHA256(), KEY_BYTES, bytes.fromhex(self._run), info.encode()).derive(shared)

    def secrets(self, keys: Mapping[str, PublicKey], purpose: str) -> dict[str, bytes]:
        """What this party shares with each of the others."""
        return {name: self.secret(name, key, purpose) for name, key in keys.items() if name != self._name}


def fresh_key() -> bytes:
    """The key K of a run."""
    return secrets.token_bytes(KEY_BYTES)


def sealed(key: bytes, number: int, content: bytes, about: str) -> bytes:
    """Content that only those who have the key can read.

    Parameters
    ----------
    key
        Of one purpose and one direction.
    number
        Never the same twice under one key.
    content, about
        What is sealed, and what it is said to be.
    """
    return ChaCha20Poly1305(key).encrypt(number.to_bytes(12), content, about.encode())


def opened(key: bytes, number: int, content: bytes, about: str, party: str) -> bytes:
    """What was sealed; `PartyError` if it was sealed by another key or changed on its way."""
    try:
        return ChaCha20Poly1305(key).decrypt(number.to_bytes(12), content, about.encode())
    except InvalidTag:
        raise PartyError(party, "what it sealed was changed, or is of another run") from None


def _signed(run: str, name: str, raw: bytes) -> bytes:
    return f"shoal joint key|{run}|{name}|{raw.hex()}".encode()
