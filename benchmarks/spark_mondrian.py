"""Mondrian on a standalone Spark cluster with one and with two workers, beside the core on the same rows.

Master and workers are processes of this machine, started from the wheel of pyspark; each worker has one core.
Rows are generated inside Spark. Each cluster solves the problem once to warm up, Java's compiler and the
Python processes, and then `--repeat` times. The core's time is that of `mondrian` on the frequency table in
memory, released values and cost included; bringing the rows there, which it needs and Spark does not, is told
apart. That groups are the same is checked by cost, number of groups and nodes.

    python benchmarks/spark_mondrian.py --rows 2000000 --output benchmarks/results/spark_mondrian.json
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from shoal.algorithms.rows.distributed_mondrian import DistributedMondrian
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.engines.spark.connection import connect
from shoal.engines.spark.mondrian import SparkRows
from shoal.engines.spark.session import SparkSqlSession
from shoal.model.policy.budget import Budget
from shoal.model.recoding.distributed import DistributedRecoding, marginal_table
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

SIZES = (80, 2, 5, 16, 7, 9, 40, 30)
NUMBERS = (0, 6)
K = 5
SETTINGS = {
    "spark.executor.memory": "1200m",
    "spark.driver.memory": "2g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "8",
}


def domains() -> tuple[Domain, ...]:
    """Two columns of numbers, six of categories; no hierarchy."""
    return tuple(
        Domain(name=f"n{a}", kind="number", values=tuple(range(size)))
        if a in NUMBERS
        else Domain(name=f"c{a}", kind="category", values=tuple(f"v{v:02}" for v in range(size)))
        for a, size in enumerate(SIZES)
    )


def coded(session: SparkSqlSession, rows: int) -> Any:
    """Distinct coded rows, kept in Spark; low codes are more frequent than high ones."""
    from pyspark.sql import functions as f

    def code(a: int, size: int) -> Any:
        draws = [f.pmod(f.xxhash64("id", f.lit(f"{a} {turn}")), f.lit(size)) for turn in range(2)]
        return f.least(*draws).cast("int").alias(f"a{a}")

    def made() -> Any:
        columns = [code(a, size) for a, size in enumerate(SIZES)]
        drawn = session.spark.range(rows, numPartitions=8).select(*columns)
        return drawn.groupBy(*drawn.columns).agg(f.count("*").alias("n"))

    return session.fixed(made, "the rows")


def on_spark(session: SparkSqlSession, frame: Any, fragment: int) -> dict[str, Any]:
    """One run, with the seconds of its phases."""
    marks = [time.perf_counter()]
    rows = SparkRows(session, frame, domains())
    table = marginal_table(rows.domains, rows.whole)
    marks.append(time.perf_counter())
    problem = Problem(table=table, k=K, cost=METRICS["ncp"]())
    run = DistributedMondrian(
        algorithm=Mondrian(fragment=fragment),
        problem=problem,
        rows=rows,
        on_progress=lambda _: marks.append(time.perf_counter()),
    )
    result = run.solve()
    marks.append(time.perf_counter())
    assert isinstance(result.recoding, DistributedRecoding)
    groups = result.recoding.groups
    rows.close()
    return {
        "seconds": marks[-1] - marks[0],
        "seconds_first_histogram": marks[1] - marks[0],
        "seconds_rounds": marks[-2] - marks[1],
        "seconds_fragments_and_checks": marks[-1] - marks[-2],
        "rounds": len(marks) - 3,
        "groups": sum(groups.sizes.values()),
        "nodes": result.nodes,
        "ncp": float(result.cost or 0),
    }


def in_one_place(frame: Any) -> dict[str, Any]:
    """The core on the same rows, brought into memory for this."""
    started = time.perf_counter()
    found = frame.toArrow()
    codes = np.column_stack([found[f"a{a}"].to_numpy() for a in range(len(SIZES))]).astype(np.int32)
    order = np.lexsort(codes.T[::-1])
    table = FrequencyTable(
        domains=domains(),
        codes=np.ascontiguousarray(codes[order]),
        counts=found["n"].to_numpy().astype(np.int64)[order],
    )
    fetched = time.perf_counter()
    problem = Problem(table=table, k=K, cost=METRICS["ncp"]())
    answer = Mondrian().partition(problem, Budget())
    cut = time.perf_counter()
    result = Mondrian().solve(problem, Budget())
    return {
        "seconds_to_fetch": fetched - started,
        "seconds_groups_alone": cut - fetched,
        "seconds": time.perf_counter() - cut,
        "distinct_rows": len(table.counts),
        "groups": answer.groups,
        "nodes": result.nodes,
        "ncp": float(result.cost or 0),
    }


@contextlib.contextmanager
def cluster(workers: int, folder: Path) -> Iterator[str]:
    """The address of a master with so many workers."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address, started = f"spark://127.0.0.1:{port}", []

    def start(name: str, what: str, *arguments: str) -> None:
        log = folder / f"{name}.log"
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1"]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
        with log.open("wb") as sink:
            started.append(
                subprocess.Popen(
                    [*command, "--webui-port", "0", *arguments],
                    stdout=sink,
                    stderr=sink,
                    env=environment,
                    start_new_session=True,
                )
            )
        for _ in range(1200):
            if b"New state: ALIVE" in log.read_bytes() or b"Successfully registered" in log.read_bytes():
                return
            time.sleep(0.1)
        raise SystemExit(f"{name} did not start")

    try:
        start("master", "master.Master", "--port", str(port))
        for index in range(workers):
            work = str(folder / f"work{index}")
            asked = ["--cores", "1", "--memory", "1200m", "--work-dir", work]
            start(f"worker{index}", "worker.Worker", *asked, address)
        yield address
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def measured(arguments: argparse.Namespace, workers: int, also_core: bool) -> dict[str, Any]:
    """The runs on a cluster with so many workers."""
    with tempfile.TemporaryDirectory() as folder, cluster(workers, Path(folder)) as address:
        session = SparkSqlSession(connect(address, SETTINGS))
        frame = coded(session, arguments.rows)
        runs = [on_spark(session, frame, arguments.fragment) for _ in range(1 + arguments.repeat)]
        found = {"warm_up": runs[0], "runs": runs[1:], "load": os.getloadavg()[0]}
        if also_core:
            found["core"] = in_one_place(frame)
        session.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--fragment", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    one = measured(arguments, 1, also_core=False)
    two = measured(arguments, 2, also_core=True)
    core = two.pop("core")
    for run in (*one["runs"], *two["runs"]):
        for name in ("groups", "nodes", "ncp"):
            if run[name] != core[name]:
                raise SystemExit(f"{name} differ: {run[name]} on Spark, {core[name]} in one place")
    seconds = {
        name: median(run["seconds"] for run in each["runs"]) for name, each in (("1", one), ("2", two))
    }
    found = {
        "rows": arguments.rows,
        "fragment": arguments.fragment,
        "k": K,
        "cores_of_the_machine": os.cpu_count(),
        "core": core,
        "one_worker": one,
        "two_workers": two,
        "median_seconds_by_workers": seconds,
        "two_workers_are_faster_by": seconds["1"] / seconds["2"],
        "two_workers_over_core": seconds["2"] / core["seconds"],
    }
    text = json.dumps(found, indent=2)
    print(text)
    if arguments.output is not None:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
