"""Microaggregated releases from end to end: numbers stay numbers, and the manifest says what cells are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

import shoal
from shoal.engines.duckdb.engine import DuckDB

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
arrow = pytest.importorskip("pyarrow")

AGES = [20, 21, 23, 40, 41, 45, 46, 60]
SIZES = [1.5, 1.25, 1.0, 7.5, None, 7.0, 7.25, 7.75]
CITIES = ["Oslo", "Oslo", "Bergen", "Rome", "Rome", "Rome", "Oslo", "Rome"]
GRADES = ["low", "mid", "mid", "high", "high", "mid", "low", "high"]
PEOPLE = {"age": AGES, "size": SIZES, "city": CITIES, "grade": GRADES, "id": list(range(8))}
ASKED: dict[str, Any] = {
    "quasi_identifiers": ["age", "size", "city", "grade"],
    "orders": {"grade": ["low", "mid", "high"]},
    "k": 3,
    "algorithm": "microaggregate",
    "cost": "sse",
}


def measured(data: Any, columns: list[str]) -> int | None:
    with DuckDB() as engine:
        return engine.measure(data, columns, 3).smallest


@pytest.mark.parametrize("method", ["mdav", "v-mdav"])
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, arrow.table])
def test_frames_keep_columns_of_numbers(make: Any, method: str, suppressed: Literal["drop", "mask"]) -> None:
    """Of every library; the audit has measured them."""
    release = shoal.anonymize(make(PEOPLE), options={"method": method}, suppressed=suppressed, **ASKED)
    types = {"age": "float", "size": "float"}
    data = release.data
    if isinstance(data, arrow.Table):
        assert str(data.schema.field("age").type) == str(data.schema.field("size").type) == "double"
    else:
        assert all(str(data[name].dtype).lower().startswith(kind) for name, kind in types.items())
    assert list(data["id"]) == list(make(PEOPLE)["id"])
    assert release.verdict.k == measured(data, ASKED["quasi_identifiers"]) == 3
    assert sum(float(str(each)) for each in data["age"]) == pytest.approx(sum(AGES))


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_keep_numbers_and_say_that_they_are_not_truthful(
    suffix: str, suppressed: Literal["drop", "mask"], tmp_path: Path
) -> None:
    """DOUBLE in Parquet, plain numbers in CSV; the manifest names no value of a row."""
    source, target = tmp_path / f"people.{suffix}", tmp_path / f"release.{suffix}"
    frame = polars.DataFrame(PEOPLE)
    frame.write_csv(source) if suffix == "csv" else frame.write_parquet(source)
    release = shoal.anonymize(source, path=target, suppressed=suppressed, **ASKED)
    written = polars.read_csv(target) if suffix == "csv" else polars.read_parquet(target)
    assert written["age"].dtype == written["size"].dtype == polars.Float64
    assert written["id"].to_list() == PEOPLE["id"]
    assert written["age"].sum() == pytest.approx(sum(AGES))
    manifest = json.loads(target.with_name(target.name + ".manifest.json").read_text())
    assert manifest["truthful"] is False
    assert manifest["audit"] == {"k-anonymity": 3, "holds": True}
    assert manifest["recoding"] == {
        "age": {"center": "mean"},
        "size": {"center": "mean"},
        "city": {"center": "mode"},
        "grade": {"center": "median"},
    }
    assert "centroids of groups of at least 3 rows, not of single rows" in manifest["notes"][0]
    assert f"{100 * float(release.manifest.cost or 0):.4g} % of the sum of squares" in manifest["notes"][1]
    assert measured(target, ASKED["quasi_identifiers"]) == 3


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, arrow.table])
def test_copies_may_be_released_differently(make: Any) -> None:
    """The optimum of 0, 1, 1, 2 in pairs divides the two ones, in the order of the rows."""
    release = shoal.anonymize(
        make({"x": [1, 0, 2, 1]}),
        quasi_identifiers=["x"],
        k=2,
        algorithm="microaggregate",
        options={"method": "optimal"},
        cost="sse",
        require_optimal=True,
    )
    assert [float(str(each)) for each in release.data["x"]] == [0.5, 0.5, 1.5, 1.5]
    assert (release.manifest.status, release.manifest.cost) == ("optimal", 0.5)


def test_a_release_by_labels_is_truthful() -> None:
    """And k-member makes one of the model CG_."""
    release = shoal.anonymize(
        pandas.DataFrame(PEOPLE),
        quasi_identifiers=["age", "city"],
        k=3,
        algorithm="k-member",
        options={"values": "sets"},
        recoding_model="CG_",
    )
    assert release.manifest.truthful
    assert release.manifest.model == "CG_"
    assert release.verdict.k == 3


def test_what_centroids_are_not_is_refused() -> None:
    """Recoding models, other algorithms' costs, and privacy models that look at values."""
    people = pandas.DataFrame(PEOPLE)
    with pytest.raises(shoal.PolicyError, match="none of the taxonomy's models does; leave out `model`"):
        shoal.anonymize(people, recoding_model="CG_", **ASKED)
    with pytest.raises(shoal.PolicyError, match="'lattice' makes none; use 'microaggregate'"):
        shoal.anonymize(people, quasi_identifiers=["age"], k=3, cost="sse", algorithm="lattice")
    with pytest.raises(shoal.PolicyError, match="does not look at 'distinct-l-diversity'; use 'local'"):
        shoal.anonymize(
            people,
            **{**ASKED, "quasi_identifiers": ["age", "city"], "orders": {}},
            sensitive=["grade"],
            models=[{"name": "distinct-l-diversity", "attribute": "grade", "l": 2}],
        )
    with pytest.raises(shoal.PolicyError, match="averages the values of 'age' themselves; leave out its bin"):
        shoal.anonymize(people, bins={"age": 10}, **ASKED)
    with pytest.raises(shoal.PolicyError, match="takes one quasi-identifier, and there are several"):
        shoal.anonymize(people, options={"method": "optimal"}, **ASKED)
    with pytest.raises(shoal.PolicyError, match="there is no objective 'sse'"):
        shoal.front(people, quasi_identifiers=["age"], objectives=["k", "sse"])
