"""Many quasi-identifiers: searches over levels, and searches over cuts that begin with levels."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.cuts import _level_start
from shoal.algorithms.levels import mingen
from shoal.algorithms.levels._lattice import Lattice
from shoal.model.policy.budget import Budget
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.result import Status
from tests.agreement.thoroughness import examples

from .level_problems import admissible_nodes, cost_at, level_problems, suppressed_at
from .wide_tables import drawn_problem, padded

SHAKEN = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
SOME = settings(max_examples=examples(40), deadline=None, suppress_health_check=SHAKEN)


@pytest.mark.parametrize("name", ["lattice", "samarati", "ola", "flash", "mingen"])
@SOME
@given(problem=level_problems(), columns=st.integers(20, 60))
def test_columns_that_tell_nothing_change_no_proof(name, problem, columns) -> None:  # type: ignore[no-untyped-def]
    """With constant columns and copies on top, up to 60 in all, each search proves what it proved without."""
    wide = padded(problem, columns)
    algorithm = ALGORITHMS[name]()
    narrow = padded(problem, len(problem.table.domains))  # without weights, as the wide one
    assume(algorithm.supports(narrow) is None)
    assert algorithm.supports(wide) is None
    found, before = algorithm.solve(wide, Budget()), algorithm.solve(narrow, Budget())
    assert found.status == before.status
    if before.recoding is None:
        assert found.recoding is None
        return
    assert isinstance(found.recoding, LevelRecoding)
    assert found.cost == cost_at(wide, found.recoding.levels)
    assert found.suppressed == suppressed_at(wide, found.recoding.levels) <= wide.most_suppressed
    if found.status is Status.OPTIMAL:
        tops = tuple(most for _, most in wide.levels[len(problem.table.domains) :])
        assert found.cost == min(cost_at(wide, (*levels, *tops)) for levels in admissible_nodes(narrow))


@pytest.mark.parametrize("limit", [0, 3, 60])
def test_keys_of_many_words_group_as_the_definition_does(limit: int) -> None:
    """Eighty columns of up to 60 values need keys of more than four words."""
    problem = drawn_problem(rows=60, columns=80, values=60, k=3, limit=limit, seed=1)
    assert sum((len(domain) - 1).bit_length() for domain in problem.table.domains) > 256
    result = ALGORITHMS["lattice"]().solve(problem, Budget(nodes=500))
    assert isinstance(result.recoding, LevelRecoding)
    assert result.cost == cost_at(problem, result.recoding.levels)
    assert result.bound is not None
    assert result.bound <= result.cost


@pytest.mark.parametrize("cost", ["general-loss", "discernibility"])
@pytest.mark.parametrize(("limit", "seed"), [(0, 0), (2, 1), (16, 2)])
def test_local_search_reaches_the_optimum_of_lattices_that_can_be_proved(
    cost: str, limit: int, seed: int
) -> None:
    """Of more than a million nodes, with a proof; as many threads as one likes."""
    problem = drawn_problem(rows=16, columns=11, values=14, k=5, limit=limit, seed=seed, cost=cost)
    assert math.prod(domain.hierarchy.height + 1 for domain in problem.table.domains) > 10**6
    proved = ALGORITHMS["lattice"]().solve(problem, Budget())
    assert proved.status is Status.OPTIMAL
    again = ALGORITHMS["lattice"]().solve(problem, Budget(nodes=3_000), threads=2, seed=3)
    assert again.cost == proved.cost
    assert again.bound is not None
    assert again.bound <= proved.cost


@pytest.mark.parametrize(
    ("limit", "cost"),
    [
        (0, Fraction(48983327, 58344000)),
        (25, Fraction(10341049, 13104000)),
        (500, Fraction(36412069, 48048000)),
    ],
    ids=["0%", "5%", "100%"],
)
def test_the_incumbent_of_a_wide_table_is_no_worse_than_before(limit: int, cost: Fraction) -> None:
    """After 2,000 nodes of a lattice of 24 columns; two threads give the same."""
    problem = drawn_problem(rows=500, columns=24, values=30, k=5, limit=limit, seed=7)
    one, two = (
        ALGORITHMS["lattice"]().solve(problem, Budget(nodes=2_000), threads=threads) for threads in (1, 2)
    )
    assert (one.cost, one.bound, one.nodes, one.recoding) == (two.cost, two.bound, two.nodes, two.recoding)
    assert one.cost is not None
    assert one.cost <= cost


@pytest.mark.parametrize("name", ["exact", "subtree"])
@pytest.mark.parametrize("limit", [0, 10, 200])
def test_cuts_are_no_worse_than_the_levels_they_begin_with(name: str, limit: int) -> None:
    """Cuts of 20 columns: what the search over levels finds first is where they begin."""
    problem = drawn_problem(rows=200, columns=20, values=9, k=4, limit=limit, seed=5)
    levels = ALGORITHMS["lattice"]().solve(problem, Budget(nodes=_level_start.NODES))
    cuts = ALGORITHMS[name]().solve(problem, Budget(nodes=1))
    assert levels.cost is not None
    assert cuts.cost is not None
    assert cuts.cost <= levels.cost
    assert cuts.cost == problem.cost.of(problem.table, cuts.recoding, problem.k)  # type: ignore[arg-type]


def test_columns_without_a_hierarchy_begin_with_intervals_that_double() -> None:
    """Levels of five values in a row: pairs, fours, and all."""
    problem = drawn_problem(rows=50, columns=1, values=9, k=2, limit=0, seed=1)
    domain = problem.table.domains[0]
    levels = _level_start.levels_of(domain.__class__(name="x", kind="number", values=tuple(range(5))))
    assert levels == [[0, 1, 2, 3, 4], [0, 0, 1, 1, 2], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert _level_start.cuts_at([levels], [1]) == [[2, 4]]


def test_mingen_takes_a_lattice_in_pieces_that_fit_memory() -> None:
    """All nodes once, in boxes of bounded size; of a lattice beyond counting, the first ones at once."""
    problem = drawn_problem(rows=30, columns=7, values=16, k=2, limit=0, seed=4)
    lattice = Lattice(problem)
    sizes = []
    for low, high in mingen.slabs(lattice):
        assert all(
            least <= below <= above <= most
            for least, below, above, most in zip(lattice.low, low, high, lattice.high, strict=True)
        )
        sizes.append(math.prod(above - below + 1 for below, above in zip(low, high, strict=True)))
    assert max(sizes) <= mingen.MOST_AT_ONCE
    assert sum(sizes) == math.prod(most + 1 for most in lattice.high)
    beyond = Lattice(drawn_problem(rows=30, columns=60, values=16, k=2, limit=0, seed=4))
    assert len(list(itertools.islice(mingen.slabs(beyond), 3))) == 3


def test_incognito_says_how_many_columns_are_too_many() -> None:
    """Its subsets would fill the memory: it refuses before it begins, with the figure and the way out."""
    problem = drawn_problem(rows=30, columns=17, values=4, k=2, limit=0, seed=4)
    why = ALGORITHMS["incognito"]().supports(problem)
    assert why is not None
    assert "at most 16 quasi-identifiers, and there are 17; use 'lattice'" in why
