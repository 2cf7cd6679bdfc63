"""A policy written as TOML. Every table and key is known here: a slip of the pen is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from shoal.errors import PolicyError
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.front_request import DEFAULT_OBJECTIVES, FrontRequest
from shoal.model.policy.policy import Policy, SuppressedRows
from shoal.model.policy.policy_arguments import objective
from shoal.model.policy.search_options import SEARCH_OPTIONS
from shoal.model.policy.suppression import Suppression
from shoal.model.suggestion import suggestion
from shoal.model.table.table_source import TableSource, release_place, resolved

_NUMBER = (int, float)
_KEYS: dict[str, dict[str, tuple[type, ...]]] = {
    "source": {"path": (str,), "connection": (str,), "table": (str,)},
    "attributes": {},  # its keys are the columns
    "privacy": {
        "k": (int,),
        "models": (list,),
        "entity": (str,),
        "survey_weight": (str,),
        "population": (str,),
        "sets": (list,),
    },
    "objective": {"cost": (str,), "suppression": (int, str), "model": (str,)},
    "search": {
        "algorithm": (str,),
        "seconds": _NUMBER,
        "nodes": (int,),
        "gap": _NUMBER,
        "threads": (int,),
        "seed": (int,),
        "accept_unverified": (bool,),
        **SEARCH_OPTIONS,
    },
    "release": {
        "path": (str,),
        "suppressed": (str,),
        "ledger": (str,),
        "strict": (bool,),
        "acknowledge": (list,),
    },
    "attacks": {},  # its keys are the attacks
    "front": {
        "objectives": (list,),
        "epsilons": (list,),
        "recoding": (str,),
        "ks": (list,),
        "algorithm": (str,),
        "population": (int,),
        "iterations": (int,),
        "crossover": _NUMBER,
        "mutation": _NUMBER,
        "fresh": (bool,),
    },
}
_FRONT_OPTIONS = ("population", "iterations", "crossover", "mutation", "fresh")
_ATTRIBUTE_KEYS: dict[str, tuple[type, ...]] = {
    "role": (str,),
    "type": (str,),
    "bin": _NUMBER,
    "order": (list,),
    "hierarchy": (str, dict),
    "suppressed_top": (bool,),
    "min_level": (int,),
    "max_level": (int,),
    "weight": _NUMBER,
    "linking": _NUMBER,
    "tolerance": _NUMBER,
    "identification": (str,),
    "acknowledge": (list,),
}
_PLAIN = ("suppressed_top", "min_level", "max_level", "weight", "linking", "tolerance", "identification")
_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    bool: "true or false",
    dict: "a table",
}


def parse_policy(text: str, folder: Path) -> Policy:
    """The policy that a TOML text states.

    Parameters
    ----------
    text
        The file's content.
    folder
        What the paths in it are relative to.
    """
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"the policy is not TOML: {error}") from None
    except RecursionError:
        raise PolicyError(
            "the policy is nested too deeply; no key of a policy is more than a few deep"
        ) from None
    except ValueError:  # Python reads no number of more than some thousand digits
        raise PolicyError("the policy has a number with too many digits") from None
    _check_names("table", stated, _KEYS)
    tables = {name: _table(name, stated.get(name, {})) for name in _KEYS}
    for name, keys in _KEYS.items():
        if name not in ("attributes", "attacks"):
            _check_keys(f"[{name}]", tables[name], keys)
    if "k" not in tables["privacy"]:
        raise PolicyError("the policy does not say k: write k = 10 under [privacy]")
    search, source = tables["search"], _source(tables["source"], folder)
    released = tables["release"].get("path")
    return Policy(
        source=source,
        attributes=tuple(_attribute(name, each, folder) for name, each in tables["attributes"].items()),
        k=tables["privacy"]["k"],
        models=_models(tables["privacy"].get("models", [])),
        entity=tables["privacy"].get("entity"),
        survey_weight=tables["privacy"].get("survey_weight"),
        population=_path(tables["privacy"].get("population"), folder),
        **objective(tables["objective"].get("cost"), tables["objective"].get("model")),
        suppression=Suppression(tables["objective"].get("suppression", "unlimited")),
        algorithm=search.get("algorithm", "auto"),
        options={key: search[key] for key in SEARCH_OPTIONS if key in search},
        sets=_sets(tables["privacy"].get("sets", [])),
        accept_unverified=search.get("accept_unverified", False),
        budget=Budget(**{name: search.get(name) for name in ("seconds", "nodes", "gap")}),
        threads=search.get("threads"),
        seed=search.get("seed", 0),
        release=None if released is None else release_place(released, source, folder),
        suppressed=cast(SuppressedRows, tables["release"].get("suppressed", "drop")),
        front=_front(tables["front"]) if "front" in stated else None,
        attacks=tables["attacks"],
        ledger=_path(tables["release"].get("ledger"), folder),
        strict=tables["release"].get("strict", False),
        acknowledge=tuple(tables["release"].get("acknowledge", ())),
    )


def _source(table: dict[str, Any], folder: Path) -> Path | TableSource | None:
    if "connection" in table:
        connection = resolved(table["connection"], folder)
        path = table.get("path")
        if path is not None and "://" not in path:
            path = str((folder / path).absolute())
        return TableSource(connection=connection, table=table.get("table"), path=path)
    if "table" in table:
        raise PolicyError('[source]: a table is behind a connection: connection = "postgres://host/database"')
    return _path(table.get("path"), folder)


def _front(table: dict[str, Any]) -> FrontRequest:
    return FrontRequest(
        objectives=tuple(table.get("objectives", DEFAULT_OBJECTIVES)),
        epsilons=tuple(table["epsilons"]) if "epsilons" in table else None,
        recoding=table.get("recoding", "levels"),
        ks=tuple(table.get("ks", ())),
        algorithm=table.get("algorithm", "auto"),
        options={name: table[name] for name in _FRONT_OPTIONS if name in table},
    )


def _attribute(name: str, stated: object, folder: Path) -> Attribute:
    where = f"[attributes.{name}]"
    table = _table(where.strip("[]"), stated)
    _check_keys(where, table, _ATTRIBUTE_KEYS)
    return Attribute(
        name=name,
        role=role_of(table.get("role", Role.OTHER), where),
        type=table.get("type"),
        bin=table.get("bin"),
        order=_order(table["order"], where) if "order" in table else None,
        hierarchy=_hierarchy(table.get("hierarchy"), folder, where),
        acknowledge=tuple(table.get("acknowledge", ())),
        **{name: table[name] for name in _PLAIN if name in table},
    )


def _hierarchy(stated: str | dict[str, object] | None, folder: Path, where: str) -> Path | Recipe | None:
    return Recipe.parse(stated, where) if isinstance(stated, dict) else _path(stated, folder)


def role_of(name: str, where: str) -> Role:
    """The role with this name."""
    try:
        return Role(name)
    except ValueError:
        raise PolicyError(f"{where}: there is no role {name!r}.{suggestion(name, Role)}") from None


def _order(entries: list[Any], where: str) -> tuple[Any, ...]:
    if any(isinstance(entry, list | dict) for entry in entries):
        raise PolicyError(f"{where}: `order` is a list of values, not of lists or tables")
    return tuple(entries)


def _models(entries: list[Any]) -> tuple[Mapping[str, object], ...]:
    if not all(isinstance(entry, dict) for entry in entries):
        raise PolicyError('[privacy]: each of `models` is a table like { name = "k-map", k = 5 }')
    return tuple(entries)


def _sets(entries: list[Any]) -> tuple[tuple[str, ...], ...]:
    if not all(isinstance(entry, list) and all(isinstance(name, str) for name in entry) for entry in entries):
        raise PolicyError('[privacy]: `sets` is a list of lists of columns, like [["age", "zip"], ["race"]]')
    return tuple(tuple(entry) for entry in entries)


def _path(stated: str | None, folder: Path) -> Path | None:
    return None if stated is None else folder / stated


def _table(name: str, stated: object) -> dict[str, Any]:
    if not isinstance(stated, dict):
        raise PolicyError(f"[{name}] must be a table, not {_word(stated)}")
    return stated


def _check_keys(where: str, table: dict[str, Any], keys: Mapping[str, tuple[type, ...]]) -> None:
    _check_names(f"key in {where}", table, keys)
    for key, value in table.items():
        # TOML's truth values are Python's, and those pass for whole numbers.
        if isinstance(value, bool) != (keys[key] == (bool,)) or not isinstance(value, keys[key]):
            wanted = " or ".join(_WORDS[each] for each in keys[key])
            raise PolicyError(f"{where}: {key} must be {wanted}, not {_word(value)}")
        if isinstance(value, str) and not value.strip():  # taken for absent, it would undo a demand
            raise PolicyError(f"{where}: {key} is given and empty; leave it out, or say what is meant")


def _check_names(what: str, stated: Mapping[str, object], known: Mapping[str, object]) -> None:
    for name in stated:
        if name not in known:
            raise PolicyError(f"the policy has an unknown {what}: {name!r}.{suggestion(name, known)}")


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return _WORDS.get(type(value), "a table" if isinstance(value, dict) else "a date")
