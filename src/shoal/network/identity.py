"""Who a party is: a certificate of its own, and the key that only it has.

Certificates are self-signed and pinned: whoever has a party's certificate file trusts exactly that key.
There is no authority, because parties that agree on a policy can also exchange a file. Keys are Ed25519,
which TLS 1.3 takes and which sign what a protocol needs signed.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import PolicyError
from shoal.files.whole_file import why, write_bytes, write_private

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
_CLOCKS = timedelta(hours=1)  # other parties' clocks may be slow


@dataclass(frozen=True)
class Certificate:
    """A party's public side.

    Parameters
    ----------
    name
        What the party is called.
    fingerprint
        SHA-256 of the certificate, in hexadecimal digits.
    pem
        The certificate as text.
    """

    name: str
    fingerprint: str
    pem: str

    @classmethod
    def load(cls, path: Path) -> Certificate:
        """Read NAME.crt."""
        return cls.of(_read(path, "certificate"), path)

    @classmethod
    def of(cls, pem: bytes, path: Path) -> Certificate:
        """The certificate in these bytes, read from `path`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.x509 import load_pem_x509_certificate
        from cryptography.x509.oid import NameOID

        try:
            read = load_pem_x509_certificate(pem)
            [named] = read.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
            ours = isinstance(read.public_key(), Ed25519PublicKey) and _NAME.fullmatch(str(named.value))
        except ValueError:
            ours = None
        if not ours:
            raise PolicyError(f"{path} is not a certificate of a party; `shoal` writes them as NAME.crt")
        return cls(str(named.value), read.fingerprint(SHA256()).hex(), pem.decode())

    def verify(self, signature: bytes, text: bytes) -> bool:
        """Whether the party signed this text."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key().verify(signature, text)
        except InvalidSignature:
            return False
        return True

    def _key(self) -> Ed25519PublicKey:
        return _public_key(self.pem)


@dataclass(frozen=True)
class Identity:
    """A party's own certificate, and where its key is.

    Parameters
    ----------
    certificate
        What the others have.
    certificate_path, key_path
        The files; the key's can be read by its owner alone.
    """

    certificate: Certificate
    certificate_path: Path
    key_path: Path

    @property
    def name(self) -> str:
        """What the party is called."""
        return self.certificate.name

    @classmethod
    def create(cls, folder: Path, name: str, *, days: float = 30) -> Identity:
        """Make a key and a certificate, and write them as NAME.key and NAME.crt; neither may be there yet."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        if not _NAME.fullmatch(name):
            raise PolicyError(
                "a party's name begins with a letter or a digit and has at most 63 signs: "
                "letters, digits, hyphens and underscores"
            )
        own = (folder / f"{name}.key", folder / f"{name}.crt")
        for path in own:
            if path.exists():
                raise PolicyError(f"{path} exists; a party's key is never replaced")
        key = Ed25519PrivateKey.generate()
        certificate = _self_signed(key, name, days).public_bytes(Encoding.PEM)
        write_private(own[0], key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        write_bytes(own[1], certificate)
        return cls.load(folder, name)

    @classmethod
    def load(cls, folder: Path, name: str) -> Identity:
        """Read what `create` wrote."""
        key, path = folder / f"{name}.key", folder / f"{name}.crt"
        identity = cls(Certificate.load(path), path, key)
        if identity.name != name:
            raise PolicyError(f"{path} belongs to {identity.name}, not to {name}")
        if not identity.certificate.verify(identity.sign(b"own"), b"own"):
            raise PolicyError(f"{key} is not the key of {path}")
        return identity

    def sign(self, text: bytes) -> bytes:
        """Sign a text with the party's key."""
        return self._key().sign(text)

    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        content = _read(self.key_path, "key")
        if self.key_path.stat().st_mode & 0o077:
            raise PolicyError(f"{self.key_path} can be read by others; run chmod 600 on it")
        try:
            key = load_pem_private_key(content, None)
        except (ValueError, TypeError):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise PolicyError(f"{self.key_path} is not the key of a party; `shoal` writes them as NAME.key")
        return key


@functools.lru_cache(maxsize=1024)
def _public_key(pem: str) -> Ed25519PublicKey:
    """The key in a certificate; remembered, since a protocol verifies many signatures of few parties."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.x509 import load_pem_x509_certificate

    key = load_pem_x509_certificate(pem.encode()).public_key()
    assert isinstance(key, Ed25519PublicKey)  # `Certificate.of` accepts nothing else
    return key


def _self_signed(key: Ed25519PrivateKey, name: str, days: float) -> x509.Certificate:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + timedelta(days=days))
        # It signs nothing but itself: with it nobody can make a certificate that others trust.
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, None)
    )


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PolicyError(f"cannot read the {what} {path}: {why(error)}") from None
