"""What a release costs Spark in jobs, bytes shuffled and processor seconds, beside the model that
docs/how-to/plan-a-spark-run.md states.

Rows are drawn inside Spark: `--columns` columns of ten texts, evenly, so that ten million rows of six columns
have a million combinations. For each size the table is counted and written with a fixed recoding (the first
column in two halves), and next to it a bare GROUP BY and a bare copy run, interleaved. Bytes and jobs are
Spark's own numbers; they do not depend on what else the machine does.

With `--workers`, the same on standalone clusters of so many workers with one core each. On a machine that is
busy or has few cores, their seconds say little; how evenly the processor seconds are divided among the
executors says how much a second machine would take over.

    python benchmarks/spark_scale.py --rows 1000000 10000000 --columns 4 6 [--workers 1 2]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.engines._base import Application
from shoal.engines.spark.engine import Spark
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.table.table_source import TableSource
from spark_mondrian import SETTINGS as CLUSTER_SETTINGS
from spark_mondrian import cluster

RESULTS = Path(__file__).parent / "results"
VALUES, K = 10, 5


def draw(spark: Any, rows: int, columns: int, target: Path) -> None:
    """Write the rows as Parquet."""
    from pyspark.sql import functions as f

    def cell(at: int) -> Any:
        value = f.pmod(f.xxhash64("id", f.lit(at)), f.lit(VALUES))
        return f.concat(f.lit("value "), value.cast("string")).alias(f"c{at}")

    drawn = spark.range(rows, numPartitions=max(2, rows // 2_500_000))
    other = f.pmod(f.xxhash64("id", f.lit("other")), f.lit(1_000)).alias("other")
    drawn.select(*(cell(at) for at in range(columns)), other).write.parquet(str(target))


class Meter:
    """Spark's counters before and after a piece of work."""

    def __init__(self, spark: Any) -> None:
        context = spark.sparkContext
        self._scheduler = context._jsc.sc().dagScheduler()
        self._store = context._jsc.sc().statusStore()
        self._bus = context._jsc.sc().listenerBus()
        self._pid = int(context._jvm.java.lang.ProcessHandle.current().pid())
        self._executors = _executors(str(context.getConf().get("spark.driver.port")))

    def _now(self) -> dict[str, float]:
        self._bus.waitUntilEmpty(60_000)
        executors = self._store.executorList(False)
        totals = {"shuffled": 0, "read": 0}
        for at in range(executors.size()):
            totals["shuffled"] += int(executors.apply(at).totalShuffleWrite())
            totals["read"] += int(executors.apply(at).totalInputBytes())
        own = resource.getrusage(resource.RUSAGE_SELF)
        workers = {f"cpu_of_executor_{at}": _cpu(pid) for at, pid in enumerate(self._executors)}
        return {
            **totals,
            **workers,
            "jobs": int(self._scheduler.numTotalJobs()),
            "cpu": _cpu(self._pid) + own.ru_utime + own.ru_stime + sum(workers.values()),
            "seconds": time.perf_counter(),
        }

    def of(self, work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
        """What the work adds to each counter, and what it returns."""
        before = self._now()
        found = work()
        after = self._now()
        return {name: round(after[name] - before[name], 2) for name in before}, found


def _cpu(pid: int) -> float:
    """Processor seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _executors(driver_port: str) -> list[int]:
    """The processes of this driver's executors on this machine."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes() if process.name.isdigit() else b""
            if b"CoarseGrainedExecutorBackend" in command and f":{driver_port}".encode() in command:
                found.append(int(process.name))
    return sorted(found)


def measured(engine: Spark, rows: int, columns: int, folder: Path) -> dict[str, Any]:
    """One size: Shoal's count and write, and the bare ones."""
    spark, meter = engine.session.spark, Meter(engine.session.spark)
    source, target, copied = (folder / f"{name}.parquet" for name in ("source", "release", "copy"))
    draw(spark, rows, columns, source)
    names = [f"c{at}" for at in range(columns)]
    attributes = [Attribute(name=name, role=Role.QUASI_IDENTIFIER) for name in names]
    table = TableSource(connection=spark, path=str(source))
    bare = spark.read.parquet(str(source))
    tasks = bare.rdd.getNumPartitions()
    group_by, _ = meter.of(lambda: bare.groupBy(*names).count().toArrow())
    count, counted = meter.of(lambda: engine.count(table, attributes))
    copy, _ = meter.of(lambda: bare.write.parquet(str(copied)))
    cuts = [(VALUES // 2,), *(tuple(range(1, VALUES)) for _ in names[1:])]
    application = Application(recoding=CutRecoding(cuts=tuple(cuts)), k=K)
    write, _ = meter.of(lambda: engine.apply(table, counted, application, target))
    for path in (source, target, copied):
        shutil.rmtree(path)
    combinations = len(counted.frequencies.counts)
    in_task = VALUES**columns * -math.expm1(-rows / tasks / VALUES**columns)
    return {
        "rows": rows,
        "columns": columns,
        "combinations": combinations,
        "map_tasks": tasks,
        "combinations_of_all_tasks_by_the_model": round(tasks * in_task),
        "bytes_shuffled_per_combination_of_a_task": round(count["shuffled"] / (tasks * in_task), 1),
        "count": count,
        "bare_group_by": group_by,
        "write": write,
        "bare_copy": copy,
        "count_over_group_by": round(count["cpu"] / group_by["cpu"], 2),
        "write_over_copy": round(write["cpu"] / copy["cpu"], 2),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--columns", type=int, nargs="+", default=[4, 6])
    parser.add_argument("--workers", type=int, nargs="*", default=[])
    arguments = parser.parse_args()
    found = []
    for workers in arguments.workers or [0]:
        with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
            folder = Path(temporary)
            master = stack.enter_context(cluster(workers, folder)) if workers else "local[2]"
            settings = {"spark.driver.memory": "4g", "spark.local.dir": temporary}
            engine = stack.enter_context(
                Spark(master, settings={**settings, **(CLUSTER_SETTINGS if workers else {})})
            )
            measured(engine, 20_000, 4, folder)  # Java compiles what it has run often
            for rows, columns in itertools.product(arguments.rows, arguments.columns):
                found.append({"workers": workers, **measured(engine, rows, columns, folder)})
                print(json.dumps(found[-1], indent=2), flush=True)
    RESULTS.mkdir(exist_ok=True)
    name = "spark_workers.json" if arguments.workers else "spark_scale.json"
    (RESULTS / name).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
