"""Spark against DuckDB on the same rows of one machine: count, apply and audit, in seconds and as ratios.

The table is that of `ten_million_rows.py`, and so is the fixed recoding: years in fives, everything else as
it is. Both engines count the same combinations, suppress the same rows and measure the same groups, or the
run fails. Spark's session is started and warmed up by a small table before the clock runs; what a cluster
gains over one machine is not to be seen here, only what Spark costs where DuckDB would do.

    python benchmarks/engines.py [--rows 10000000] [--repetitions 1] [--case few|many]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.auditor import audit
from shoal.engines._base import Application
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.spark.engine import Spark
from shoal.engines.sql.engine import SqlEngine
from ten_million_rows import CASES, RESULTS, K, attributes, generate, recoding, seconds

STEPS = ("count", "apply", "audit")


def run(engine: SqlEngine, source: Path, case: str, target: Path) -> dict[str, Any]:
    """The seconds of each step, and what was found."""
    found: dict[str, Any] = {}

    def count() -> None:
        found["counted"] = engine.count(source, attributes(case))

    def apply() -> None:
        application = Application(recoding=recoding(found["counted"]), k=K)
        engine.apply(source, found["counted"], application, target)

    def measure() -> None:
        found["verdict"] = audit(engine, target, CASES[case], K)

    spent = {step: seconds(work) for step, work in zip(STEPS, (count, apply, measure), strict=True)}
    verdict, table = found["verdict"], found["counted"].frequencies
    assert verdict.holds
    facts = {
        "rows": table.rows,
        "combinations": len(table.counts),
        "groups": verdict.measured.groups,
        "suppressed": table.rows - verdict.measured.rows,
    }
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return {"seconds": spent, "facts": facts}


def compared(source: Path, case: str, repetitions: int, spark: Spark) -> dict[str, Any]:
    """Interleaved runs, and the medians of the paired ratios."""
    pairs = []
    for _ in range(repetitions):
        with DuckDB() as duckdb:
            ours = run(duckdb, source, case, source.with_name("duckdb.parquet"))
        theirs = run(spark, source, case, source.with_name("spark.parquet"))
        assert ours["facts"] == theirs["facts"]
        pairs.append((ours["seconds"], theirs["seconds"]))
    totals = [(sum(one.values()), sum(other.values())) for one, other in pairs]
    return {
        **ours["facts"],
        "duckdb_seconds": {step: _median(one[step] for one, _ in pairs) for step in STEPS},
        "spark_seconds": {step: _median(other[step] for _, other in pairs) for step in STEPS},
        "ratios": {step: _median(other[step] / one[step] for one, other in pairs) for step in STEPS},
        "ratio": _median(other / one for one, other in totals),
    }


def _median(numbers: Iterable[float]) -> float:
    return round(statistics.median(numbers), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--case", choices=CASES)
    arguments = parser.parse_args()
    found: dict[str, Any] = {"cores": os.cpu_count(), "repetitions": arguments.repetitions}
    with (
        tempfile.TemporaryDirectory() as folder,
        Spark("local", settings={"spark.driver.memory": "4g", "spark.local.dir": folder}) as spark,
    ):
        source = Path(folder) / "rows.parquet"
        generate(source, 20_000)
        run(spark, source, "few", source.with_name("warm.parquet"))
        generate(source, arguments.rows)
        for case in [arguments.case] if arguments.case else CASES:
            found[case] = compared(source, case, arguments.repetitions, spark)
            print(case, json.dumps(found[case], indent=2))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "engines.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
