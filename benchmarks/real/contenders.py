"""Who takes part, and how one run of one contender on one table is made and measured.

Every run is a process of its own with a limit of seconds, so that a package that crashes, hangs or takes all
memory is one line of the results and not the end of the benchmark.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from real.measure import Reader, UnreadableError, measure, peer_cell, shoal_cell
from real.tables import Table

HERE = Path(__file__).parent
PEER_SECONDS = 60
"""Processor seconds that a package of others may take, so that a busy machine does not stop it."""

WALL_SECONDS = 1200
"""When it is stopped in any case."""

DEFAULT, CONSISTENT, ARX = "default", "consistent", "ARX's search"

OWN: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    CONSISTENT: {"consistent": True},
    # ARX, by ARXConfiguration.create(): quality model Loss with a factor of 0.5, no row suppressed, the best
    # node of the lattice, above 100,000 nodes the best that is found in 30 seconds. Its mean over columns is
    # geometric; ours, arithmetic, is the one that is measured here, and so kinder to it.
    ARX: {"algorithm": "lattice", "suppression": 0, "cost": "general-loss"},
}

CANDIDATES: dict[str, dict[str, Any]] = {
    "local, sets": {"algorithm": "local", "options": {"values": "sets"}},
    "local, labels": {"algorithm": "local", "options": {"values": "hierarchy"}},
    "mondrian": {"algorithm": "mondrian"},
    "mondrian, sets by cost": {"algorithm": "mondrian", "options": {"values": "sets", "choice": "cost"}},
    "mondrian, relaxed": {
        "algorithm": "mondrian",
        "options": {"values": "sets", "choice": "cost", "partitioning": "relaxed"},
    },
    "k-member": {"algorithm": "k-member"},
    "exact": {"algorithm": "exact"},
    "subtree": {"algorithm": "subtree"},
    "hill-climb": {"algorithm": "hill-climb"},
}
"""Our other searches; with the three above the least loss among them is `our best`."""

# What is installed: the package, and what it needs without saying so.
PEERS = {
    "anonypy": ("anonypy==0.2.1", "pandas"),
    "anonymity-api": ("anonymity-api==1.0.4", "pandas"),
    "polarfrost": ("polarfrost==0.2.1", "pyspark"),
    "anjana": ("anjana==1.2.3",),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One contender on one table.

    Parameters
    ----------
    table, contender
        What ran on what.
    failed
        Why there is nothing to measure; then the rest is absent.
    seconds
        Wall-clock time, from the file to the release; of other packages the processor time of their search.
    loss, flattened, lost
        As `Measured`.
    smallest
        Rows of the smallest group of the release: a package may miss k.
    rows
        Rows of the source.
    source_bytes, release_bytes, manifest_bytes
        Sizes of files.
    algorithm, status, warnings
        What Shoal says.
    columns
        The loss of each column.
    """

    table: str
    contender: str
    failed: str | None = None
    seconds: float | None = None
    loss: float | None = None
    flattened: tuple[str, ...] = ()
    lost: int | None = None
    smallest: int | None = None
    rows: int | None = None
    source_bytes: int | None = None
    release_bytes: int | None = None
    manifest_bytes: int | None = None
    algorithm: str | None = None
    status: str | None = None
    warnings: tuple[str, ...] = ()
    columns: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A table as a file, in a folder for what is made of it.

    Parameters
    ----------
    table, frame
        What it is, and its rows.
    folder
        Where files go.
    seconds
        What each search of Shoal may take; `None` for its default.
    """

    table: Table
    frame: pd.DataFrame
    folder: Path
    seconds: float | None

    @property
    def source(self) -> Path:
        """The table as a CSV file."""
        path = self.folder / f"{self.table.name}.csv"
        if not path.exists():
            self.frame.to_csv(path, index=False)
        return path

    def run(self, contender: str, environments: Path) -> Run:
        """Run one contender and measure its release."""
        if contender in PEERS:
            return self._peer(contender, environments)
        arguments = dict(OWN.get(contender) or CANDIDATES.get(contender) or {})
        if self.seconds is not None:
            arguments["seconds"] = self.seconds
        limit = 120 + 3 * (self.seconds or 30)
        return self._run(contender, Path(sys.executable), "run_shoal.py", {"arguments": arguments}, limit)

    def _peer(self, package: str, environments: Path) -> Run:
        python = environments / package / "bin" / "python"
        hierarchies = self.hierarchies() if package == "anjana" else {}
        task = {"package": package, "hierarchies": hierarchies, "seconds": PEER_SECONDS}
        return self._run(package, python, "run_peer.py", task, WALL_SECONDS)

    def _run(self, name: str, python: Path, script: str, more: Mapping[str, Any], limit: float) -> Run:
        target = self.folder / f"{self.table.name}-release.csv"
        manifest = target.with_name(f"{target.name}.manifest.json")
        for path in (target, manifest):
            path.unlink(missing_ok=True)
        task = {
            "source": str(self.source),
            "target": str(target),
            "quasi_identifiers": self.table.quasi_identifiers,
            "sensitive": self.table.sensitive,
            "k": self.table.k,
            **more,
        }
        try:
            ran = subprocess.run(
                [python, HERE / script], input=json.dumps(task), text=True, capture_output=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return Run(table=self.table.name, contender=name, failed=f"stopped after {limit:.0f} s")
        if ran.returncode == -signal.SIGXCPU:
            failed = f"stopped after {PEER_SECONDS} processor seconds"
            return Run(table=self.table.name, contender=name, failed=failed)
        if ran.returncode != 0:
            why = (ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"])[-1][:200]
            return Run(table=self.table.name, contender=name, failed=why)
        return self._measured(name, json.loads(ran.stdout.splitlines()[-1]), target, manifest)

    def _measured(self, name: str, said: Mapping[str, Any], target: Path, manifest: Path) -> Run:
        names = list(self.table.quasi_identifiers)
        released = pd.read_csv(target, dtype=str, keep_default_na=False)
        counts = released["count"].astype(int) if name in PEERS else pd.Series(1, index=released.index)
        read: Reader = peer_cell if name in PEERS and name != "anjana" else shoal_cell
        try:
            found = measure(self.frame, released[names], counts, dict.fromkeys(names, read))
        except UnreadableError as error:
            return Run(table=self.table.name, contender=name, failed=f"unreadable cell: {str(error)[:60]}")
        own = name not in PEERS
        return Run(
            table=self.table.name,
            contender=name,
            seconds=said["seconds"],
            loss=found.loss,
            flattened=found.flattened,
            lost=found.lost,
            smallest=int(counts.groupby([released[each] for each in names]).sum().min()),
            rows=len(self.frame),
            source_bytes=self.source.stat().st_size,
            release_bytes=target.stat().st_size if own else None,
            manifest_bytes=manifest.stat().st_size if own else None,
            algorithm=said.get("algorithm"),
            status=said.get("status"),
            warnings=tuple(said.get("warnings", ())),
            columns=found.columns,
        )

    def hierarchies(self) -> dict[str, str]:
        """Hierarchies for packages that need some: those that Shoal builds, as files."""
        paths = {}
        for number, name in enumerate(self.table.quasi_identifiers):
            path = self.folder / f"{self.table.name}-{number}.csv"
            if not path.exists():
                asked = ["hierarchy", "build", str(self.source), "--column", name, "-o", str(path)]
                subprocess.run(
                    [sys.executable, "-m", "shoal.cli", *asked], check=True, capture_output=True, timeout=120
                )
            paths[name] = str(path)
        return paths


def prepare(environments: Path) -> None:
    """Install each package in an environment of its own, where that is not done yet."""
    for name, packages in PEERS.items():
        folder = environments / name
        if not folder.exists():
            started = time.monotonic()
            venv.create(folder, with_pip=True)
            subprocess.run(
                [folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages], check=True
            )
            print(f"{name}: installed in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
