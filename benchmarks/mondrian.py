"""Mondrian beside the Python packages of the registry: CPU seconds and NCP of the same table in one run.

Each package is installed in an environment of its own, below a folder for caches, the first time. Only the
making of groups is timed: reading is left out everywhere, and the packages' slow writing of values, too. NCP
is computed here from the groups alone: (values - 1) / (domain - 1) per cell, ages as sets like everything
else, and then as intervals. The table is ARX's Adult, which is not part of Shoal; give the folder `data` of a
clone of arx-deidentifier/arx.

    python benchmarks/mondrian.py ../arx/data                    # Adult, k = 5, 10, 50
    python benchmarks/mondrian.py ../arx/data --rows 300000 --k 5   # jittered copies of its rows
    python benchmarks/mondrian.py ../arx/data --million          # a million different rows, Shoal alone
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arx_queries import COLUMNS, counted, jittered
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import METRICS
from shoal.model.policy.budget import Budget
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

# Package -> how it makes groups of the frame `df`, of which all columns but `age` are categories.
PEERS = {
    "anonypy==0.2.1": """
from anonypy import mondrian
groups = lambda: mondrian.Mondrian(df, list(df.columns), None).partition(k)
""",
    "anonypyx==0.2.11": """
from anonypyx import models, mondrian
groups = lambda: mondrian.Mondrian(df, list(df.columns)).partition([models.kAnonymity(k)])
""",
}
PEER = """
import json, sys, time
import pandas as pd
path, k = sys.argv[1], int(sys.argv[2])
df = pd.read_csv(path, sep=";", usecols=COLUMNS)[COLUMNS]
for name in COLUMNS:
    if name != "age":
        df[name] = df[name].astype("category")
MAKE
started = time.process_time()
made = groups()
used = time.process_time() - started
of_row = [0] * len(df)
for number, rows in enumerate(made):
    for row in rows:
        of_row[row] = number
