"""Certificates on Adult: processor seconds of writing and checking one, over those of the search, and sizes.

Search, second pass and compiled check run one after the other in this process, on one thread. It fails if a
certificate is not verified, if writing takes more than 1.2 times the search, or the check more than 5 times,
in the cases of discernibility and classification. `--plain` also times the twin in Python and NumPy.

    python benchmarks/certificate.py [--plain] [--only DM|CM|LM]
"""

from __future__ import annotations

import argparse
import gzip
import resource
import time

import numpy as np

from adult import adult_problem
from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.proof import prove
from shoal.checker import checker
from shoal.model.policy.budget import Budget
from shoal.pipeline.certificate.compiled_tree import compiled_tree

CASES = [
    ("DM", "one-year", 1000, "inf"),
    ("DM", "one-year", 50, "inf"),
    ("DM", "five-year", 250, "inf"),
    ("DM", "five-year", 100, "inf"),
    ("DM", "five-year", 100, "100"),
    ("DM", "five-year", 50, "inf"),
    ("CM", "five-year", 250, "inf"),
    ("CM", "five-year", 100, "100"),
    ("LM", "five-year", 500, "0"),
]
MOST_WRITING, MOST_CHECKING = 1.2, 5.0


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def run(case: tuple[str, str, int, str], *, plain: bool) -> bool:
    """Whether a case is verified within its limits; prints what was measured."""
    metric, ages, k, limit = case
    problem = adult_problem(ages, metric, k, limit)
    times = [processor_seconds()]
    result = Exact().solve(problem, Budget(seconds=600))
    times.append(processor_seconds())
    proof = prove(problem, result)
    times.append(processor_seconds())
    stated = Exact().stated(problem)
    seen = checker.Problem(
        metric=stated.kind,
        k=stated.k,
        limit=stated.limit,
        sizes=stated.sizes,
        codes=stated.codes.astype(np.int64),
        counts=stated.counts,
        losses=stated.losses,
        row_units=stated.row_units,
    )
    refused = compiled_tree(seen, proof.axis, proof.bound, proof.lines.splitlines())
    times.append(processor_seconds())
    search, writing, checking = np.diff(times)
    packed = len(gzip.compress(proof.lines.encode()))
    print(
        *case,
        f"{result.status} search {search:.2f} s, {result.nodes} nodes; proof {proof.nodes} nodes,",
        f"{len(proof.lines):,} bytes, {packed:,} packed;",
        f"written {writing / search:.2f}x, checked {checking / search:.2f}x",
        "verified" if refused is None else f"REFUTED {refused}",
        flush=True,
    )
    if plain:
        began = time.process_time()
        assert checker.check_tree(seen, proof.axis, proof.bound, proof.lines.splitlines()) == refused
        print(f"  in Python and NumPy {time.process_time() - began:.1f} s", flush=True)
    fast = writing <= MOST_WRITING * search and checking <= MOST_CHECKING * search
    return refused is None and (fast or metric == "LM")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--only", choices=("DM", "CM", "LM"))
    arguments = parser.parse_args()
    cases = [case for case in CASES if arguments.only in (None, case[0])]
    held = [run(case, plain=arguments.plain) for case in cases]
    if not all(held):
        raise SystemExit("a certificate is not verified, or took too long")


if __name__ == "__main__":
    main()
