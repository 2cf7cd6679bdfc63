"""At most one slot is used: honest proofs pass, a cheat passes once in 2^t."""

from __future__ import annotations

import functools
import secrets

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.channel.curve import Curve, Ristretto
from shoal.channel.dealing import deal
from shoal.channel.proof import Zeros, _written, longest, prepared, prove, proves
from tests.agreement.thoroughness import examples
from tests.channel.small_curve import SmallCurve

CURVE = Ristretto()


def committed(curve: Curve, values: list[int], members: int = 3) -> tuple[list[bytes], list[int]]:
    """The commitments to slots, and what blinds them."""
    dealing = deal(curve, values, members, secrets.randbelow)
    return [curve.total(each) for each in dealing.commitments], dealing.blinds(curve.order)


@pytest.mark.parametrize("curve", [CURVE, SmallCurve(7)], ids=["ristretto", "small"])
@pytest.mark.parametrize("used", [None, 0, 3])
def test_an_honest_proof_passes(curve: Curve, used: int | None) -> None:
    """With and without a message, and for its own context and slots alone."""
    slots, blinds = committed(curve, [3 * (at == used) for at in range(4)])
    proof = prove(curve, slots, blinds, used, b"here", 12, secrets.randbelow)
    assert len(proof) <= longest(4, 12, curve.width)
    assert proves(curve, slots, proof, b"here", 12)
    assert not proves(curve, slots, proof, b"here", 13)
    assert not proves(curve, slots, proof[:-1], b"here", 12)


def test_a_proof_belongs_to_its_context_and_its_slots() -> None:
    """It cannot be repeated in another round, nor for another dealer."""
    slots, blinds = committed(CURVE, [0, 9, 0])
    other, _ = committed(CURVE, [0, 9, 0])
    proof = prove(CURVE, slots, blinds, 1, b"here", 40, secrets.randbelow)
    assert proves(CURVE, slots, proof, b"here", 40)
    assert not proves(CURVE, slots, proof, b"there", 40)
    assert not proves(CURVE, other, proof, b"here", 40)


@pytest.mark.parametrize("times", [1, 2, 4])
def test_a_cheat_passes_once_in_two_to_the_t(times: int) -> None:
    """A cheat with two used slots that guesses all coins: measured, within five standard deviations."""
    slots, blinds = committed(CURVE, [5, 7, 0])
    tries, passed = 400, 0
    ready = [_guessed(slots, blinds, guess) for guess in (0, 1) for _ in range(4)]
    for number in range(tries):
        proof = b"".join(secrets.choice(ready) for _ in range(times))
        passed += proves(CURVE, slots, proof, number.to_bytes(4), times)
    expected = tries * 0.5**times
    assert abs(passed - expected) < 5 * (expected * (1 - 0.5**times)) ** 0.5


def _guessed(slots: list[bytes], blinds: list[int], guess: int) -> bytes:
    """An answer that passes if its coin falls as guessed."""
    if guess == 0:
        return _written(prepared(CURVE, slots, blinds, 0, secrets.randbelow).answers[0])
    zeros, own = committed(CURVE, [0, 0, 0])
    return _written(Zeros(2, zeros[2], tuple(own[:2])))


@functools.cache
def sound() -> tuple[list[bytes], bytes]:
    """Slots, and a proof that a cheat passes as good as never."""
    slots, blinds = committed(CURVE, [0, 9, 0])
    return slots, prove(CURVE, slots, blinds, 1, b"", 40, secrets.randbelow)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 7))
def test_a_damaged_proof_does_not_pass(at: int, bit: int) -> None:
    """One bit changed anywhere: refused, never an exception."""
    slots, proof = sound()
    damaged = bytearray(proof)
    damaged[at % len(proof)] ^= 1 << bit
    assert not proves(CURVE, slots, bytes(damaged), b"", 40)


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_no_proof(content: bytes) -> None:
    """Refused, never an exception."""
    slots, _ = committed(SmallCurve(7), [0, 0])
    assert not proves(SmallCurve(7), slots, content, b"", 3)
