"""Why no recoding is admissible, and what would help."""

from __future__ import annotations

from shoal.errors import InfeasibleError, InternalError
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.problem import Problem


def infeasible(problem: Problem) -> InfeasibleError:
    """The error for a problem without an admissible recoding.

    With every column joined to a single value, all rows form one group. Either a privacy model refuses even
    that group, or bounded levels are the reason: then the message states how many rows stay in refused groups
    at the greatest levels allowed.
    """
    table, limit = problem.table, problem.most_suppressed
    hopeless = refused_altogether(problem)
    if hopeless is not None:
        return hopeless
    greatest = tuple(most for _, most in problem.levels)
    coarsest = (
        groups(table, LevelRecoding(greatest), problem.k, problem.sets, problem.group_models)
        if greatest
        else None
    )
    stay = 0 if coarsest is None else coarsest.suppressed
    # What models of the whole release require in addition: at these levels, the fewest rows have to go.
    more = 0 if coarsest is None else problem.fewest_given_up(coarsest.sizes[coarsest.kept].tolist())
    # Demands on all groups together, and on people who match no row, suppress no row.
    others = [model for model in problem.models if model.looks_at == "release" or model.forbids_suppression]
    if stay <= limit and others:
        demands = " and ".join(model.demand for model in others)
        return InfeasibleError(
            f"no recoding reaches {demands}"
            + (f" within the suppression limit ({limit:,} of {table.rows:,} rows)" if limit else "")
            + f". {_ways_out(problem, stay + more)}",
            k=problem.k,
            limit=limit,
            suppressed=stay + more,
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
        + (f", or allow suppression = {stay + more}" if stay + more < table.rows else ""),
        k=problem.k,
        limit=limit,
        suppressed=stay + more,
    )


def _ways_out(problem: Problem, needed: int) -> str:
    """What to try if a demand on all groups together is broken; `needed` suppressed rows would satisfy it."""
    heights = [domain.hierarchy.height for domain in problem.table.domains]
    ways = ["relax it"]
    if problem.most_suppressed < needed < problem.table.rows:
        ways.insert(0, f"allow suppression = {needed}")
    if problem.levels and any(
        most < height for (_, most), height in zip(problem.levels, heights, strict=True)
    ):
        ways.insert(0, "raise max_level")
    listed = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
    return listed[0].upper() + listed[1:]


def refused_altogether(problem: Problem) -> InfeasibleError | None:
    """The error if a privacy model refuses even all rows as one group; `None` if all models admit them."""
    table = problem.table
    whole = table.group(range(len(table.counts)))
    for release_model in problem.release_models:
        if release_model.largest_hold_first and not release_model.holds([table.rows]):
            return InfeasibleError(
                f"no recoding satisfies {release_model.name}: it demands {release_model.demand}, and all "
                f"rows together, as one group, measure {release_model.measure([table.rows]):.4g}. "
                "Suppressing rows raises it; relax it",
                k=problem.k,
                limit=problem.most_suppressed,
                suppressed=table.rows,
            )
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
