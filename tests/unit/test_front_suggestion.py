"""The suggestion: the smallest k that meets a stated risk, in figures that a steward can take."""

from __future__ import annotations

from dataclasses import replace

import pandas
import pytest

import shoal
from shoal import Front, PolicyError
from shoal.model.policy.front_request import least_k


@pytest.fixture(scope="module")
def front() -> Front:
    """A front of k = 2, 5, 12, 20 and 30 over 200 rows."""
    people = pandas.DataFrame({"age": [20 + row % 40 for row in range(200)], "sex": ["f", "m"] * 100})
    return shoal.front(people, quasi_identifiers=["age", "sex"], ks=[2, 5, 12, 20, 30])


@pytest.mark.parametrize(
    ("risk", "k"), [(0.2, 5), (0.09, 12), (0.05, 20), (0.1, 10), (0.091, 11), (1, 1), (1 / 3, 4), (0.5, 2)]
)
def test_a_risk_is_met_by_the_smallest_k_whose_reciprocal_is_at_most_it(risk: float, k: int) -> None:
    """By exact numbers, as written: 1 / 11 is above 0.09, and 1 / 5 is not above 0.2."""
    assert least_k(risk) == k


@pytest.mark.parametrize(("risk", "k"), [(0.2, 5), (0.09, 12), (0.05, 20)])
def test_the_smallest_k_that_meets_the_risk_is_suggested(front: Front, risk: float, k: int) -> None:
    """Of a front of k and one loss that is also the least loss."""
    suggested = replace(front, risk=risk).point("suggested")
    enough = [point for point in front if point.k >= k]
    assert suggested == min(enough, key=lambda point: point.k)
    assert suggested == min(enough, key=lambda point: point.values["general-loss"])


def test_the_policys_k_is_met_too(front: Front) -> None:
    """A policy may demand more than the risk does."""
    assert replace(front, policy=replace(front.policy, k=15)).point("suggested").k >= 15


def test_the_sentence_has_the_figures(front: Front) -> None:
    """Risk and detail, in per cent; rows that are left out, if there are any."""
    point = front.point("suggested")
    kept = 100 * (1 - float(point.values["general-loss"]))
    assert front.suggestion == (
        f"k = {point.k}: risk at most {100 / point.k:.2g} %, a cell keeps {kept:.3g} % of its detail"
    )
    fewer = replace(point, suppressed=1)
    assert front.describe(fewer).endswith(", 0.5 % of the rows are left out")


def test_where_no_point_meets_the_risk_nothing_is_suggested(front: Front) -> None:
    """And nothing is picked as if it were."""
    strict = replace(front, risk=0.01)
    assert strict.suggested is None
    assert strict.suggestion.startswith("no point has k = 100, which a risk of at most 1 %")
    with pytest.raises(PolicyError, match="nothing to suggest: no point has k = 100"):
        strict.pick("suggested")


def test_the_suggestion_is_what_is_picked(front: Front) -> None:
    """By default, and by its name; the knee is still there for those who name it."""
    for release in (front.pick(), front.pick("suggested")):
        assert release.manifest.k == front.point("suggested").k
    assert front.pick("knee").manifest.k == front.knee().k


def test_of_several_points_with_enough_k_the_least_loss_is_suggested() -> None:
    """Over levels l may be weighed too, and then several points meet the risk."""
    people = pandas.DataFrame(
        {
            "age": [20 + row % 8 for row in range(80)],
            "zip": [row % 3 for row in range(80)],
            "disease": [row % 7 for row in range(80)],
        }
    )
    front = shoal.front(
        people,
        quasi_identifiers=["age", "zip"],
        sensitive=["disease"],
        objectives=["k", "l", "general-loss"],
        risk=0.5,
    )
    assert front.recoding == "levels"
    suggested = front.point("suggested")
    enough = front.where(k=(2, None))
    assert suggested.values["general-loss"] == min(point.values["general-loss"] for point in enough)
    without = shoal.front(
        people, quasi_identifiers=["age", "zip"], sensitive=["disease"], objectives=["k", "l"], risk=0.5
    )
    assert without.point("suggested").k == min(point.k for point in without.where(k=(2, None)))
    assert "l " in front.suggestion
