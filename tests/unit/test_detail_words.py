"""Costs that are means over cells are shown as detail that is kept, and nothing is claimed by rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cost import METRICS
from shoal.cost._cells import ShareMetric
from shoal.formatting.detail import MEANS_OVER_CELLS, claim, figures, gap_in_words, kept, points, possible


def test_the_means_over_cells_are_those_of_the_costs() -> None:
    """A new cost that runs from 0 to 1 over cells is shown as detail, too."""
    assert {name for name, metric in METRICS.items() if issubclass(metric, ShareMetric)} == MEANS_OVER_CELLS


def test_a_small_loss_with_a_large_gap_reads_as_it_is() -> None:
    """A gap of 93 % of a loss of 3 % is less than three points."""
    cost, bound = 0.0312, 0.0022
    gap = (cost - bound) / cost
    assert claim("general-loss", "feasible", cost, bound, gap, "cuts") == (
        "a cell keeps 96.8 % of its detail on average; no other cuts could keep more than 99.8 %"
    )
    assert gap_in_words("general-loss", cost, bound, gap) == "2.9 points"
    assert figures("general-loss", cost, bound, gap) == (
        "loss 0.0312   keeps 96.8 % of the detail, at most 99.8 %"
    )


def test_other_costs_keep_cost_bound_and_gap() -> None:
    """A sum of squares has no detail that a cell keeps."""
    assert figures("discernibility", 1000, 900, 0.1) == "cost 1,000   bound 900   gap 10.0 %"
    assert gap_in_words("discernibility", 1000, 900, 0.1) == "10 %"
    assert claim("discernibility", "optimal", 1000, 1000, 0.0, "cuts") == (
        "proved: no other cuts cost less under this policy"
    )


@pytest.mark.parametrize(
    ("status", "bound", "words"),
    [
        ("optimal", 0.25, "proved: no other cuts keep more under this policy"),
        ("minimal", None, "proved: no column can be released one step finer; costs were not compared"),
        ("feasible", None, "how much more other cuts could keep is not known"),
        ("feasible", 0.0, "how much more other cuts could keep is not known"),
        ("feasible", 0.125, "no other cuts could keep more than 87.5 %"),
    ],
)
def test_every_status_has_its_claim(status: str, bound: float | None, words: str) -> None:
    """Each says what a cell keeps, and what is proved."""
    gap = None if bound is None else (0.25 - bound) / 0.25
    said = claim("ncp", status, 0.25, bound, gap, "cuts")
    assert said == f"a cell keeps 75 % of its detail on average; {words}"


def test_everything_and_nothing_are_said_only_where_they_are_so() -> None:
    """Nearly all is not all."""
    assert (kept(0), kept(1), kept(0.0001), kept(0.99999)) == ("100 %", "0 %", "99.9 %", "below 0.1 %")
    assert (possible(0), possible(0.0001), possible(1e-12), possible(1)) == (
        "100 %",
        "99.99 %",
        "all but a trace",
        "0 %",
    )
    assert (points(0.5, 0.5), points(0.5, 0.49), points(0.5, 0.4999999)) == ("0", "1 point", "0.1 points")


@given(st.fractions(0, 1), st.fractions(0, 1))
def test_nothing_is_claimed_by_rounding(one: Fraction, two: Fraction) -> None:
    """What is kept is at least what is said, and no more could be kept than is said."""
    cost, bound = max(one, two), min(one, two)
    said = {"below 0.1 %": "0", "all but a trace": "100"}
    tiny = Fraction(1, 10**8)
    assert Fraction(said.get(kept(cost), kept(cost).removesuffix(" %"))) <= 100 * (1 - cost) + tiny
    most = Fraction(said.get(possible(bound), possible(bound).removesuffix(" %")))
    assert most >= 100 * (1 - bound) - tiny
    assert (possible(bound) == "100 %") == (bound == 0)
    assert (kept(cost) == "0 %") == (cost == 1)
