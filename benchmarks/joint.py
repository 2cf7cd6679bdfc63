"""A joint release of Adult beside the central one, and the work per node beside a NumPy group-by.

    python benchmarks/joint.py [--holders 3] [-k 5] [--nodes 61] [--rows 1000000]

Three measurements: (1) processor time of all parties together for random nodes, and that of a NumPy group-by
on all rows, interleaved; (2) bytes that holders send per combination and node; (3) a whole run with one
process per party on loopback, wall and processor time, beside the central run. With --rows Adult is repeated
to so many rows, each row with another age of the same ten years, drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas

import shoal
from shoal.datasets import ADULT_LEVEL_QUASI_IDENTIFIERS as COLUMNS
from shoal.datasets import adult_hierarchy_path, adult_path
from shoal.engines.connection import engine_for
from shoal.joint.first_policy import first_policy
from shoal.joint.judged import judged
from shoal.joint.own_rows import OwnRows
from shoal.joint.policy import JointPolicy
from shoal.joint.tokens import in_order, node_key, tokens_of
from shoal.network.frames import Frame, encoded
from shoal.network.identity import Identity

DROPPED = ("fnlwgt", "education-num")


def main() -> None:
    """Measure, and print a table."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--holders", type=int, default=3)
    asked.add_argument("-k", type=int, default=5)
    asked.add_argument("--nodes", type=int, default=61)
    asked.add_argument("--rows", type=int, default=0)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = enlarged(pandas.read_csv(adult_path(), dtype=str), options.rows)
        names = [f"holder-{number}" for number in range(options.holders)]
        agree(folder, names, options.k)
        whole.to_csv(folder / "all.csv", index=False)
        for number, each in enumerate(names):
            whole[number :: options.holders].to_csv(folder / f"{each}.csv", index=False)
        print(
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {len(whole):,} rows, k = {options.k}"
        )
        per_node(folder, names, options.nodes)
        whole_run(folder, names)
        central(folder, options.k)


