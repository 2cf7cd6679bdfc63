"""Fifty million rows under 2 GB: a release from Parquet to Parquet against a bare GROUP BY and COPY.

The table is of hospital stays, drawn with a seed: eight quasi-identifiers that depend on each other
(schooling and marriage on age, work on both), an identifier and three more columns. The release is whole:
digest, count, the proved optimum over levels, the recoded file, its audit and its manifest. DuckDB by itself
groups by the same columns and copies the file, under the same limit. Every run is a process of its own; runs
are interleaved, and the ratio is the median of the paired ratios, of wall and of processor seconds.

    python benchmarks/fifty_million_rows.py [--rows 50000000] [--repetitions 3] [--folder FOLDER]
    python benchmarks/fifty_million_rows.py --rows 100000000 --algorithm mondrian --memory 4GB  # row by row
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import shoal
from shoal.engines.duckdb.engine import DuckDB

RESULTS = Path(__file__).parent / "results"
MEMORY = "2GB"
ALGORITHM = "lattice"
SEED = 20261116
K = 10
SUPPRESSION = "1%"
HIERARCHIES = {
    "year": shoal.Recipe(widths=(5, 10, 20, 40)),
    "sex": shoal.Recipe(keep=True),
    "region": shoal.Recipe(prefixes=(2,)),
    "nationality": shoal.Recipe(
        groups={"home": ["own"], "near": ["north", "south", "east", "west"], "far": ["overseas"]}
    ),
    "marital": shoal.Recipe(
        groups={"couple": ["married", "separated"], "alone": ["single", "divorced", "widowed"]}
    ),
    "education": shoal.Recipe(
        groups={"basic": ["none", "school"], "middle": ["college", "bachelor"], "high": ["master", "doctor"]}
    ),
    "occupation": shoal.Recipe(
        groups={
            "at home": ["pupil", "retired"],
            "manual": ["service", "trade", "worker"],
            "office": ["clerk", "manager", "technician"],
            "learned": ["engineer", "health", "teacher"],
        }
    ),
    "insurance": shoal.Recipe(keep=True),
}
"""Per quasi-identifier its levels: 5,832 nodes in all."""


def drawn(what: str) -> str:
    """SQL for a number from 0 up to 1, independent of the others."""
    return f"(hash(i, {SEED}, '{what}') % 1000000 / 1000000.0)"


def one_of(choices: str, number: str) -> str:
    """SQL for one of some words; the last, if the number is beyond them."""
    words = choices.split()
    return f"{words}[1 + least({len(words) - 1}, floor({number}))::INTEGER]"


def generate(path: Path, rows: int) -> None:
    """The table; the same rows for the same number of them, whatever the threads."""
    years = f"(2025 - floor(95 * ({drawn('year')} + {drawn('years')}) / 2))::INTEGER"
    schooling = f"CASE WHEN age < 16 THEN 0 ELSE 1 + floor(5 * pow({drawn('schooling')}, 2))::INTEGER END"
    marital = one_of("married single divorced widowed separated", f"5 * pow({drawn('marital')}, 120.0 / age)")
    work = one_of(
        "worker clerk service trade technician teacher engineer manager health",
        f"schooling + 5 * pow({drawn('work')}, 2)",
    )
    rare = one_of("own north south east west overseas", f"6 * pow({drawn('nationality')}, 6)")
    cells = {
        "patient": "i",
        "year": "year",
        "sex": one_of("female male", f"2 * {drawn('sex')}"),
        "region": f"'R' || lpad(floor(20 * pow({drawn('region')}, 1.5))::INTEGER::VARCHAR, 2, '0')",
        "nationality": rare,
        "marital": f"CASE WHEN age < 20 THEN 'single' ELSE {marital} END",
        "education": one_of("none school college bachelor master doctor", "schooling"),
        "occupation": f"CASE WHEN age < 18 THEN 'pupil' WHEN age > 67 THEN 'retired' ELSE {work} END",
        "insurance": one_of("public private none", f"3 * pow({drawn('insurance')}, 3)"),
        "diagnosis": f"'D' || lpad(floor(400 * {drawn('a')} * {drawn('b')})::INTEGER::VARCHAR, 3, '0')",
        "days": f"1 + floor(20 * {drawn('c')} * {drawn('d')})::INTEGER",
        "charge": f"round(300 + 20000 * {drawn('e')} * {drawn('f')}, 2)",
    }
    selected = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
    people = f"SELECT *, 2026 - year AS age FROM (SELECT i, {years} AS year FROM range({rows}) t(i))"
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute(
            f"COPY (SELECT {selected} FROM (SELECT *, {schooling} AS schooling FROM ({people}))) "
            f"TO '{path}' (FORMAT parquet)"
        )


class Timed(DuckDB):
    """DuckDB, with the wall and processor seconds of each verb."""

    def __init__(self, phases: dict[str, list[float]], memory: str) -> None:
        super().__init__(memory=memory)
        for verb in ("digest", "count", "apply", "measure"):
            setattr(self, verb, timed(getattr(self, verb), phases.setdefault(verb, [0.0, 0.0])))


def timed(work: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """The same work, which adds its wall and processor seconds to what was spent."""

    def run(*arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter(), time.process_time()
        try:
            return work(*arguments, **named)
        finally:
            spent[0] += time.perf_counter() - begin[0]
            spent[1] += time.process_time() - begin[1]

    return run


def release(source: Path, memory: str, algorithm: str) -> dict[str, Any]:
    phases: dict[str, list[float]] = {}
    with Timed(phases, memory) as engine:
        released = shoal.anonymize(
            source,
            quasi_identifiers=list(HIERARCHIES),
            identifiers=["patient"],
            k=K,
            hierarchies=HIERARCHIES if algorithm == ALGORITHM else None,
            suppression=SUPPRESSION if algorithm == ALGORITHM else 0,
            algorithm=algorithm,
            path=source.with_name("release.parquet"),
            engine=engine,
        )
    facts = released.manifest
    return {
        "status": facts.status,
        "cost": facts.cost,
        "suppressed": facts.suppressed,
        "groups": facts.groups,
        "search_seconds": facts.seconds,
        "phases": {verb: [round(each, 2) for each in spent] for verb, spent in phases.items()},
    }


def bare(source: Path, memory: str, _: str) -> dict[str, Any]:
    phases = {"group": [0.0, 0.0], "copy": [0.0, 0.0]}
    copied = source.with_name("copy.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{memory}'")
        connection.execute(f"SET temp_directory = '{source.with_name('spill')}'")
        timed(connection.execute, phases["group"])(
            f"CREATE TEMP TABLE t AS SELECT {', '.join(HIERARCHIES)}, count(*) FROM '{source}' GROUP BY ALL"
        )
        (combinations,) = connection.execute("SELECT count(*) FROM t").fetchone() or (0,)
        timed(connection.execute, phases["copy"])(
            f"COPY (SELECT * FROM '{source}') TO '{copied}' (FORMAT parquet)"
        )
    found = {verb: [round(each, 2) for each in spent] for verb, spent in phases.items()}
    return {"combinations": combinations, "phases": found}


def run(what: str, source: Path, memory: str, algorithm: str) -> dict[str, Any]:
    """One run in a process of its own."""
    command = [sys.executable, __file__, "--run", what, "--source", str(source)]
    command += ["--memory", memory, "--algorithm", algorithm]
    return dict(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))


def print_run(what: str, source: Path, memory: str, algorithm: str) -> None:
    spent = [0.0, 0.0]
    found = timed(release if what == "shoal" else bare, spent)(source, memory, algorithm)
    peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    print(json.dumps({"wall": spent[0], "processor": spent[1], "peak_memory_mb": peak // 1024, **found}))


def measured(source: Path, repetitions: int, memory: str, algorithm: str) -> dict[str, Any]:
    """Interleaved runs, and the medians of their paired ratios."""
    ours, theirs = [], []
    for turn in range(repetitions):
        theirs.append(run("bare", source, memory, algorithm))
        ours.append(run("shoal", source, memory, algorithm))
        print(f"turn {turn + 1}: {ours[-1]['wall'] / theirs[-1]['wall']:.2f} of wall seconds", flush=True)
    found: dict[str, Any] = {
        f"{clock} ratio": round(
            statistics.median(a[clock] / b[clock] for a, b in zip(ours, theirs, strict=True)), 2
        )
        for clock in ("wall", "processor")
    }
    return {**found, "shoal": ours, "bare": theirs}


def print_table(found: dict[str, Any]) -> None:
    """The last turn, phase by phase."""
    ours, theirs = found["shoal"][-1], found["bare"][-1]
    print(
        f"{theirs['combinations']:,} combinations, {ours['groups']:,} groups, {ours['suppressed']:,} rows "
        f"suppressed, {ours['status']}; peak memory {ours['peak_memory_mb']:,} MB, bare "
        f"{theirs['peak_memory_mb']:,} MB"
    )
    print(f"{'':10}{'wall, s':>10}{'processor, s':>14}")
    for who, each in (("bare", theirs), ("shoal", ours)):
        for verb, (wall, processor) in each["phases"].items():
            print(f"{verb:10}{wall:>10.1f}{processor:>14.1f}")
        print(f"{who:10}{each['wall']:>10.1f}{each['processor']:>14.1f}   in all")
    print(f"search {ours['search_seconds']:.1f} s; ratio {found['wall ratio']}, {found['processor ratio']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to put the data; a temporary folder when absent")
    parser.add_argument("--memory", default=MEMORY, help="the limit of DuckDB, ours and the bare one")
    parser.add_argument("--algorithm", default=ALGORITHM)
    parser.add_argument("--run", choices=["shoal", "bare"])
    parser.add_argument("--source", type=Path)
    arguments = parser.parse_args()
    if arguments.run:
        print_run(arguments.run, arguments.source, arguments.memory, arguments.algorithm)
        return
    with tempfile.TemporaryDirectory(prefix="shoal-benchmark-", dir=arguments.folder) as folder:
        source = Path(folder) / "stays.parquet"
        generate(source, arguments.rows)
        found = measured(source, arguments.repetitions, arguments.memory, arguments.algorithm)
    print_table(found)
    about = {"rows": arguments.rows, "duckdb": duckdb.__version__, "cores": os.cpu_count(), "memory": MEMORY}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "fifty_million_rows.json").write_text(json.dumps({**about, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
