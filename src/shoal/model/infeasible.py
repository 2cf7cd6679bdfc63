"""Why no recoding will do, and what would help."""

from __future__ import annotations

from shoal.errors import InfeasibleError, InternalError
from shoal.model.groups import groups
from shoal.model.level_recoding import LevelRecoding
from shoal.model.problem import Problem


def infeasible(problem: Problem) -> InfeasibleError:
    """The error for a problem without an admissible recoding.

    Only bounded levels can be the reason: joined to a single value each, the columns make one group of all
    rows. So the rows are told that stay in small groups at the greatest levels allowed.
    """
    table, limit = problem.table, problem.most_suppressed
    greatest = tuple(most for _, most in problem.levels)
    stay = groups(table, LevelRecoding(greatest), problem.k, problem.sets).suppressed if greatest else 0
    if stay <= limit:
        raise InternalError("the search found nothing admissible, but the coarsest recoding is")
    stops = [
        f"{domain.name!r} stops at level {most} of {domain.hierarchy.height}"
        for domain, most in zip(table.domains, greatest, strict=True)
        if most < domain.hierarchy.height
    ]
    return InfeasibleError(
        f"no recoding reaches k = {problem.k} within the suppression limit ({limit:,} of {table.rows:,} "
        f"rows). Even at the greatest levels allowed {stay:,} row(s) stay in groups smaller than "
        f"{problem.k}: {', '.join(stops)}. Raise max_level, choose a smaller k"
        + (f", or allow suppression = {stay}" if stay < table.rows else ""),
        k=problem.k,
        limit=limit,
        suppressed=stay,
    )
