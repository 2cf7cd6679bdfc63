"""A proof that at most one slot of a dealer is not 0, by cutting and choosing.

Each slot has a commitment. The prover permutes the list and blinds each entry anew, several times. A coin
then decides for each of these lists which half is shown: how it was made (permutation and blinds), or that
all of its entries but one are 0. Whoever has two slots that are not 0 can prepare for one side of a coin
alone, and passes with probability 2^-times. The coins are a digest of all lists and of a context that
nobody knows beforehand (Fiat and Shamir). The entry that stays closed is at a uniform place: it says
neither which slot is used, nor whether one is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.channel.curve import SCALAR, Curve, numbers, scalar
from shoal.channel.dealing import Random

TIMES = 40
"""How often to repeat."""

_MADE, _ZEROS = 0, 1


@dataclass(frozen=True)
class Made:
    """How a list was made.

    Parameters
    ----------
    order
        For each entry, the slot that it came from.
    blinds
        What was added to each.
    """

    order: tuple[int, ...]
    blinds: tuple[int, ...]


@dataclass(frozen=True)
class Zeros:
    """All entries of a list but one, opened as 0.

    Parameters
    ----------
    closed
        The place of the other one.
    point
        That entry.
    blinds
        Of the opened ones, in their order.
    """

    closed: int
    point: bytes
    blinds: tuple[int, ...]


Answer = Made | Zeros


@dataclass(frozen=True)
class Prepared:
    """A list, and both answers to a coin."""

    entries: tuple[bytes, ...]
    answers: tuple[Made, Zeros]


def prepared(
    curve: Curve, slots: Sequence[bytes], blinds: Sequence[int], used: int | None, randomly: Random
) -> Prepared:
    """One permuted and newly blinded list.

    Parameters
    ----------
    curve
        The group of the commitments.
    slots, blinds
        The commitment to each slot, and what blinds it.
    used
        The slot that is not 0, if there is one.
    randomly
        Where randomness comes from.
    """
    order = list(range(len(slots)))
    for last in range(len(order) - 1, 0, -1):
        other = randomly(last + 1)
        order[last], order[other] = order[other], order[last]
    fresh = [randomly(curve.order) for _ in order]
    entries = tuple(curve.blinded(slots[slot], blind) for slot, blind in zip(order, fresh, strict=True))
    closed = randomly(len(order)) if used is None else order.index(used)
    both = [(blinds[slot] + blind) % curve.order for slot, blind in zip(order, fresh, strict=True)]
    zeros = Zeros(closed, entries[closed], tuple(both[:closed] + both[closed + 1 :]))
    return Prepared(entries, (Made(tuple(order), tuple(fresh)), zeros))


def entries_of(curve: Curve, slots: Sequence[bytes], answer: Answer) -> tuple[bytes, ...] | None:
    """The list that an answer belongs to; None if it belongs to none."""
    if isinstance(answer, Made):
        if sorted(answer.order) != list(range(len(slots))):
            return None
        return tuple(
            curve.blinded(slots[slot], blind) for slot, blind in zip(answer.order, answer.blinds, strict=True)
        )
    if not curve.is_point(answer.point) or answer.closed >= len(slots):
        return None
    opened = [curve.of_zero(blind) for blind in answer.blinds]
    return (*opened[: answer.closed], answer.point, *opened[answer.closed :])


def coins(context: bytes, slots: Sequence[bytes], lists: Sequence[Sequence[bytes]]) -> list[int]:
    """One coin for each list."""
    digest = hashlib.shake_256(b"shoal.channel: at most one slot" + len(context).to_bytes(4) + context)
    for part in (slots, *lists):
        digest.update(len(part).to_bytes(4) + b"".join(part))
    drawn = digest.digest(-(-len(lists) // 8))
    return [drawn[at // 8] >> (at % 8) & 1 for at in range(len(lists))]


def prove(
    curve: Curve,
    slots: Sequence[bytes],
    blinds: Sequence[int],
    used: int | None,
    context: bytes,
    times: int,
    randomly: Random,
) -> bytes:
    """The proof, as bytes; parameters as in `prepared` and `coins`."""
    lists = [prepared(curve, slots, blinds, used, randomly) for _ in range(times)]
    drawn = coins(context, slots, [each.entries for each in lists])
    return b"".join(_written(each.answers[coin]) for each, coin in zip(lists, drawn, strict=True))


def proves(curve: Curve, slots: Sequence[bytes], proof: bytes, context: bytes, times: int) -> bool:
    """Whether these bytes prove that at most one slot is not 0."""
    try:
        answers = _read(proof, len(slots), curve)
    except ValueError:
        return False
    lists = [entries_of(curve, slots, answer) for answer in answers]
    made = [each for each in lists if each is not None]
    if len(made) != len(lists) or len(made) != times:
        return False
    shown = [_MADE if isinstance(answer, Made) else _ZEROS for answer in answers]
    return shown == coins(context, slots, made)


def longest(slots: int, times: int, width: int) -> int:
    """The most bytes of a proof."""
    return times * (3 + width + slots * (2 + SCALAR))


def _written(answer: Answer) -> bytes:
    blinds = b"".join(map(scalar, answer.blinds))
    if isinstance(answer, Made):
        return bytes([_MADE]) + b"".join(slot.to_bytes(2) for slot in answer.order) + blinds
    return bytes([_ZEROS]) + answer.closed.to_bytes(2) + answer.point + blinds


def _read(proof: bytes, slots: int, curve: Curve) -> list[Answer]:
    found: list[Answer] = []
    at = 0

    def next_bytes(count: int) -> bytes:
        nonlocal at
        at += count
        if at > len(proof):
            raise ValueError("a proof that is cut off")
        return proof[at - count : at]

    while at < len(proof):
        kind = next_bytes(1)[0]
        if kind == _MADE:
            order = tuple(int.from_bytes(next_bytes(2)) for _ in range(slots))
            found.append(Made(order, tuple(numbers(next_bytes(SCALAR * slots), curve.order))))
        elif kind == _ZEROS:
            closed, point = int.from_bytes(next_bytes(2)), next_bytes(curve.width)
            blinds = numbers(next_bytes(SCALAR * (slots - 1)), curve.order)
            found.append(Zeros(closed, point, tuple(blinds)))
        else:
            raise ValueError("an answer of an unknown kind")
    return found
