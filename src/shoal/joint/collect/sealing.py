"""What goes through the relay is sealed for the collector: HPKE (RFC 9180) with X25519 and AES-256-GCM.

The relay knows who sends and must not see what; without the seal it would see the tags.
"""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from shoal.errors import EngineError, PolicyError
from shoal.files.whole_file import why, write_private

KEY = "sealing.key"

OVERHEAD = 48
"""Bytes that a seal adds."""

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def sealed(text: bytes, public: bytes, digest: str) -> bytes:
    """Seal a text for the collector.

    Parameters
    ----------
    text
        What only the collector may read.
    public
        The collector's public key.
    digest
        Of the collection: a seal of another one does not open.
    """
    return _SUITE.encrypt(text, X25519PublicKey.from_public_bytes(public), digest.encode())


class SealingKey:
    """The collector's private key, in a file that is destroyed when the collection has been evaluated.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._key = X25519PrivateKey.from_private_bytes(path.read_bytes())
        except FileNotFoundError:
            raise PolicyError(
                f"{path} is gone: this collection was evaluated, and a collection is evaluated once; "
                "make another one with `shoal collect init`"
            ) from None
        except OSError as error:
            raise EngineError(f"cannot read {path}: {why(error)}") from None
        except ValueError:
            raise PolicyError(f"{path} is not the key that `shoal collect init` wrote") from None

    @classmethod
    def create(cls, path: Path) -> SealingKey:
        """A new key, in a file that its owner alone can read."""
        write_private(path, X25519PrivateKey.generate().private_bytes_raw())
        return cls(path)

    @property
    def public(self) -> bytes:
        """What customers seal with."""
        return self._key.public_key().public_bytes_raw()

    def unsealed(self, text: bytes, digest: str) -> bytes | None:
        """What was sealed, or `None` if it was not sealed for this key and this collection."""
        try:
            return _SUITE.decrypt(text, self._key, digest.encode())
        except (InvalidTag, ValueError):
            return None

    def destroy(self) -> None:
        """Remove the file: what is still closed stays closed."""
        self._path.unlink(missing_ok=True)
