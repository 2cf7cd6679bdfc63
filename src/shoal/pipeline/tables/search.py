"""The search across several tables: pose the problem, let each algorithm try, and judge the answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.algorithms import ALGORITHMS, clock
from shoal.algorithms.histories import HISTORY_ALGORITHMS, HistoryAlgorithm
from shoal.cost import METRICS, CellMetric
from shoal.errors import InfeasibleError, InternalError, NotProvedError, PolicyError
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.history.histories import NO_PARENT
from shoal.model.history.problem import HistoryProblem, HistoryResult
from shoal.model.policy.budget import ProgressCallback
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.result.result import Status
from shoal.model.suggestion import suggestion
from shoal.pipeline.pose import level_limits, weighted_cost
from shoal.pipeline.tables.forest import with_members
from shoal.pipeline.tables.prepared import Prepared
from shoal.pipeline.tables.recoded import RecodedTables, parents, recode_tables

_CONSISTENT = ("person-levels",)
_ROW_BY_ROW = ("person-groups", "person-levels")
_FIRST_SHARE = 0.7
"""The share of the seconds for the first of two algorithms."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """An answer, and what the definitions say about it.

    Parameters
    ----------
    problem, result
        The problem, and what the search says.
    recoded
        What each row is released as.
    cost
        The loss over the cells of all tables.
    """

    problem: HistoryProblem
    result: HistoryResult
    recoded: RecodedTables
    cost: Fraction

    @property
    def bound(self) -> Fraction | None:
        """What no release of the kind that was searched loses less than, if that was proved."""
        return None if self.result.bound is None else min(Fraction(self.result.bound), self.cost)


def algorithms_of(policy: TablesPolicy) -> tuple[HistoryAlgorithm, ...]:
    """What a policy lets try; `PolicyError` if its search does not exist, or does not fit."""
    if policy.cost not in METRICS:
        raise PolicyError(f"there is no cost {policy.cost!r}.{suggestion(policy.cost, METRICS)}")
    if not issubclass(METRICS[policy.cost], CellMetric):
        means = [name for name, each in METRICS.items() if issubclass(each, CellMetric)]
        raise PolicyError(
            f"with several tables the cost is a mean over cells ({', '.join(means)}), and {policy.cost!r} is "
            "none; choose one of them"
        )
    name = policy.algorithm
    if name not in ("auto", *HISTORY_ALGORITHMS):
        if name in ALGORITHMS:
            raise PolicyError(
                f"algorithm {name!r} looks at the rows of one table; for several choose one of "
                f"{', '.join(('auto', *HISTORY_ALGORITHMS))}"
            )
        raise PolicyError(f"there is no algorithm {name!r}.{suggestion(name, ('auto', *HISTORY_ALGORITHMS))}")
    every = (_CONSISTENT if policy.consistent else _ROW_BY_ROW) if name == "auto" else (name,)
    found = tuple(
        HISTORY_ALGORITHMS[each].with_options(policy.options if each == name else {})
        for each in every
        if each in HISTORY_ALGORITHMS
    )
    if not found or (policy.consistent and not found[0].is_consistent):
        raise PolicyError(
            "`consistent` demands one recoding per column, and no search across several tables finds one; "
            "leave it out"
            if not found
            else f"algorithm {name!r} can release equal values in different ways, and `consistent` demands "
            "one recoding per column; leave one of them out"
        )
    return found


def search_tables(
    policy: TablesPolicy,
    prepared: Prepared,
    algorithms: Sequence[HistoryAlgorithm],
    on_progress: ProgressCallback | None = None,
) -> Found:
    """The best answer of some algorithms; an error if there is none.

    Parameters
    ----------
    policy, prepared
        The request, and the tables.
    algorithms
        What is tried.
    on_progress
        Called now and then while a search runs.
    """
    found: list[Found] = []
    refusals: list[str] = []
    answers: list[HistoryResult] = []
    left, began = policy.budget, clock.now()
    for at, algorithm in enumerate(algorithms):
        problem = _posed(policy, prepared, algorithm)
        reason = algorithm.supports(problem)
        if reason is not None:
            refusals.append(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
            continue
        last = at == len(algorithms) - 1
        share = left.seconds if last or left.seconds is None else _FIRST_SHARE * left.seconds
        result = algorithm.solve(
            problem,
            replace(left, seconds=share),
            threads=policy.threads or os.cpu_count() or 1,
            seed=policy.seed,
            on_progress=on_progress,
        )
        answers.append(result)
        if result.placement is not None:
            found.append(_priced(problem, result, algorithm))
        if policy.budget.seconds is not None:
            left = replace(left, seconds=max(0.0, policy.budget.seconds - (clock.now() - began)))
        if result.interrupted or result.status is Status.INFEASIBLE:
            break
    if found:
        return min(found, key=lambda each: each.cost)
    if not answers:
        raise PolicyError(refusals[0])
    # A proof says most, then a reason.
    raise _none(
        policy,
        prepared,
        max(
            answers, key=lambda each: (each.interrupted, each.status is Status.INFEASIBLE, bool(each.reason))
        ),
    )


def _none(policy: TablesPolicy, prepared: Prepared, result: HistoryResult) -> BaseException:
    if result.interrupted:
        return KeyboardInterrupt()
    rows = prepared.forest.histories.rows
    limit = policy.suppression.limit(rows) if policy.suppression.given else None
    if result.status is Status.INFEASIBLE or result.reason:
        return InfeasibleError(
            result.reason or f"no release of these tables reaches k = {policy.k:,}; allow more suppression",
            k=policy.k,
            limit=rows if limit is None else limit,
            suppressed=0,
        )
    return NotProvedError(
        f"no release with k = {policy.k:,} was found before the search ended; that is no proof that there is "
        "none. Allow more seconds or nodes"
    )


def _posed(policy: TablesPolicy, prepared: Prepared, algorithm: HistoryAlgorithm) -> HistoryProblem:
    histories = prepared.forest.histories
    tables = tuple(
        with_hierarchies(
            each.counted.frequencies, each.policy.quasi_identifiers, every=algorithm.needs_hierarchies
        )
        for each in prepared.tables
    )
    costs = tuple(weighted_cost(each.policy) for each in prepared.tables)
    levels = tuple(
        level_limits(each.policy, table) for each, table in zip(prepared.tables, tables, strict=True)
    )
    if any(levels) and not all(levels):  # algorithms limit all tables, or none
        levels = tuple(
            own or tuple((0, domain.hierarchy.height) for domain in table.domains)
            for own, table in zip(levels, tables, strict=True)
        )
    return HistoryProblem(
        histories=replace(histories, tables=tables),
        promise=policy.promise,
        k=policy.k,
        costs=tuple(each for each in costs if isinstance(each, CellMetric)),
        limit=policy.suppression.limit(histories.rows) if policy.suppression.given else None,
        levels=levels if any(levels) else (),
    )


def _priced(problem: HistoryProblem, result: HistoryResult, algorithm: HistoryAlgorithm) -> Found:
    """The answer with what the definitions say; `InternalError` if it is not what the problem demands."""
    assert result.placement is not None
    recoded = recode_tables(problem.histories, result.placement, getattr(algorithm, "values", "given"))
    found = Found(problem=problem, result=result, recoded=recoded, cost=recoded.cost(problem.costs))
    least = least_persons(recoded)
    if least is not None and least < problem.k:
        raise InternalError(f"{result.algorithm}: only {least} persons would share the same rows")
    # Less is no harm: a search may count what belongs to a row without any detail as lost.
    if result.cost is not None and float(found.cost) - float(result.cost) > 1e-6:
        raise InternalError(
            f"{result.algorithm} says its placement costs {float(result.cost)}, and by definition it costs "
            f"{float(found.cost)}"
        )
    if recoded.suppressed > problem.most_suppressed:
        raise InternalError(
            f"{result.algorithm}: {recoded.suppressed:,} rows would be suppressed, more than are allowed"
        )
    return found


def least_persons(recoded: RecodedTables) -> int | None:
    """The fewest persons who have the same released rows in all tables; `None` if nobody is released."""
    histories, kept = recoded.histories, recoded.kept
    above = parents(histories)
    kinds = np.zeros(len(kept), np.int64)
    for number, each in enumerate(recoded.tables):
        texts: dict[tuple[str | None, ...], int] = {}
        lines = [
            texts.setdefault(
                tuple(labels[value] for labels, value in zip(each.labels, values, strict=True)), len(texts)
            )
            for values in each.recoding.values.tolist()
        ]
        kinds[each.rows] = np.array(lines, np.int64)[each.line_of[each.rows]] * len(recoded.tables) + number
    for number in reversed(range(len(recoded.tables))):
        rows = np.flatnonzero((histories.table_of == number) & kept & (above != NO_PARENT))
        if len(rows):
            kinds = with_members(kinds, above[rows], kinds[rows])
    direct = np.flatnonzero(kept & (above == NO_PARENT))
    if not len(direct):
        return None
    persons = with_members(
        np.zeros(len(histories.counts), np.int64), histories.history_of[direct], kinds[direct]
    )
    sizes = np.bincount(persons, histories.counts)
    released = np.unique(persons[histories.history_of[direct]])
    return int(sizes[released].min())
