"""Small problems over cuts of which some columns have a hierarchy, and all of their recodings."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from shoal.algorithms.cuts._tree_cuts import recoding_by
from shoal.cost import METRICS
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result
from shoal.model.table.domain import Domain

from .problems import problems, table_of
from .test_private_cuts import price, tree_of_levels

Interval = tuple[int, int]


@st.composite
def cut_problems(draw: st.DrawFn, max_rows: int = 14, max_cuts: int = 7) -> Problem:
    """Any small problem; each column has a hierarchy or has none, and may have missing values."""
    problem = draw(problems(max_rows=max_rows, max_cuts=max_cuts))
    domains = []
    for domain in problem.table.domains:
        if len(domain) > 1 and draw(st.booleans()):
            domain = replace(domain, values=(*domain.values[:-1], None))
        domains.append(replace(domain, tree=draw(trees(domain))) if draw(st.booleans()) else domain)
    return replace(problem, table=replace(problem.table, domains=tuple(domains)))


@st.composite
def trees(draw: st.DrawFn, domain: Domain) -> Tree:
    """Any hierarchy of up to two levels between the values and the top."""
    size = len(domain)
    levels = [tuple(range(size))]
    for _ in range(draw(st.integers(0, 2))):
        below = levels[-1]
        begins = [below[code] != below[code - 1] and draw(st.booleans()) for code in range(1, size)]
        levels.append((0, *itertools.accumulate(map(int, begins))))
    return tree_of_levels(domain.name, [*levels, (0,) * size])


def seeded_problem(seed: int, rows: int = 30) -> Problem:
    """Clustered rows of three columns, one without hierarchy: 1,760 recodings."""
    random = np.random.default_rng(seed)
    codes = np.clip(random.normal((3, 3, 2), (2, 1.5, 1), (rows, 3)), 0, (5, 5, 3)).astype(int)
    labels = ((codes[:, 0] + random.integers(0, 3, rows)) % 3).tolist()
    table = table_of([6, 6, 4], [tuple(row) for row in codes.tolist()], labels)
    trees = (
        None,
        tree_of_levels("a1", [(0, 1, 2, 3, 4, 5), (0, 0, 1, 1, 2, 2), (0, 0, 0, 0, 1, 1), (0,) * 6]),
        tree_of_levels("a2", [(0, 1, 2, 3), (0, 0, 1, 1), (0,) * 4]),
    )
    domains = tuple(replace(domain, tree=tree) for domain, tree in zip(table.domains, trees, strict=True))
    metric = ("discernibility", "classification", "general-loss", "ncp")[seed % 4]
    limit = (None, 0, 4)[seed % 3]
    return Problem(table=replace(table, domains=domains), k=2 + seed % 4, cost=METRICS[metric](), limit=limit)


def intervals_of(domain: Domain) -> set[Interval]:
    """The intervals that may be released, first and last code."""
    if domain.tree is None:
        return {(first, last) for first in range(len(domain)) for last in range(first, len(domain))}
    return {
        (codes[0], codes[-1])
        for level in range(len(domain.tree.parts))
        for codes in domain.tree.members(level)
    }


def every_recoding(problem: Problem) -> list[tuple[tuple[int, ...], ...]]:
    """All cuts of which every interval may be released."""

    def allowed(domain: Domain, cuts: tuple[int, ...]) -> bool:
        starts = (0, *cuts, len(domain))
        return all((a, b - 1) in intervals_of(domain) for a, b in itertools.pairwise(starts))

    per_attribute = [
        [
            cuts
            for count in range(len(domain))
            for cuts in itertools.combinations(range(1, len(domain)), count)
            if allowed(domain, cuts)
        ]
        for domain in problem.table.domains
    ]
    return list(itertools.product(*per_attribute))


def optimum(problem: Problem) -> Cost | None:
    """The least cost of all admissible recodings, from the definitions."""
    prices = [price(problem, recoding_by(problem.table, cuts)) for cuts in every_recoding(problem)]
    return min((each for each in prices if each is not None), default=None)


def cuts_of(problem: Problem, recoding: Recoding) -> tuple[tuple[int, ...], ...]:
    """Where the intervals of a recoding begin."""
    found = []
    for attribute, domain in enumerate(problem.table.domains):
        members = recoding.members(attribute, domain)
        assert sorted(itertools.chain(*members)) == list(range(len(domain)))
        assert all((codes[0], codes[-1]) in intervals_of(domain) for codes in members)
        found.append(tuple(sorted(codes[0] for codes in members))[1:])
    return tuple(found)


def check_is_what_it_says(problem: Problem, result: Result) -> None:
    """The release is admissible and costs what the metric measures."""
    assert result.recoding is not None
    assert price(problem, result.recoding) == result.cost
    assert isinstance(result.cost, int | Fraction)
    assert result.bound is None
    assert cuts_of(problem, result.recoding) in every_recoding(problem)
