"""Points released as cells, as a ratio to a bare GROUP BY of coordinates in DuckDB.

The points are those of simulated commuters (`shoal.datasets.commuters`), so the figures are about time alone:
losses on simulated movement do not carry over. The bare statement counts the rows per rounded pair of
coordinates and hour in the same Parquet file. Each run is a process of its own, measured in processor
seconds with all threads; A and B are interleaved, and the ratio is the median of the paired ratios.

    python benchmarks/points.py [--rows 10000000] [--repetitions 3] [--cells grid|h3] [--algorithm lattice]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PEOPLE_PER_ROW = 25
K = 10
BARE = (
    "SELECT count(*) FROM (SELECT round(latitude, 3), round(longitude, 3), substr(time, 1, 13), count(*) "
    "FROM '{}' GROUP BY ALL)"
)


def generate(path: Path, rows: int) -> None:
    """The table, the same for the same number of rows."""
    import duckdb

    from shoal.datasets import commuters

    table = commuters(rows // PEOPLE_PER_ROW, days=5, seed=20261118)
    columns = {name: each.astype(object) if each.dtype.kind == "U" else each for name, each in table.items()}
    with duckdb.connect() as connection:
        connection.register("made", columns)
        connection.execute(f"COPY (SELECT * FROM made) TO '{path}' (FORMAT parquet)")


def bare(source: Path) -> dict[str, Any]:
    """The bare statement."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GB'")
        (groups,) = connection.execute(BARE.format(source)).fetchone() or (0,)
    return {"groups": groups}


def released(source: Path, cells: str, algorithm: str) -> dict[str, Any]:
    """Points to cells, times to hours: counted, searched, written and audited."""
    import shoal

    point: dict[str, object] = {"latitude": "latitude", "longitude": "longitude", "cells": cells}
    if cells == "grid":
        point |= {"origin": (52.5, 13.4), "finest": 500}
    else:
        point |= {"finest": 8, "coarsest": 3}
    release = shoal.anonymize(
        source,
        quasi_identifiers=["place", "time"],
        points={"place": point},
        slots={"time": ["hour", "part of day", "day", "week"]},
        identifiers=["person"],
        k=K,
        algorithm=algorithm,
        suppression="1%",
        acknowledge={"person": ["repeated-persons"]},
        path=source.with_name("release.parquet"),
        progress=False,
    )
    return {
        "groups": release.manifest.groups,
        "status": release.manifest.status,
        "phases": dict(release.manifest.phases),
    }


def measured(what: str, source: Path, cells: str, algorithm: str) -> dict[str, Any]:
    """One run in a process of its own."""
    words = [sys.executable, __file__, "--run", what, "--source", str(source)]
    words += ["--cells", cells, "--algorithm", algorithm]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(ran.stdout))


def run(what: str, source: Path, cells: str, algorithm: str) -> None:
    """What a process of its own does and prints."""
    wall = time.perf_counter()
    # What is imported is no part of either.
    import shoal.api.anonymize
    import shoal.location.h3_cells  # noqa: F401

    start = time.process_time()
    facts = bare(source) if what == "bare" else released(source, cells, algorithm)
    facts["cpu"] = time.process_time() - start
    facts["wall"] = time.perf_counter() - wall
    facts["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(facts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--cells", choices=["grid", "h3"], default="grid")
    parser.add_argument("--algorithm", default="lattice")
    parser.add_argument("--run", choices=["bare", "release"])
    parser.add_argument("--source", type=Path)
    asked = parser.parse_args()
    if asked.run is not None:
        run(asked.run, asked.source, asked.cells, asked.algorithm)
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "points.parquet"
        generate(source, asked.rows)
        ratios = []
        for number in range(asked.repetitions):
            plain = measured("bare", source, asked.cells, asked.algorithm)
            made = measured("release", source, asked.cells, asked.algorithm)
            ratios.append(made["cpu"] / plain["cpu"])
            load = os.getloadavg()[0]
            print(f"{number + 1}: bare {plain['cpu']:.2f} s, release {made['cpu']:.2f} s of the processor")
            print(f"   {made}; load {load:.1f}")
        print(
            f"{asked.rows:,} points, {asked.cells}, {asked.algorithm}: ratio {statistics.median(ratios):.1f}"
        )


if __name__ == "__main__":
    main()
