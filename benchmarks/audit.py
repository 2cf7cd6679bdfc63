"""Audit and risk of ten million rows against a bare GROUP BY of the same columns.

The table is that of `ten_million_rows.py`. `audit` measures the groups and counts a sensitive column in them;
`risk` measures the sizes of the groups and estimates population uniqueness; `report` is all of `shoal.risk`:
sets of columns, Safe Harbor, every column's cells. A and B are interleaved, and the ratio is the median of
the paired ratios of processor seconds, which a busy machine disturbs least.

    python benchmarks/audit.py [--rows 10000000] [--repetitions 3] [--case few|many]
                               [--what audit|risk|report]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.evidence import Evidence
from shoal.privacy.uniqueness.population_uniqueness import population_uniqueness
from ten_million_rows import CASES, RESULTS, K, bare, generate

SENSITIVE = "income"
FRACTION = 0.05


def audit(source: Path, case: str) -> None:
    evidence = Evidence(sensitive=(Attribute(name=SENSITIVE, role=Role.SENSITIVE),))
    with DuckDB() as engine:
        engine.measure(source, CASES[case], K)
        engine.measure_people(source, CASES[case], evidence)


def risk(source: Path, case: str) -> None:
    with DuckDB() as engine:
        sizes = engine.group_sizes(source, CASES[case])
    assert population_uniqueness(sizes, round(sizes.rows / FRACTION)).share is not None


def report(source: Path, case: str) -> None:
    assert shoal.risk(source, quasi_identifiers=CASES[case], sampling_fraction=FRACTION).subsets


WORK: dict[str, Callable[[Path, str], None]] = {"audit": audit, "risk": risk, "report": report}


def processor_seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def paired(source: Path, case: str, what: str, repetitions: int) -> dict[str, object]:
    """Interleaved runs: the medians of both, and the median of the paired ratios."""
    names = ", ".join(f'"{name}"' for name in CASES[case])
    group_by = f"CREATE TEMP TABLE t AS SELECT {names}, count(*) FROM '{source}' GROUP BY ALL"
    pairs = [
        (
            processor_seconds(lambda: WORK[what](source, case)),
            processor_seconds(lambda: bare(group_by)),
        )
        for _ in range(repetitions)
    ]
    return {
        "shoal_processor_seconds": round(statistics.median(pair[0] for pair in pairs), 2),
        "bare_processor_seconds": round(statistics.median(pair[1] for pair in pairs), 2),
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "ratios": [round(a / b, 2) for a, b in pairs],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--what", choices=WORK, action="append")
    arguments = parser.parse_args()
    results: dict[str, object] = {
        "rows": arguments.rows,
        "duckdb": duckdb.__version__,
        "cores": os.cpu_count(),
    }
    with tempfile.TemporaryDirectory(prefix="shoal-benchmark-") as folder:
        source = Path(folder) / "people.parquet"
        generate(source, arguments.rows)
        print(f"{'':14}{'Shoal, CPU s':>14}{'bare, CPU s':>14}{'ratio':>8}", flush=True)
        for case in arguments.case or CASES:
            for what in arguments.what or WORK:
                found = paired(source, case, what, arguments.repetitions)
                results[f"{case}: {what}"] = found
                print(
                    f"{f'{case}, {what}':14}{found['shoal_processor_seconds']:>14}"
                    f"{found['bare_processor_seconds']:>14}{found['ratio']:>8}   {found['ratios']}",
                    flush=True,
                )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "audit.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
