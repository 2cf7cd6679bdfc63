"""A policy from arguments: what the front door and the command line have in place of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.policy.recoding_model import DEFAULT_COST, RecodingModel, recoding_model
from shoal.model.policy.suppression import Suppression
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import Kind, Value
from shoal.model.table.table_source import TableSource, release_place

T = TypeVar("T")

HierarchyLike = str | Path | Hierarchy | Recipe | Mapping[Any, object]
"""A file, a hierarchy, a recipe to build one from the data, or a tree as nested dictionaries."""


def policy_of(
    *,
    source: Path | TableSource | None = None,
    quasi_identifiers: Sequence[str],
    k: int,
    sensitive: Sequence[str] = (),
    class_attribute: str | None = None,
    identifiers: Sequence[str] = (),
    other: Sequence[str] = (),
    types: Mapping[str, Kind] | None = None,
    bins: Mapping[str, int | float] | None = None,
    orders: Mapping[str, Sequence[Value | float]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    levels: Mapping[str, tuple[int, int | None]] | None = None,
    weights: Mapping[str, int | float] | None = None,
    sets: Sequence[Sequence[str]] = (),
    models: Sequence[object] = (),
    entity: str | None = None,
    survey_weight: str | None = None,
    population: object = None,
    cost: str | None = None,
    suppression: int | str | Suppression = "unlimited",
    model: str | RecodingModel | None = None,
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
    attacks: Mapping[str, float] | None = None,
    ledger: str | Path | None = None,
    strict: bool = False,
) -> Policy:
    """The policy; the arguments have the meaning of the keys of a policy file."""
    shapes: dict[str, Mapping[str, object]] = {
        "types": _mapping("types", types),
        "bins": _mapping("bins", bins),
        "orders": _mapping("orders", orders),
        "hierarchies": _mapping("hierarchies", hierarchies),
        "levels": _mapping("levels", levels),
        "weights": _mapping("weights", weights),
    }
    names = _names("quasi_identifiers", quasi_identifiers)
    private = _names("sensitive", sensitive)
    for argument, shape in shapes.items():
        also = private if argument in ("types", "orders", "hierarchies") else []
        for name in shape:
            if name not in (*names, *also):
                which = "no quasi-identifier" + (" and not sensitive" if also else "")
                raise PolicyError(
                    f"{argument} names {name!r}, which is {which}.{suggestion(name, names + also)}"
                )
    ranges = {name: _range(name, each) for name, each in (levels or {}).items()}
    attributes = [
        Attribute(
            name=name,
            role=Role.QUASI_IDENTIFIER,
            bin=(bins or {}).get(name),
            **_shape(name, types, orders, hierarchies),
            min_level=ranges[name][0] if name in ranges else 0,
            max_level=ranges[name][1] if name in ranges else None,
            weight=(weights or {}).get(name, 1),
        )
        for name in names
    ]
    attributes += [
        Attribute(name=name, role=Role.SENSITIVE, **_shape(name, types, orders, hierarchies))
        for name in private
    ]
    attributes += _with_role(Role.IDENTIFIER, _names("identifiers", identifiers))
    attributes += _with_role(Role.OTHER, _names("other", other))
    attributes += _with_role(Role.CLASS, [] if class_attribute is None else [class_attribute])
    return Policy(
        source=source,
        attributes=tuple(attributes),
        k=k,
        models=tuple(_names("models", models)),
        entity=entity,
        survey_weight=survey_weight,
        population=Path(population) if isinstance(population, str) else population,
        **objective(cost, model),
        suppression=suppression if isinstance(suppression, Suppression) else Suppression(suppression),
        algorithm=algorithm,
        options=dict(_mapping("options", options)),
        sets=tuple(tuple(_columns(each)) for each in _names("sets", sets)),
        accept_unverified=accept_unverified,
        budget=Budget(seconds=seconds, nodes=nodes, gap=gap),
        threads=threads,
        seed=seed,
        release=None if path is None else release_place(path, source),
        suppressed=suppressed,
        attacks=dict(_mapping("attacks", attacks)),
        ledger=None if ledger is None else Path(ledger),
        strict=strict,
    )


def objective(cost: str | None, model: object) -> dict[str, Any]:
    """The recoding model of a policy, and the cost that it states or else implies."""
    named = None if model is None else recoding_model(model)
    implied = DEFAULT_COST if named is None else named.cost
    return {"cost": implied if cost is None else cost, "model": named}


def _shape(
    name: str,
    types: Mapping[str, Kind] | None,
    orders: Mapping[str, Sequence[Value | float]] | None,
    hierarchies: Mapping[str, HierarchyLike] | None,
) -> dict[str, Any]:
    """What is said of a column's values."""
    return {
        "type": (types or {}).get(name),
        "order": tuple((orders or {})[name]) if name in (orders or {}) else None,
        "hierarchy": _hierarchy((hierarchies or {}).get(name)),
    }


def _hierarchy(given: HierarchyLike | None) -> Path | Hierarchy | Recipe | None:
    if isinstance(given, Mapping):
        return Hierarchy.from_dict(given)
    return Path(given) if isinstance(given, str) else given


def _columns(stated: Sequence[str]) -> list[str]:
    if isinstance(stated, str) or not isinstance(stated, Iterable):
        raise PolicyError(f'each of sets is a list of columns, as in [["age", "zip"]]; one is {stated!r}')
    return list(stated)


def _range(name: str, stated: object) -> tuple[int, int | None]:
    if not isinstance(stated, tuple | list) or len(stated) != 2:
        raise PolicyError(
            f"levels of {name!r} are a pair, the least and the greatest, as in (0, 2) or (1, None); given "
            f"was {stated!r}"
        )
    return stated[0], stated[1]


def _mapping(argument: str, stated: Mapping[str, T] | None) -> Mapping[str, T]:
    if stated is not None and not isinstance(stated, Mapping):
        raise PolicyError(f"{argument} is a dictionary, not of type {type(stated).__name__}")
    return stated or {}


def _names(argument: str, names: Iterable[T]) -> list[T]:
    what = "models" if argument == "models" else "columns"
    # A string is a sequence of its letters, and never meant so; a table is one of its keys.
    if isinstance(names, str | Mapping):
        raise PolicyError(f"{argument} is a list of {what}; write {argument}=[{names!r}]")
    if not isinstance(names, Iterable):
        raise PolicyError(f"{argument} is a list of {what}, not of type {type(names).__name__}")
    return list(names)


def _with_role(role: Role, names: Sequence[str]) -> list[Attribute]:
    return [Attribute(name=name, role=role) for name in names]
