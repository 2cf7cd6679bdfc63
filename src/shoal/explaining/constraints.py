"""What each constraint of a policy costs: the table is solved again with one of them changed.

Two proved answers differ by what the constraint costs. Where one of them is not proved, the difference of
costs may be luck of the search; what is certain then follows from the bounds, and only that is told.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.algorithms import Algorithm
from shoal.algorithms._cuts import CutSearch
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms.datafly import released_cost
from shoal.cost import CellMetric
from shoal.engines.sql_engine import SqlEngine
from shoal.errors import InfeasibleError, InternalError, NotProvedError, PolicyError
from shoal.model.budget import Budget, ProgressCallback
from shoal.model.explanation import ConstraintPrice, Kind
from shoal.model.frequency import FrequencyTable
from shoal.model.groups import Groups
from shoal.model.level_recoding import LevelRecoding
from shoal.model.levelled import levelled
from shoal.model.local_recoding import LocalRecoding
from shoal.model.merged_rows import projected
from shoal.model.mixed_recoding import MixedRecoding
from shoal.model.policy import Policy
from shoal.model.problem import Problem
from shoal.model.recoding import CutRecoding, DomainRecoding, Recoding
from shoal.model.result import Cost, Result, Status
from shoal.model.subtree_recoding import SubtreeRecoding
from shoal.model.suppression import UNLIMITED, Suppression
from shoal.privacy import model_of
from shoal.release import check_result, checked_algorithm
from shoal.request import evidence_of, problem_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Solved:
    """A policy, the problem that it poses, and the answer."""

    policy: Policy
    algorithm: Algorithm
    problem: Problem
    result: Result


@dataclass(frozen=True, kw_only=True)
class Change:
    """A policy that differs in one constraint."""

    constraint: str
    kind: Kind
    policy: Policy
    relaxes: bool = True
    column: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Bench:
    """A table that is open and counted, and how long each search on it may take.

    Parameters
    ----------
    engine, source
        Where the rows are; they are counted again where a changed policy looks at other columns.
    policy, table
        The policy, and what was counted for it.
    budget, on_progress
        Of every search.
    """

    engine: SqlEngine
    source: Any
    policy: Policy
    table: FrequencyTable
    budget: Budget
    on_progress: ProgressCallback | None = None

    def posed(self, change: Change) -> tuple[Algorithm, Problem]:
        """The algorithm and the problem of a changed policy; `PolicyError` if they do not go together."""
        policy = change.policy
        algorithm = checked_algorithm(policy)
        table = self.table
        if change.kind == "attribute":
            left = {each.name for each in policy.quasi_identifiers}
            table = projected(table, [at for at, each in enumerate(table.domains) if each.name in left])
        elif change.kind in ("model", "entity"):
            evidence = evidence_of(policy)
            table = self.engine.count(self.source, policy.attributes, evidence).frequencies
        return algorithm, posed(policy, algorithm, table)

    def solved(
        self,
        change: Change,
        *,
        budget: Budget | None = None,
        start: Callable[[Problem], Recoding | None] | None = None,
    ) -> Solved:
        """The changed policy's answer.

        Parameters
        ----------
        change
            The changed policy.
        budget
            Another budget than that of all searches.
        start
            A recoding to begin with, for searches that can.
        """
        algorithm, problem = self.posed(change)
        begin = start(problem) if start is not None and isinstance(algorithm, CutSearch) else None
        result = algorithm.solve(
            problem,
            self.budget if budget is None else budget,
            threads=change.policy.threads or os.cpu_count() or 1,
            seed=change.policy.seed,
            on_progress=self.on_progress,
            **({} if begin is None else {"start": begin}),
        )
        return Solved(policy=change.policy, algorithm=algorithm, problem=problem, result=result)


def posed(policy: Policy, algorithm: Algorithm, table: FrequencyTable) -> Problem:
    """The problem that a policy poses to an algorithm; `PolicyError` if it cannot solve it."""
    levels = levelled(
        table,
        policy.quasi_identifiers,
        every=algorithm.needs_hierarchies,
        neighbours=algorithm.joins_neighbours,
    )
    problem = problem_of(policy, levels)
    reason = algorithm.supports(problem)
    if reason is not None:
        raise PolicyError(f"algorithm {algorithm.name!r} cannot solve this: {reason}")
    return problem


def failure(problem: Problem, result: Result) -> str | None:
    """Why an answer is no release, if it is none."""
    try:
        check_result(problem, result, require_optimal=False)
    except (InfeasibleError, NotProvedError) as error:
        return str(error)
    return None


def release_cost(problem: Problem, recoding: Recoding, made: Groups) -> Cost:
    """What a recoding costs, with one quasi-identifier or several."""
    if len(problem.sets) > 1 and isinstance(recoding, LevelRecoding):
        return released_cost(problem, recoding, made)
    return cost_of(problem, recoding, made)


def losses_of(problem: Problem, recoding: Recoding, made: Groups) -> dict[str, float]:
    """Per attribute the share of its detail that is lost; nothing where values are not comparable."""
    found = {}
    for attribute, domain in enumerate(problem.table.domains):
        try:
            shares = [float(share) for share in recoding.shares(attribute, domain)]
        except PolicyError:
            continue
        kept = zip(made.values[made.kept, attribute].tolist(), made.sizes[made.kept].tolist(), strict=True)
        lost = made.suppressed + sum(shares[value] * size for value, size in kept)
        found[domain.name] = round(lost / problem.table.rows, 9)
    return found


def changes(base: Solved) -> Iterator[Change]:
    """The changes that are worth a search, of a policy that has a release."""
    policy, rows = base.policy, base.problem.table.rows
    if policy.k > 1:
        yield _k(policy, policy.k - 1)
    if policy.k < rows:
        yield replace(_k(policy, policy.k + 1), relaxes=False)
    if not _every_row(base.problem, policy):
        yield from _suppression(policy, base.problem.limit, rows, base.result.suppressed)
    yield from _other_changes(policy)


def _other_changes(policy: Policy) -> Iterator[Change]:
    names = [each.name for each in policy.quasi_identifiers]
    for name in names if len(names) > 1 else ():
        yield _without(policy, name)
    for place, stated in enumerate(policy.models):
        model = model_of(stated)
        left = replace(policy, models=(*policy.models[:place], *policy.models[place + 1 :]))
        of = f" of {', '.join(model.columns)}" if model.columns else ""
        yield Change(constraint=f"without {model.name}{of}", kind="model", policy=_no_more_asked(left))
    if policy.entity is not None:
        rows_count = replace(policy, entity=None)
        yield Change(constraint=f"k rows, not {policy.entity}", kind="entity", policy=rows_count)
    for each in policy.quasi_identifiers:
        if each.min_level or each.max_level is not None:
            free = replace(each, min_level=0, max_level=None)
            attributes = tuple(free if one is each else one for one in policy.attributes)
            yield Change(
                constraint=f"any level of {each.name}",
                kind="levels",
                column=each.name,
                policy=replace(policy, attributes=attributes),
            )


def _k(policy: Policy, k: int) -> Change:
    return Change(constraint=f"k = {k:,}", kind="k", policy=replace(policy, k=k))


def _every_row(problem: Problem, policy: Policy) -> bool:
    """Whether suppression is no choice: the recoding model or a privacy model rules it out."""
    by_model = policy.model is not None and policy.model.releases_every_row
    return by_model or any(model.forbids_suppression for model in problem.models)


def _suppression(policy: Policy, limit: int | None, rows: int, suppressed: int) -> Iterator[Change]:
    stated: dict[int | str, bool] = {}
    if limit is not None and limit < rows:
        stated[min(rows, 2 * limit or max(1, rows // 100))] = True
        stated[UNLIMITED] = True
    if suppressed:  # who suppresses nobody loses nothing by a lower limit
        most = suppressed if limit is None or limit >= rows else limit
        stated |= {most // 2: False, 0: False}
    for each, relaxes in stated.items():
        words = "unlimited" if each == UNLIMITED else "none" if each == 0 else f"{each:,} rows"
        changed = replace(policy, suppression=Suppression(each))
        yield Change(constraint=f"suppression: {words}", kind="suppression", policy=changed, relaxes=relaxes)


def _without(policy: Policy, name: str) -> Change:
    left = tuple(each for each in policy.attributes if each.name != name)
    sets = tuple(kept for each in policy.sets if (kept := tuple(one for one in each if one != name)))
    changed = replace(policy, attributes=left, sets=sets)
    return Change(constraint=f"without {name}", kind="attribute", column=name, policy=changed)


def _no_more_asked(policy: Policy) -> Policy:
    """A policy without the population, if none of its models asks for it."""
    if any(model_of(each).needs_population for each in policy.models):
        return policy
    return replace(policy, population=None, survey_weight=None)


def relaxations(bench: Bench, base: Solved, error: InfeasibleError) -> Iterator[Change]:
    """The changes that could give a release to a policy that has none; each alone."""
    policy, rows = base.policy, base.problem.table.rows
    largest = _largest_k(bench, policy)
    if largest is not None:
        yield _k(policy, largest)
    elif policy.k > 1:
        yield _k(policy, 1)
    limit = base.problem.limit
    if limit is not None and not _every_row(base.problem, policy):
        stated: list[int | str] = [UNLIMITED]
        if limit < error.suppressed < rows:
            stated.insert(0, error.suppressed)
        for each in stated:
            words = "unlimited" if each == UNLIMITED else f"{each:,} rows"
            changed = replace(policy, suppression=Suppression(each))
            yield Change(constraint=f"suppression: {words}", kind="suppression", policy=changed)
    yield from _other_changes(policy)


def _largest_k(bench: Bench, policy: Policy) -> int | None:
    """The largest k below the policy's with a release, by bisection; `None` if none was found."""
    quick = replace(bench.budget, gap=1.0)  # any recoding will do
    low, high = 0, policy.k
    while high - low > 1:
        middle = (low + high) // 2
        answer = bench.solved(_k(policy, middle), budget=quick)
        if answer.result.interrupted:
            raise KeyboardInterrupt
        if failure(answer.problem, answer.result) is None:
            low = middle
        else:
            high = middle
    return low or None


