"""Each rule of the checker by itself: it never excludes a recoding that costs less than the claim."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from shoal.checker.checker import IN, OPEN, OUT, Bound, CutProof, Demand, Problem


def random_problem(chance: random.Random, metric: str) -> tuple[Problem, int | None]:
    """A small table with any k and limit, perhaps l-diverse, and an axis or none."""
    sizes = [chance.randint(1, 4) for _ in range(chance.randint(1, 3))]
    rows = [tuple(chance.randrange(size) for size in sizes) for _ in range(chance.randint(2, 14))]
    rows += [rows[0]] * chance.choice([0, 3, 9])
    distinct = sorted(set(rows))
    counts = np.zeros((len(distinct), 3 if metric == "minority" else 1), np.int64)
    values = np.zeros((len(distinct), 3), np.int64)
    for row in rows:
        counts[distinct.index(row), chance.randrange(counts.shape[1])] += 1
        values[distinct.index(row), min(2, int(chance.expovariate(1)))] += 1
    kind = chance.choice([None, None, "distinct", "entropy"])
    places = [np.cumsum([0] + [chance.randint(1, 3) for _ in range(size - 1)]) for size in sizes]
    losses = [np.maximum(place[None, :] - place[:, None], 0).astype(np.int64) for place in places]
    problem = Problem(
        metric=metric,
        k=chance.randint(2, 5),
        limit=chance.choice([0, len(rows), chance.randint(0, len(rows) // 2)]),
        sizes=sizes,
        codes=np.array(distinct, np.int64).reshape(len(distinct), len(sizes)),
        counts=counts,
        demands=()
        if kind is None
        else (Demand(kind, chance.choice([1.5, 2]) if kind == "entropy" else 2, values),),
        losses=losses if metric == "cells" else (),
        row_units=sum(int(each.max()) for each in losses) + chance.randint(0, 2),
    )
    return problem, chance.choice([None, *range(len(sizes))])


def cost(problem: Problem, cuts: list[set[int]]) -> int | None:
    """What a recoding costs, by the definition; `None` if it suppresses too much."""
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, codes in enumerate(problem.codes.tolist()):
        groups[tuple(sum(cut <= code for cut in own) for own, code in zip(cuts, codes, strict=True))].append(
            row
        )
    total = suppressed = 0
    for intervals, members in groups.items():
        rows = int(problem.counts[members].sum())
        admitted = all(bool(each.admits(each.rows[members].sum(0)[None])[0]) for each in problem.demands)
        if rows < problem.k or not admitted:
            suppressed += rows
        elif problem.metric == "squares":
            total += rows * rows
        elif problem.metric == "minority":
            total += rows - int(problem.counts[members].sum(0).max())
        else:
            for own, size, loss, place in zip(cuts, problem.sizes, problem.losses, intervals, strict=True):
                ends = [0, *sorted(own), size]
                total += rows * int(loss[ends[place], ends[place + 1] - 1])
    return None if suppressed > problem.limit else total + suppressed * problem.suppressed_cost


def descendants(
    problem: Problem, proof: CutProof, axis: int | None, state: np.ndarray
) -> Iterator[tuple[set[int], int]]:
    """Every admissible recoding of a node: which cuts of the tree it has, and what it costs."""
    fixed, free = np.flatnonzero(state == IN).tolist(), np.flatnonzero(state == OPEN).tolist()
    on_axis = range(1, problem.sizes[axis]) if axis is not None else range(0)
    for chosen in subsets(free):
        cuts: list[set[int]] = [set() for _ in problem.sizes]
        for cut in (*fixed, *chosen):
            a, code = proof.attribute_of(cut)
            cuts[proof.others[a]].add(code)
        for own in subsets(on_axis):
            if axis is not None:
                cuts[axis] = set(own)
            found = cost(problem, cuts)
            if found is not None:
                yield {*fixed, *chosen}, found


def subsets(items) -> Iterator[tuple[int, ...]]:
    """All of them."""
    return itertools.chain.from_iterable(itertools.combinations(items, n) for n in range(len(items) + 1))


def refused(proof: CutProof, state: np.ndarray) -> bool:
    return Bound(proof, state).live() is None


@pytest.mark.parametrize("metric", ["squares", "minority", "cells"])
def test_no_rule_excludes_a_better_recoding(metric: str) -> None:
    """On random nodes every rule that applies leaves something as good as what it excludes."""
    applied: Counter[str] = Counter()
    for seed in range(70):
        chance = random.Random(f"{metric}{seed}")
        problem, axis = random_problem(chance, metric)
        alphabet = int(CutProof(problem, axis, 0).first[-1])
        state = np.array([chance.choice([OUT, OPEN, OPEN, IN]) for _ in range(alphabet)], np.int8)
        every = list(descendants(problem, CutProof(problem, axis, 0), axis, state))
        prices = sorted({price for _, price in every}) or [1]
        proof = CutProof(problem, axis, chance.choice(prices) + chance.randint(0, 1))
        below = [(cuts, price) for cuts, price in every if price < proof.bound]
        if proof.closed(state):
            applied["closed"] += 1
            assert not below
        here = Bound(proof, state)
        alive = here.live()
        assert alive is not None or not below
        for cut in np.flatnonzero(state == OPEN).tolist():
            with_it, without = state.copy(), state.copy()
            with_it[cut], without[cut] = IN, OUT
            if here.live(here.with_cut(cut)) is None:
                assert refused(proof, with_it)
            if refused(proof, with_it):
                applied["bound"] += 1
                assert not [1 for cuts, _ in below if cut in cuts]
            if refused(proof, without):
                applied["needed"] += 1
                assert not [1 for cuts, _ in below if cut not in cuts]
            if alive is not None and proof.useless(here, alive, cut):
                applied["useless"] += 1
                least = min((price for cuts, price in every if cut not in cuts), default=None)
                assert all(least is not None and least <= price for cuts, price in below if cut in cuts)
    assert min(applied[rule] for rule in ("closed", "bound", "needed", "useless")) > 5
