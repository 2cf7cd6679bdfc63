"""What the ways of cloaking are built of equals its plain definition."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PolicyError
from shoal.location.cloaking.hilbert_curve import Curve, indices, plain_index
from shoal.location.cloaking.largest_clique import largest_clique
from shoal.location.cloaking.pyramid import Pyramid
from shoal.location.cloaking.sorted_keys import SortedKeys
from shoal.location.cloaking.square import Square
from tests.agreement.thoroughness import examples


def test_the_curve_goes_through_all_points_by_steps_of_one() -> None:
    """Every point of a square of 16 once, each next to the one before."""
    points = sorted((plain_index(4, x, y), x, y) for x in range(16) for y in range(16))
    assert [place for place, _, _ in points] == list(range(256))
    assert all(abs(ax - bx) + abs(ay - by) == 1 for (_, ax, ay), (_, bx, by) in pairwise(points))


@given(st.integers(1, 30), st.data())
@settings(max_examples=examples(200))
def test_the_tables_of_the_curve_equal_its_definition(bits: int, data: st.DataObject) -> None:
    """One by one and many at once, for every size of square."""
    coordinate = st.integers(0, (1 << bits) - 1)
    points = data.draw(st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=20))
    plain = [plain_index(bits, x, y) for x, y in points]
    assert [Curve(bits).index(x, y) for x, y in points] == plain
    xs, ys = (np.array(column, np.int64) for column in zip(*points, strict=True))
    assert indices(bits, xs, ys).tolist() == plain


def test_sorted_keys_equal_a_sorted_list() -> None:
    """Ranks and slices after thousands of random changes, over many blocks."""
    random = np.random.default_rng(0)
    keys, plain = SortedKeys(range(0, 6000, 3)), set(range(0, 6000, 3))
    for step in range(6000):
        key = int(random.integers(0, 8000))
        if key in plain:
            keys.remove(key)
            plain.remove(key)
        else:
            keys.add(key)
            plain.add(key)
        if step % 50 == 0:
            ordered = sorted(plain)
            assert len(keys) == len(ordered)
            first = int(random.integers(0, len(ordered)))
            end = min(first + int(random.integers(0, 700)), len(ordered))
            assert keys.between(first, end) == ordered[first:end]
            assert keys.rank(key) == sum(each < key for each in ordered)
    for key in sorted(plain):
        keys.remove(key)
    assert (len(keys), keys.rank(5), keys.between(0, 3)) == (0, 0, [])
    keys.add(7)
    assert keys.between(0, 1) == [7]


def test_a_pyramid_counts_every_cell_after_moves() -> None:
    """Against counting all users of all cells."""
    random = np.random.default_rng(1)
    square = Square(x=-8, y=100, side=64, levels=5)
    points = np.add(random.integers(0, 64, (40, 2)), (-8, 100))
    pyramid = Pyramid(square)
    codes = [square.code(int(x), int(y)) for x, y in points]
    for code in codes:
        pyramid.change(code, 1)
    for place in range(30):
        points[place] = np.add(random.integers(0, 64, 2), (-8, 100))
        new = square.code(*map(int, points[place]))
        pyramid.move(codes[place], new)
        codes[place] = new
    for level, row in enumerate(pyramid.counts):
        cells = [square.cell(int(x), int(y), level) for x, y in points]
        for (x, y), cell in zip(points, cells, strict=True):
            code = square.code(int(x), int(y)) >> 2 * (square.levels - level)
            assert cell.holds(int(x), int(y))
            assert row[code] == cells.count(cell)
        assert sum(row) == len(points)


@given(st.integers(0, 9), st.data())
@settings(max_examples=examples(300))
def test_a_largest_clique_is_one(vertices: int, data: st.DataObject) -> None:
    """It is a clique, and trying all sets finds none that is larger."""
    edges = {pair for pair in combinations(range(vertices), 2) if data.draw(st.booleans())}
    neighbours = [
        sum(1 << other for other in range(vertices) if (min(each, other), max(each, other)) in edges)
        for each in range(vertices)
    ]
    allowed = data.draw(st.integers(0, (1 << vertices) - 1))
    found = largest_clique(neighbours, allowed)
    assert found & ~allowed == 0

    def is_clique(bits: int) -> bool:
        members = [each for each in range(vertices) if bits >> each & 1]
        return all(pair in edges for pair in combinations(members, 2))

    assert is_clique(found)
    subsets = (bits for bits in range(1 << vertices) if bits & ~allowed == 0 and is_clique(bits))
    assert found.bit_count() == max(each.bit_count() for each in subsets)


@pytest.mark.parametrize(
    ("side", "levels", "why"),
    [(12, -1, "16 would do"), (0, -1, "power of two"), (1 << 31, -1, "at most 2"), (16, 5, "1 to 4 times")],
)
def test_a_square_that_cannot_be_divided_is_refused(side: int, levels: int, why: str) -> None:
    """With what would do."""
    with pytest.raises(PolicyError, match=why):
        Square(x=0, y=0, side=side, levels=levels)
