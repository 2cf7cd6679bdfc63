"""Data frames: the same kind out, with its index, types and columns."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import shoal
from tests.unit.conftest import FRAMES, load


def release_of(frame: Any, **arguments: Any) -> Any:
    """The released frame."""
    asked = {"quasi_identifiers": ["age"], "k": 2, "suppression": 0, "algorithm": "exhaustive", **arguments}
    return shoal.anonymize(frame, **asked).data


def test_the_same_kind_comes_out() -> None:
    """pandas, polars and pyarrow; the source is not changed."""
    columns = {"age": [1, 2, 3, 4], "x": ["a", "b", "c", "d"]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
        released = release_of(frame)
        assert type(released) is type(frame)
        assert load(released) == {"age": ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"], "x": columns["x"]}
        assert load(frame) == columns


def test_a_duplicate_or_unordered_index_does_not_matter() -> None:
    """Kept rows keep their index and their order; no row number is added as a column."""
    frame = pandas.DataFrame({"age": [1, 9, 1, 5, 5, 5], "x": list("abcdef")}, index=[7, 7, 3, 3, 0, 0])
    released = release_of(frame, suppression="unlimited", suppressed="drop")
    assert list(released.index) == [7, 3, 3, 0, 0]
    assert list(released.columns) == ["age", "x"]
    assert list(released["x"]) == ["a", "c", "d", "e", "f"]
    masked = release_of(frame, suppression="unlimited", suppressed="mask")
    assert list(masked["age"]) == ["1", "*", "1", "5", "5", "5"]


def test_other_columns_keep_their_types_exactly() -> None:
    """Categories, nullable numbers, moments and objects pass untouched."""
    frame = pandas.DataFrame(
        {
            "age": [1, 1, 9],
            "category": pandas.Categorical(["a", "b", "a"]),
            "nullable": pandas.array([1, None, 3], dtype="Int64"),
            "moment": pandas.to_datetime(["2024-01-01", None, "2024-01-03"]),
            "object": [object(), {"a": 1}, [1, 2]],
            "small": np.array([1, 2, 3], np.int8),
        }
    )
    released = release_of(frame, suppression="unlimited")
    others = [name for name in frame.columns if name != "age"]
    pandas.testing.assert_frame_equal(released[others], frame[others].iloc[:2])
    assert released["age"].dtype == frame["age"].dtype


def test_masking_keeps_large_numbers_exact() -> None:
    """Whole numbers become nullable whole numbers, not floats."""
    frame = pandas.DataFrame({"age": [1, 1, 9], "id": [2**60 + 1, 2, 3], "flag": [True, False, True]})
    released = release_of(frame, suppression="unlimited", suppressed="mask")
    assert released["id"].tolist()[:2] == [2**60 + 1, 2]
    assert (str(released["id"].dtype), str(released["flag"].dtype)) == ("Int64", "boolean")
    assert released.iloc[2].isna().tolist() == [False, True, True]


@pytest.mark.parametrize(
    "ages",
    [
        [1, None, 1, np.nan],
        pandas.array([1, None, 1, None], dtype="Int64"),
        pandas.Categorical(["1", None, "1", None]),
        pandas.Series(["1", None, "1", np.nan], dtype=object),
        pandas.Series(["1", pandas.NA, "1", pandas.NA], dtype="string"),
        pandas.to_datetime(["2024-01-01", None, "2024-01-01", None]),
        pandas.Series([1.5, None, Decimal("1.5"), pandas.NaT], dtype=object),
    ],
)
def test_every_kind_of_missing_is_missing(ages: Any) -> None:
    """NaN, None, NaT and NA are one value of their own; no row is lost, no group is overstated."""
    release = shoal.anonymize(
        pandas.DataFrame({"age": ages}), quasi_identifiers=["age"], k=2, suppression=0, algorithm="exhaustive"
    )
    assert (release.manifest.rows, release.manifest.groups, release.verdict.k) == (4, 2, 2)
    assert release.data["age"].isna().tolist() == [False, True, False, True]


def test_nan_and_null_are_one_missing_value() -> None:
    """Also where the library tells them apart."""
    ages = [1.0, float("nan"), 1.0, None, -0.0, 0.0]
    for frame in (polars.DataFrame({"age": ages}, strict=False), pyarrow.table({"age": ages})):
        released = release_of(frame)
        assert str(load(released)["age"]) == "[1.0, None, 1.0, None, 0.0, 0.0]"


def test_a_number_in_the_frame_matches_text_in_the_order_and_the_reverse() -> None:
    """1, 1.0 and "1" are the same value."""
    numbers = pandas.DataFrame({"age": [1, 2, 3, 4]})
    texts = pandas.DataFrame({"age": ["1", "2", "3", "4"]})
    floats = pandas.DataFrame({"age": [1.0, 2.0, 3.0, 4.0]})
    for frame in (numbers, texts, floats):
        for order in (["1", "2", "3", "4"], [1, 2, 3, 4], [1.0, "2.0", 3, "4"]):
            assert list(release_of(frame, orders={"age": order})["age"]) == [
                "[1, 2]",
                "[1, 2]",
                "[3, 4]",
                "[3, 4]",
            ]


def test_codes_can_have_an_order_of_their_own() -> None:
    """Numbers that are codes are told to be categories."""
    frame = pandas.DataFrame({"age": [9, 1, 2, 9]})
    released = release_of(frame, types={"age": "category"}, orders={"age": [1, 2, 9]})
    assert list(released["age"]) == ["9", "{1, 2}", "{1, 2}", "9"]


def test_the_same_set_is_printed_in_one_way() -> None:
    """Whatever the order of its rows."""
    forward = release_of(pandas.DataFrame({"age": ["b", "a", "c", "c"]}))
    backward = release_of(pandas.DataFrame({"age": ["a", "b", "c", "c"]}))
    assert set(forward["age"]) == set(backward["age"]) == {"{a, b}", "c"}


def test_moments_dates_truth_values_and_decimals_are_read() -> None:
    """In every library that has them."""
    columns = {
        "moment": [datetime.datetime(2024, 1, day, 10) for day in (1, 2, 3, 3)],
        "day": [datetime.date(2024, 1, day) for day in (1, 2, 3, 3)],
        "flag": [True, True, False, False],
        "price": [Decimal("1.50"), Decimal("1.50"), Decimal(2), Decimal(2)],
    }
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
        released = {name: load(release_of(frame, quasi_identifiers=[name]))[name] for name in columns}
        assert released["moment"][0] == "[2024-01-01 10:00:00, 2024-01-02 10:00:00]"
        assert released["day"][0] == "[2024-01-01, 2024-01-02]"
        assert released["flag"] == columns["flag"]
        assert released["price"] == columns["price"]


def test_dictionaries_of_arrow_and_categories_of_polars_are_read() -> None:
    """Their cells are the values, not the codes."""
    values = ["b", "a", "c", "c"]
    arrow = pyarrow.table({"age": pyarrow.array(values).dictionary_encode()})
    categorical = polars.DataFrame({"age": polars.Series(values, dtype=polars.Categorical)})
    for frame in (arrow, categorical):
        assert load(release_of(frame))["age"] == ["{a, b}", "{a, b}", "c", "c"]


def test_arrow_tables_of_several_chunks_keep_their_rows() -> None:
    """A table that was put together from parts."""
    part = pyarrow.table({"age": [1, 2], "x": ["a", "b"]})
    released = release_of(pyarrow.concat_tables([part, part, part]), k=3)
    assert released.to_pydict() == {"age": [1, 2] * 3, "x": ["a", "b"] * 3}


def test_a_frame_can_be_released_to_a_file(tmp_path: Any) -> None:
    """Both are given: the frame, and the file with its manifest."""
    for kind, make in (("csv", pandas.DataFrame), ("parquet", polars.DataFrame), ("tsv", pyarrow.table)):
        frame = make({"age": [1, 2, 3, 4], "x": ["a", "b", "c", "d"]})
        release = shoal.anonymize(
            frame, quasi_identifiers=["age"], k=2, path=tmp_path / f"r.{kind}", algorithm="exhaustive"
        )
        assert load(release.path) == load(release.data)
        assert (tmp_path / f"r.{kind}.manifest.json").exists()


def test_cells_that_cannot_be_compared_are_refused() -> None:
    """Lists in a quasi-identifier."""
    with pytest.raises(shoal.PolicyError, match="cannot be compared"):
        release_of(pandas.DataFrame({"age": [[1], [2]]}))


def test_a_subclass_of_a_frame_is_a_frame() -> None:
    """Such as the frames of geopandas, whose own module is another library's."""

    class GeoFrame(pandas.DataFrame):
        pass

    released = release_of(GeoFrame({"age": [1, 2, 3, 4]}))
    assert list(released["age"]) == ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"]


