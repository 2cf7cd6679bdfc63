"""How well columns of a sample predict each other, against every pair of its rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines.sql.sampling import _agreements, _distinct, _Sample
from tests.agreement.thoroughness import examples

ROWS = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 3), st.integers(1, 3)), min_size=1, max_size=8)


@given(ROWS, st.integers(1, 5))
@settings(max_examples=examples(400))
def test_agreement_is_that_of_all_pairs_of_rows(lines: list[tuple[int, int, int]], every: int) -> None:
    """Copies of a line were taken together, so their pairs count once, and other pairs `every` times."""
    lines = list({(a, b): (a, b, w) for a, b, w in lines}.values())
    numbers = [np.array(column, np.int64) for column in zip(*lines, strict=True)]
    sample = _Sample(numbers[:2], numbers[2], every, {})
    found = _agreements(sample, ["a", "b"], [("a", "b")])
    rows = [(line, a, b) for line, (a, b, w) in enumerate(lines) for _ in range(w)]
    pairs = agreeing = 0
    sharing = set()
    for one, (line, a, b) in enumerate(rows):
        for two, (other, c, d) in enumerate(rows):
            if one != two and a == c >= 0:
                weight = 1 if line == other else every
                pairs += weight
                agreeing += weight * (b == d)
                sharing.add(one)
    if not pairs:
        assert found == {}
    else:
        assert found["a", "b"].rows == len(sharing)
        assert np.isclose(found["a", "b"].chance, agreeing / pairs)
    known = [b for _, _, b in rows if b >= 0]
    assert (_distinct(sample, 1).known, _distinct(sample, 1).values) == (len(known), len(set(known)))
