"""The secret behind pseudonyms, noise and the order of rows.

A seed in the policy would be no secret: whoever reads the policy could take the noise away again. So the key
is fresh for each release, or comes from a file or the environment, and is never written, logged or printed.
Parts of a release use keys of their own, derived from it, so that no part reveals another.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import EngineError, PolicyError

LEAST_BYTES = 16
"""A shorter key could be guessed."""
VARIABLE = "SHOAL_KEY"


class SecretKey:
    """A key, and whether it was given.

    Parameters
    ----------
    secret
        Its bytes.
    given
        Whether somebody else has it, too, so that a release can be made again.
    """

    __slots__ = ("_secret", "given")

    def __init__(self, secret: bytes, *, given: bool) -> None:
        self._secret = hashlib.sha256(b"shoal key\0" + secret).digest()
        self.given = given

    def __repr__(self) -> str:
        return f"SecretKey({'given' if self.given else 'fresh'})"

    def __reduce__(self) -> str:
        raise TypeError("a secret key is not stored")

    @classmethod
    def fresh(cls) -> SecretKey:
        """A key that nobody has."""
        return cls(secrets.token_bytes(32), given=False)

    @classmethod
    def of(cls, file: str | Path | None, environment: Mapping[str, str] = os.environ) -> SecretKey:
        """The key in a file, or else in the environment variable SHOAL_KEY, or else a fresh one."""
        if file is None and VARIABLE not in environment:
            return cls.fresh()
        if file is None:
            secret, what = (
                environment[VARIABLE].encode("utf-8", "surrogateescape"),
                f"the variable {VARIABLE}",
            )
        else:
            what = f"the key file {Path(file).name}"
            try:
                secret = Path(file).read_bytes()
            except OSError as error:
                raise EngineError(f"cannot read {what}: {error.strerror}") from None
        secret = secret.strip()
        if len(secret) < LEAST_BYTES:
            raise PolicyError(
                f"{what} has fewer than {LEAST_BYTES} bytes, and could be guessed; make one with: "
                "openssl rand -hex 32"
            )
        return cls(secret, given=True)

    def mark(self, purpose: str, text: str) -> bytes:
        """32 bytes for a text, which say nothing about it to people without the key."""
        return hmac.digest(self._derived(purpose), text.encode("utf-8", "surrogatepass"), "sha256")

    def stream(self, purpose: str, count: int) -> NDArray[np.uint64]:
        """Random numbers, the same for the same key and purpose."""
        return np.frombuffer(hashlib.shake_256(self._derived(purpose)).digest(8 * count), "<u8")

    def uniform(self, purpose: str, count: int) -> NDArray[np.float64]:
        """Random numbers above 0 and below 1, in steps of 2^-53."""
        return ((self.stream(purpose, count) >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53

    def bound(self, *parts: str) -> SecretKey:
        """Another key, derived from this one, for one purpose and the cells that it is about.

        What is drawn row by row must not be drawn again for another table: two releases in one order are
        joined by position, and noise of two scales that was drawn once is taken away again.
        """
        derived = hmac.digest(self._derived("bound to"), "\0".join(parts).encode(), "sha256")
        return SecretKey(derived, given=self.given)

    def order(self, rows: int) -> NDArray[np.int64]:
        """The rows in a random order; of a key that is `bound` to their table."""
        return np.argsort(self.stream("order of rows", rows), kind="stable").astype(np.int64)

    def _derived(self, purpose: str) -> bytes:
        return hmac.digest(self._secret, purpose.encode(), "sha256")
