"""Encryption to the receiver: X25519, HKDF-SHA256, ChaCha20-Poly1305.

The sender makes a key pair for this message alone and sends its public half; the key of the cipher follows
from both public keys and the shared secret, and serves once, so the nonce is fixed. The text stands after
its length and is filled up to whole pieces. Nothing in an envelope names the receiver: who cannot open it
is not meant.
"""

from __future__ import annotations

from shoal.channel.slot import MOST_PIECES, PART
from shoal.errors import PolicyError

KEY = 32
_TAG = 16
_LENGTH = 2
_NONCE = bytes(12)
_PURPOSE = b"shoal.channel: envelope"

MOST_TEXT = MOST_PIECES * PART - KEY - _TAG - _LENGTH
"""The most bytes of a text."""


def sealed(text: bytes, receiver: bytes) -> bytes:
    """An envelope for the owner of a public key, in whole pieces; PolicyError if they were too many."""
    if len(text) > MOST_TEXT:
        raise PolicyError(
            f"the text has {len(text):,} bytes; a message carries {MOST_TEXT:,} at most, so send it in parts"
        )
    return seal(text, receiver)


def seal(text: bytes, receiver: bytes) -> bytes:
    """An envelope for the owner of a public key; its length is `sealed_length` of the text's."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    own = X25519PrivateKey.generate()
    public = own.public_key().public_bytes_raw()
    key = _key(own.exchange(X25519PublicKey.from_public_bytes(receiver)), public, receiver)
    filled = len(text).to_bytes(_LENGTH) + text
    filled += bytes(-(len(filled) + KEY + _TAG) % PART)
    return public + ChaCha20Poly1305(key).encrypt(_NONCE, filled, None)


def sealed_length(length: int) -> int:
    """The length of an envelope around a text of a length: whole pieces."""
    return -(-(length + _LENGTH + KEY + _TAG) // PART) * PART


def opened(envelope: bytes, private: bytes) -> bytes | None:
    """The text, if the envelope is for the owner of this private key, and whole."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    own = X25519PrivateKey.from_private_bytes(private)
    public, rest = envelope[:KEY], envelope[KEY:]
    try:
        secret = own.exchange(X25519PublicKey.from_public_bytes(public))
        filled = ChaCha20Poly1305(_key(secret, public, own.public_key().public_bytes_raw())).decrypt(
            _NONCE, rest, None
        )
    except (InvalidTag, ValueError):
        return None
    length = int.from_bytes(filled[:_LENGTH])
    return filled[_LENGTH : _LENGTH + length] if len(filled) >= _LENGTH + length else None


def _key(secret: bytes, public: bytes, receiver: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, None, _PURPOSE + public + receiver).derive(secret)
