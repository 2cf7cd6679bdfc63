"""Steps 2 and 5 to 7 of a round: shares, their commitments, and the sums that open the slots.

The dealer of a slot's value x gives x_j to member j, with the sum of all x_j equal to x modulo the order;
every share is uniform, and so are all of them but one together. Each member announces the sum of the shares
that it was dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.channel.curve import Curve

Random = Callable[[int], int]
"""A uniform number from 0 to below its argument."""


@dataclass(frozen=True)
class Share:
    """What one member gets of one slot.

    Parameters
    ----------
    value, blind
        The share and the number that blinds its commitment.
    """

    value: int
    blind: int


@dataclass(frozen=True)
class Dealing:
    """The shares of one dealer.

    Parameters
    ----------
    shares
        By slot, then by member.
    commitments
        To each of them.
    """

    shares: tuple[tuple[Share, ...], ...]
    commitments: tuple[tuple[bytes, ...], ...]

    def to(self, member: int) -> tuple[Share, ...]:
        """What one member gets, by slot."""
        return tuple(slot[member] for slot in self.shares)

    def blinds(self, order: int) -> list[int]:
        """What blinds the commitments to whole slots."""
        return [sum(share.blind for share in slot) % order for slot in self.shares]


def deal(curve: Curve, slots: Sequence[int], members: int, randomly: Random) -> Dealing:
    """Share the values of slots among members.

    Parameters
    ----------
    curve
        The group of the commitments.
    slots
        The dealer's value for each slot: 0, except for one at most.
    members
        How many there are.
    randomly
        Where randomness comes from.
    """
    shares = []
    for value in slots:
        first = [randomly(curve.order) for _ in range(members - 1)]
        parts = [*first, (value - sum(first)) % curve.order]
        shares.append(tuple(Share(part, randomly(curve.order)) for part in parts))
    commitments = tuple(tuple(curve.commit(each.value, each.blind) for each in slot) for slot in shares)
    return Dealing(tuple(shares), commitments)


def opens(curve: Curve, shares: Sequence[Share], commitments: Sequence[bytes]) -> bool:
    """Whether these shares are the committed ones."""
    return len(shares) == len(commitments) and all(
        curve.commit(share.value, share.blind) == point
        for share, point in zip(shares, commitments, strict=True)
    )


def added(dealt: Sequence[Sequence[Share]], order: int) -> tuple[Share, ...]:
    """The sum, slot by slot, of what several dealers gave to one member, or several members announce."""
    return tuple(
        Share(sum(each.value for each in slot) % order, sum(each.blind for each in slot) % order)
        for slot in zip(*dealt, strict=True)
    )
