"""Commutative encryption of identifiers: E_s(id) = s * H(id) in the group ristretto255.

The order of two encryptions does not matter, so that two sites can recognise common people by what both have
encrypted, and neither can alone. H is the group's own hash of SHA-512 over a label of the run and the
identifier. Scalars are drawn anew for each round and forgotten after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.uint8]
"""Points of the group, one line of 32 bytes each."""

SIZE = 32


def hashed(run: bytes, ids: Sequence[str]) -> Points:
    """H of each identifier. These stay with the site: whoever has them can try identifiers."""
    import rbcl  # type: ignore[import-untyped]  # it has no types

    digests = (hashlib.sha512(b"shoal dka" + run + each.encode()).digest() for each in ids)
    return _points([rbcl.crypto_core_ristretto255_from_hash(each) for each in digests])


class RoundKey:
    """A secret scalar for one round."""

    def __init__(self) -> None:
        import rbcl

        self._scalar = rbcl.crypto_core_ristretto255_scalar_random()

    def encrypted(self, points: Points) -> Points:
        """Each point times the scalar; ValueError if one is no point of the group."""
        import rbcl

        scalar = self._scalar
        try:
            return _points([rbcl.crypto_scalarmult_ristretto255(scalar, each.tobytes()) for each in points])
        except (RuntimeError, ValueError, TypeError):
            raise ValueError("a token that is no point of the group") from None


def _points(each: Sequence[bytes]) -> Points:
    return np.frombuffer(b"".join(each), np.uint8).reshape(-1, SIZE)
