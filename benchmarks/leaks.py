"""What the detector of leaks costs, against one bare GROUP BY of the quasi-identifiers, in one run.

python benchmarks/leaks.py [ROWS] [csv|parquet]: a table like Adult, with a row number, a copy and a date
besides, drawn by a hash. Both read the same file in turn; the ratio is that of the medians.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from shoal.auditor.measure.leaks import leaks
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.policy_arguments import policy_of

QUASI = ["age", "sex", "race", "zip", "education", "marital", "country", "work"]
ROUNDS = 5
MADE = """
SELECT i AS row_number,
    17 + (hash(20 * i + 1) % 74)::INT AS age, ['f', 'm'][1 + (hash(20 * i + 2) % 2)::INT] AS sex,
    'race ' || (hash(20 * i + 3) % 5) AS race, 10000 + (hash(20 * i + 4) % 800)::INT AS zip,
    'school ' || (hash(20 * i + 5) % 16) AS education, (hash(20 * i + 5) % 16)::INT AS education_num,
    'marital ' || (hash(20 * i + 6) % 7) AS marital, 'country ' || (hash(20 * i + 7) % 41) AS country,
    'work ' || (hash(20 * i + 8) % 8) AS work, DATE '2024-01-01' + (hash(20 * i + 9) % 365)::INT AS seen,
    'illness ' || (hash(20 * i + 10) % 60) AS ill, (hash(20 * i + 11) % 20000)::INT AS weight,
    round(hash(20 * i + 12) % 100000 / 7.0, 2) AS cost
FROM range({rows}) t(i)
"""


def main(rows: int, kind: str) -> None:
    """Print the seconds of both, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"people.{kind}"
        duckdb.sql(f"COPY ({MADE.format(rows=rows)}) TO '{path}'")
        policy = policy_of(quasi_identifiers=QUASI, k=5)
        columns = ", ".join(QUASI)
        grouped, looked = [], []
        found = ()
        for _ in range(ROUNDS):
            with DuckDB() as engine:
                table = engine.open(path)
                with table.selected(QUASI) as relation:
                    name = relation.sql(dialect="duckdb")
                    start = time.perf_counter()
                    engine.session.fetched(  # type: ignore[attr-defined]
                        f"SELECT count(*) FROM (SELECT {columns}, count(*) FROM {name} GROUP BY ALL)", "it"
                    )
                    grouped.append(time.perf_counter() - start)
                start = time.perf_counter()
                found = leaks(engine, table, policy, rows=rows)
                looked.append(time.perf_counter() - start)
    one, other = statistics.median(grouped), statistics.median(looked)
    print(f"{rows:,} rows, {kind}: GROUP BY {one:.2f} s, detector {other:.2f} s, ratio {other / one:.2f}")
    print("\n".join(f"  {each.code}: {', '.join(each.columns)}" for each in found))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, sys.argv[2] if len(sys.argv) > 2 else "csv")
