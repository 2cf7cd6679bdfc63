"""What the promises about people with several rows cost: loss, time and memory, through the public door.

Each release runs in a process of its own, which says what it lost, how long it took and how much memory it
held at most. Who is alone is counted by DuckDB in the written file, not taken from the manifest. Without
`linkable` the column of persons is dropped; a copy of it is then kept for the benchmark alone, and shows who
would be alone if the column had been released.

    python benchmarks/real_tables.py --prepare             # downloads the tables; nothing later needs it
    python benchmarks/longitudinal.py                      # everything; hours
    python benchmarks/longitudinal.py --table insurance --promise b --seconds 30
    python benchmarks/longitudinal.py --show               # no run; the page from the JSON file
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from real.people import PEOPLE_TABLES, PeopleTable
from real.people_page import page

RESULTS = Path(__file__).parent / "results"
K = 5
COPY = "benchmark_person"
"""A copy of the person column, where that is dropped."""
PROMISES: dict[str, dict[str, Any]] = {
    "a": {"suppression": "unlimited"},
    "c1": {"linkable": True, "known_events": 1},
    "c2": {"linkable": True, "known_events": 2},
    "c3": {"linkable": True, "known_events": 3},
    "b": {"linkable": True},
}
"""What is given to `anonymize`: rows unlinkable, m known events, whole histories.

Any number of rows may be suppressed where rows are linkable; (a) is compared with the same freedom.
"""
SEARCHES = {"row by row": {}, "consistent": {"consistent": True}}
MINUTES = 30
"""After so long a run is given up."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One release: of which table, with how many persons if it is generated, by which promise and search."""

    table: str
    persons: int
    promise: str
    search: str
    seconds: float | None = None

    @property
    def key(self) -> str:
        """What it is called in the file of results."""
        return f"{self.table} {self.persons} {self.promise} {self.search}"


def _source(run: Run, cache: Path) -> Path:
    path = cache / f"{run.table}-{run.persons}.parquet"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        made = path.with_suffix(".new.parquet")
        PEOPLE_TABLES[run.table].write(made, cache.parent / "archives", run.persons)
        made.replace(path)
    return path


def _alone(path: Path, person: str, table: PeopleTable, *, ordered: bool = True) -> dict[str, int]:
    """Rows, persons, and how many of them are alone or among fewer than k by their whole history."""
    cells = ", ".join(f'"{name}"::VARCHAR' for name in table.quasi_identifiers)
    order = "r" if ordered else "cells"
    sql = f"""
WITH numbered AS (SELECT "{person}" AS who, row({cells}) AS cells, file_row_number AS r
        FROM read_parquet('{path}', file_row_number = true)),
    histories AS (SELECT md5(list(cells ORDER BY {order})::VARCHAR) AS h, count(*) AS n
        FROM numbered GROUP BY who),
    groups AS (SELECT count(*) AS persons, sum(n) AS n FROM histories GROUP BY h)
SELECT coalesce(sum(n), 0), coalesce(sum(persons), 0), count(*) FILTER (persons = 1),
    coalesce(sum(persons) FILTER (persons < {K}), 0) FROM groups"""
    with duckdb.connect() as connection:
        found = connection.execute(sql).fetchone() or (0, 0, 0, 0)
    return dict(zip(("rows", "persons", "alone", "among_few"), map(int, found), strict=True))


