"""Units of all intervals of a domain, found by differences, are those of the definition."""

from __future__ import annotations

import math
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.cost._cells import share_matrix
from shoal.model.table.domain import Domain, Value
from tests.agreement.thoroughness import examples


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Whole or decimal numbers, or categories, with or without the missing value."""
    numbers = sorted(draw(st.sets(st.integers(-(10**9), 10**9), min_size=1, max_size=12)))
    kind = draw(st.sampled_from(["whole", "decimal", "category"]))
    values: list[Value] = list(numbers)
    if kind == "decimal":
        values = [Decimal(number) / 1000 for number in numbers]
    elif kind == "category":
        values = [f"v{place}" for place in range(len(numbers))]
    if draw(st.booleans()):
        values.append(None)
    return Domain(name="x", kind="category" if kind == "category" else "number", values=tuple(values))


@settings(max_examples=examples(100), deadline=None)
@given(domain=domains(), units=st.sampled_from([1, 7, 10**6 + 3, 2**40, 2**55]), weight=st.integers(1, 3))
def test_units_of_intervals_are_the_losses_rounded_down(domain: Domain, units: int, weight: int) -> None:
    """By width and by values, however large the numbers are."""
    for loss in (domain.loss, domain.share):
        matrix = share_matrix(domain, loss, units, weight)
        for first in range(len(domain)):
            for last in range(len(domain)):
                expected = math.floor(loss(first, last) * units) * weight if last >= first else 0
                assert matrix[first, last] == expected
