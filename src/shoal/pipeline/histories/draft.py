"""A release of linkable rows before it is written."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.histories import CountedHistories, PlacedRows
from shoal.errors import InfeasibleError, InternalError
from shoal.model.history.histories import Histories
from shoal.model.policy.budget import ProgressCallback
from shoal.model.result.phases import SEARCH
from shoal.pipeline.companions import check_companions, check_nested, in_addition
from shoal.pipeline.draft import Draft, check_warnings, looked_for
from shoal.pipeline.histories.plan import HistoryPlan
from shoal.pipeline.histories.rarely_changing import rarely_changing
from shoal.pipeline.histories.search import answer
from shoal.pipeline.phases import Phases
from shoal.pipeline.solution import Solution
from shoal.pipeline.solve import check_result
from shoal.pipeline.treating import Treated


def draft_histories(
    engine: SqlEngine,
    table: Any,
    plan: HistoryPlan,
    *,
    require_optimal: bool = False,
    on_progress: ProgressCallback | None = None,
    treated: Treated | None = None,
    phases: Phases | None = None,
) -> Draft:
    """Count the histories of an open table and solve their problem; nothing is written.

    Parameters
    ----------
    engine, table
        The table, as the engine opened it.
    plan
        The policy, and how to carry it out.
    require_optimal
        Whether anything less than a proof is an error.
    on_progress
        Called now and then while the search runs.
    treated
        How the table was made from the source: the persons have pseudonyms.
    phases
        Those of a run that counts already; others begin here.
    """
    phases = phases or Phases.counting(on_progress)
    policy = plan.policy
    check_nested(policy, engine, table)
    policy.check_columns(table.columns, plan.evidence.read)
    counted = engine.count(table, policy.attributes, plan.evidence)
    check_companions(policy, table.columns, counted.frequencies.domains)
    histories = engine.histories(table, counted, plan.promise.column, ordered=plan.promise.ordered)
    warnings = (
        *looked_for(engine, table, policy, counted),
        *rarely_changing(policy, histories.histories),
    )
    check_warnings(policy, warnings)
    _check_sizes(plan, histories.histories)
    digest = engine.digest(table if treated is None else treated.original, counted)
    phases.begin(SEARCH)
    found = answer(plan, histories, on_progress)
    check_result(found.problem, found.result, require_optimal=require_optimal)
    if found.placed is None:
        raise InternalError("a search that found no placement is taken for one that did")
    solution = Solution(plan=plan, problem=found.problem, searched=found.placed.table, result=found.result)
    solution.check()
    made = Draft(
        solution=solution,
        counted=replace(
            counted,
            frequencies=found.placed.table,
            placed=PlacedRows(counted=histories, line_of=found.placed.line_of),
        ),
        source_digest=_with_histories(digest, histories),
        columns=table.columns,
        warnings=warnings,
        treated=treated,
        reading=engine.reading(table),
        phases=phases,
    )
    made.check()
    companions, nested = in_addition(made)
    return replace(made, companions=companions, nested=nested)


def _check_sizes(plan: HistoryPlan, histories: Histories) -> None:
    """Raise `InfeasibleError` if no k households have the same number of members: none could be released."""
    k = plan.policy.k
    if not plan.promise.whole_units or k > histories.persons:
        return
    most = int(np.bincount(histories.lengths, histories.counts).max())
    if most < k:
        raise InfeasibleError(
            f"at most {most:,} households have the same number of members, and households are released "
            f"whole, so none is like {k - 1:,} others; choose a k of at most {most:,}",
            k=k,
            limit=histories.rows,
            suppressed=histories.rows,
        )


def _with_histories(digest: str, counted: CountedHistories) -> str:
    """The digest of the rows, with whose rows they are: that decides the release, too."""
    sha = hashlib.sha256(digest.encode())
    histories = counted.histories
    for array in (histories.first, histories.row_of, histories.counts):
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
