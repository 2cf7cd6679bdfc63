"""What a slot carries, and how messages come together again."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.channel.curve import Ristretto
from shoal.channel.envelope import MOST_TEXT, opened, sealed
from shoal.channel.group_size import FAILURE, failure_probability, least_size
from shoal.channel.keys import public_of
from shoal.channel.mailbox import MOST_DELAY, Inbox, Outbox
from shoal.channel.slot import MOST_PIECES, PART, WIDTH, Piece, piece_of, pieces
from shoal.errors import PolicyError
from tests.agreement.thoroughness import examples

OWN, OTHER = bytes([7]) * 32, bytes([9]) * 32
TEXTS = st.binary(max_size=200)


def test_least_sizes_are_those_of_the_table() -> None:
    """k = 5 and 10, a corrupt share of 0, 0.1, 0.2 and 0.3, failure at most 10^-6."""
    table = {k: [least_size(k, Fraction(b, 10)) for b in range(4)] for k in (5, 10)}
    assert table == {5: [5, 13, 17, 22], 10: [10, 20, 26, 33]}


@pytest.mark.parametrize(("k", "tenths"), [(2, 1), (2, 3), (3, 1), (3, 3)])
def test_the_failure_probability_counts_all_outcomes(k: int, tenths: int) -> None:
    """Small groups by enumeration; the least size is the first at which it is small enough."""
    corrupt = Fraction(tenths, 10)
    for size in range(1, 7):
        enumerated = Fraction(0)
        for honest in itertools.product((True, False), repeat=size):
            if sum(honest) < k:
                enumerated += (1 - corrupt) ** sum(honest) * corrupt ** (size - sum(honest))
        assert failure_probability(size, k, corrupt) == enumerated
    least = least_size(k, corrupt)
    assert failure_probability(least, k, corrupt) <= FAILURE < failure_probability(least - 1, k, corrupt)


@pytest.mark.parametrize(("k", "corrupt"), [(1, "0"), (5, "1"), (5, "-0.1"), (5, "0.99")])
def test_impossible_demands_are_refused(k: int, corrupt: str) -> None:
    """One sentence says what is possible."""
    with pytest.raises(PolicyError, match=r"k is 2|share of corrupt|needs more than 127"):
        least_size(k, Fraction(corrupt))


@settings(max_examples=examples(300))
@given(
    st.integers(0, 255),
    st.binary(min_size=4, max_size=4),
    st.integers(0, MOST_PIECES - 1),
    st.booleans(),
    st.binary(min_size=PART, max_size=PART),
)
def test_a_piece_fits_a_slot_and_comes_back(
    group: int, message: bytes, place: int, last: bool, part: bytes
) -> None:
    """Below the order, never 0, and the same again; the sum with another is a collision."""
    piece = Piece(group, message, place, last, part)
    number = piece.number()
    assert 0 < number < 2 ** (8 * WIDTH) < Ristretto.order
    assert piece_of(number) == piece
    assert piece_of((number + Piece(1, b"abcd", 0, True, bytes(PART)).number()) % Ristretto.order) is None
    assert piece_of(Ristretto.order - 1) is None


@settings(max_examples=examples(100), deadline=None)
@given(TEXTS)
def test_only_the_receiver_opens_an_envelope(text: bytes) -> None:
    """Another member, or one changed byte: nothing."""
    envelope = sealed(text, public_of(OWN))
    assert len(envelope) % PART == 0
    assert opened(envelope, OWN) == text
    assert opened(envelope, OTHER) is None
    assert opened(envelope[:-1] + bytes([envelope[-1] ^ 1]), OWN) is None


def test_the_longest_text_fills_all_pieces() -> None:
    """One byte more is refused."""
    envelope = sealed(bytes(MOST_TEXT), public_of(OWN))
    assert len(pieces(0, envelope)) == MOST_PIECES
    with pytest.raises(PolicyError, match="send it in parts"):
        sealed(bytes(MOST_TEXT + 1), public_of(OWN))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_messages_come_together_in_any_order(texts: list[bytes], chance: random.Random) -> None:
    """Pieces of several messages, shuffled, some twice, among messages for others: each text once."""
    sent = [pieces(0, sealed(text, public_of(OWN))) for text in texts]
    foreign = pieces(0, sealed(b"not yours", public_of(OTHER)))
    all_pieces = [*itertools.chain(*sent), *foreign, *sent[0]]
    chance.shuffle(all_pieces)
    inbox = Inbox(OWN)
    for piece in all_pieces:
        inbox.add(piece)
    assert sorted(inbox.texts) == sorted(texts)


def test_false_pieces_do_not_keep_a_message_back() -> None:
    """Somebody who saw the first piece adds others with the same number, before the true ones come."""
    true = pieces(0, sealed(b"a text of some length", public_of(OWN)))
    inbox = Inbox(OWN)
    inbox.add(true[0])
    for place in range(1, len(true)):
        for filler in (b"x", b"y"):
            inbox.add(Piece(0, true[0].message, place, place == 1, filler * PART))
    for piece in true[1:]:
        inbox.add(piece)
    assert list(inbox.texts) == [b"a text of some length"]


def test_the_inbox_is_bounded() -> None:
    """Messages that are never finished do not fill the memory."""
    inbox = Inbox(OWN)
    for number in range(3_000):
        inbox.add(Piece(0, number.to_bytes(4), 0, False, bytes(PART)))
    assert len(inbox._messages) == 1_000


def test_a_member_waits_a_random_time_after_a_collision() -> None:
    """0 to 2 rounds, and the same piece again; the next one only when it has come."""
    delays = iter([2, 0])
    outbox = Outbox(lambda below: next(delays) if below == MOST_DELAY + 1 else 0)
    sent = pieces(0, sealed(b"", public_of(OWN)))
    assert outbox.add(sent) == 1
    assert outbox.next() == sent[0]
    outbox.settle(sent[0], [])
    assert [outbox.next() for _ in range(3)] == [None, None, sent[0]]
    outbox.settle(sent[0], [])
    assert outbox.next() == sent[0]
    for piece in sent:
        assert outbox.next() == piece
        outbox.settle(piece, [piece])
    assert (outbox.arrived, outbox.waiting, outbox.collisions) == (1, 0, 2)


@pytest.mark.parametrize("members", [5, 10])
def test_a_message_survives_as_often_as_computed(members: int) -> None:
    """All send: (1 - 1/2M)^(M-1), which is .66 and .63; simulated with a fixed seed."""
    chance = random.Random(members)
    slots, rounds = 2 * members, 4_000
    survived = 0
    for _ in range(rounds):
        chosen = [chance.randrange(slots) for _ in range(members)]
        survived += sum(chosen.count(each) == 1 for each in chosen)
    computed = (1 - 1 / slots) ** (members - 1)
    assert round(computed, 2) == {5: 0.66, 10: 0.63}[members]
    assert abs(survived / (rounds * members) - computed) < 0.02
