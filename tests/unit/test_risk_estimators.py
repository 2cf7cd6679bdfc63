"""Estimators of population uniqueness and individual risk: published values, brute force, the undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.auditor.risk.individual import expected_reciprocal
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_path
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.harmonic import harmonic
from shoal.privacy.uniqueness.pitman import expected_unique, fit, pitman
from shoal.privacy.uniqueness.population_uniqueness import population_uniqueness
from shoal.privacy.uniqueness.root import root
from shoal.privacy.uniqueness.snb import _solutions, expected_sizes, population_groups
from shoal.privacy.uniqueness.zayatz import single_draws, zayatz
from tests.agreement.thoroughness import examples


def sizes_of(counts: Sequence[int]) -> GroupSizes:
    """Groups with these many rows."""
    sizes, groups = np.unique(np.array(counts, np.int64), return_counts=True)
    return GroupSizes(sizes=sizes, groups=groups.astype(np.int64))


@pytest.fixture(scope="module")
def adult() -> GroupSizes:
    """Adult by the nine quasi-identifiers of ARX's tests; its income is ARX's salary-class."""
    with DuckDB() as engine:
        return engine.group_sizes(adult_path(), (*ADULT_QUASI_IDENTIFIERS, "income"))


def test_average_risk_and_uniqueness_of_adult_are_those_of_arx(adult: GroupSizes) -> None:
    """TestRiskMetrics of ARX: testAverageRisk2 and, for a sampling fraction of 1, testDecisionRule2."""
    assert adult.count / adult.rows == 0.6465751607983555
    found = population_uniqueness(adult, adult.rows)
    assert found.chosen == "table"
    assert found.share == 0.5142895033485844
    assert found.pitman.share is None
    assert found.pitman.reason is not None


@pytest.mark.parametrize(("fraction", "published"), [(0.1, 0.3207402393466189), (0.2, 0.3577099234829125)])
def test_zayatz_of_adult_is_that_of_arx(adult: GroupSizes, fraction: float, published: float) -> None:
    """TestRiskMetrics of ARX, testDecisionRule2."""
    assert zayatz(adult, round(adult.rows / fraction)).share == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize(("fraction", "published"), [(0.1, 0.27684993883653597), (0.01, 0.1446083531167384)])
def test_pitman_of_adult_is_that_of_arx(adult: GroupSizes, fraction: float, published: float) -> None:
    """TestRiskMetrics of ARX, testDecisionRule2: it takes the limit of the expectation, which is higher."""
    fitted = fit(adult)
    assert fitted is not None
    theta, alpha = fitted
    people = round(adult.rows / fraction)
    limit = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * people ** (alpha - 1)
    assert limit == pytest.approx(published, rel=1e-9)
    share = pitman(adult, people).share
    assert share is not None
    assert published * (1 - 0.01) < share < published


def test_the_rule_takes_pitman_up_to_a_tenth_and_then_the_smaller_of_two(adult: GroupSizes) -> None:
    """ARX finds no solution of the slide negative binomial in Adult; there is one, so it is compared, too."""
    few, many = (population_uniqueness(adult, round(adult.rows / share)) for share in (0.1, 0.2))
    assert (few.chosen, few.share) == ("pitman", few.pitman.share)
    assert many.snb.share is not None
    assert many.zayatz.share is not None
    assert many.snb.share < many.zayatz.share
    assert (many.chosen, many.share) == ("snb", many.snb.share)


def test_individual_risk_is_that_of_sdcmicro() -> None:
    """Reference of sdcMicro, indivRisk: the fk, Fk and rk that it prints of francdat."""
    rows = np.array([2, 2, 2, 1, 1, 1, 1, 2])
    people = np.array([110.0, 84.5, 84.5, 17.0, 541.0, 8.0, 5.0, 110.0])
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert expected_reciprocal(rows, people) == pytest.approx(printed, abs=5e-9)


def expected_by_summing(rows: int, share: float) -> float:
    """E[1/F] of the negative binomial distribution, term by term."""
    total, term, people = 0.0, share**rows, rows
    while term / people > 1e-18 or people < 3 * rows / share:
        total += term / people
        term *= (1 - share) * people / (people - rows + 1)
        people += 1
    return total


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 15, 16, 40])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.51, 0.9, 0.9999])
def test_individual_risk_is_the_expectation_of_a_negative_binomial(rows: int, share: float) -> None:
    """Recursion and series agree with plain summation, on both sides of where one takes over."""
    found = expected_reciprocal(np.array([rows]), np.array([rows / share]))[0]
    assert found == pytest.approx(expected_by_summing(rows, share), rel=1e-11)


def test_individual_risk_by_hand() -> None:
    """f = 1, p = 1/2: log 2. f = 2: 1 - log 2. f = 3: 1/2 - (1 - log 2) = log 2 - 1/2. All people: 1/f."""
    found = expected_reciprocal(np.array([1, 2, 3, 4, 4]), np.array([2.0, 4.0, 6.0, 4.0, 3.0]))
    assert found == pytest.approx([math.log(2), 1 - math.log(2), math.log(2) - 0.5, 0.25, 0.25], abs=1e-14)


@given(
    first=st.floats(1e-6, 1e6),
    step=st.floats(0, 10),
    terms=st.integers(0, 3000),
)
@settings(max_examples=examples(150), deadline=None)
def test_harmonic_sums_are_those_of_plain_addition(first: float, step: float, terms: int) -> None:
    """The integral and its corrections stand for the terms that are not added."""
    plain = math.fsum(1 / (first + i * step) for i in range(terms))
    assert harmonic(first, step, terms) == pytest.approx(plain, rel=1e-12)


def test_root_finds_a_change_of_sign_and_nothing_else() -> None:
    """`None` where both ends have the same sign, also around a double root."""
    assert root(lambda x: x**3 - 2, 0, 2) == pytest.approx(2 ** (1 / 3), rel=1e-15)
    assert root(lambda x: math.expm1(50 * (x - 1)), 0, 9) == pytest.approx(1, abs=1e-13)
    assert root(lambda x: (x - 1) ** 2, 0, 3) is None
    assert root(lambda x: x - 1, 1, 2) == 1
    assert root(lambda x: math.nan, 0, 1) is None


def test_single_draws_are_hypergeometric() -> None:
    """Three of seven people are drawn: j C(7 - j, 2) / C(7, 3), and 0 where too few others are left."""
    found = single_draws(np.array([1, 2, 3, 5, 6]), rows=3, population=7)
    exact = [Fraction(size * math.comb(7 - size, 2), math.comb(7, 3)) for size in (1, 2, 3, 5, 6)]
    assert found == pytest.approx([float(each) for each in exact], abs=1e-15)


def test_zayatz_by_hand() -> None:
    """Two groups of one and one of two rows, ten people, n = 4.

    H(1) = 4/10, H(2) = 2 * 4/10 * 6/9 = 8/15: a unique row comes from a unique person with probability
    2 * 0.4 / (2 * 0.4 + 8/15) = 3/5. So 2 * 3/5 * 10/4 = 3 people of ten are unique.
    """
    assert zayatz(sizes_of([1, 1, 2]), 10).share == pytest.approx(0.3, abs=1e-15)


def likelihood(counts: Sequence[int], theta: float, alpha: float) -> float:
    """The logarithm of Pitman's sampling formula, without what does not hang on its parameters."""
    groups = sum(math.log(theta + i * alpha) for i in range(1, len(counts)))
    rows = sum(math.log(theta + i) for i in range(1, sum(counts)))
    return groups - rows + sum(math.log(i - alpha) for size in counts for i in range(1, size))


