"""Proofs that an independent checker can follow: which results can have one, and its lines.

A second pass over the tree of the search, with the proved bound as the incumbent from the start. It takes
only steps for which docs/proofs.md has a rule with a plain formula. What is proved is the bound of the
result: equal to its cost, the release is optimal; below it, the gap is certified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.cost import CellMetric, Classification, Discernibility, GeneralLoss, Ncp, Precision
from shoal.errors import InternalError, PolicyError
from shoal.model.policy.budget import ProgressCallback
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.remote_table import RemoteTable
from shoal.privacy import DistinctLDiversity, EntropyLDiversity, KAnonymity, PrivacyModel

ProofKind = Literal["cuts", "levels"]

_KINDS: dict[str, ProofKind] = {
    "exact": "cuts",
    "k-optimize": "cuts",
    "exhaustive": "cuts",
    "lattice": "levels",
}
"""The searches whose bounds are proved over all cuts, or all levels."""
_COSTS = {
    "cuts": (Discernibility, Classification, GeneralLoss, Ncp),
    "levels": (Discernibility, Classification, GeneralLoss, Ncp, Precision),
}


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The lines of a proof, and what they prove.

    Parameters
    ----------
    kind
        The kind of recodings that none of costs less.
    bound, cost
        What is proved, and what the result costs, in whole units.
    units
        Units that make one cell's whole loss, for means over cells; else `None`.
    axis
        The attribute that is outside the tree of cuts; `None` for levels.
    lines, nodes
        The tree, one line per node.
    """

    kind: ProofKind
    bound: int
    cost: int
    units: int | None
    axis: int | None
    lines: str
    nodes: int


def why_no_proof(problem: Problem, algorithm: str) -> str | None:
    """Why the checker could not follow a proof of a result, as the end of a sentence; `None` if it can."""
    kind = _KINDS.get(algorithm)
    if kind is None:
        return f"{algorithm!r} proves no bound that can be written down; choose {', '.join(_KINDS)}"
    if type(problem.cost) not in _COSTS[kind]:
        names = ", ".join(cost.name for cost in _COSTS[kind])
        return f"the checker knows no rule for this cost over {kind}; it knows {names}"
    if problem.sets or problem.table.population is not None or isinstance(problem.table, RemoteTable):
        return "the checker knows one quasi-identifier, no population, and rows that are at hand"
    for model in problem.models:
        if not _known(model):
            return f"the checker knows no rule for {model.name!r}; it knows k and l-diversity"
        if kind == "levels" and isinstance(model, EntropyLDiversity) and problem.most_suppressed > 0:
            return "over levels the checker knows entropy l-diversity only with suppression = 0"
    return None


def _known(model: PrivacyModel) -> bool:
    if isinstance(model, KAnonymity):
        return model.entity is None
    return type(model) in (DistinctLDiversity, EntropyLDiversity) and not model.joint  # type: ignore[attr-defined]


def prove(problem: Problem, result: Result, on_progress: ProgressCallback | None = None) -> Proof:
    """The proof of a result's bound; `PolicyError` if the checker could not follow it."""
    reason = why_no_proof(problem, result.algorithm)
    if reason is not None or result.bound is None or result.cost is None:
        raise PolicyError(
            f"there is no certificate for this release: {reason or 'the search proved no bound'}"
        )
    kind = _KINDS[result.algorithm]
    metric, table = problem.cost, problem.table
    scale = metric.scale(table)
    bound, cost = result.bound * scale, result.cost * scale
    if bound.denominator != 1 or cost.denominator != 1:
        raise InternalError("a cost is no whole number of units")
    if kind == "cuts":
        answer = Exact().prove(problem, int(bound), result.axis, on_progress)
        axis, lines = answer.axis, answer.proof
    else:
        levels = LatticeSearch().prove(problem, int(bound), on_progress)
        answer, axis, lines = levels, None, levels.proof  # type: ignore[assignment]
    if answer.interrupted:
        raise KeyboardInterrupt
    if not answer.proved:
        raise InternalError("the second pass did not prove the bound of the search")
    units = metric.units(table) if isinstance(metric, CellMetric) else None  # type: ignore[attr-defined]
    return Proof(
        kind=kind, bound=int(bound), cost=int(cost), units=units, axis=axis, lines=lines, nodes=answer.nodes
    )
