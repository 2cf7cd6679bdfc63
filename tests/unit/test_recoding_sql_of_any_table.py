"""The recoding of random tables as SQL, run on DuckDB and compared with what `anonymize` releases."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, PolicyError
from tests.agreement.thoroughness import examples
from tests.unit.warehouses import policy_for, released, selected, smallest_group

# No texts like 1: a column of them alone is one of numbers, and the view asks for it as such.
TEXTS = [
    "a",
    "A",
    "a ",
    "",
    "*",
    "missing",
    "{a, b}",
    "{*}",
    "'",
    "\\",
    "\\'",
    '"',
    "{{a}}",
    "1a",
    "1.0a",
    "é",
]
NUMBERS = [None, float("nan"), -2.5, -0.0, 0.0, 0.1, 0.30000000000000004, 1.0, 1e-7, 123456789012.5]
ALGORITHMS = ["exact", "mondrian", "local"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pyarrow.Table, pyarrow.Table]:
    """A table that is counted, and the rows that the warehouse has later."""
    columns: dict[str, st.SearchStrategy[Any]] = {
        "whole": st.one_of(st.none(), st.integers(-3, 5)),
        "real": st.sampled_from(NUMBERS),
        "text": st.one_of(st.none(), st.sampled_from(TEXTS)),
        "truth": st.sampled_from([None, True, False]),
    }
    chosen = draw(st.lists(st.sampled_from(list(columns)), min_size=1, max_size=3, unique=True))
    types = {"whole": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.string()}
    schema = pyarrow.schema([(name, types.get(name, pyarrow.bool_())) for name in chosen])
    row = st.fixed_dictionaries({name: columns[name] for name in chosen})
    rows = draw(st.lists(row, min_size=2, max_size=14))
    others = draw(st.lists(st.one_of(st.sampled_from(rows), row), max_size=14))
    return pyarrow.Table.from_pylist(rows, schema), pyarrow.Table.from_pylist(others, schema)


@settings(max_examples=examples(40), deadline=None)
@given(tables(), st.integers(1, 3), st.sampled_from(ALGORITHMS), st.booleans(), st.booleans())
def test_any_table_is_released_as_anonymize_does_and_stays_k_anonymous(
    both: tuple[pyarrow.Table, pyarrow.Table], k: int, algorithm: str, masked: bool, categories: bool
) -> None:
    """Row for row on the rows that were counted; with k rows in each group on any other rows."""
    table, later = both
    names = table.column_names
    with tempfile.TemporaryDirectory() as folder:
        policy = policy_for(
            table,
            Path(folder),
            quasi_identifiers=names,
            k=min(k, table.num_rows),
            algorithm=algorithm,
            suppressed="mask" if masked else "drop",
            # Not of real numbers: NaN is missing, and of a column of codes SQL could not ask for it.
            types={name: "category" for name in names if name != "real"} if categories else None,
        )
        try:
            expected = released(policy, Path(folder))
        except (InfeasibleError, PolicyError):  # as "*" next to "{*}", which local recodings print alike
            reject()
        found = shoal.recoding_sql(policy=policy)
        assert selected(found, table) == expected
        smallest = smallest_group(selected(found, later), range(len(names)))
        assert smallest is None or smallest >= policy.k