@given(st.lists(st.integers(1, 12), min_size=3, max_size=25))
@settings(max_examples=examples(60), deadline=None)
def test_no_parameters_are_more_likely_than_the_fitted_ones(counts: list[int]) -> None:
    """The fit is the best of a grid over alpha and theta, or it is none."""
    sizes = sizes_of(counts)
    assume(0 < sizes.of_size(1) < sizes.rows)
    fitted = fit(sizes)
    assume(fitted is not None)
    theta, alpha = fitted
    assert 0 <= alpha < 1
    assert theta > -alpha
    best = likelihood(counts, theta, alpha)
    for other in np.linspace(0, 0.98, 15):
        for odds in np.geomspace(1e-3, 1e3, 25):
            assert likelihood(counts, odds - other, other) <= best + 1e-7


def test_expected_unique_of_pitman_by_hand() -> None:
    """Of two people both are unique if the second opens a group: 2 (theta + alpha) / (theta + 1)."""
    assert expected_unique(3.0, 0.5, 1) == pytest.approx(1)
    assert expected_unique(3.0, 0.5, 2) == pytest.approx(2 * 3.5 / 4)
    assert expected_unique(3.0, 0.0, 2) == pytest.approx(2 * 3 / 4)
    # The series for many people and the logarithms of Gamma for few meet.
    assert expected_unique(3.0, 0.5, 1_000_001) == pytest.approx(expected_unique(3.0, 0.5, 999_990), rel=1e-5)


