"""The audit agrees with a reader in plain Python, on tables with suppressed, missing and mixed cells."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from tests.agreement import plain_audit as plain
from tests.agreement.thoroughness import examples

QUASI = ["age", "zip"]
COLUMNS = [*QUASI, "ill", "pay", "who", "weight"]
CELLS = ["*", "*", "", "1", "[1, 3]", "x"]
READINGS = ["value", "wildcard", "conservative"]

rows_of_cells = st.tuples(
    st.sampled_from(CELLS),
    st.sampled_from(CELLS),
    st.sampled_from(["flu", "hiv", "cold", ""]),
    st.sampled_from(["1", "2", "10", ""]),
    st.sampled_from(["a", "b", "c", "d", "e"]),
    st.sampled_from(["0.5", "1", "2.25"]),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[shoal.DuckDB]:
    """One engine for all tables."""
    with shoal.DuckDB() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tables are written."""
    return tmp_path_factory.mktemp("tables")


def written(folder: Path, rows: list[tuple[str, ...]]) -> Path:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def close(found: object, expected: float | None) -> bool:
    if expected is None or not isinstance(found, int | float):
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


quick = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


# A value that only suppressed rows have is none of the table's: groups would seem closer to the whole.
ONLY_SUPPRESSED = [
    ("*", "*", "", "", "a", "1"),
    ("1", "x", "flu", "1", "a", "1"),
    ("x", "1", "hiv", "2", "b", "1"),
]


@given(rows=st.lists(rows_of_cells, min_size=1, max_size=12), reading=st.sampled_from(READINGS))
@example(rows=ONLY_SUPPRESSED, reading="value")
@quick
def test_sizes_and_models_are_those_of_a_plain_reader(
    rows: list[tuple[str, ...]], reading: str, engine: shoal.DuckDB, folder: Path
) -> None:
    """Sizes of groups, rows at risk, and every model's value, in each reading of `*`."""
    path = written(folder, rows)
    table = plain.read(path)
    facts = shoal.audit(
        path,
        quasi_identifiers=QUASI,
        sensitive=["ill", "pay"],
        entity="who",
        suppressed_cells=reading,  # type: ignore[arg-type]
        engine=engine,
    ).to_dict()
    groups = plain.grouped(table, QUASI, reading)
    sizes = sorted(map(len, groups))
    assert facts["sizes"] == [[size, sizes.count(size)] for size in sorted(set(sizes))]
    assert facts["suppressed"] == len(table) - sum(sizes)
    assert facts["k-anonymity"] == min(sizes, default=None)
    among = plain.hidden_among(table, QUASI, reading)
    if reading == "wildcard":
        assert facts["k-anonymity-wildcard"] == min(among.values(), default=None)
    for entry in facts["at_risk"]:  # type: ignore[attr-defined]
        assert entry["rows"] == sum(number < entry["below"] for number in among.values())
    expected = plain.models(table, QUASI, "ill", reading, number=False)
    pay_is_told = any(row["pay"] for row in table)
    expected |= plain.models(table, QUASI, "pay", reading, number=pay_is_told)
    expected["k-anonymity(who)"] = plain.people(table, QUASI, reading, "who")
    expected["average-risk"] = len(groups) / sum(sizes) if sizes else None
    # tests/histories/test_measured_histories.py has a plain reader of histories.
    found = {
        key: model["measured"]
        for key, model in facts["models"].items()  # type: ignore[attr-defined]
        if not key.startswith(("whole-history", "known-events"))
    }
    assert found.keys() == expected.keys()
    assert [key for key in expected if not close(found[key], expected[key])] == []


