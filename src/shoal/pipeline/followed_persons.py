"""What an attacker who follows persons through their rows sees and knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.auditor.attacks import Target
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import ListedSets
from shoal.model.table.coded_cells import CodedCells


def followed(target: Target, policy: Policy, known_events: int | str | None) -> Target:
    """The target, with the column of persons and how many events of one the attacker may know.

    Parameters
    ----------
    target
        The release.
    policy
        What it promises.
    known_events
        How many events are known, where that differs from what the policy promises.
    """
    promise = policy.promise
    known = None if promise is None else promise.known_events
    if known_events is not None:
        known = known_events if isinstance(known_events, int) else None
    return replace(
        target,
        entity=policy.entity if policy.household is None else policy.household,
        unit="person" if promise is None else promise.unit,
        known_events=known,
        known_apart=bool(policy.sets),
        ordered=policy.order == "keep",
    )


def check_known(known_events: Any) -> None:
    """Raise `PolicyError` if this is no number of known events."""
    if known_events is None or known_events == "all":
        return
    if not isinstance(known_events, int) or isinstance(known_events, bool) or known_events < 1:
        raise PolicyError(f'known_events is a whole number of at least 1, or "all"; it is {known_events!r}')


def events_of(engine: SqlEngine, source: Any, target: Target, sets: ListedSets) -> CodedCells:
    """The rows of a release that have no order, by quasi-identifiers and persons."""
    return engine.cells(source, _columns(engine, source, target)).spelled(sets)


def original_events(source: Any, target: Target) -> CodedCells:
    """The rows of an original that have no order, by quasi-identifiers and persons."""
    with engine_for(source) as engine:
        return engine.cells(source, _columns(engine, source, target))


def _columns(engine: SqlEngine, source: Any, target: Target) -> tuple[str, ...]:
    there = engine.columns(source)
    wanted = (*target.quasi_identifiers, *([] if target.entity is None else [target.entity]))
    return tuple(name for name in wanted if name in there)
