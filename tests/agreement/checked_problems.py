"""Small problems as the independent checker sees them, proofs of them, and what both of its twins say."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.levels._lattice import Lattice
from shoal.algorithms.proof import Proof
from shoal.checker import checker
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.certificate.compiled_tree import compiled_tree
from shoal.privacy import DistinctLDiversity, EntropyLDiversity


def cut_problem(problem: Problem) -> checker.Problem:
    """A problem over cuts."""
    stated = Exact().stated(problem)
    return checker.Problem(
        metric=stated.kind,
        k=stated.k,
        limit=stated.limit,
        sizes=stated.sizes,
        codes=stated.codes.astype(np.int64),
        counts=stated.counts,
        demands=demands(problem),
        losses=stated.losses,
        row_units=stated.row_units,
    )


def level_problem(problem: Problem) -> checker.Problem:
    """A problem over levels."""
    lattice, table = Lattice(problem), problem.table
    trees = [domain.hierarchy for domain in table.domains]
    counts = table.label_counts if lattice.priced.labels else table.counts[:, None]
    levels = [np.array(tree.parts, np.int64) for tree in trees]
    units = [
        np.array([np.array(of_part)[parts] for of_part, parts in zip(per_level, own, strict=True)], np.int64)
        for per_level, own in zip(lattice.priced.units, levels, strict=False)
    ]
    return checker.Problem(
        metric=lattice.priced.kind,
        k=lattice.least_rows,
        limit=problem.most_suppressed,
        sizes=table.sizes.tolist(),
        codes=table.codes.astype(np.int64),
        counts=np.ascontiguousarray(counts, np.int64),
        demands=demands(problem),
        row_units=lattice.priced.suppressed_row,
        levels=levels,
        units=units,
        low=list(lattice.low),
        high=list(lattice.high),
    )


def demands(problem: Problem) -> list[checker.Demand]:
    """Its l-diversity."""
    kinds = {DistinctLDiversity: "distinct", EntropyLDiversity: "entropy"}
    return [
        checker.Demand(kinds[type(model)], model.l, rows_by_value(problem.table, model.attribute))
        for model in problem.models
    ]


def rows_by_value(table: FrequencyTable, column: str) -> np.ndarray:
    """Per distinct row and value of a sensitive column its rows."""
    facts = table.facts
    place = [each.name for each in facts.columns].index(column)
    found = np.zeros((len(table.counts), len(facts.columns[place].counts)), np.int64)
    for row in range(len(table.counts)):
        for entry in range(facts.first[row], facts.first[row + 1]):
            found[row, facts.combinations[facts.of_entry[entry], place]] += facts.counts[entry]
    return found


def verdict(
    problem: checker.Problem, proof: Proof, lines: Sequence[str], bound: int
) -> tuple[int, str] | None:
    """What both twins say, which must be the same."""
    plain = checker.check_tree(problem, proof.axis, bound, lines)
    assert compiled_tree(problem, proof.axis, bound, lines) == plain
    return plain


def mutated(lines: Sequence[str], seed: int) -> list[str]:
    """A proof with a line or a step dropped, exchanged or relabelled, or with its end cut off."""
    chance = random.Random(seed)
    found = [line.split() for line in lines]
    at = chance.randrange(len(found))
    line = found[at]
    step = chance.randrange(1, len(line)) if len(line) > 1 else None
    what = chance.choice(["drop", "swap", "relabel", "truncate", "step", "order"])
    if what == "drop":
        del found[at]
    elif what == "swap":
        other = chance.randrange(len(found))
        found[at], found[other] = found[other], found[at]
    elif what == "truncate":
        found = found[:at]
    elif step is not None and what == "relabel":
        line[step] = line[step].rstrip("ubcox") + chance.choice(["u", "b", "c", "o", "x", ""])
    elif step is not None and what == "step":
        del line[step]
        line[0] = str(len(line) - 1) if line[0].isdecimal() else line[0]
    elif step is not None:
        other = chance.randrange(1, len(line))
        line[step], line[other] = line[other], line[step]
    return [" ".join(words) for words in found]
