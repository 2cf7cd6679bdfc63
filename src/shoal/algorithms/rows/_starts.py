"""Partitions that `local` begins with: those of Mondrian, of k-member and of the best levels per column.

Each has a share of the time, and all together have no more than half of it, so that enough is left to make
them better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.algorithms import clock
from shoal.algorithms._definitions import made_by
from shoal.algorithms.cells._cells import Values, vocabulary
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.rows._finishing import Pace
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import CellMetric
from shoal.cost.ncp import Ncp
from shoal.model.policy.budget import Budget
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.choice import Tried
from shoal.model.result.problem import Problem

_LEVELS, _CUT, _GROWN = 0.08, 0.2, 0.25
"""Shares of the time for the best levels, for each run of Mondrian and for k-member."""

_TOGETHER = 0.5
"""The share of all of them."""

_MOST_VISITS = 20_000_000
"""Distinct rows times nodes that are looked at for the best levels."""

_MOST_SECONDS, _MOST_BLOCK = 10.0, 8_000
"""What k-member may take where no time is stated, and the most distinct rows of a block."""

_SECONDS_PER_PAIR = 15e-9
"""What k-member takes for each pair of rows and attribute, times k; on an idle machine a third of it."""


@dataclass
class Starts:
    """Partitions to begin with.

    Parameters
    ----------
    partitions
        For each distinct row its group, -1 where it has none.
    nodes
        Nodes that were looked at.
    interrupted
        Whether somebody ended the search.
    beside
        What the other searches found, where that is an answer of its own.
    pace
        How busy the machine is.
    """

    partitions: list[list[int]] = field(default_factory=list)
    nodes: int = 0
    interrupted: bool = False
    beside: tuple[Tried, ...] = ()
    pace: Pace = field(default_factory=Pace)
    began: float = field(default_factory=lambda: clock.now())  # the clock of this moment

    def share(self, budget: Budget, share: float) -> Budget:
        """The budget of one of them: its share of the time, as long as some is left for all."""
        if budget.seconds is None:
            return budget
        left = _TOGETHER * budget.seconds - (clock.now() - self.began)
        return replace(budget, seconds=max(0.0, min(share * budget.seconds, left)))


def starts(problem: Problem, values: Values, budget: Budget, *, threads: int, seed: int) -> Starts:
    """What other algorithms make of a problem, each within its share of the budget."""
    found = Starts()
    for make in (_cut, _grown, _levels):
        if found.interrupted or (budget.nodes is not None and found.nodes >= budget.nodes):
            break
        if found.partitions and found.share(budget, 1.0).seconds == 0:
            break
        left = None if budget.nodes is None else budget.nodes - found.nodes
        make(found, problem, values, replace(budget, nodes=left), threads, seed)
    return found


def groups_of(problem: Problem, recoding: Recoding) -> list[int]:
    """Per distinct row the group of a recoding that may be released as it is; -1 where it may not."""
    made = made_by(problem, recoding)
    return np.where(made.kept[made.of_row], made.of_row, -1).tolist()  # type: ignore[no-any-return]


def _priced(problem: Problem) -> Problem:
    return problem if isinstance(problem.cost, CellMetric) else replace(problem, cost=Ncp())


def _cut(
    found: Starts,
    problem: Problem,
    values: Values,
    budget: Budget,
    threads: int,
    seed: int,  # noqa: ARG001
) -> None:
    """The groups of Mondrian, by both ways of parting equal values; and those of the quick one, if the
    better ones had too little time."""
    by_nodes = "nodes" in vocabulary(problem.table.domains, values)
    cuts = [Mondrian(choice="cost", values=values, partitioning="relaxed")]
    if not by_nodes:
        cuts.append(Mondrian(choice="cost", values=values))
    quick = Mondrian(values=values, partitioning="relaxed" if by_nodes else "strict")
    too_short = False
    for mondrian in (*cuts, quick):
        if (mondrian is quick) != too_short:
            continue  # where one of the better ones had too little time, so would the other
        if mondrian.supports(_priced(problem)) is not None:
            return
        share = found.share(budget, _CUT)
        cut = mondrian.partition(_priced(problem), share, threads=threads)
        too_short = share.seconds is not None and cut.seconds >= share.seconds
        found.nodes += cut.nodes
        found.interrupted = cut.interrupted
        if cut.found:
            with found.pace.measured():
                found.partitions.append(cut.group_of.tolist())
        if found.interrupted:
            return


def _grown(found: Starts, problem: Problem, values: Values, budget: Budget, threads: int, seed: int) -> None:
    """The groups of k-member, which are best for small k. Its time grows with the square of the rows, so a
    large table is cut into blocks first."""
    members = KMember(values=values)
    if members.supports(_priced(problem)) is not None:
        return
    share = found.share(budget, _GROWN)
    blocks = _blocks(problem, values, share, threads)
    grown = members.partition(_priced(problem), share, threads=threads, seed=seed, blocks=blocks)
    found.nodes += grown.nodes
    found.interrupted = grown.interrupted
    if grown.found:
        found.partitions.append(grown.groups.tolist())


def _blocks(problem: Problem, values: Values, share: Budget, threads: int) -> Sequence[int]:
    """Per distinct row a block that k-member has time for; nothing if it is all rows."""
    table, k = problem.table, problem.k
    rows = len(table.counts)
    seconds = _MOST_SECONDS if share.seconds is None else min(share.seconds, _MOST_SECONDS)
    visits = seconds * k / (_SECONDS_PER_PAIR * (len(table.domains) + 12))
    size = min(_MOST_BLOCK, int(visits / rows))
    # Copies of a row count as one for the time, and as many for a block.
    size = max(4 * k, int(max(size, 32) * table.rows / rows))
    if 2 * size > table.rows:
        return ()
    whole = replace(problem, k=size, models=(), cost=Ncp())
    cut = Mondrian(values=values).partition(whole, share, threads=threads)
    # Rows that only a population has are in no group.
    return np.maximum(cut.group_of, 0).tolist()  # type: ignore[no-any-return]


def _levels(
    found: Starts,
    problem: Problem,
    values: Values,  # noqa: ARG001
    budget: Budget,
    threads: int,
    seed: int,  # noqa: ARG001
) -> None:
    """The groups of the best levels per column."""
    lattice = LatticeSearch()
    if lattice.supports(problem) is not None:
        return
    most = max(100, _MOST_VISITS // len(problem.table.counts))
    nodes = most if budget.nodes is None else min(most, budget.nodes)
    result = lattice.solve(problem, replace(found.share(budget, _LEVELS), nodes=nodes), threads=threads)
    found.nodes += result.nodes
    found.interrupted = result.interrupted
    if result.recoding is not None:
        with found.pace.measured():
            found.partitions.append(groups_of(problem, result.recoding))
        found.beside += (Tried.of(result),)