def test_a_lazy_frame_is_collected_once_and_released_as_one() -> None:
    """Its plan could return other rows each time; what is handed out are the audited rows."""
    runs = []

    def counted(frame: polars.DataFrame) -> polars.DataFrame:
        runs.append(1)
        return frame

    lazy = polars.LazyFrame({"age": [1, 2, 3, 4]}).map_batches(counted)
    released = release_of(lazy)
    assert isinstance(released, polars.LazyFrame)
    assert released.collect()["age"].to_list() == ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"]
    assert len(runs) == 1


def test_a_lazy_frame_that_cannot_be_collected_is_one_sentence() -> None:
    """Without the message of polars, which can quote cells."""
    broken = polars.LazyFrame({"age": ["secret"]}).cast(polars.Int64)
    with pytest.raises(shoal.EngineError, match="polars cannot collect the lazy frame") as caught:
        release_of(broken)
    assert "secret" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis' own
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_table_of_ibis_is_released_as_one(in_memory: bool) -> None:
    """From a database of DuckDB, and from memory."""
    if in_memory:
        table = ibis.memtable(pyarrow.table({"age": [1, 2, 3, 4]}))
    else:
        backend = ibis.duckdb.connect()
        backend.raw_sql("CREATE TABLE people AS SELECT unnest([0, 1, 2, 3]) AS age").fetchall()
        table = backend.table("people").mutate(age=ibis._.age + 1)
    released = release_of(table)
    assert isinstance(released, ibis.expr.types.Table)
    assert released.to_pyarrow()["age"].to_pylist() == ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"]
    assert shoal.audit(released, quasi_identifiers=["age"]).verdict.k == 2


