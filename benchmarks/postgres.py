"""PostgreSQL: a whole release against a bare CREATE TABLE AS, in the server's CPU seconds, in one run.

The table is that of `ten_million_rows.py`, in a server of its own. `levels` recodes one column into ten-year
bands and keeps the others; `rows` recodes row by row by mondrian. Each run of Shoal is between two bare
copies of the same rows, and the ratio is to their mean. CPU is that of all processes of the server: backends,
parallel workers and those that write. `--profile` prints what each statement took.

    PYTHONPATH=. python benchmarks/postgres.py [--rows 1000000] [--repetitions 3] [--case levels|rows]
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
from typing import Any

import duckdb
from adbc_driver_postgresql import dbapi
from tests.engines.postgres_server import PostgresServer

import shoal
from shoal.datasets import ADULT_QUASI_IDENTIFIERS
from shoal.engines.postgres.session import PostgresSession
from ten_million_rows import RESULTS, generate

CASES: dict[str, dict[str, Any]] = {
    "levels": {"algorithm": "lattice", "suppression": "5%", "seconds": 10},
    "rows": {"algorithm": "mondrian"},
}
K = 10


def server_cpu(server: PostgresServer) -> float:
    """Seconds of the server's processes, those that ended among them."""
    before, now = -1.0, _server_cpu(server)
    while now != before:  # a process that is just ending can be seen twice, or not at all
        time.sleep(0.1)
        before, now = now, _server_cpu(server)
    return now


def _server_cpu(server: PostgresServer) -> float:
    assert server._process is not None
    ticks, postmaster = 0, server._process.pid
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(entry.name) == postmaster:
            ticks += sum(map(int, fields[11:15]))  # with the children that it waited for
        elif int(fields[1]) == postmaster:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def spent(server: PostgresServer, work: Callable[[], object]) -> dict[str, float]:
    """Wall seconds, and CPU seconds of the server and of this process."""
    wall, cpu, own = time.perf_counter(), server_cpu(server), time.process_time()
    work()
    return {
        "wall": time.perf_counter() - wall,
        "server": server_cpu(server) - cpu,
        "client": time.process_time() - own,
    }


def load(url: str, rows: int) -> None:
    """The table, as PostgreSQL users have it: numbers as integers, texts in the database's collation."""
    with tempfile.TemporaryDirectory() as folder, dbapi.connect(url) as connection:
        path = Path(folder) / "rows.parquet"
        generate(path, rows)
        with connection.cursor() as cursor:
            reader = duckdb.read_parquet(str(path)).to_arrow_reader(100_000)
            cursor.adbc_ingest("people", reader, mode="create")
            connection.commit()
            cursor.execute("ANALYZE people")
            connection.commit()


def profiled(server: PostgresServer) -> None:
    """Print what each statement takes."""
    run = PostgresSession._run

    def watched(session: PostgresSession, about: str, work: Any) -> Any:
        found: list[Any] = []
        took = spent(server, lambda: found.append(run(session, about, work)))
        cells = [each.cell_contents for each in work.__closure__ or ()]
        text = next((each for each in cells if isinstance(each, str)), about)
        print(f"{took['server']:6.2f} {took['wall']:6.2f}  {' '.join(text.split())[:150]}", flush=True)
        return found[0]

    PostgresSession._run = watched  # type: ignore[method-assign]


def compared(server: PostgresServer, url: str, case: str, repetitions: int) -> dict[str, Any]:
    def bare() -> None:
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE copied AS SELECT * FROM people")
            connection.commit()
            cursor.execute("DROP TABLE copied")
            connection.commit()

    def release() -> None:
        names = list(ADULT_QUASI_IDENTIFIERS)
        made = shoal.anonymize(
            url, table="people", quasi_identifiers=names, k=K, path="released", **CASES[case]
        )
        facts.update(made.manifest.phases or {})

    facts: dict[str, float] = {}
    pairs = []
    for _ in range(repetitions):
        before = spent(server, bare)
        ours = spent(server, release)
        after = spent(server, bare)
        pairs.append((ours, {key: (before[key] + after[key]) / 2 for key in ours}))
    return {
        "shoal": {key: _median([ours[key] for ours, _ in pairs]) for key in pairs[0][0]},
        "bare": {key: _median([bare[key] for _, bare in pairs]) for key in pairs[0][0]},
        "ratio of server CPU": _median([ours["server"] / bare["server"] for ours, bare in pairs]),
        "ratio of wall": _median([ours["wall"] / bare["wall"] for ours, bare in pairs]),
        "phases": {name: round(seconds, 2) for name, seconds in facts.items()},
    }


def _median(numbers: list[float]) -> float:
    return round(statistics.median(numbers), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "rows": arguments.rows}
    server = PostgresServer()
    try:
        with server.database() as database:
            load(database.url, arguments.rows)
            if arguments.profile:
                profiled(server)
            for case in [arguments.case] if arguments.case else CASES:
                found[case] = compared(server, database.url, case, arguments.repetitions)
                print(case, json.dumps(found[case]), flush=True)
    finally:
        server.stop()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "postgres.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
