"""Any coalition sees the same, whoever of the others sent: exactly, over all randomness of tiny groups."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from shoal.channel.dealing import Dealing, Share, added, deal, opens
from shoal.channel.proof import Prepared, prepared
from tests.channel.small_curve import SmallCurve, all_runs

X = 3  # the message


def dealings(curve: SmallCurve, value: int, members: int) -> list[Dealing]:
    """All dealings of a value in one slot, each equally likely."""
    return list(all_runs(lambda randomly: deal(curve, [value], members, randomly)))


def seen_by_all(curve: SmallCurve, one: Dealing, two: Dealing) -> tuple[object, ...]:
    """What two members alone broadcast: commitments and sums."""
    sums = [added([one.to(at), two.to(at)], curve.order) for at in range(2)]
    return one.commitments, two.commitments, *sums


def test_an_observer_sees_the_same_whoever_of_two_sends() -> None:
    """q = 7, two members: all 117,649 outcomes give each view equally often for both senders."""
    curve = SmallCurve(7)
    silent, sending = dealings(curve, 0, 2), dealings(curve, X, 2)
    views = [
        Counter(seen_by_all(curve, one, two) for one, two in itertools.product(*pair))
        for pair in ((sending, silent), (silent, sending))
    ]
    assert views[0].total() == 7**6
    assert views[0] == views[1]


def coded(curve: SmallCurve, dealt: list[Dealing]) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    """What an honest dealer adds to the view of member 3: what it sees, and the parts of the two sums.

    One row for each combination of commitments and of member 3's share and blind; in it, the honest members'
    shares and blinds of all outcomes that look so, each as one number.
    """
    rows: dict[tuple[object, ...], list[int]] = {}
    for each in dealt:
        [[one, two, three]] = each.shares
        parts = (one.value, one.blind, two.value, two.blind)
        rows.setdefault((each.commitments, three), []).append(
            sum(part * curve.order**at for at, part in enumerate(parts))
        )
    return np.array([rows[key] for key in sorted(rows, key=repr)], np.uint16)


def sums_of(q: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    """The coded sum of two coded parts, digit by digit modulo q."""
    digits = np.array(list(itertools.product(range(q), repeat=2)))
    pairs = (digits[:, None, :] + digits[None, :, :]) % q
    return (pairs[..., 0] * q + pairs[..., 1]).astype(np.uint16)


@pytest.mark.parametrize("q", [3, 5, pytest.param(7, marks=pytest.mark.slow)])
def test_a_corrupt_member_sees_the_same_whoever_of_two_sends(q: int) -> None:
    """Three members, the third corrupt: all q^10 outcomes of the two honest ones, compared view by view."""
    curve = SmallCurve(q)
    silent, sending = (coded(curve, dealings(curve, value, 3)) for value in (0, X % q or 1))
    assert silent.shape == (q**4, q)  # the same direct views, each equally often, for 0 and for a message
    assert sending.shape == silent.shape
    both = sums_of(q)
    for own in range(len(silent)):  # a direct view of the first dealer; all of the second's at once
        views = []
        for first, second in ((sending, silent), (silent, sending)):
            one, two = first[own][None, :, None], second[:, None, :]
            low, high = both[one % q**2, two % q**2], both[one // q**2, two // q**2]
            views.append(np.sort((high * q**2 + low).reshape(len(second), -1), axis=1))
        np.testing.assert_array_equal(views[0], views[1])


def transcript(made: Prepared, coin: int) -> tuple[object, ...]:
    """What a proof shows."""
    return made.entries, made.answers[coin]


@pytest.mark.parametrize("coin", [0, 1])
def test_a_proof_looks_the_same_whichever_slot_is_used(coin: int) -> None:
    """Two slots, q = 5: the first, the second or none in use; all blinds, permutations and fresh blinds."""
    curve = SmallCurve(5)

    def seen(used: int | None) -> Counter[tuple[object, ...]]:
        def once(randomly: object) -> tuple[object, ...]:
            blinds = [randomly(5), randomly(5)]  # type: ignore[operator]
            slots = [curve.commit(X * (at == used), blind) for at, blind in enumerate(blinds)]
            made = prepared(curve, slots, blinds, used, randomly)  # type: ignore[arg-type]
            return tuple(slots), transcript(made, coin)

        # A member that sends nothing also draws the place that stays closed: each view twice as often.
        times = 2 if used is not None else 1
        return Counter({key: times * count for key, count in Counter(all_runs(once)).items()})

    assert seen(0) == seen(1) == seen(None)


def test_the_worked_example() -> None:
    """q = 11, three members, member 2 sends 7: sums, and the 11 fillings for each possible sender."""
    table = {1: (4, 9, 9), 2: (3, 10, 5), 3: (8, 2, 1)}
    assert [sum(row) % 11 for row in table.values()] == [0, 7, 0]
    shares = {name: [[Share(each, 0)] for each in row] for name, row in table.items()}
    announced = [added([shares[name][at] for name in table], 11)[0].value for at in range(3)]
    assert announced == [4, 10, 4]
    assert sum(announced) % 11 == 7
    # Member 1 sees its row, its column and the totals; of dealers 2 and 3 it misses the cells to 2 and 3.
    fits: Counter[int] = Counter()
    for cells in itertools.product(range(11), repeat=4):
        rows = {2: (3 + cells[0] + cells[1]) % 11, 3: (8 + cells[2] + cells[3]) % 11}
        columns = [(9 + cells[0] + cells[2]) % 11, (9 + cells[1] + cells[3]) % 11]
        if columns == announced[1:]:
            fits.update(sender for sender in rows if rows == {2: 0, 3: 0} | {sender: 7})
    assert fits == {2: 11, 3: 11}


def test_the_dealer_of_the_worked_example_deals_any_such_row() -> None:
    """Every row of three with the right sum, equally often, and all of them open their commitments."""
    curve = SmallCurve(11)
    blinds = 2  # of three numbers, one slot: two shares are drawn, the third follows
    rows: Counter[tuple[int, ...]] = Counter()
    for first in itertools.product(range(11), repeat=blinds):
        drawn = iter([*first, 1, 2, 3])
        dealt = deal(curve, [7], 3, lambda _below, drawn=drawn: next(drawn))  # type: ignore[misc]
        rows[tuple(share.value for share in dealt.shares[0])] += 1
        assert all(opens(curve, dealt.to(at), [dealt.commitments[0][at]]) for at in range(3))
    assert len(rows) == 121
    assert set(rows.values()) == {1}
    assert all(sum(row) % 11 == 7 for row in rows)
