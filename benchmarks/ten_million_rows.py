"""Ten million rows: counting against a bare GROUP BY, applying and auditing against a bare COPY.

The table is drawn from Adult with a seed: rows with jitter on age, and with some of their cells from other
rows. `few` takes Adult's eight quasi-identifiers; `many` has three more and 1.5 million combinations. A and B
are interleaved, and the ratio is the median of the paired ratios. The recoding is fixed, not searched for:
years in fives, everything else as it is.

    python benchmarks/ten_million_rows.py [--rows 10000000] [--repetitions 3] [--case few|many]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from shoal.auditor import audit
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_path
from shoal.engines._base import Application, Counted
from shoal.engines.duckdb.engine import DEFAULT_MEMORY, DuckDB
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.recoding import CutRecoding

RESULTS = Path(__file__).parent / "results"
CASES = {
    "few": ADULT_QUASI_IDENTIFIERS,
    "many": (*ADULT_QUASI_IDENTIFIERS, "hours-per-week", "capital-gain", "relationship"),
}
RESAMPLED = {"occupation": 10, "native-country": 20, "hours-per-week": 3, "capital-gain": 8}
"""Columns that take the cell of another row, in one of so many rows."""
K = 10
SEED = 20261115
YEARS = 5


def generate(path: Path, rows: int) -> None:
    """The table; the same bytes of data for the same number of rows, whatever the threads."""
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE adult AS SELECT row_number() OVER () - 1 AS r, * FROM '{adult_path()}'"
        )
        (size,) = connection.execute("SELECT count(*) FROM adult").fetchone() or (0,)
        columns = [row[0] for row in connection.execute("DESCRIBE adult").fetchall()][1:]
        cells = []
        for number, name in enumerate(columns):
            cell = f'a."{name}"'
            if name == "age":
                cell = f"greatest(17, {cell} + (hash(i, {SEED}, 'years') % 7)::INT - 3)"
            elif name in RESAMPLED:
                other = f"hash(i, {SEED}, {number}) % {RESAMPLED[name]} = 0"
                cell = f'CASE WHEN {other} THEN b."{name}" ELSE {cell} END'
            cells.append(f'{cell} AS "{name}"')
        connection.execute(
            f"COPY (SELECT {', '.join(cells)} FROM range({rows}) t(i) "
            f"JOIN adult a ON a.r = hash(i, {SEED}, 'a') % {size} "
            f"JOIN adult b ON b.r = hash(i, {SEED}, 'b') % {size} "
            f"ORDER BY hash(i, {SEED}, 'order')) TO '{path}' (FORMAT parquet)"
        )


def attributes(case: str) -> list[Attribute]:
    return [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in CASES[case]]


def recoding(counted: Counted) -> CutRecoding:
    """Ages in fives, and every other value by itself."""
    return CutRecoding(
        tuple(
            tuple(range(1, len(domain), YEARS if domain.name == "age" else 1))
            for domain in counted.frequencies.domains
        )
    )


def shoal_count(source: Path, case: str) -> Counted:
    with DuckDB() as engine:
        return engine.count(source, attributes(case))


def bare(statement: str) -> None:
    """A statement in DuckDB, with the limits that Shoal gives it."""
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{DEFAULT_MEMORY}'")
        connection.execute(statement)


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def paired(ours: Callable[[], float], theirs: Callable[[], float], repetitions: int) -> dict[str, object]:
    """Interleaved runs: the medians of both, and the median of the paired ratios."""
    pairs = [(ours(), theirs()) for _ in range(repetitions)]
    return {
        "shoal_seconds": round(statistics.median(pair[0] for pair in pairs), 2),
        "bare_seconds": round(statistics.median(pair[1] for pair in pairs), 2),
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "ratios": [round(a / b, 2) for a, b in pairs],
    }


def counting(source: Path, case: str, repetitions: int) -> dict[str, object]:
    names = ", ".join(f'"{name}"' for name in CASES[case])
    group_by = f"CREATE TEMP TABLE t AS SELECT {names}, count(*) FROM '{source}' GROUP BY ALL"
    return paired(
        lambda: seconds(lambda: shoal_count(source, case)),
        lambda: seconds(lambda: bare(group_by)),
        repetitions,
    )


def applying(source: Path, case: str, repetitions: int) -> dict[str, object]:
    facts: dict[str, object] = {}
    released, copied = source.with_name("release.parquet"), source.with_name("copy.parquet")
    with DuckDB() as engine:
        counted = engine.count(source, attributes(case))
        application = Application(recoding=recoding(counted), k=K)

        def apply_and_audit() -> None:
            engine.apply(source, counted, application, released)
            verdict = audit(engine, released, CASES[case], K)
            assert verdict.holds
            facts["suppressed"] = counted.frequencies.rows - verdict.measured.rows
            facts["groups"] = verdict.measured.groups

        copy = f"COPY (SELECT * FROM '{source}') TO '{copied}' (FORMAT parquet)"
        found = paired(lambda: seconds(apply_and_audit), lambda: seconds(lambda: bare(copy)), repetitions)
        return {"combinations": len(counted.frequencies.counts), **facts, **found}


def memory_of_a_run(source: Path, case: str) -> int:
    """Peak resident bytes of a process that counts, applies and audits."""
    command = [sys.executable, __file__, "--case", case, "--memory-of", str(source)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_memory(source: Path, case: str) -> None:
    with DuckDB() as engine:
        counted = engine.count(source, attributes(case))
        target = source.with_name("memory.parquet")
        engine.apply(source, counted, Application(recoding=recoding(counted), k=K), target)
        assert audit(engine, target, CASES[case], K).holds
    status = Path("/proc/self/status").read_text()
    print(int(status.split("VmHWM:")[1].split()[0]) * 1024)


def print_table(case: str, found: Mapping[str, Any]) -> None:
    counted, applied = found["count"], found["apply and audit"]
    print(
        f"{case}: {applied['combinations']:,} combinations, {applied['suppressed']:,} rows suppressed, "
        f"peak memory {found['peak_memory_mb']:,} MB"
    )
    print(f"{'':18}{'Shoal, s':>10}{'bare, s':>10}{'ratio':>8}")
    for what, row in (("count", counted), ("apply and audit", applied)):
        print(f"{what:18}{row['shoal_seconds']:>10}{row['bare_seconds']:>10}{row['ratio']:>8}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--memory-of", type=Path)
    arguments = parser.parse_args()
    if arguments.memory_of:
        print_memory(arguments.memory_of, arguments.case[0])
        return
    results: dict[str, object] = {
        "rows": arguments.rows,
        "duckdb": duckdb.__version__,
        "cores": os.cpu_count(),
    }
    with tempfile.TemporaryDirectory(prefix="shoal-benchmark-") as folder:
        source = Path(folder) / "people.parquet"
        generate(source, arguments.rows)
        for case in arguments.case or CASES:
            found = {
                "count": counting(source, case, arguments.repetitions),
                "apply and audit": applying(source, case, arguments.repetitions),
                "peak_memory_mb": memory_of_a_run(source, case) // 2**20,
            }
            results[case] = found
            print_table(case, found)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "ten_million_rows.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
