"""The printed query on a real Spark session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from tests.engines.spark_cluster import spark, sparks  # noqa: F401  fixtures
from tests.unit.test_recoding_sql import made, people
from tests.unit.warehouses import multiset, selected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("case", ["cuts masked", "all types", "mondrian", "diverse", "persons"])
def test_queries_on_spark_select_what_anonymize_releases(
    spark: SparkSession,  # noqa: F811
    case: str,
    tmp_path: Path,
) -> None:
    """Intervals, sets, every type of column, whole rows, and demands that are counted."""
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet", coerce_timestamps="us")
    spark.read.parquet(str(tmp_path / "people.parquet")).createOrReplaceTempView("people")
    found = made(case)
    try:
        seen = spark.sql(str(found.rewritten(dialect="spark", form="select"))).collect()
    finally:
        spark.catalog.dropTempView("people")
    assert multiset(seen) == selected(found, people())
