"""ElGamal encryption on ristretto255, with a key that two helpers have one half of each.

A cell is a pair (r G, H + r Y): H is the point that column and value hash to, and Y = (z1 + z2) G. Pairs of
equal cells differ by an encryption of the identity. Each helper removes its own half of the key; what is left
is the identity or, after multiplications with random scalars, a random point.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import rbcl  # type: ignore[import-untyped]

from shoal.joint.collect.blinding import IDENTITY, POINT, is_point, minus, new_scalar, plus, point_of, times
from shoal.joint.collect.row_text import joined

PAIR = 2 * POINT
Pair = tuple[bytes, bytes]


def key_share(scalar: bytes) -> bytes:
    """A helper's part of the public key."""
    return bytes(rbcl.crypto_scalarmult_ristretto255_base(scalar))


def encrypted(digest: str, columns: Sequence[str], values: Sequence[str], shares: Sequence[bytes]) -> bytes:
    """A row, cell by cell.

    Parameters
    ----------
    digest
        Of the collection.
    columns, values
        The quasi-identifiers.
    shares
        The helpers' parts of the public key; ValueError if they are no key.
    """
    if not all(map(is_point, shares)):
        raise ValueError("a part of a key that is not a point")
    public = IDENTITY
    for each in shares:
        public = plus(public, each)
    if public == IDENTITY:
        raise ValueError("parts of a key that cancel out")
    cells = []
    for column, value in zip(columns, values, strict=True):
        scalar = new_scalar()
        hidden = plus(point_of(joined([digest, column, value])), times(scalar, public))
        cells.append(key_share(scalar) + hidden)
    return b"".join(cells)


def pairs_of(row: bytes) -> list[Pair]:
    """The cells of an encrypted row; ValueError if it has something else than points."""
    cells = [
        (row[start : start + POINT], row[start + POINT : start + PAIR]) for start in range(0, len(row), PAIR)
    ]
    if not all(is_point(first) and is_point(second) for first, second in cells):
        raise ValueError("a cell that is not a pair of points")
    return cells


def difference(one: Pair, other: Pair) -> Pair:
    """An encryption of the difference of two cells."""
    return minus(one[0], other[0]), minus(one[1], other[1])


def half_opened(cell: Pair, scalar: bytes, key: bytes) -> Pair:
    """A cell times a scalar, without one half of the key."""
    first = times(scalar, cell[0])
    return first, minus(times(scalar, cell[1]), times(key, first))


def differs(cell: Pair, key: bytes) -> bool:
    """Whether a half-opened difference is one of unequal cells; the second helper's last step."""
    return half_opened(cell, new_scalar(), key)[1] != IDENTITY


def differences(one: Sequence[Pair], other: Sequence[Pair], key: bytes) -> bytes:
    """What the first helper says of two rows: a half-opened difference per column, columns shuffled."""
    made = [half_opened(difference(a, b), new_scalar(), key) for a, b in zip(one, other, strict=True)]
    secrets.SystemRandom().shuffle(made)
    return b"".join(first + second for first, second in made)


def combination(rows: Sequence[Sequence[Pair]], column: int, key: bytes) -> bytes:
    """A random combination of how the cells of a part differ from its first row's, half-opened.

    It encrypts the identity if all of them are equal, and otherwise a random point.
    """
    total = (IDENTITY, IDENTITY)
    for row in rows[1:]:
        apart = difference(row[column], rows[0][column])
        scalar = new_scalar()
        total = plus(total[0], times(scalar, apart[0])), plus(total[1], times(scalar, apart[1]))
    return total[0] + minus(total[1], times(key, total[0]))


def halves(text: bytes) -> list[Pair]:
    """Half-opened cells as they are sent; the identity may be among them. ValueError for anything else."""
    cells = [
        (text[start : start + POINT], text[start + POINT : start + PAIR])
        for start in range(0, len(text), PAIR)
    ]
    valid = rbcl.crypto_core_ristretto255_is_valid_point
    if not all(valid(first) and valid(second) for first, second in cells):
        raise ValueError("a cell that is not a pair of points")
    return cells
