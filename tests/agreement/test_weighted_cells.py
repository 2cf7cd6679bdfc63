"""`suppressed-cells` with weights is the definition's number in every search that minimizes it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas
import pytest

import shoal

TABLE = pandas.DataFrame({"town": ["a", "b"], "job": ["x", "y"]})
"""Two rows that differ in both cells: k = 2 suppresses all four."""

SEARCHES: dict[str, dict[str, Any]] = {
    "cells": {},
    "forest": {},
    "matching": {},
    "meyerson-williams": {},
    "levels-and-cells": {},
    "suppress-columns": {},
    "lattice": {},
    "incognito": {},
    "local": {},
    "mingen": {"cells": True},
}


@pytest.mark.parametrize("weights", [(1, 1), (2, 2), (0.5, 0.5), (4, 2), (3, 0.75)])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_weighted_cell_counts_its_weight(name: str, weights: tuple[float, float]) -> None:
    """Cost, bound, manifest and every progress line: weights 2 and 2 on four cells are 8, and not 4."""
    heard = []
    release = shoal.anonymize(
        TABLE,
        quasi_identifiers=["town", "job"],
        k=2,
        cost="suppressed-cells",
        suppression=0,
        algorithm=name,
        weights=dict(zip(TABLE.columns, weights, strict=True)),
        on_progress=heard.append,
        **({"options": SEARCHES[name]} if SEARCHES[name] else {}),
    )
    cost = 2 * sum(Fraction(str(weight)) for weight in weights)
    assert release.result.cost == cost
    assert release.manifest.cost == float(cost)
    assert release.result.bound in (None, cost) or release.result.bound < cost
    assert {each.cost for each in (*heard, *release.result.trace) if each.cost is not None} <= {float(cost)}
