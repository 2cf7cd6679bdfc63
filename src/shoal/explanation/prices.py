"""What each constraint of a policy costs: the table is solved again with one of them changed.

Two proved answers differ by what the constraint costs. Where one of them is not proved, the difference of
costs may be due to chance; what is certain then follows from the bounds, and only that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._giving_up import may_give_up, with_given_up
from shoal.cost import CellMetric
from shoal.errors import InternalError, PolicyError
from shoal.explanation.changes import Change
from shoal.explanation.explanation import ConstraintPrice
from shoal.explanation.measures import losses_of, restricted
from shoal.explanation.trials import Trials, failure
from shoal.model.recoding.recoding import DomainRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.pipeline.solution import Solution


def priced(trials: Trials, base: Solution, change: Change) -> tuple[ConstraintPrice, bool]:
    """What a constraint costs, and whether Ctrl-C ended the search for it.

    Parameters
    ----------
    trials
        Runs the search.
    base
        The policy's own answer; without a recoding where the policy has no release.
    change
        The policy with the constraint changed.
    """
    known = {
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
        answer = trials.solve(change, start=start)
    except PolicyError as error:
        return ConstraintPrice(**known, status="refused", why=str(error)), False  # type: ignore[arg-type]
    problem = answer.problem
    own = own_of(problem)
    result = _sharpened(base, change, answer, own)
    why = failure(problem, result)
    status = result.status
    if why is not None and result.recoding is not None:  # every row is suppressed
        status = Status.INFEASIBLE if status is Status.OPTIMAL else Status.UNKNOWN
    if why is not None or result.recoding is None:
        seconds = round(result.seconds, 3)
        nothing = ConstraintPrice(**known, status=status.value, why=why, seconds=seconds)  # type: ignore[arg-type]
        return nothing, result.interrupted
    compared, least, most = _saved(base, change, problem, result, own)
    price = ConstraintPrice(
        **known,  # type: ignore[arg-type]
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


def _sharpened(base: Solution, change: Change, answer: Solution, own: _Own | None) -> Result:
    """The answer, improved by the policy's own result: a recoding that is valid here, or a bound."""
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
        if bound > result.cost:
            raise InternalError(
                f"{change.constraint} demands more and costs less than the bound of the release; was the "
                "manifest next to it changed? Search --again"
            )
        result = replace(result, bound=bound if result.bound is None else max(bound, result.bound))
        if result.bound == result.cost:
            result = replace(result, status=Status.OPTIMAL)
    return result


def _nested(base: Solution, problem: Problem) -> bool:
    """Whether what the stricter of two policies admits, the other admits too, at no more cost.

    Not so with demands on all groups together where an algorithm gives no groups up: those that are released
    besides can break them. And costs do not compare where other values were counted.
    """
    same = base.problem.table.domains == problem.table.domains
    return same and not base.problem.release_models and not problem.release_models


@dataclass(frozen=True)
class _Own:
    """The release's own recoding, as a changed policy sees it."""

    recoding: DomainRecoding
    cost: Cost
    suppressed: int


def _own_recoding(base: Solution, change: Change, problem: Problem) -> _Own | None:
    """The release's recoding of the columns that are left, if the changed policy admits it."""
    recoding, domains = base.result.recoding, base.problem.table.domains
    if not isinstance(recoding, DomainRecoding):
        return None
    left = [
        at for at, domain in enumerate(domains) if domain.name != change.column or change.kind != "attribute"
    ]
    if tuple(domains[at] for at in left) != problem.table.domains:
        return None  # other values were counted: the codes are not the same
    kept = recoding if len(left) == len(domains) else restricted(recoding, left)
    if not isinstance(kept, DomainRecoding):
        return None
    if may_give_up(base.problem):  # which groups to give up is chosen again
        kept, _ = with_given_up(problem, replace(kept, also_suppressed=()))  # type: ignore[type-var]
    groups = made_by(problem, kept)
    if not admissible(problem, groups) or groups.suppressed >= problem.table.rows:
        return None
    return _Own(kept, cost_of(problem, kept, groups), groups.suppressed)


def _saved(
    base: Solution, change: Change, problem: Problem, result: Result, own: _Own | None
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


def _cost_of_others(base: Solution, problem: Problem, own: _Own | None) -> Cost | None:
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
    groups = made_by(base.problem, recoding)
    return cost_of(problem, kept, replace(groups, values=groups.values[:, left]))
