"""Combinations summed up by codes: by statements in the engine, and here after one fetch."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines._base import Counted
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql.counting import Counting
from shoal.engines.sql.fetched_counting import FetchedCounting
from shoal.engines.sql.tally import EngineTally, FetchedTally
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.evidence import Evidence
from tests.agreement.thoroughness import examples

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d", None]),
        st.one_of(st.none(), st.integers(-3, 12)),
        st.sampled_from(["x", "y", "z", "", None]),
        st.sampled_from(["yes", "no", None]),
        st.floats(0, 9),
    ),
    min_size=1,
    max_size=25,
)


def counted(kind: type[Counting], engine: DuckDB, frame: pd.DataFrame, *, weighs: bool) -> Counted:
    roles = {"job": Role.QUASI_IDENTIFIER, "age": Role.QUASI_IDENTIFIER, "town": Role.QUASI_IDENTIFIER}
    attributes = [Attribute(name=name, role=role) for name, role in roles.items()]
    attributes.append(Attribute(name="label", role=Role.CLASS))
    evidence = Evidence(survey_weight="weight" if weighs else None)
    return kind(engine.open(frame), attributes, evidence, None, SearchMemory.of(None)).counted()


@settings(max_examples=examples(40), deadline=None)
@given(rows=ROWS, weighs=st.booleans())
def test_what_is_fetched_once_counts_like_statements(
    rows: list[tuple[str | None, int | None, str | None, str | None, float]], weighs: bool
) -> None:
    """Domains, learned orders, codes, counts, labels and weights are the same, in the same order."""
    frame = pd.DataFrame(rows, columns=["job", "age", "town", "label", "weight"])
    frame["age"] = frame["age"].astype("Int64")
    with DuckDB() as engine:
        one, other = (
            counted(kind, engine, frame, weighs=weighs).frequencies for kind in (Counting, FetchedCounting)
        )
    assert one.domains == other.domains
    assert one.labels == other.labels
    for name in ("codes", "counts", "label_counts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    assert (one.population is None) == (other.population is None) == (not weighs)
    if weighs:
        np.testing.assert_array_equal(one.population, other.population)


def test_more_combinations_than_memory_are_not_fetched() -> None:
    """The driver fetches what a search may hold, and leaves the rest to statements."""
    frame = pd.DataFrame({"job": ["a", "b"]})
    with DuckDB() as engine:
        table = engine.open(frame)
        job = [Attribute(name="job", role=Role.QUASI_IDENTIFIER)]
        counting = FetchedCounting(table, job, Evidence(), None, SearchMemory.of("1KB"))
        with table.selected(["job"]) as relation:
            combinations, number = counting._combinations(table, relation, [table.cell("job")], None)
            cells = table.all_cells(["job"], combinations, "x")
            assert isinstance(counting._tally(combinations, number, cells), FetchedTally)
            assert isinstance(counting._tally(combinations, 100, cells), EngineTally)