def priced(bench: Bench, base: Solved, change: Change) -> tuple[ConstraintPrice, bool]:
    """What a constraint costs, and whether Ctrl-C ended the search for it.

    Parameters
    ----------
    bench
        The table.
    base
        The policy's own answer; without a recoding where the policy has no release.
    change
        The policy with the constraint changed.
    """
    told = {
        "constraint": change.constraint,
        "kind": change.kind,
        "relaxes": change.relaxes,
        "column": change.column,
    }

    def own_of(problem: Problem) -> _Own | None:
        return _own_recoding(base, change, problem)

    def start(problem: Problem) -> Recoding | None:
        return None if (own := own_of(problem)) is None else own.recoding

    try:
        answer = bench.solved(change, start=start)
    except PolicyError as error:
        return ConstraintPrice(**told, status="refused", why=str(error)), False  # type: ignore[arg-type]
    problem = answer.problem
    own = own_of(problem)
    result = _sharpened(base, change, answer, own)
    why = failure(problem, result)
    status = result.status
    if why is not None and result.recoding is not None:  # every row is suppressed
        status = Status.INFEASIBLE if status is Status.OPTIMAL else Status.UNKNOWN
    if why is not None or result.recoding is None:
        seconds = round(result.seconds, 3)
        nothing = ConstraintPrice(**told, status=status.value, why=why, seconds=seconds)  # type: ignore[arg-type]
        return nothing, result.interrupted
    compared, least, most = _saved(base, change, problem, result, own)
    price = ConstraintPrice(
        **told,  # type: ignore[arg-type]
        status=status.value,
        cost=result.cost,
        bound=result.bound,
        gap=result.gap,
        suppressed=result.suppressed,
        seconds=result.seconds,
        compared=compared,
        least_saved=least,
        most_saved=most,
        losses=losses_of(problem, result.recoding, made_by(problem, result.recoding)),
    )
    return price, result.interrupted


