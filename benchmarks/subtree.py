"""How fast `subtree` proves the optimum on Adult, for hierarchies made for the purpose.

Run: python benchmarks/subtree.py [--binary] [--seconds 60] [--nodes 2000] [--metric LM] [--k 25 10]

Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import itertools
import math
import resource

import numpy as np

from adult import LIMITS, METRIC, adult_table
from shoal import _core
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

AGE_WIDTHS = (5, 10, 20, 40)
# Neighbouring values of ADULT_ORDERS that are joined, per level above the values; the top joins all.
JOINED: dict[str, list[dict[str, str]]] = {
    "workclass": [{"Federal-gov": "Local-gov", "Self-emp-inc": "Self-emp-not-inc"}],
    "education": [
        {"1st-4th": "7th-8th", "9th": "12th", "Assoc-voc": "Assoc-acdm", "Prof-school": "Doctorate"},
        {"Preschool": "12th", "HS-grad": "Assoc-acdm", "Bachelors": "Doctorate"},
    ],
    "marital-status": [{"Widowed": "Separated", "Married-spouse-absent": "Married-civ-spouse"}],
    "occupation": [
        {"Exec-managerial": "Sales", "Other-service": "Armed-Forces", "Craft-repair": "Farming-fishing"}
    ],
    "race": [{"Amer-Indian-Eskimo": "Other"}],
    "sex": [],
    "native-country": [
        {
            "United-States": "Canada",
            "Mexico": "Nicaragua",
            "Puerto-Rico": "Trinadad&Tobago",
            "Columbia": "Peru",
            "England": "Germany",
            "Portugal": "Poland",
            "Iran": "India",
            "Thailand": "Philippines",
            "China": "South",
        },
        {"United-States": "Peru", "England": "Poland", "Iran": "South"},
    ],
}

Level = list[int]


def numbered(begins: list[bool]) -> Level:
    """Part numbers from where parts begin."""
    return [number - 1 for number in itertools.accumulate(map(int, begins))]


def joined(values: list[str], runs: dict[str, str]) -> Level:
    """Runs from one value to another become one part each, other values stay alone."""
    begins, until = [], None
    for value in values:
        begins.append(until is None)
        until = runs.get(value, until)
        until = None if until == value else until
    return numbered(begins)


def levels_of(domain: Domain) -> list[Level]:
    size = len(domain)
    if domain.name == "age":
        ages = [int(value) for value in domain.values]
        above = [
            numbered([i == 0 or ages[i] // w != ages[i - 1] // w for i in range(size)]) for w in AGE_WIDTHS
        ]
    else:
        above = [joined([str(value) for value in domain.values], runs) for runs in JOINED[domain.name]]
    return [list(range(size)), *above, [0] * size]


def binary_levels_of(domain: Domain) -> list[Level]:
    """Halves of halves: as many parts as there are cuts."""
    return [
        [code >> level for code in range(len(domain))] for level in range((len(domain) - 1).bit_length() + 1)
    ]


def solve(
    table: FrequencyTable,
    levels: list[list[Level]],
    metric: str,
    k: int,
    limit: int | None,
    seconds: float,
    nodes: int | None,
) -> _core.Answer:
    sizes = table.sizes.tolist()
    units = math.lcm(*(max(size - 1, 1) for size in sizes))
    losses = [
        units // max(size - 1, 1) * np.maximum(np.arange(size) - np.arange(size)[:, None], 0)
        for size in sizes
    ]
    counts = table.label_counts if metric == "classification" else table.counts[:, None]
    return _core.subtree(
        metric,
        k=k,
        limit=table.rows if limit is None else limit,
        sizes=sizes,
        codes=np.ascontiguousarray(table.codes, np.int32),
        counts=np.ascontiguousarray(counts, np.int64),
        losses=losses,
        row_units=units * len(sizes),
        privacy=None,
        seconds=seconds,
        nodes=nodes,
        gap=None,
        threads=2,
        seed=0,
        climbs=8,
        levels=levels,
        callback=None,
    )


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", action="store_true", help="halves of halves instead of JOINED")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--metric", nargs="+", choices=METRIC, default=list(METRIC))
    parser.add_argument("--limit", nargs="+", choices=LIMITS, default=["inf", "0"])
    parser.add_argument("--k", type=int, nargs="+", default=[1000, 500, 250, 100, 50, 25, 10, 5])
    options = parser.parse_args()
    table = adult_table("one-year")
    levels = [(binary_levels_of if options.binary else levels_of)(domain) for domain in table.domains]
    print("| metric | suppression | k | cost | gap | nodes | seconds |\n|---|---|---|---|---|---|---|")
    for metric, limit in itertools.product(options.metric, options.limit):
        for k in options.k:
            before = processor_seconds()
            found = solve(table, levels, METRIC[metric], k, LIMITS[limit], options.seconds, options.nodes)
            gap = (found.cost - found.bound) / found.cost
            effort = f"{found.nodes:,} | {processor_seconds() - before:.1f}"
            print(f"| {metric} | {limit} | {k} | {found.cost:,} | {gap:.1%} | {effort} |", flush=True)


if __name__ == "__main__":
    main()
