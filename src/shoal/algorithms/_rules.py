"""Privacy models as the core judges them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.errors import InternalError
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import Facts
from shoal.privacy import CoreRule, GroupModel, PrivacyModel, ReleaseModel, SensitiveModel


def is_known(model: PrivacyModel) -> bool:
    """Whether the core has a rule for a model."""
    return model.defines("core_rule")


def unknown_model(problem: Problem, *, at_risk: bool = False) -> str | None:
    """Why the core cannot judge the problem's models, as the end of a sentence; `None` if it can.

    Parameters
    ----------
    problem
        The problem.
    at_risk
        Whether the caller heeds a limit on rows at risk.
    """
    for model in problem.models:
        if not is_known(model):
            return (
                f"the compiled core has no rule for the model {model.name!r}; use 'datafly', which runs on "
                "the models' own definitions"
            )
    demands = rows_at_risk(problem)
    if demands and not at_risk:
        return (
            f"it does not weigh {demands[0].name!r}; use 'lattice', or choose k = "
            f"{max(size_at_risk(each) for each in demands)}, with which it always holds"
        )
    return None


def why_several_together(problem: Problem) -> str | None:
    """Why the core cannot weigh all demands on the release as a whole; `None` if it can."""
    demands = rows_at_risk(problem)
    if len(demands) + (1 if risk_limits(problem) else 0) < 2 or not demands:
        return None
    return (
        "it weighs one demand on all groups together, and there are several; use 'datafly', or choose k = "
        f"{max(size_at_risk(each) for each in demands)}, with which {demands[0].name!r} always holds"
    )


def least_rows(problem: Problem) -> int:
    """The k of the problem, or the larger one that a model implies: l values need l rows."""
    return max([problem.k, *(model.least_rows for model in problem.group_models)])


def size_alone(model: GroupModel) -> bool:
    """Whether a model demands nothing but a number of rows."""
    return model.defines("size_alone") and model.size_alone


def why_more_than_size(problem: Problem) -> str | None:
    """Why groups of k rows do not do for the models, as the end of a sentence; `None` if they do."""
    for model in problem.models:
        if not (isinstance(model, GroupModel) and size_alone(model)):
            return f"its groups have k rows, but it does not look at {model.name!r}; use 'local' or 'lattice'"
    return None


def risk_limits(problem: Problem) -> list[float]:
    """The limits on the average risk, the one demand on all groups together that every search knows."""
    rules = [model.core_rule() for model in problem.release_models if is_known(model)]
    return [rule.most for rule in rules if rule.kind == "average-risk"]


def rows_at_risk(problem: Problem) -> list[ReleaseModel]:
    """The demands that limit rows at risk, those left out that k meets by itself."""
    return [
        model
        for model in problem.release_models
        if _limits_rows(model) and size_at_risk(model) > least_rows(problem) and model.core_rule().most < 1
    ]


def size_at_risk(model: ReleaseModel) -> int:
    """The smallest group whose rows are not at risk."""
    return model.core_rule().from_


def met_by_size(problem: Problem) -> Problem:
    """The problem with groups so large that no row is at risk, in place of a limit on rows at risk.

    Stricter, so that what solves it solves the problem. A bound of it is none of the problem.
    """
    demands = [model for model in problem.release_models if _limits_rows(model)]
    k = max([problem.k, *map(size_at_risk, rows_at_risk(problem))])
    return replace(problem, k=k, models=tuple(each for each in problem.models if each not in demands))


def why_not_by_size(problem: Problem) -> str | None:
    """Why no groups are so large that no row is at risk, as the end of a sentence; `None` if they can be."""
    demands = rows_at_risk(problem)
    size = max(map(size_at_risk, demands), default=0)
    if size <= problem.table.rows:
        return None
    return (
        f"for {demands[0].name!r} it makes groups of {size:,} rows, and the table has "
        f"{problem.table.rows:,}; use 'lattice'"
    )


def _limits_rows(model: ReleaseModel) -> bool:
    return is_known(model) and model.core_rule().kind == "rows-at-risk"


def privacy(problem: Problem, *, at_risk: bool = False) -> _core.Privacy | None:
    """What the core shall judge besides the size of a group; `None` if there is nothing else.

    Parameters
    ----------
    problem
        The problem.
    at_risk
        Whether the caller heeds a limit on rows at risk.
    """
    models = [each for each in problem.group_models if not size_alone(each)]  # that is a larger k
    risks, at_risks = risk_limits(problem), rows_at_risk(problem)
    unknown = [each for each in problem.release_models if not is_known(each)]
    if unknown or (at_risks and not at_risk) or len(at_risks) > 1:
        raise InternalError("a demand on all groups together was left to a search that does not weigh it")
    if not models and not risks and not at_risks:
        return None
    table, facts = problem.table, problem.table.facts
    empty: NDArray[Any] = np.zeros(0, np.int64)
    return _core.Privacy(
        rules=[_rule(model, facts) for model in models],
        first=empty if facts is None else np.ascontiguousarray(facts.first, np.int64),
        facts=empty.astype(np.int32) if facts is None else np.ascontiguousarray(facts.of_entry, np.int32),
        counts=empty if facts is None else np.ascontiguousarray(facts.counts, np.int64),
        population=empty if table.population is None else np.ascontiguousarray(table.population, np.int64),
        supersets=problem.supersets_are_admitted,
        strict=problem.most_suppressed == 0 and all(model.unions_are_admitted for model in models),
        empty_groups=any(model.forbids_suppression for model in models),
        most_risk=min([1.0, *risks]),
        at_risk_below=size_at_risk(at_risks[0]) if at_risks else 0,
        most_at_risk=at_risks[0].core_rule().most if at_risks else 1.0,
    )


def _rule(model: GroupModel, facts: Facts | None) -> _core.Rule:
    if not model.columns:
        return _made(model.core_rule(None))
    if facts is None:
        raise InternalError(f"{model.name} needs values that were not counted")
    position = [column.name for column in facts.columns].index(model.columns[0])
    others = [
        index
        for index, column in enumerate(facts.columns)
        if index != position and column.values and isinstance(model, SensitiveModel) and model.joint
    ]
    return _made(model.core_rule(facts.columns[position]), *_cells(facts, position, others))


def _made(
    rule: CoreRule,
    cells: NDArray[np.int32] | None = None,
    values: NDArray[np.int32] | None = None,
    parts: NDArray[np.int32] | None = None,
) -> _core.Rule:
    none = np.zeros(0, np.int32)
    return _core.Rule(
        rule.kind,
        least=rule.least,
        most=rule.most,
        from_=rule.from_,
        distance=rule.distance,
        cells=none if cells is None else cells,
        values=none if values is None else values,
        parts=none if parts is None else parts,
        table=rule.table,
        floors=rule.floors,
        caps=rule.caps,
        tree=rule.tree,
    )


def _cells(
    facts: Facts, position: int, others: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Per fact its cell, and per cell its value and its part; cells are ordered by part."""
    columns = facts.combinations[:, [*others, position]]
    distinct, of_fact = np.unique(columns, axis=0, return_inverse=True)
    parts = np.zeros(len(distinct), np.int32)
    parts[1:] = np.cumsum((distinct[1:, :-1] != distinct[:-1, :-1]).any(axis=1))
    return (
        np.ascontiguousarray(of_fact.reshape(len(columns)), np.int32),
        np.ascontiguousarray(distinct[:, -1], np.int32),
        parts,
    )
