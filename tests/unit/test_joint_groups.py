"""Groups of several releases together, against plain counting of rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model.recoding.groups import groups, released_codes
from shoal.model.recoding.joint_groups import (
    NOT_RELEASED,
    earlier_groups,
    joint_groups,
    own_groups,
    partition_of,
    widened,
)
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.thoroughness import examples

SIZES = (4, 3)
Row = tuple[int, ...]


def table_of(rows: list[Row]) -> FrequencyTable:
    counted = Counter(rows)
    values = [("a", "b", "c", "d"), (10, 20, 30)]
    kinds = ["category", "number"]
    return FrequencyTable(
        domains=tuple(
            Domain(name=f"c{index}", kind=kinds[index], values=values[index])  # type: ignore[arg-type]
            for index in range(2)
        ),
        codes=np.array(sorted(counted), np.int32),
        counts=np.array([counted[row] for row in sorted(counted)], np.int64),
    )


def facts_of(table: FrequencyTable, recoding: CutRecoding, k: int) -> dict[str, object]:
    """What the ledger has of a release."""
    made = groups(table, recoding, k)
    return {
        "quasi_identifiers": [domain.name for domain in table.domains],
        "partition": partition_of(recoding, table, released_codes(table, made, recoding)),
        "k": k,
        "suppressed": made.suppressed,
        "k_alone": True,
    }


def shown(rows: list[Row], cuts: tuple[tuple[int, ...], ...], k: int) -> list[Row | None]:
    """Per row its intervals, or `None` if it is suppressed; counted row by row."""
    parts = [
        tuple(sum(cut <= code for cut in each) for code, each in zip(row, cuts, strict=True)) for row in rows
    ]
    sizes = Counter(parts)
    return [part if sizes[part] >= k else None for part in parts]


recodings = st.tuples(
    *(st.sets(st.integers(1, size - 1)).map(lambda cuts: tuple(sorted(cuts))) for size in SIZES)
)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(st.tuples(*(st.integers(0, size - 1) for size in SIZES)), min_size=1, max_size=14),
    st.lists(st.tuples(recodings, st.integers(1, 3)), min_size=1, max_size=3),
    st.tuples(recodings, st.integers(1, 4)),
)
def test_joint_groups_equal_counting_row_by_row(
    rows: list[Row],
    before: list[tuple[tuple[tuple[int, ...], ...], int]],
    now: tuple[tuple[tuple[int, ...], ...], int],
) -> None:
    """Rows that all releases show alike are one group; a row that one suppresses is told apart."""
    table, (cuts, k) = table_of(rows), now
    earlier = []
    for each, size in before:
        found = earlier_groups(table, facts_of(table, CutRecoding(each), size))
        assert not isinstance(found, str)
        earlier.append(found)
    recoding = CutRecoding(cuts)
    own = own_groups(table, recoding, groups(table, recoding, k))
    joint = joint_groups(table.counts, [own, *earlier], k)
    seen = list(zip(*(shown(rows, each, size) for each, size in [now, *before]), strict=True))
    sizes = Counter(line for line in seen if any(part is not None for part in line))
    assert joint.rows == sizes.total()
    assert joint.groups == len(sizes)
    assert joint.smallest == min(sizes.values(), default=None)
    assert joint.below == sum(size for size in sizes.values() if size < k)


def test_what_the_ledger_does_not_say_is_not_guessed() -> None:
    """Another domain, a column that is gone, a local recoding, rows suppressed for other reasons."""
    table = table_of([(0, 0), (0, 0), (1, 1), (1, 1), (2, 2)])
    facts = facts_of(table, CutRecoding(((1, 2), ())), 2)
    found = earlier_groups(table, facts)
    assert not isinstance(found, str)
    assert found.tolist() == [0, 1, NOT_RELEASED]
    assert "equal values differently" in str(earlier_groups(table, {**facts, "partition": None}))
    assert "other reasons" in str(earlier_groups(table, {**facts, "k_alone": False}))
    assert "other reasons" in str(earlier_groups(table, {**facts, "suppressed": 3}))
    assert "has no column 'zip'" in str(earlier_groups(table, {**facts, "quasi_identifiers": ["c0", "zip"]}))
    fewer = table_of([(0, 0)])
    other = FrequencyTable(
        domains=(Domain(name="c0", kind="category", values=("a", "z")), fewer.domains[1]),
        codes=fewer.codes,
        counts=fewer.counts,
    )
    assert "read differently" in str(earlier_groups(other, facts))


def test_a_partition_names_no_value() -> None:
    """Only digests and numbers are written down."""
    table = table_of([(0, 0), (1, 1), (2, 2)])
    partition = partition_of(CutRecoding(((2,), ())), table, [range(4), range(3)])
    assert partition is not None
    assert partition["c0"]["parts"] == [[0, 2], [1, 2]]  # type: ignore[index]
    assert partition["c1"]["parts"] == [[0, 3]]  # type: ignore[index]
    assert set(partition["c0"]) == {"values", "parts"}  # type: ignore[call-overload]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(*(st.integers(0, size - 1) for size in SIZES)), min_size=1, max_size=12),
    st.sets(st.integers(1, 3)).map(lambda cuts: tuple(sorted(cuts))),
    st.booleans(),
)
def test_groups_of_fewer_columns_are_those_of_more(
    rows: list[Row], cuts: tuple[int, ...], is_shown: bool
) -> None:
    """A column that the release does not have tells nothing; one that it shows divides its groups."""
    wide = table_of(rows)
    counted = Counter(row[:1] for row in rows)
    narrow = FrequencyTable(
        domains=wide.domains[:1],
        codes=np.array(sorted(counted), np.int32),
        counts=np.array([counted[row] for row in sorted(counted)], np.int64),
    )
    recoding = CutRecoding((cuts,))
    own = own_groups(narrow, recoding, groups(narrow, recoding, 2))
    wider = widened(own, narrow, wide, ["c1"] if is_shown else [])
    assert wider is not None
    kept = shown([row[:1] for row in rows], (cuts,), 2)
    seen = Counter(
        (part, row[1] if is_shown else None) for part, row in zip(kept, rows, strict=True) if part is not None
    )
    joint = joint_groups(wide.counts, [wider], 2)
    assert (joint.rows, joint.groups) == (seen.total(), len(seen))
    assert joint.smallest == min(seen.values(), default=None)
