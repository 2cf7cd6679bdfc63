"""Secret sharing: any k points of a polynomial of degree k - 1 give its value at 0, fewer give nothing.

Shamir's scheme over the integers modulo a prime. Fewer than k points are consistent with every value at 0,
each by the same number of polynomials; the tests enumerate that over a small prime.
"""

from __future__ import annotations

from collections.abc import Sequence

PRIME = 2**255 - 19


def share(coefficients: Sequence[int], u: int, prime: int = PRIME) -> int:
    """The polynomial's value at u.

    Parameters
    ----------
    coefficients
        From that of degree 0, the secret, upwards.
    u
        Where; never 0.
    prime
        The field.
    """
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * u + coefficient) % prime
    return value


def secret(shares: Sequence[tuple[int, int]], prime: int = PRIME) -> int:
    """The value at 0 of the polynomial through these points, which are at different places.

    Parameters
    ----------
    shares
        Exactly as many as the polynomial has coefficients, each with its place and its value.
    prime
        The field.
    """
    total = 0
    for place, value in shares:
        above, below = 1, 1
        for other, _ in shares:
            if other != place:
                above = above * other % prime
                below = below * (other - place) % prime
        total += value * above * pow(below, -1, prime)
    return total % prime
