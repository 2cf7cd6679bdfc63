"""Tables with many quasi-identifiers: small problems padded, and drawn ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.cost import METRICS
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable

CONSTANT = Domain(
    name="constant",
    kind="category",
    values=("only",),
    tree=Tree(parts=((0,), (0,)), labels=(("only",), ("*",)), leaves=((1,), (1,)), places=(0,)),
)


def padded(problem: Problem, columns: int) -> Problem:
    """The problem with constant columns, and with copies of its own that stay on top."""
    table = problem.table
    own = len(table.domains)
    domains, codes = list(table.domains), [table.codes]
    levels = list(problem.levels or [(0, domain.hierarchy.height) for domain in table.domains])
    for number in range(columns - own):
        copied = number % own
        domain = CONSTANT if number % 2 else table.domains[copied]
        domains.append(replace(domain, name=f"{domain.name} {number}"))
        codes.append(0 * table.codes[:, :1] if number % 2 else table.codes[:, copied : copied + 1])
        levels.append((domain.hierarchy.height,) * 2)
    wide = replace(table, domains=tuple(domains), codes=np.ascontiguousarray(np.hstack(codes)))
    return replace(problem, table=wide, levels=tuple(levels), cost=type(problem.cost)())


def halving(values: int) -> Tree:
    """A hierarchy that joins neighbours two by two."""
    parts = [tuple(range(values))]
    while parts[-1][-1] > 0:
        parts.append(tuple(part // 2 for part in parts[-1]))
    leaves = tuple(tuple(np.bincount(each).tolist()) for each in parts)
    labels = tuple(
        tuple(f"{level}.{part}" for part in range(each[-1] + 1)) for level, each in enumerate(parts)
    )
    return Tree(parts=tuple(parts), labels=labels, leaves=leaves)


def drawn_problem(
    *, rows: int, columns: int, values: int, k: int, limit: int, seed: int, cost: str = "general-loss"
) -> Problem:
    """A random table: values that depend on which of five kinds of people a row is of."""
    random = np.random.default_rng(seed)
    kinds = random.integers(0, 5, rows)
    drawn = []
    for _ in range(columns):
        size = int(random.integers(2, values + 1))
        centre = random.integers(0, size, 5)[kinds]
        drawn.append(np.clip(centre + random.integers(-2, 3, rows), 0, size - 1))
    coded = [np.unique(column, return_inverse=True)[1] for column in drawn]
    distinct, counts = np.unique(np.stack(coded, axis=1), axis=0, return_counts=True)
    sizes = [int(column.max()) + 1 for column in coded]
    table = FrequencyTable(
        domains=tuple(
            Domain(name=f"c{a}", kind="number", values=tuple(range(size)), tree=halving(size))
            for a, size in enumerate(sizes)
        ),
        codes=distinct.astype(np.int32),
        counts=counts.astype(np.int64),
    )
    return Problem(table=table, k=k, cost=METRICS[cost](), limit=limit)
