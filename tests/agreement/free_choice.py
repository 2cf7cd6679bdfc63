"""What a recoding costs at best, when the groups to give up are chosen freely: by looking at every choice."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from shoal.model.recoding.recoding import DomainRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost
from tests.agreement.plain_groups import groups_of, judged


def cheapest_release(problem: Problem, recoding: DomainRecoding) -> tuple[Cost, int] | None:
    """The least cost of all admissible sets of released groups; of equal ones, the fewest suppressed rows.

    Only definitions are asked. Who gives up more than another choice pays no less, so a set that contains an
    admissible one is not looked at.
    """
    table, models = problem.table, problem.group_models
    everybody = [model for model in models if model.forbids_suppression]
    for rows in groups_of(table, recoding).values():
        if any(not model.admits(table.group(rows), table.people) for model in everybody):
            return None
    made = list(judged(table, recoding, problem.k, models))
    released = {values: size for values, _, size, is_released in made if is_released}
    lost = sum(size for *_, size, is_released in made if not is_released)
    admissible: list[frozenset[tuple[int, ...]]] = []
    found = []
    for number in range(len(released) + 1):
        for chosen in map(frozenset, itertools.combinations(released, number)):
            left = [size for values, size in released.items() if values not in chosen]
            suppressed = lost + sum(released[values] for values in chosen)
            if any(each <= chosen for each in admissible) or not problem.admits(left, suppressed):
                continue
            admissible.append(chosen)
            given = replace(recoding, also_suppressed=tuple(sorted(chosen)))  # type: ignore[type-var]
            found.append((problem.cost.of(table, given, problem.k, models), suppressed))
    return min(found, default=None)


def least_cost(problem: Problem, recodings: Iterable[DomainRecoding]) -> Cost | None:
    """The least cost of some recodings; `None` if none of them can be released."""
    costs = [each[0] for each in (cheapest_release(problem, one) for one in recodings) if each is not None]
    return min(costs, default=None)
