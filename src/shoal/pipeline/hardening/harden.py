"""Coarsens what a row-by-row release reveals by being as fine as it can be.

The attack of `shoal attack` is run on the release before it is written, with what an attacker knows. Where it
is certain of something that chance would not make likely, the released value becomes coarser; then it is run
again, until nothing changes. Every round is checked against the definitions of k and of the models; one that
breaks them is not taken, and ends it.

What it does not stop, and what it costs: docs/algorithms/harden.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms import clock
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.auditor.attacks.certain import Certain
from shoal.auditor.attacks.chance import LIKELY, likely
from shoal.auditor.attacks.refinement import Refinement, Shares
from shoal.model.policy.budget import Budget
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.recoding.local_recoding import LocalRecoding, Span
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.pipeline.hardening.attackable import Attackable, is_row_by_row
from shoal.pipeline.hardening.coarser import lifted, paired, widened
from shoal.pipeline.hardening.released_columns import Released
from shoal.pipeline.plan import Plan
from shoal.pipeline.solution import Solution

MOST_CELLS = 1_000_000
"""Labels of groups up to which a release that is not hardened is attacked: some seconds."""

SECONDS_PER_LABEL = 6e-6
"""What the attack takes for each of them; on an idle machine."""

MOST_OF_THE_TIME, OVERTIME = 0.1, 0.05
"""The share of the time that is kept for an attack, and by which it may go beyond."""

Line = tuple[Released, ...]
"""The released values of a group."""


def hardened(solution: Solution, *, seconds: float | None = None) -> tuple[Solution, Hardening | None]:
    """A solution, made coarser if its policy demands it, and what its release reveals.

    Parameters
    ----------
    solution
        A problem with an answer that has a recoding.
    seconds
        What is left of the search's time; `None` without a limit.
    """
    policy, result = solution.plan.policy, solution.result
    if not is_row_by_row(result.recoding):
        return solution, None
    if not policy.harden:
        try:
            return solution, Hardening(result=result, after=_measured(solution, seconds))
        except KeyboardInterrupt:  # the best so far is released, as after Ctrl-C in a search
            ended = replace(result, interrupted=True)
            return replace(solution, result=ended), Hardening(result=ended, after=None)
    done = harden(solution.problem, result, seconds=0.0 if result.interrupted else seconds)
    coarser = replace(solution, result=done.result)
    coarser.check()
    return coarser, done


def afterwards(plan: Plan, problem: Problem, seconds: float | None) -> float:
    """The seconds that a search should leave, so that its release can be attacked and made coarser in time.

    Parameters
    ----------
    plan, problem
        What is searched, and how.
    seconds
        The time for all of it; `None` without a limit.
    """
    if seconds is None or plan.algorithm.is_consistent:
        return 0.0
    table = problem.table
    labels = min(len(table.counts), table.rows // problem.k) * len(table.domains)
    attacks = 2 if plan.policy.harden else 1
    if labels > MOST_CELLS and not plan.policy.harden:
        return 0.0
    return attacks * min(MOST_OF_THE_TIME * seconds, SECONDS_PER_LABEL * labels)


@dataclass(frozen=True, kw_only=True)
class Hardening:
    """A result after hardening.

    Parameters
    ----------
    result
        The result with the recoding that is released.
    before, after
        What the attack made of the release before, and makes of it now; `None` where that was not measured.
    cells
        Cells of the release that became coarser.
    complete
        Whether hardening came to its end; if not, a budget, Ctrl-C or a privacy model ended it.
    """

    result: Result
    before: Refinement | None = None
    after: Refinement | None
    cells: int = 0
    complete: bool = False


def _measured(solution: Solution, seconds: float | None) -> Refinement | None:
    """What the attack makes of a release, unless that would take long and nobody requested it."""
    if isinstance(solution.recoding, DistributedRecoding):  # its groups stay in the engine
        return None
    if seconds == 0 or len(solution.groups.sizes) * len(solution.problem.table.domains) > MOST_CELLS:
        return None
    assert isinstance(solution.recoding, LocalRecoding)
    stated = solution.plan.policy.budget.seconds
    over = 0.0 if stated is None else max(0.2, OVERTIME * stated)
    watch = Watch(Budget(seconds=None if seconds is None else seconds + over))
    try:
        return Attackable(solution.problem, solution.recoding).refinement(watch.look)
    except BudgetEnded:
        return None


def harden(
    problem: Problem, result: Result, *, seconds: float | None = None, threshold: float = LIKELY
) -> Hardening:
    """Coarsen a row-by-row release until the attack learns nothing unlikely.

    Parameters
    ----------
    problem, result
        What was solved, and the answer; it has a recoding.
    seconds
        After which time no further round begins. The first one always runs.
    threshold
        What is at least this likely by chance is left as it is.
    """
    assert isinstance(result.recoding, LocalRecoding)
    first = last = Attackable(problem, result.recoding)
    started, complete, interrupted = clock.now(), False, result.interrupted
    before = first.refinement()
    try:
        while last is first or seconds is None or clock.now() - started < seconds:
            lines = _coarser_lines(problem, last, threshold, names=last is first)
            attempt = None if lines is None else _released(problem, last, lines)
            if attempt is None:
                complete = lines is None
                break
            last = attempt
    except KeyboardInterrupt:  # what was reached so far is released, as after Ctrl-C in a search
        interrupted = True
    after = before if last is first else last.refinement()
    if (after.right or 0) > (before.right or 0):
        last, after, complete = first, before, False
    changed = _changed(first, last)
    return Hardening(
        result=replace(_priced(problem, result, last) if changed else result, interrupted=interrupted),
        before=before,
        after=after,
        cells=changed,
        complete=complete,
    )


def _coarser_lines(
    problem: Problem, release: Attackable, threshold: float, *, names: bool
) -> dict[int, Line] | None:
    """Per group with a value that reveals too much its coarser values; `None` if there is none.

    Intervals and sets are made coarser once: an end or a member may then be nobody's.
    """
    changes: dict[int, Line] = {}
    for group, places in _opened(release, threshold, names=names):
        line = list(release.line(group))
        coarser = list(line)
        for place, unlikely in places.items():
            coarser[place] = _coarser(problem, release, place, line[place], group, unlikely)
        # A row of stars alone would count as suppressed.
        if coarser != line and any(each is not None for each in coarser):
            changes[group] = tuple(coarser)
    return changes or None


def _opened(
    release: Attackable, threshold: float, *, names: bool
) -> Iterator[tuple[int, dict[int, list[object]]]]:
    """Groups that reveal something unlikely, with the finer labels that do in each column."""
    shares = Shares(release.columns, release.values)
    finer = np.zeros((len(release.groups.sizes), len(release.columns)), np.bool_)
    for place, column in release.columns.items():
        used = release.made.values[release.lines, place]
        has_finer = [
            column.has_finer(label) and (names or not isinstance(each, Span))
            for label, each in enumerate(release.recoding.nodes[place])
        ]
        finer[:, place] = np.array(has_finer, np.bool_)[used]
    for group in np.flatnonzero(finer.any(axis=1)).tolist():
        places = {
            place: unlikely
            for place in np.flatnonzero(finer[group]).tolist()
            if (unlikely := _unlikely(release, shares, group, place, threshold))
        }
        if places:
            yield group, places


def _unlikely(release: Attackable, shares: Shares, group: int, place: int, threshold: float) -> list[object]:
    """The finer labels that are certain in a group, and that chance would not make likely."""
    column, label, size = release.columns[place], release.label(group, place), release.groups.sizes[group]
    certain: Certain | None = release.groups.certain(group, place, column)
    if certain is None or not certain.is_minimal:
        # An attacker whom the group's size surprises still knows that its label is the least one.
        certain = column.tight(label, size)
    if certain is None or not certain.rows:
        return []
    return [
        part
        for part, share in shares.of(place, label, certain).items()
        if likely(certain.least[part], size, share) < threshold
    ]


def _coarser(
    problem: Problem,
    release: Attackable,
    place: int,
    value: Released,
    group: int,
    unlikely: list[object],
) -> Released:
    domain = release.table.domains[place]
    if value is None:
        return None
    if not isinstance(value, Span):
        return lifted(domain, value, problem.levels[place][1] if problem.levels else None)
    if domain.kind == "category":
        return paired(domain, value, [part for part in unlikely if isinstance(part, int)])
    return widened(domain, value, release.groups.sizes[group], release.rows_between(place))


def _released(problem: Problem, release: Attackable, lines: dict[int, Line]) -> Attackable | None:
    """The release with other values for some groups; `None` if k or a model no longer holds.

    Groups that now print alike are one. All models of Shoal admit unions of what they admit; others may not.
    """
    recoding = _recoded(release, lines)
    made = made_by(problem, recoding)
    if not admissible(problem, made) or made.suppressed != release.made.suppressed:
        return None
    return Attackable(problem, recoding)


def _recoded(release: Attackable, lines: dict[int, Line]) -> LocalRecoding:
    """The recoding with other released values for the rows of some groups."""
    recoding = release.recoding
    values: NDArray[np.int32] = release.made.values.copy()
    nodes = []
    for place, known in enumerate(recoding.nodes):
        number = {each: label for label, each in enumerate(known)}
        for group, line in lines.items():
            values[release.lines[group], place] = number.setdefault(line[place], len(number))
        nodes.append(tuple(number))
    return replace(recoding, values=values[release.made.of_row], nodes=tuple(nodes))


def _changed(first: Attackable, last: Attackable) -> int:
    """Cells of the release that are coarser than before."""
    changed = 0
    for place in range(len(first.recoding.nodes)):
        one, two = first.recoding.nodes[place], last.recoding.nodes[place]
        numbers = {each: label for label, each in enumerate(two)}
        same = np.array([numbers.get(each, -1) for each in one], np.int64)
        differs = same[first.recoding.values[:, place]] != last.recoding.values[:, place]
        changed += int(first.table.counts[differs].sum())
    return changed


def _priced(problem: Problem, result: Result, release: Attackable) -> Result:
    """The result with what is released. Its bound holds for all releases of the kind, also for this one."""
    cost = cost_of(problem, release.recoding, release.made)
    proved = result.bound is not None and result.bound >= cost
    return replace(
        result,
        recoding=release.recoding,
        alternatives=(),
        cost=cost,
        suppressed=release.made.suppressed,
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
    )