def _sharpened(base: Solved, change: Change, answer: Solved, own: _Own | None) -> Result:
    """The answer with what the policy's own tells of it: a recoding that will do, or a bound."""
    result = answer.result
    if own is not None and (result.cost is None or own.cost < result.cost):
        if result.status in (Status.OPTIMAL, Status.INFEASIBLE):
            raise InternalError(f"{change.constraint}: {result.status} was proved, and a recoding is better")
        result = replace(
            result,
            status=Status.FEASIBLE,
            recoding=own.recoding,
            cost=own.cost,
            suppressed=own.suppressed,
        )
    bound = base.result.bound
    if not change.relaxes and bound is not None and result.cost is not None and _nested(base, answer.problem):
        # Who demands more cannot find what costs less.
        result = replace(result, bound=bound if result.bound is None else max(bound, result.bound))
        if result.bound == result.cost:
            result = replace(result, status=Status.OPTIMAL)
    return result


def _nested(base: Solved, problem: Problem) -> bool:
    """Whether what the stricter of two policies admits, the other admits too, at no more cost.

    Not so with demands on all groups together, which groups that are released besides can break; and costs do
    not compare where other values were counted.
    """
    same = base.problem.table.domains == problem.table.domains
    return same and not base.problem.release_models and not problem.release_models


