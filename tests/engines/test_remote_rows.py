"""Nodes that are counted where the rows lie: the same release as from distinct rows in memory."""

from __future__ import annotations

from typing import Any

import pyarrow
import pytest

import shoal
from shoal.engines.search_memory import SearchMemory
from tests.engines.places import Place
from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures
from tests.engines.test_engines import THOROUGH, alike, facts, people, place, released  # noqa: F401

ASKED: dict[str, Any] = {
    "identifiers": ["name"],
    "quasi_identifiers": ["age", 'zip "code"', "smokes"],
    "k": 4,
    "algorithm": "samarati",
    "cost": "precision",
    "suppression": 12,
}


@pytest.mark.parametrize("place", THOROUGH, indirect=True)
def test_rows_that_an_engine_holds_are_released_as_those_in_memory(
    place: Place,  # noqa: F811
    people: pyarrow.Table,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Same levels, cost, groups, verdict and cells, also where no lists are looked up."""
    whole = shoal.anonymize(people, **ASKED, seed=1)
    assert whole.result.suppressed > 0
    monkeypatch.setattr(SearchMemory, "allows", lambda *_: False)
    remote = released(place, people, ASKED)
    assert facts(remote) == facts(whole)
    rows = list(zip(*whole.data.to_pydict().values(), strict=True))
    assert alike(place.released(remote)) == alike(rows)