def test_expected_sizes_of_the_slide_negative_binomial_are_those_of_its_distribution() -> None:
    """P(F = 1 + x) is negative binomial, and a sample draws each person with probability pi."""
    alpha, beta, share = 0.7, 0.3, 0.25
    of_size, ones, twos = beta**alpha, 0.0, 0.0
    for people in range(1, 400):
        ones += of_size * people * share * (1 - share) ** (people - 1)
        twos += of_size * math.comb(people, 2) * share**2 * (1 - share) ** max(0, people - 2)
        of_size *= (alpha + people - 1) * (1 - beta) / people
    assert expected_sizes(1.0, share, alpha, beta) == pytest.approx((ones, twos), rel=1e-10)


def test_the_slide_negative_binomial_of_adult_solves_both_equations(adult: GroupSizes) -> None:
    """The parameters give the groups of one and two rows that Adult has, and there is one solution."""
    share = 0.2
    groups = population_groups(adult, share)
    found = list(_solutions(groups, share, adult.of_size(1), adult.of_size(2)))
    assert len(found) == 1
    expected = expected_sizes(groups, share, *found[0])
    assert expected == pytest.approx((adult.of_size(1), adult.of_size(2)), rel=1e-9)


@pytest.mark.parametrize("fraction", [0.05, 0.3])
def test_the_rule_comes_near_a_population_that_is_known(fraction: float) -> None:
    """A population of the slide negative binomial model, from which a sample is drawn."""
    random = np.random.default_rng(7)
    people = 1 + random.negative_binomial(0.4, 0.05, 20_000)
    drawn = random.binomial(people, fraction)
    sizes = sizes_of([int(size) for size in drawn if size])
    truth = float((people == 1).sum() / people.sum())
    found = population_uniqueness(sizes, int(people.sum()))
    assert found.share == pytest.approx(truth, rel=0.4)
    # With the true number of groups the equations lead back to the parameters.
    ((alpha, beta),) = _solutions(20_000, fraction, sizes.of_size(1), sizes.of_size(2))
    assert (alpha, beta) == pytest.approx((0.4, 0.05), rel=0.2)


def test_what_is_not_defined_has_a_reason_and_no_number() -> None:
    """Every row unique, no pairs: two models have no answer, and the third is chosen."""
    found = population_uniqueness(sizes_of([1] * 20), 1000)
    assert found.pitman.share is None
    assert "unique" in (found.pitman.reason or "")
    assert found.snb.share is None
    assert "two rows" in (found.snb.reason or "")
    assert (found.chosen, found.share) == ("zayatz", 1.0)
    assert set(found.to_dict()["reasons"]) == {"pitman", "snb"}  # type: ignore[call-overload]


def test_without_unique_rows_nobody_is_estimated_to_be_unique() -> None:
    """All three say 0, and so does the rule."""
    found = population_uniqueness(sizes_of([5, 6, 7]), 1000)
    assert (found.pitman.share, found.zayatz.share, found.snb.share, found.share) == (0, 0, 0, 0)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.floats(0.001, 1))
@settings(max_examples=examples(100), deadline=None)
def test_estimates_are_shares_or_have_a_reason(counts: list[int], fraction: float) -> None:
    """Whatever the table, an estimate lies between 0 and 1, or it is none and says why."""
    sizes = sizes_of(counts)
    found = population_uniqueness(sizes, max(sizes.rows, round(sizes.rows / fraction)))
    for model in (found.pitman, found.zayatz, found.snb):
        assert (model.share is None) == (model.reason is not None)
        assert model.share is None or 0 <= model.share <= 1
    assert (found.share is None) == (found.chosen is None)
