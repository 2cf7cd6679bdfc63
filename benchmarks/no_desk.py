"""Three holders without a desk on Adult, beside the central run.

python -m benchmarks.no_desk [ROWS] [SUPPRESSION]

Prints processor seconds of all three processes, wall time and the load of the machine, and whether levels,
cost, nodes and rows are those of the central run.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import resource
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.joint.no_desk.three_holders import Three

import shoal
from shoal.datasets import ADULT_QUASI_IDENTIFIERS, adult_hierarchy_path, adult_path

K = 5


def main(rows: int, suppression: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        policy, people = prepared(folder, rows, suppression)
        (folder / "central.toml").write_text(policy + '[search]\nalgorithm = "lattice"\n')
        (folder / "all.csv").write_text(table(people))
        central = shoal.anonymize(
            folder / "all.csv", folder / "central.toml", path=folder / "central.csv"
        ).manifest
        three = Three(folder, policy, [table(people[place::3]) for place in range(3)], timeout=3600)
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        ended = three.run()
        wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert all(each.code == 0 for each in ended.values()), ended
        told = json.loads((folder / "release.csv.manifest.json").read_text())
        same = (told["recoding"], told["cost"], told["nodes"]) == (
            *(central.recoding, central.cost, central.nodes),
        )
        alike = lines(folder / "release.csv") == lines(folder / "central.csv")
        print(f"rows {rows:,}   nodes {told['nodes']:,}   suppressed {told['suppressed']:,}")
        print(
            f"processor {after.ru_utime - before.ru_utime:.0f} s   wall {wall:.0f} s   load {os.getloadavg()}"
        )
        print(f"levels, cost and nodes the same: {same}; rows the same: {alike}")


def prepared(folder: Path, rows: int, suppression: str) -> tuple[str, list[dict[str, str]]]:
    """The policy without its parties, and the people."""
    with gzip.open(adult_path(), "rt", encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))[:rows]
    columns = ""
    for name in ADULT_QUASI_IDENTIFIERS:
        shutil.copy(adult_hierarchy_path(name), folder / f"{name}.csv")
        columns += f'[attributes.{name}]\nrole = "quasi-identifier"\nhierarchy = "{name}.csv"\n'
    return f'{columns}[privacy]\nk = {K}\n[objective]\nsuppression = "{suppression}"\n', people


def table(people: list[dict[str, str]]) -> str:
    names = ADULT_QUASI_IDENTIFIERS
    return "".join(
        ",".join(each) + "\n" for each in [names, *([row[name] for name in names] for row in people)]
    )


def lines(path: Path) -> list[str]:
    return sorted(path.read_text().splitlines())


if __name__ == "__main__":
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30_162, sys.argv[2] if len(sys.argv) > 2 else "5%")
