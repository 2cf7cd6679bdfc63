"""Privacy models as the core judges them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.errors import InternalError
from shoal.model.result.problem import Problem
from shoal.model.table.frequency_table import Facts
from shoal.model.table.people import PARTS_OF_A_PERSON, SensitiveColumn
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    GroupModel,
    KAnonymity,
    KMap,
    PSensitivity,
    RecursiveLDiversity,
    SensitiveModel,
    TCloseness,
)
from shoal.privacy._base import SLACK

_ANY_SHARE = 2.0
"""A cap that no share reaches."""
_ANY_LOGARITHM = 100.0
"""More than the logarithm of any number of rows, and an exponent that does not overflow."""


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A rule by its thresholds; what it leaves unsaid, its kind does not look at."""

    kind: str
    least: float = 0.0
    most: float = 0.0
    from_: int = 0
    distance: float = 1.0
    table: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    caps: list[float] = field(default_factory=list)
    tree: list[list[int]] = field(default_factory=list)


_JUDGED = (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    PSensitivity,
    RecursiveLDiversity,
    TCloseness,
)


def unknown_model(problem: Problem) -> str | None:
    """Why the core cannot judge the problem's models, as the end of a sentence; `None` if it can."""
    for model in problem.models:
        if type(model) not in _JUDGED:  # a subclass may define something else
            return (
                f"the compiled core has no rule for the model {model.name!r}; use 'datafly', which runs on "
                "the models' own definitions"
            )
    return None


def least_rows(problem: Problem) -> int:
    """The k of the problem, or the larger one that a model implies: l values need l rows."""
    implied = [problem.k]
    for model in problem.models:
        if isinstance(model, KAnonymity):
            implied.append(model.k)
        elif isinstance(model, DistinctLDiversity | RecursiveLDiversity):
            implied.append(model.l)
        elif isinstance(model, EntropyLDiversity):
            implied.append(math.ceil(model.l * (1 - SLACK)))
        elif isinstance(model, PSensitivity):
            implied.append(model.p)
    return max(implied)


def why_more_than_size(problem: Problem) -> str | None:
    """Why groups of k rows do not do for the models, as the end of a sentence; `None` if they do."""
    for model in problem.models:
        if not (isinstance(model, KAnonymity) and model.entity is None):
            return f"its groups have k rows, but it does not look at {model.name!r}; use 'local' or 'lattice'"
    return None


def privacy(problem: Problem) -> _core.Privacy | None:
    """What the core shall judge besides the size of a group; `None` if there is nothing else."""
    models = [
        each
        for each in problem.group_models
        if not (isinstance(each, KAnonymity) and each.entity is None)  # a larger k
    ]
    risks = [each.greatest for each in problem.release_models if isinstance(each, AverageRisk)]
    if len(risks) < len(problem.release_models):
        raise InternalError("the core knows one demand on all groups together, the average risk")
    if not models and not risks:
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
    )


def _rule(model: GroupModel, facts: Facts | None) -> _core.Rule:
    if isinstance(model, KMap):
        return _made(_Rule(kind="population", least=float(model.k * PARTS_OF_A_PERSON)))
    if isinstance(model, DeltaPresence):
        return _made(_Rule(kind="presence", least=model.least - SLACK, most=model.most + SLACK))
    if facts is None:
        raise InternalError(f"{model.name} needs values that were not counted")
    name = model.columns[0]
    position = [column.name for column in facts.columns].index(name)
    others = [
        index
        for index, column in enumerate(facts.columns)
        if index != position and column.values and isinstance(model, SensitiveModel) and model.joint
    ]
    return _made(_thresholds(model, facts.columns[position]), *_cells(facts, position, others))


def _made(
    rule: _Rule,
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


def _thresholds(model: GroupModel, column: SensitiveColumn) -> _Rule:
    if isinstance(model, KAnonymity):
        return _Rule(kind="distinct", least=model.k)
    if isinstance(model, DistinctLDiversity):
        return _Rule(kind="distinct", least=model.l)
    if isinstance(model, PSensitivity):
        return _Rule(kind="distinct", least=model.p)
    if isinstance(model, EntropyLDiversity):
        return _Rule(kind="entropy", least=model.l * (1 - SLACK))
    if isinstance(model, RecursiveLDiversity):
        return _Rule(kind="recursive", most=model.c - SLACK, from_=model.l)
    shares = [column.share(value) for value in range(len(column.counts))]
    if isinstance(model, TCloseness):
        tree = [] if model.ground != "hierarchical" or column.tree is None else column.tree.parts
        return _Rule(
            kind=model.ground,
            most=model.t + SLACK,
            distance=model.least_distance(column),
            table=shares,
            tree=[list(parts) for parts in tree],
        )
    if isinstance(model, AlphaKAnonymity):
        capped = model.capped(column)
        caps = [model.alpha + SLACK if value in capped else _ANY_SHARE for value in range(len(shares))]
        return _Rule(kind="shares", floors=[0.0] * len(shares), caps=caps)
    if isinstance(model, BetaLikeness):
        return _Rule(kind="shares", floors=[0.0] * len(shares), caps=[model.cap(share) for share in shares])
    if isinstance(model, DeltaDisclosure):
        factor = math.exp(min(model.delta - SLACK, _ANY_LOGARITHM))
        return _Rule(
            kind="shares",
            floors=[share / factor for share in shares],
            caps=[share * factor for share in shares],
            from_=len(shares),
        )
    raise InternalError(f"the core has no rule for {model.name!r}")
