"""Two sites on one machine: real processes, throw-away certificates, the bundled census table."""

from __future__ import annotations

import csv
import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_hierarchy_path, adult_path
from shoal.errors import EngineError
from shoal.files.whole_file import write_bytes
from shoal.network.identity import Identity

FIRST, SECOND = "registry", "hospital"
OF_FIRST = 4
"""The first site has so many of the quasi-identifiers."""
_LISTENING = re.compile(r"listening at 127\.0\.0\.1:(\d+)")


def prepare(folder: Path, protocol: str, people: int, k: int) -> None:
    """Write a policy, the file of each site, the joined table, keys and certificates."""
    with gzip.open(adult_path(), "rt", encoding="utf-8", newline="") as file:
        rows = list(islice(csv.DictReader(file), people))
    quasi = list(ADULT_QUASI_IDENTIFIERS)
    label = ["income"] if protocol == "tds" else []
    one, two = ["id", *quasi[:OF_FIRST], *label], ["id", *quasi[OF_FIRST:], *label]
    numbered = [{"id": f"p{number:05d}", **row} for number, row in enumerate(rows)]
    _write(folder / "first.csv", one, numbered)
    _write(folder / "second.csv", two, sorted(numbered, key=lambda row: row["id"][::-1]))
    _write(folder / "joined.csv", [*one, *quasi[OF_FIRST:]], numbered)
    for name in quasi:
        write_bytes(folder / f"{name}.csv", Path(adult_hierarchy_path(name)).read_bytes())
    write_bytes(folder / "policy.toml", _policy(quasi, label, protocol, k).encode())
    for name in (FIRST, SECOND):
        Identity.create(folder, name, days=1)


def _write(path: Path, columns: Sequence[str], rows: Sequence[dict[str, str]]) -> None:
    lines = [",".join(columns), *(",".join(row[name] for name in columns) for row in rows)]
    write_bytes(path, ("\n".join(lines) + "\n").encode())


def _policy(quasi: Sequence[str], label: Sequence[str], protocol: str, k: int) -> str:
    columns = "".join(
        f'[attributes.{name}]\nrole = "quasi-identifier"\nhierarchy = "{name}.csv"\n' for name in quasi
    )
    classes = "".join(f'[attributes.{name}]\nrole = "class"\n' for name in label)
    algorithm = "tds" if protocol == "tds" else "datafly"
    return (
        f'[attributes.id]\nrole = "identifier"\n{columns}{classes}[privacy]\nk = {k}\n'
        f'[search]\nalgorithm = "{algorithm}"\n'
    )


def run_demo(folder: Path, protocol: str, told: Callable[[str], None]) -> None:
    """Run both sites in processes of their own; `EngineError` if one of them fails."""
    common = [sys.executable, "-m", "shoal.cli", "joint", "site", str(folder / "policy.toml")]
    common += ["--protocol", protocol, "--keys", str(folder)]
    first = [*common, "--data", str(folder / "first.csv"), "--as", FIRST, "--other", SECOND]
    first += ["--listen", "127.0.0.1:0", "--output", str(folder / "release.csv")]
    # Both import what this process imports, wherever that was found.
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(first, stderr=subprocess.PIPE, text=True, env=found) as one:
        assert one.stderr is not None
        try:
            port = _port(one.stderr, told)
            second = [*common, "--data", str(folder / "second.csv"), "--as", SECOND, "--other", FIRST]
            second += ["--connect", f"127.0.0.1:{port}"]
            with (
                (folder / "second.log").open("w") as log,
                subprocess.Popen(second, stderr=log, env=found) as two,
            ):
                try:
                    for line in one.stderr:
                        told(f"{FIRST}: {line.rstrip()}")
                    two.wait()
                finally:
                    two.terminate()
            for line in (folder / "second.log").read_text().splitlines()[-2:]:
                told(f"{SECOND}: {line}")
        finally:
            one.terminate()
    if one.returncode:
        raise EngineError("the demonstration failed; its lines above say why")


def _port(lines: object, told: Callable[[str], None]) -> int:
    """Where the first site listens."""
    assert hasattr(lines, "__iter__")
    for line in lines:
        told(f"{FIRST}: {line.rstrip()}")
        found = _LISTENING.search(line)
        if found:
            return int(found[1])
    raise EngineError("the demonstration failed; its lines above say why")
