"""Run the fuzzer: `python -m tests.fuzz --seed 1 --minutes 5 --jobs 2`, or one try: `--only SEED`."""

from __future__ import annotations

import argparse
import sys

import shoal
from tests.fuzz.attempt import attempt
from tests.fuzz.campaign import Campaign, show
from tests.fuzz.policies import instance


def main() -> int:
    """Try instances until the count, the time or the patience ends; 1 if something was found."""
    asked = _arguments()
    if asked.only is not None:
        return _only(asked.only, shrink=not asked.no_shrink)
    return Campaign(asked).run()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="where the seeds of the tries begin")
    parser.add_argument("--count", type=int, help="how many tries; unlimited when absent")
    parser.add_argument("--minutes", type=float, help="how long; unlimited when absent")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", type=int, metavar="SEED", help="run one try again")
    parser.add_argument("--findings", type=int, default=5, help="stop after so many different findings")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="CODE", help="pass over findings of this code"
    )
    parser.add_argument(
        "--people", action="store_true", help="only tries about persons and households with several rows"
    )
    parser.add_argument("--no-shrink", action="store_true", help="print findings as they are")
    asked = parser.parse_args()
    if asked.count is None and asked.minutes is None and asked.only is None:
        asked.minutes = 5.0
    return asked


def _only(seed: int, *, shrink: bool) -> int:
    with shoal.DuckDB(threads=1) as engine:
        one = attempt(instance(seed), engine)
    print(one.ended)
    for finding in {each.code: each for each in one.findings}.values():
        show(instance(seed), finding, seed, shrink=shrink)
    return int(bool(one.findings))


if __name__ == "__main__":
    sys.exit(main())