def enlarged(table: pandas.DataFrame, rows: int) -> pandas.DataFrame:
    """The table, or one of so many rows that are like its own."""
    if not rows:
        return table
    drawn = np.random.default_rng(0)
    many = table.iloc[drawn.integers(0, len(table), rows)].reset_index(drop=True)
    ages = many["age"].astype(int)
    many["age"] = (ages // 10 * 10 + drawn.integers(0, 10, rows)).clip(17, 90).astype(str)
    return many


def agree(folder: Path, names: list[str], k: int) -> None:
    """Identities, hierarchies and the policy."""
    keys = folder / "certificates"
    keys.mkdir()
    made = {name: Identity.create(keys, name, days=1) for name in [*names, "desk"]}
    prints = {name: each.certificate.fingerprint for name, each in made.items()}
    text = first_policy(
        names,
        COLUMNS,
        k,
        desk="desk",
        recipient=None,
        address="127.0.0.1:17443",
        insider=False,
        fingerprints=prints,
    )
    text = text.replace("insider = false", "insider = false\nmeeting = 120")
    text += "".join(f'[attributes."{name}"]\nrole = "identifier"\n' for name in DROPPED)
    (folder / "joint.toml").write_text(text)
    for column in COLUMNS:
        (folder / f"{column}.csv").write_bytes(Path(adult_hierarchy_path(column)).read_bytes())


def per_node(folder: Path, names: list[str], nodes: int) -> None:
    """Random nodes, by all parties together and by NumPy."""
    policy = JointPolicy.read(folder / "joint.toml")
    rows = []
    for name in [*names, "all"]:
        with engine_for(folder / f"{name}.csv") as engine:
            rows.append(OwnRows(policy, engine, folder / f"{name}.csv"))
    *held, everything = rows
    drawn = np.random.default_rng(1)
    chosen = [[0] * len(COLUMNS)]
    chosen += [[int(drawn.integers(0, height + 1)) for height in policy.heights] for _ in range(nodes - 1)]
    ratios, ours, plain, sent, combinations = [], [], [], 0, 0
    for levels in chosen:
        begun = time.process_time()
        tokens, counts = [], []
        for each in held:
            node = each.node(levels)
            made = tokens_of(node.parts, node_key(b"k" * 32, "0" * 32, levels))
            order = in_order(made)
            tokens.append(made[order])
            counts.append(np.minimum(node.sizes[order], policy.policy.k))
            frame = Frame(7, {"round": 99, "node": 0}, (tokens[-1], counts[-1].astype(np.uint8)))
            sent += len(encoded(frame))
            combinations += len(order)
        judged(tokens, counts, policy.policy.k, insider=False)
        ours.append(time.process_time() - begun)
        begun = time.process_time()
        grouped(everything, levels)
        plain.append(time.process_time() - begun)
        ratios.append(ours[-1] / plain[-1])
    print(f"per node: all parties {1e3 * sum(ours) / nodes:.1f} ms, NumPy {1e3 * sum(plain) / nodes:.1f} ms")
    print(f"ratio of sums {sum(ours) / sum(plain):.2f}, median of ratios {statistics.median(ratios):.2f}")
    print(f"bottom node: {1e3 * ours[0]:.1f} ms against {1e3 * plain[0]:.1f} ms")
    print(f"bytes per combination {sent / combinations:.1f}, per node {sent / nodes:,.0f}")


def grouped(rows: OwnRows, levels: list[int]) -> np.ndarray:
    """A group-by of all distinct rows: one key per row, equal keys added up."""
    key = np.zeros(len(rows.codes), np.int64)
    for attribute, (domain, level) in enumerate(zip(rows.domains, levels, strict=True)):
        parts = np.array(domain.hierarchy.parts[level], np.int64)
        key = key * (int(parts.max()) + 1) + parts[rows.codes[:, attribute]]
    _, of_row = np.unique(key, return_inverse=True)
    return np.bincount(of_row, rows.table.counts)


def whole_run(folder: Path, names: list[str]) -> None:
    """One process per party, over TLS on loopback."""
    keys, policy = str(folder / "certificates"), str(folder / "joint.toml")
    joint = [sys.executable, "-m", "shoal.cli", "joint"]
    commands = [[*joint, "desk", policy, "--keys", keys, "-o", str(folder / "joint-release.csv")]]
    for name in names:
        data = str(folder / f"{name}.csv")
        commands.append([*joint, "holder", policy, "--as", name, "--data", data, "--keys", keys, "--quiet"])
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    running = [subprocess.Popen(each, stderr=subprocess.PIPE, text=True) for each in commands]
    said = [each.communicate()[1] for each in running]
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if any(each.returncode for each in running):
        raise SystemExit("\n".join(said))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"whole run: {wall:.1f} s of wall time, {cpu:.1f} s of processors, in {len(commands)} processes")
    print("\n".join(line for line in said[0].splitlines() if "optimal" in line or "learned" in line))


def central(folder: Path, k: int) -> None:
    """The same release by one process that has all rows."""
    begun, cpu = time.monotonic(), time.process_time()
    release = shoal.anonymize(
        folder / "all.csv",
        quasi_identifiers=list(COLUMNS),
        identifiers=list(DROPPED),
        hierarchies={column: folder / f"{column}.csv" for column in COLUMNS},
        k=k,
        algorithm="lattice",
        seconds="unlimited",
        path=folder / "central.csv",
    )
    wall, cpu = time.monotonic() - begun, time.process_time() - cpu
    print(f"central: {wall:.1f} s of wall time, {cpu:.1f} s of processors")
    same = sorted((folder / "joint-release.csv").read_text().splitlines()) == sorted(
        (folder / "central.csv").read_text().splitlines()
    )
    print(f"nodes {release.manifest.nodes}, cost {release.manifest.cost:.6f}; the same rows: {same}")


if __name__ == "__main__":
    main()
