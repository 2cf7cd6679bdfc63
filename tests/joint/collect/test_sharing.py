"""Any k shares give the secret, fewer are consistent with every secret."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.joint.collect.sharing import PRIME, secret, share

numbers = st.integers(0, PRIME - 1)


@given(st.lists(numbers, min_size=1, max_size=8), st.data())
@settings(max_examples=60)
def test_any_k_shares_give_the_secret(coefficients: list[int], data: st.DataObject) -> None:
    """Whatever k places other than 0 they are at."""
    k = len(coefficients)
    places = data.draw(st.lists(st.integers(1, PRIME - 1), min_size=k, max_size=k, unique=True))
    assert secret([(each, share(coefficients, each)) for each in places]) == coefficients[0]


def test_every_choice_of_k_from_many_shares_agrees() -> None:
    """Seven shares of a secret for three, all 35 choices."""
    coefficients = [41, 7, 2**200]
    shares = [(place, share(coefficients, place)) for place in range(1, 8)]
    assert {secret(chosen) for chosen in itertools.combinations(shares, 3)} == {41}


def test_fewer_than_k_shares_are_consistent_with_every_secret() -> None:
    """Enumerated over a small prime: each secret is left by exactly one polynomial, for any k - 1 shares."""
    prime, k = 7, 3
    for places in itertools.combinations(range(1, prime), k - 1):
        left: dict[tuple[int, ...], Counter[int]] = {}
        for coefficients in itertools.product(range(prime), repeat=k):
            seen = tuple(share(coefficients, place, prime) for place in places)
            left.setdefault(seen, Counter())[coefficients[0]] += 1
        assert len(left) == prime ** (k - 1)
        assert all(secrets == Counter(range(prime)) for secrets in left.values())


def test_one_share_of_three_leaves_every_secret_equally_often() -> None:
    """The further from k, the more polynomials are left."""
    prime = 5
    seen = Counter(
        coefficients[0]
        for coefficients in itertools.product(range(prime), repeat=3)
        if share(coefficients, 2, prime) == 4
    )
    assert seen == Counter(dict.fromkeys(range(prime), prime))
