"""A member's files: NAME.key and NAME.crt say who it is, NAME.box and NAME.pub are for messages to it.

The .key and .box files are private. The others go to whoever writes the group file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.errors import PolicyError
from shoal.files.whole_file import why, write_private, write_text
from shoal.network.identity import Identity

_WIDTH = 32


@dataclass(frozen=True)
class Keys:
    """What one member has for itself.

    Parameters
    ----------
    identity
        Who it is.
    box
        The private key, X25519, that opens messages to it.
    """

    identity: Identity
    box: bytes

    @property
    def public_box(self) -> bytes:
        """The public half."""
        return public_of(self.box)

    @classmethod
    def create(cls, folder: Path, name: str, *, days: float = 365) -> Keys:
        """Make the four files; none may be there yet."""
        for path in (folder / f"{name}.box", folder / f"{name}.pub"):
            if path.exists():
                raise PolicyError(f"{path} exists; a member's key is never replaced")
        needed()
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        identity = Identity.create(folder, name, days=days)
        box = X25519PrivateKey.generate().private_bytes_raw()
        write_private(folder / f"{name}.box", box.hex().encode() + b"\n")
        write_text(folder / f"{name}.pub", public_of(box).hex() + "\n")
        return cls(identity, box)

    @classmethod
    def load(cls, folder: Path, name: str) -> Keys:
        """Read what `create` wrote."""
        needed()
        path = folder / f"{name}.box"
        box = _read(path)
        if path.stat().st_mode & 0o077:
            raise PolicyError(f"{path} can be read by others; run chmod 600 on it")
        return cls(Identity.load(folder, name), box)


def read_public(path: Path) -> bytes:
    """The public key in NAME.pub."""
    return _read(path)


def public_of(box: bytes) -> bytes:
    """The public half of a private key."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(box).public_key().public_bytes_raw()


def needed() -> None:
    """Raise, with the way out, if a package of the extra is missing."""
    import importlib.util
    import sys

    for package in ("cryptography", "rbcl"):
        if sys.modules.get(package, ...) is None or importlib.util.find_spec(package) is None:
            raise PolicyError(f"the channel needs {package}: pip install 'shoal[channel]'")


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise PolicyError(f"cannot read the key {path}: {why(error)}") from None
    except ValueError:
        key = b""
    if len(key) != _WIDTH:
        raise PolicyError(f"{path} is not a key of a member; `shoal channel identity` writes them")
    return key