print(json.dumps({"seconds": used, "of_row": of_row}))
"""
VARIANTS = (
    Mondrian(values="sets"),
    Mondrian(values="intervals"),
    Mondrian(values="sets", choice="cost"),
    Mondrian(values="sets", choice="cost", partitioning="relaxed"),
)
AGE = COLUMNS.index("age")
MILLION = 1_000_000


def environment(package: str, cache: Path) -> Path | None:
    """The Python of an environment that has a package; `None` if it cannot be installed."""
    folder = cache / package.replace("==", "-")
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    asked = [python, "-m", "pip", "install", "--quiet", package, "pandas<3"]
    return python if subprocess.run(asked, check=False, capture_output=True).returncode == 0 else None


def ncp(
    codes: NDArray[np.int32], counts: NDArray[np.int64], of_row: NDArray[np.int64], *, spans: bool
) -> float:
    """Mean over all cells of (values - 1) / (domain - 1); with `spans`, ages count from first to last."""
    total = 0.0
    for attribute in range(codes.shape[1]):
        column = codes[:, attribute].astype(np.int64)
        size = int(column.max()) + 1
        pairs = np.unique(of_row * size + column)
        wide = np.bincount(pairs // size) - 1
        if spans and attribute == AGE:
            firsts = np.flatnonzero(np.diff(pairs // size, prepend=-1))
            lasts = np.append(firsts[1:], len(pairs)) - 1
            wide = pairs[lasts] % size - pairs[firsts] % size
        total += float((wide[of_row] * counts).sum()) / max(1, size - 1)
    return total / float(counts.sum()) / codes.shape[1]


def peer(
    package: str, cache: Path, path: Path, k: int, limit: float
) -> tuple[float, NDArray[np.int64]] | None:
    """CPU seconds of a package, and the group of each row; `None` if it cannot be had or takes long."""
    python = environment(package, cache)
    if python is None:
        return None
    script = f"COLUMNS = {list(COLUMNS)!r}\n" + PEER.replace("MAKE", PEERS[package])
    try:
        ran = subprocess.run(
            [python, "-c", script, str(path), str(k)], check=True, capture_output=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return None
    answer = json.loads(ran.stdout)
    return answer["seconds"], np.array(answer["of_row"], np.int64)


def row_codes(path: Path) -> NDArray[np.int32]:
    """The rows of a file in the order of the file, coded per column; ages in their order."""
    frame = pd.read_csv(path, sep=";", usecols=list(COLUMNS))[list(COLUMNS)]
    return np.column_stack([np.unique(frame[name], return_inverse=True)[1] for name in COLUMNS]).astype(
        np.int32
    )


def compare(path: Path, folder: Path, k: int, cache: Path, limit: float) -> Iterator[str]:
    """One line of the table per package and variant."""
    table = counted(folder, path)
    problem = Problem(table=table, k=k, cost=METRICS["ncp"](), limit=0)
    for algorithm in VARIANTS:
        runs = []
        for _ in range(5):
            started = time.process_time()
            answer = algorithm.partition(problem, Budget())
            runs.append(time.process_time() - started)
        name = f"shoal, {algorithm.values}, {algorithm.choice}, {algorithm.partitioning}"
        yield line(name, k, min(runs), table.codes, table.counts, answer.group_of)
    codes = row_codes(path)
    for package in PEERS:
        found = peer(package, cache, path, k, limit)
        if found is None:
            yield f"| {package} | {k} | cannot be installed, or takes more than {limit:,.0f} s | | | |"
        else:
            yield line(package, k, found[0], codes, np.ones(len(codes), np.int64), found[1])


def line(
    name: str,
    k: int,
    seconds: float,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    of_row: NDArray[np.int64],
) -> str:
    """What is told of one partition."""
    smallest = int(np.bincount(of_row, counts).min())
    assert smallest >= k
    sets, spans = (ncp(codes, counts, of_row, spans=each) for each in (False, True))
    return f"| {name} | {k} | {seconds:.3f} | {int(of_row.max()) + 1:,} | {sets:.4f} | {spans:.4f} |"


def million() -> None:
    """A million different rows: uniform categories and numbers, some of them with many values."""
    chance = np.random.default_rng(0)
    sizes = [2, 90, 5, 7, 16, 41, 1000, 20_000]
    codes = np.column_stack([chance.integers(0, size, MILLION) for size in sizes]).astype(np.int32)
    codes = np.unique(codes, axis=0)
    domains = tuple(
        Domain(name=f"n{a}", kind="number", values=tuple(range(size)))
        if size > 50
        else Domain(name=f"c{a}", kind="category", values=tuple(f"v{value}" for value in range(size)))
        for a, size in enumerate(sizes)
    )
    table = FrequencyTable(domains=domains, codes=codes, counts=np.ones(len(codes), np.int64))
    problem = Problem(table=table, k=5, cost=METRICS["ncp"]())
    print(f"{table.rows:,} different rows, 8 attributes, k = 5")
    for algorithm in (Mondrian(), Mondrian(partitioning="relaxed"), Mondrian(choice="cost")):
        for threads in (1, 2):
            used, wall = time.process_time(), time.monotonic()
            answer = algorithm.partition(problem, Budget(), threads=threads)
            used, wall = time.process_time() - used, time.monotonic() - wall
            name = f"{algorithm.choice}, {algorithm.partitioning}, {threads} thread(s)"
            print(f"{name}: {answer.groups:,} groups, {used:.2f} CPU s, {wall:.2f} s")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, help="as many jittered copies of Adult's rows")
    parser.add_argument("--k", type=int, nargs="+", default=[5, 10, 50])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "shoal-peers")
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a package may take")
    parser.add_argument("--million", action="store_true")
    asked = parser.parse_args()
    if asked.million:
        million()
        return
    print("| | k | CPU s | groups | NCP | NCP, ages as intervals |\n|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        path = asked.folder / "adult.csv"
        if asked.rows:
            path = Path(scratch) / "jittered.csv"
            jittered(asked.folder, asked.rows, path)
        for k in asked.k:
            for each in compare(path, asked.folder, k, asked.cache, asked.limit):
                print(each)
                sys.stdout.flush()


if __name__ == "__main__":
    main()