def test_digest_of_a_frame_depends_on_its_cells_and_not_on_its_index() -> None:
    """Two frames with the same quasi-identifiers in the same rows are the same source."""
    digests = [
        shoal.anonymize(frame, quasi_identifiers=["age"], k=1, algorithm="exhaustive").manifest.source_digest
        for frame in (
            pandas.DataFrame({"age": [1, 2, 2]}),
            pandas.DataFrame({"age": [1, 2, 2]}, index=[5, 5, 5]),
            pandas.DataFrame({"age": [2, 1, 2]}),
        )
    ]
    assert digests[0] == digests[1] != digests[2]


def test_cells_that_pandas_holds_for_equal_are_not_released_side_by_side() -> None:
    """1, 1.0 and True are one cell to pandas, None and NaN too; a reader can distinguish them."""
    mixed = pandas.DataFrame({"age": pandas.Series([1, 1.0, True, True], dtype=object)})
    assert list(release_of(mixed)["age"]) == ["1", "1", "true", "true"]
    missing = pandas.DataFrame(
        {"age": pandas.Series([None, float("nan"), pandas.NA, "x", "x"], dtype=object)}
    )
    assert list(release_of(missing)["age"]) == [None, None, None, "x", "x"]


@pytest.mark.parametrize("kind", FRAMES)
def test_moments_finer_than_microseconds_are_told_apart(kind: str) -> None:
    """Python's own moments would make them equal, and k would be overstated."""
    moments = pandas.DataFrame({"age": np.array([1, 2, 3, 4], "datetime64[ns]")})
    frame = {"pandas": lambda: moments, "polars": lambda: polars.DataFrame(moments)}.get(
        kind, lambda: pyarrow.Table.from_pandas(moments)
    )()
    released = load(release_of(frame, k=2))["age"]
    assert len(set(released)) == 2
    assert all(text.startswith("{1970") and text.count("00:00:00.00000000") == 2 for text in released)


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_lists_of_categories_name_nothing_that_only_suppressed_rows_had(suppressed: str) -> None:
    """Categories of pandas and dictionaries of Arrow travel with the column, used or not."""
    frame = pandas.DataFrame({"age": [1, 1, 9], "x": pandas.Categorical(["a", "b", "rare"])})
    released = release_of(frame, suppression="unlimited", suppressed=suppressed)
    assert list(released["x"].cat.categories) == ["a", "b"]
    table = pyarrow.table({"age": [1, 1, 9], "x": pyarrow.array(["a", "b", "rare"]).dictionary_encode()})
    released = release_of(table, suppression="unlimited", suppressed=suppressed)
    assert released["x"].type == table["x"].type
    assert released["x"].combine_chunks().dictionary.to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    "frame",
    [
        pyarrow.table({"age": [[1], [1]]}),
        polars.DataFrame({"age": polars.Series([object(), object()], dtype=polars.Object)}),
    ],
    ids=["list", "object"],
)
def test_every_library_s_refusal_is_one_message(frame: Any) -> None:
    """Errors of a library are ours, and quote no cell."""
    with pytest.raises(shoal.PolicyError, match="cannot be compared"):
        release_of(frame)


def test_a_column_may_have_any_name() -> None:
    """Even one that is an argument's name in a library, or a pattern."""
    signs = polars.DataFrame({"^a.*$": [1.0, 1.0, 9.0], "*": [1, 2, 3], "a": [4, 5, 6]})
    asked = {"quasi_identifiers": ["^a.*$"], "identifiers": ["*"], "suppression": 1}
    released = release_of(signs, **asked, suppressed="mask")
    assert load(released) == {"^a.*$": ["1", "1", "*"], "a": [4, 5, None]}
    assert (
        list(release_of(pandas.DataFrame({"self": [1, 2]}), quasi_identifiers=["self"])["self"]) == ["*"] * 2
    )


def test_masked_cells_of_object_columns_are_missing_to_every_reader() -> None:
    """A masked cell is None among objects, so that a model counts it as no value of the column."""
    frame = pandas.DataFrame({"size": ["d", "c", "d"], "sick": ["a", "a", "c"]}, dtype=object)
    model = {"name": "distinct-l-diversity", "attribute": "sick", "l": 2}
    release = shoal.anonymize(
        frame,
        cost="discernibility",
        suppression="unlimited",
        consistent=True,
        quasi_identifiers=["size"],
        k=1,
        sensitive=["sick"],
        models=[model],
        suppressed="mask",
    )
    assert release.data["sick"].tolist() == ["a", None, "c"]