def release(run: Run, source: Path) -> dict[str, Any]:
    """Release a table in this process; what it says of itself, and what was measured."""
    import shoal

    table = PEOPLE_TABLES[run.table]
    promise = dict(PROMISES[run.promise])
    if table.unit == "household":
        promise = {"household": table.column}
    else:
        promise["entity"] = table.column
    with tempfile.TemporaryDirectory(prefix="shoal-longitudinal-") as folder:
        released, person = Path(folder) / "release.parquet", table.column
        if run.promise == "a" and table.unit == "person":
            copied, person = Path(folder) / "source.parquet", COPY
            duckdb.sql(f"SELECT *, \"{table.column}\" AS {COPY} FROM '{source}'").write_parquet(str(copied))
            source = copied
        begin, spent = time.perf_counter(), time.process_time()
        made = shoal.anonymize(
            source,
            quasi_identifiers=table.quasi_identifiers,
            sensitive=[table.sensitive],
            k=K,
            path=released,
            progress=False,
            **promise,
            **SEARCHES[run.search],
            **({} if run.seconds is None else {"seconds": run.seconds}),
        )
        seconds, processor = time.perf_counter() - begin, time.process_time() - spent
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        facts = json.loads(made.manifest.to_json())
        return {
            **{
                name: facts.get(name)
                for name in ("algorithm", "status", "cost", "bound", "rows", "suppressed")
            },
            "seconds": round(seconds, 1),
            "processor_seconds": round(processor, 1),
            "peak_mb": peak // 2**20,
            "after": _alone(released, person, table),
        }


def in_own_process(run: Run, cache: Path) -> dict[str, Any]:
    """Run a release in a new process; words in place of figures where it fails."""
    source = _source(run, cache)
    command = [sys.executable, __file__, "--one", json.dumps(asdict(run)), "--source", str(source)]
    begin = os.getloadavg()[0]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {MINUTES} minutes"}
    lines = ended.stdout.splitlines()
    if ended.returncode != 0 or not lines:
        return {"failed": (ended.stderr.strip().splitlines() or ["no output"])[-1]}
    facts: dict[str, Any] = json.loads(lines[-1])
    table = PEOPLE_TABLES[run.table]
    facts["before"] = _alone(source, table.column, table)
    facts["load"] = [round(begin, 1), round(os.getloadavg()[0], 1)]
    return facts


def runs(asked: argparse.Namespace) -> list[Run]:
    """What is to run, small tables first."""
    chosen = []
    for name in asked.table or PEOPLE_TABLES:
        table = PEOPLE_TABLES[name]
        promises = asked.promise or PROMISES
        if table.unit == "household":
            promises = [each for each in promises if each == "b"]
        for persons, promise, search in itertools.product(table.persons, promises, asked.search or SEARCHES):
            if not asked.persons or persons in (0, *asked.persons):
                chosen.append(
                    Run(table=name, persons=persons, promise=promise, search=search, seconds=asked.seconds)
                )
    return sorted(chosen, key=lambda run: run.persons)


def arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--table", action="append", choices=PEOPLE_TABLES)
    parser.add_argument("--promise", action="append", choices=PROMISES)
    parser.add_argument("--search", action="append", choices=SEARCHES)
    parser.add_argument("--persons", action="append", type=int, help="only this size of generated tables")
    parser.add_argument("--seconds", type=float, help="of each search; their default when absent")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "shoal-real-tables")
    parser.add_argument("--json", type=Path, default=RESULTS / "longitudinal.json")
    parser.add_argument("--again", action="store_true", help="also run what the JSON file has")
    parser.add_argument(
        "--show", action="store_true", help="print the page of the JSON file, and run nothing"
    )
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _commit() -> str:
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def main() -> int:
    """Run, keep each result at once, and print the page."""
    asked = arguments()
    if asked.one is not None:
        print(json.dumps(release(Run(**asked.one), asked.source)))
        return 0
    results = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    for run in [] if asked.show else runs(asked):
        if asked.again or "cost" not in results.get(run.key, {}):
            found = in_own_process(run, asked.cache / "people")
            results[run.key] = {**asdict(run), **found, "commit": _commit()}
            asked.json.parent.mkdir(exist_ok=True)
            asked.json.write_text(json.dumps(results, indent=1) + "\n")
            told = found.get("failed") or f"loss {found['cost']:.4f}, {found['seconds']} s"
            print(f"{run.key}: {told}", file=sys.stderr, flush=True)
    print(page(results))
    return int(any("failed" in each for each in results.values()))


if __name__ == "__main__":
    sys.exit(main())
