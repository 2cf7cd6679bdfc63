"""The transformer passes scikit-learn's own checks of estimators.

They give it arrays of numbers, and want arrays of numbers back: that is `output="midpoint"`. One does not
apply: `check_array_api_input` is about arrays of other libraries, and runs only where SCIPY_ARRAY_API is set
before SciPy is imported.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from shoal.sklearn import Anonymizer

CHECKS = [
    check
    for _, check in estimator_checks_generator(Anonymizer(k=2, output="midpoint", algorithm="lattice"))
    if check.func.__name__ != "check_array_api_input"
]


def test_nearly_every_check_applies() -> None:
    """Neither scikit-learn nor this file leaves out more than one."""
    assert len(CHECKS) > 40


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_the_transformer_is_an_estimator(check: Callable[[Anonymizer], None]) -> None:
    """As scikit-learn understands it."""
    check(Anonymizer(k=2, output="midpoint", algorithm="lattice"))