@dataclass(frozen=True)
class _Own:
    """The release's own recoding, as a changed policy sees it."""

    recoding: DomainRecoding
    cost: Cost
    suppressed: int


def _own_recoding(base: Solved, change: Change, problem: Problem) -> _Own | None:
    """The release's recoding of the columns that are left, if the changed policy admits it."""
    recoding, domains = base.result.recoding, base.problem.table.domains
    if not isinstance(recoding, DomainRecoding):
        return None
    left = [at for at, each in enumerate(domains) if each.name != change.column or change.kind != "attribute"]
    if tuple(domains[at] for at in left) != problem.table.domains:
        return None  # other values were counted: the codes are not the same
    kept = recoding if len(left) == len(domains) else restricted(recoding, left)
    if not isinstance(kept, DomainRecoding):
        return None
    made = made_by(problem, kept)
    if not admissible(problem, made) or made.suppressed >= problem.table.rows:
        return None
    return _Own(kept, release_cost(problem, kept, made), made.suppressed)


def restricted(recoding: Recoding, attributes: list[int]) -> Recoding | None:
    """What a recoding makes of some of its attributes."""
    if isinstance(recoding, CutRecoding):
        return CutRecoding(tuple(recoding.cuts[each] for each in attributes))
    if isinstance(recoding, LevelRecoding):
        return LevelRecoding(tuple(recoding.levels[each] for each in attributes))
    if isinstance(recoding, SubtreeRecoding):
        return SubtreeRecoding(tuple(recoding.nodes[each] for each in attributes))
    if isinstance(recoding, MixedRecoding):
        return MixedRecoding(tuple(recoding.columns[each] for each in attributes))
    if isinstance(recoding, LocalRecoding):
        nodes = tuple(recoding.nodes[each] for each in attributes)
        return replace(recoding, values=recoding.values[:, attributes], nodes=nodes)
    return None


def _saved(
    base: Solved, change: Change, problem: Problem, result: Result, own: _Own | None
) -> tuple[Cost | None, Cost | None, Cost | None]:
    """The cost to compare with, and the least and the most that is saved, as far as that is proved."""
    assert result.cost is not None
    if change.kind == "attribute":
        # Costs of different columns do not compare. What the release makes of the others does.
        compared = _cost_of_others(base, problem, own)
        if compared is None:
            return None, None, None
        return compared, compared - result.cost, None if result.bound is None else compared - result.bound
    cost, bound = base.result.cost, base.result.bound
    if cost is None or base.problem.table.domains != problem.table.domains:
        return None, None, None
    least = None if bound is None else bound - result.cost
    most = None if result.bound is None else cost - result.bound
    if _nested(base, problem):
        if change.relaxes:
            least = 0 if least is None else max(least, 0)
        else:
            most = 0 if most is None else min(most, 0)
    return cost, least, most


def _cost_of_others(base: Solved, problem: Problem, own: _Own | None) -> Cost | None:
    """What the release makes of the columns that are left, in the cost of a problem of these alone.

    Means over cells are taken over their cells as they are published: suppressed rows stay suppressed. Other
    costs look at groups, and those that the other columns make by themselves are counted.
    """
    metric, recoding = problem.cost, base.result.recoding
    names = [domain.name for domain in base.problem.table.domains]
    left = [names.index(domain.name) for domain in problem.table.domains]
    kept = None if recoding is None else restricted(recoding, left)
    if not isinstance(metric, CellMetric) or recoding is None or kept is None:
        return None if own is None else own.cost
    made = made_by(base.problem, recoding)
    of_group = np.zeros(len(made.sizes), np.int64)
    for attribute, column in enumerate(left):
        units = np.array(metric.cell_units(problem.table, kept, attribute), np.int64)
        of_group += units[made.values[:, column]]
    of_group[~made.kept] = metric.row_units(problem.table)
    return Fraction(int(of_group @ made.sizes) - metric.offset(problem.table), metric.scale(problem.table))
