"""Why no recoding will do, and what would help."""

from __future__ import annotations

from shoal.errors import InfeasibleError
from shoal.model.groups import groups
from shoal.model.level_recoding import LevelRecoding
from shoal.model.problem import Problem


def infeasible(problem: Problem) -> InfeasibleError:
    """The error for a problem without an admissible recoding, with the rows that stay in small groups."""
    rows, limit = problem.table.rows, problem.most_suppressed
    stay, where, help = _stay(problem)
    return InfeasibleError(
        f"no recoding reaches k = {problem.k} within the suppression limit ({limit:,} of {rows:,} rows). "
        f"Even {where} {stay:,} row(s) stay in groups smaller than {problem.k}. {help}",
        k=problem.k,
        limit=limit,
        suppressed=stay,
    )


def _stay(problem: Problem) -> tuple[int, str, str]:
    """Rows that stay in small groups at the most general recoding, words for it, and what would help."""
    rows = problem.table.rows
    lowered = [
        (domain.name, greatest, domain.hierarchy.height)
        for domain, (_, greatest) in zip(problem.table.domains, problem.levels, strict=False)
        if greatest < domain.hierarchy.height
    ]
    if not lowered:
        stay = rows if rows < problem.k else 0
        return stay, "with every value joined", "Choose a smaller k, or allow more suppression"
    highest = LevelRecoding(tuple(greatest for _, greatest in problem.levels))
    stay = groups(problem.table, highest, problem.k, problem.sets).suppressed
    stops = ", ".join(f"'{name}' stops at level {level} of {height}" for name, level, height in lowered)
    return (
        stay,
        "at the highest levels that are allowed",
        f"{stops}: raise max_level there, or allow suppression = {stay}",
    )
