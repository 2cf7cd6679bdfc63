"""Why no recoding will do, and what would help."""

from __future__ import annotations

from shoal.errors import InfeasibleError, InternalError
from shoal.model.groups import groups
from shoal.model.level_recoding import LevelRecoding
from shoal.model.problem import Problem


def infeasible(problem: Problem) -> InfeasibleError:
    """The error for a problem without an admissible recoding.

    Joined to a single value each, the columns make one group of all rows. Either a privacy model refuses even
    that one, or bounded levels are the reason: then the rows are told that stay in groups that are refused
    at the greatest levels allowed.
    """
    table, limit = problem.table, problem.most_suppressed
    hopeless = refused_altogether(problem)
    if hopeless is not None:
        return hopeless
    greatest = tuple(most for _, most in problem.levels)
    stay = (
        groups(table, LevelRecoding(greatest), problem.k, problem.sets, problem.group_models).suppressed
        if greatest
        else 0
    )
    # Demands on all groups together, and on people whom no row is like, suppress no row.
    others = [model for model in problem.models if model.looks_at == "release" or model.forbids_suppression]
    if stay <= limit and others:
        demands = " and ".join(model.demand for model in others)
        return InfeasibleError(
            f"no recoding reaches {demands}. Allow higher levels or more suppression, or relax it",
            k=problem.k,
            limit=limit,
            suppressed=stay,
        )
    if stay <= limit:
        raise InternalError("the search found nothing admissible, but the coarsest recoding is")
    stops = [
        f"{domain.name!r} stops at level {most} of {domain.hierarchy.height}"
        for domain, most in zip(table.domains, greatest, strict=True)
        if most < domain.hierarchy.height
    ]
    refused = f"smaller than {problem.k}" + (" or refused by a privacy model" if problem.group_models else "")
    return InfeasibleError(
        f"no recoding reaches k = {problem.k} within the suppression limit ({limit:,} of {table.rows:,} "
        f"rows). Even at the greatest levels allowed {stay:,} row(s) stay in groups "
        f"{refused}: {', '.join(stops)}. Raise max_level, choose a smaller k"
        + (f", or allow suppression = {stay}" if stay < table.rows else ""),
        k=problem.k,
        limit=limit,
        suppressed=stay,
    )


def refused_altogether(problem: Problem) -> InfeasibleError | None:
    """The error if a privacy model refuses even all rows as one group; `None` if all models admit them."""
    table = problem.table
    whole = table.group(range(len(table.counts)))
    for model in problem.group_models:
        if not model.admits(whole, table.people):
            return InfeasibleError(
                f"no recoding satisfies {model.name}: it demands {model.demand}, and all rows together, as "
                f"one group, measure {model.measure(whole, table.people):.4g}. Relax it",
                k=problem.k,
                limit=problem.most_suppressed,
                suppressed=table.rows,
            )
    return None
