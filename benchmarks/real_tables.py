"""The default release of fifteen real tables against ARX's search, Python packages and our own best.

The tables come from packages of the registry, the other packages run with their own defaults, and every
release is measured by the same reader of its cells. ARX itself is not run: its default is modelled by our
search over the same space (see `real/contenders.py`). `--prepare` downloads and installs; nothing later needs
the network. Results are added to a JSON file as they come, and read from it for the tables that are not run.

    python benchmarks/real_tables.py --prepare
    python benchmarks/real_tables.py                   # everything; 30 s for each of our searches
    python benchmarks/real_tables.py --table lung --table credit --seconds 10
    python benchmarks/real_tables.py --show                   # no run; the pages from the JSON file

The exit code is 1 if on some table the default loses more than 1.1 times our best within the same time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from real.archives import download
from real.contenders import CANDIDATES, OWN, PEERS, Case, prepare
from real.results import Results, failures, pages, verdict
from real.tables import TABLES

RESULTS = Path(__file__).parent / "results"


def arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--table", action="append", choices=TABLES, help="only this one; may be repeated")
    parser.add_argument("--contender", action="append", choices=[*OWN, *CANDIDATES, *PEERS])
    parser.add_argument("--kind", choices=["own", "peers"], help="only Shoal, or only the other packages")
    parser.add_argument("--seconds", type=float, help="of each of our searches; their default when absent")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "shoal-real-tables")
    parser.add_argument("--json", type=Path, default=RESULTS / "real_tables.json")
    parser.add_argument("--again", action="store_true", help="also run what the JSON file has")
    parser.add_argument("--prepare", action="store_true", help="download and install, and nothing else")
    parser.add_argument(
        "--show", action="store_true", help="print the pages of the JSON file, and run nothing"
    )
    return parser.parse_args()


def contenders(asked: argparse.Namespace) -> list[str]:
    """Those that are to run."""
    if asked.contender:
        return list(asked.contender)
    kinds = {"own": (*OWN, *CANDIDATES), "peers": tuple(PEERS), None: (*OWN, *CANDIDATES, *PEERS)}
    return list(kinds[asked.kind])


def run(asked: argparse.Namespace, results: Results) -> None:
    """Run what is asked for, one after the other, and keep each result at once."""
    with tempfile.TemporaryDirectory(prefix="shoal-real-tables-") as scratch:
        for name in asked.table or TABLES:
            table = TABLES[name]
            frame = table.frame(asked.cache / "archives")
            case = Case(table=table, frame=frame, folder=Path(scratch), seconds=asked.seconds)
            for contender in contenders(asked):
                if asked.again or not results.has(name, contender):
                    made = case.run(contender, asked.cache / "environments")
                    results.add(made)
                    told = made.failed or f"loss {made.loss:.4f}, {made.seconds} s"
                    print(f"{name}, {contender}: {told}", file=sys.stderr, flush=True)


def main() -> int:
    """Run, print the pages, and judge."""
    asked = arguments()
    if asked.prepare:
        download(asked.cache / "archives")
        prepare(asked.cache / "environments")
        return 0
    results = Results.read(asked.json)
    if not asked.show:
        run(asked, results)
    print(pages(results))
    print(verdict(results))
    return 1 if failures(results) else 0


if __name__ == "__main__":
    sys.exit(main())