@given(
    rows=st.lists(rows_of_cells, min_size=1, max_size=12),
    reading=st.sampled_from(READINGS),
    k=st.integers(2, 4),
    values=st.integers(2, 3),
)
@quick
def test_offending_groups_are_those_of_a_plain_reader(
    rows: list[tuple[str, ...]], reading: str, k: int, values: int, engine: shoal.DuckDB, folder: Path
) -> None:
    """How many, how large, where, what of them is suppressed or missing, how many values they have."""
    path = written(folder, rows)
    table = plain.read(path)
    audited = shoal.audit(
        path,
        quasi_identifiers=QUASI,
        k=k,
        sensitive=["ill"],
        models=[{"name": "distinct-l-diversity", "attribute": "ill", "l": values}],
        suppressed_cells=reading,  # type: ignore[arg-type]
        offending=100,
        engine=engine,
    )
    among = plain.hidden_among(table, QUASI, reading)
    groups = plain.grouped(table, QUASI, reading)
    stars = [row for row in table if plain.is_suppressed(row, QUASI)]
    if any(row["ill"] for row in stars):
        groups.append(stars)
    diverse = {id(row): len({each["ill"] for each in group}) for group in groups for row in group}
    members: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(table):
        members.setdefault(tuple(row[name] for name in QUASI), []).append(place)
    expected = []
    for cells, places in members.items():
        small = any(among.get(place, k) < k for place in places)
        plainly = any(diverse.get(id(table[place]), values) < values for place in places)
        if small or plainly:
            breaks = ["k-anonymity"] * small + ["distinct-l-diversity"] * plainly
            expected.append(
                {
                    "rows": len(places),
                    "breaks": breaks,
                    "first_row": places[0] + 1,
                    "suppressed": [name for name, cell in zip(QUASI, cells, strict=True) if cell == "*"],
                    "missing": [name for name, cell in zip(QUASI, cells, strict=True) if cell == ""],
                    "generalized": [name for name, cell in zip(QUASI, cells, strict=True) if "," in cell],
                    "distinct": {"ill": len({table[place]["ill"] for place in places})},
                }
            )
    found = [each.to_dict() for each in audited.offending.described]
    for each in found:
        each.pop("hidden_among")
    in_order = [{key: one[key] for key in found[0]} for one in expected]
    assert sorted(found, key=str) == sorted(in_order, key=str)
    assert audited.offending.groups == len(expected)
    assert audited.meets == (not expected)


small = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "*"]),
        st.sampled_from(["x", "x", "*"]),
        st.sampled_from(["flu", "hiv"]),
        st.just("1"),
        st.just("a"),
        st.just("1"),
    ),
    min_size=1,
    max_size=6,
).filter(lambda rows: sum(cell == "*" for row in rows for cell in row) <= 4)


@given(rows=small)
@quick
def test_the_conservative_reading_is_the_worst_of_all_fillings(
    rows: list[tuple[str, ...]], engine: shoal.DuckDB, folder: Path
) -> None:
    """Whatever suppressed cells were, no group is smaller and no model worse; and some filling attains it."""
    path = written(folder, rows)
    table = plain.read(path)
    facts = shoal.audit(
        path, quasi_identifiers=QUASI, sensitive=["ill"], suppressed_cells="conservative", engine=engine
    ).to_dict()
    filled = list(plain.fillings(table, QUASI))
    smallest = [min(map(len, plain.grouped(each, QUASI, "value")), default=None) for each in filled]
    assert facts["k-anonymity"] == min((each for each in smallest if each is not None), default=None)
    found = {key: model["measured"] for key, model in facts["models"].items()}  # type: ignore[attr-defined]
    for name, (_, worst) in plain.SENSITIVE.items():
        key = name.format("ill")
        values = [plain.models(each, QUASI, "ill", "value", number=False)[key] for each in filled]
        told = [math.inf if value is None else value for value in values]
        expected = worst(told)
        assert close(found[key], None if expected == math.inf else expected), key


@given(rows=st.lists(rows_of_cells, min_size=1, max_size=12))
@quick
def test_weights_are_added_up_by_group(
    rows: list[tuple[str, ...]], engine: shoal.DuckDB, folder: Path
) -> None:
    """k-map is the fewest people that a group stands for, delta-presence its greatest share of them."""
    path = written(folder, rows)
    groups = plain.weights(plain.read(path), QUASI, "weight")
    audited = shoal.audit(path, quasi_identifiers=QUASI, survey_weight="weight", engine=engine)
    found = {each.model: each.value for each in audited.measured}
    assert close(found["k-map"], min((people for _, people in groups), default=None))
    assert close(found["delta-presence"], max((rows / people for rows, people in groups), default=None))
