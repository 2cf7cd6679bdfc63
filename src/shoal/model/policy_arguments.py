"""A policy from arguments: what the front door and the command line have in place of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.attribute import Attribute, Role
from shoal.model.budget import Budget
from shoal.model.domain import Kind, Value
from shoal.model.hierarchy import Hierarchy
from shoal.model.names import hint
from shoal.model.policy import Policy, SuppressedRows
from shoal.model.recipe import Recipe
from shoal.model.suppression import Suppression

HierarchyLike = str | Path | Hierarchy | Recipe | Mapping[Any, object]
"""A file, a hierarchy, a recipe to build one from the data, or a tree as nested dictionaries."""


def policy_of(
    *,
    source: Path | None = None,
    quasi_identifiers: Sequence[str],
    k: int,
    sensitive: Sequence[str] = (),
    class_attribute: str | None = None,
    identifiers: Sequence[str] = (),
    types: Mapping[str, Kind] | None = None,
    bins: Mapping[str, int | float] | None = None,
    orders: Mapping[str, Sequence[Value]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    weights: Mapping[str, int | float] | None = None,
    sets: Sequence[Sequence[str]] = (),
    cost: str = "discernibility",
    suppression: int | str | Suppression = "unlimited",
    algorithm: str = "auto",
    options: Mapping[str, object] | None = None,
    accept_unverified: bool = False,
    seconds: float | None = None,
    nodes: int | None = None,
    gap: float | None = None,
    threads: int | None = None,
    seed: int = 0,
    path: str | Path | None = None,
    suppressed: SuppressedRows = "drop",
) -> Policy:
    """The policy; the arguments have the meaning of the keys of a policy file."""
    shapes: dict[str, Mapping[str, object]] = {
        "types": types or {},
        "bins": bins or {},
        "orders": orders or {},
        "hierarchies": hierarchies or {},
        "levels": levels or {},
        "weights": weights or {},
    }
    names = _names("quasi_identifiers", quasi_identifiers)
    for argument, shape in shapes.items():
        for name in shape:
            if name not in names:
                raise PolicyError(
                    f"{argument} names {name!r}, which is no quasi-identifier.{hint(name, names)}"
                )
    attributes = [
        Attribute(
            name=name,
            role=Role.QUASI_IDENTIFIER,
            type=(types or {}).get(name),
            bin=(bins or {}).get(name),
            order=tuple((orders or {})[name]) if name in (orders or {}) else None,
            hierarchy=_hierarchy((hierarchies or {}).get(name)),
            min_level=(levels or {}).get(name, (0, None))[0],
            max_level=(levels or {}).get(name, (0, None))[1],
            weight=(weights or {}).get(name, 1),
        )
        for name in names
    ]
    attributes += _with_role(Role.SENSITIVE, _names("sensitive", sensitive))
    attributes += _with_role(Role.IDENTIFIER, _names("identifiers", identifiers))
    attributes += _with_role(Role.CLASS, [] if class_attribute is None else [class_attribute])
    return Policy(
        source=source,
        attributes=tuple(attributes),
        k=k,
        cost=cost,
        suppression=suppression if isinstance(suppression, Suppression) else Suppression(suppression),
        algorithm=algorithm,
        options=dict(options or {}),
        sets=tuple(tuple(each) for each in sets),
        accept_unverified=accept_unverified,
        budget=Budget(seconds=seconds, nodes=nodes, gap=gap),
        threads=threads,
        seed=seed,
        release=None if path is None else Path(path),
        suppressed=suppressed,
    )


def _hierarchy(given: HierarchyLike | None) -> Path | Hierarchy | Recipe | None:
    if isinstance(given, Mapping):
        return Hierarchy.from_dict(given)
    return Path(given) if isinstance(given, str) else given


def _names(argument: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):  # a string is a sequence of its letters, and never meant so
        raise PolicyError(f"{argument} is a list of columns; write {argument}=[{names!r}]")
    return list(names)


def _with_role(role: Role, names: Sequence[str]) -> list[Attribute]:
    return [Attribute(name=name, role=role) for name in names]
