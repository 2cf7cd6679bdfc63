"""What a recoding releases, by the definitions of k and of the models alone; any model will do."""

from __future__ import annotations

import numpy as np

from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost


def made_by(problem: Problem, recoding: Recoding) -> Groups:
    """The groups that a recoding makes; those are kept that k and all models admit."""
    return groups(problem.table, recoding, problem.k, problem.sets, problem.group_models)


def admissible(problem: Problem, made: Groups) -> bool:
    """Whether such groups may be released."""
    return problem.admits(made.sizes[made.kept].tolist(), made.suppressed) and not misses_people(
        problem, made
    )


def cost_of(problem: Problem, recoding: Recoding, made: Groups) -> Cost:
    """What a recoding costs that makes these groups."""
    return problem.cost.of_groups(problem.table, recoding, made)


def misses_people(problem: Problem, made: Groups) -> bool:
    """Whether a model that is a demand on everybody refuses people whom no row is like."""
    demands = [model for model in problem.group_models if model.forbids_suppression]
    if not demands:
        return False
    table = problem.table
    empty = np.flatnonzero(made.sizes == 0).tolist()
    strangers = (table.group(np.flatnonzero(made.of_row == group).tolist()) for group in empty)
    return any(not model.admits(group, table.people) for group in strangers for model in demands)
