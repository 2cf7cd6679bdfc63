"""A policy for several tables written as TOML: [tables.NAME] in place of [source] and [attributes]."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, check_markers
from shoal.model.policy.budget import Budget
from shoal.model.policy.keys import keys_of
from shoal.model.policy.keys.key import PolicyKey
from shoal.model.policy.policy_toml import (
    SEVERAL,
    attribute_of,
    check_keys,
    check_names,
    parsed_toml,
    table_of,
)
from shoal.model.policy.recoding_model import DEFAULT_COST
from shoal.model.policy.suppression import Suppression
from shoal.model.policy.tables.keys import SHARED, TABLE_KEYS
from shoal.model.policy.tables.linked_table import LinkedTable
from shoal.model.policy.tables.tables_policy import TablesPolicy
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.file_source import with_options


def has_several_tables(text: str) -> bool:
    """Whether a policy file is for several tables; a text that is no TOML is refused where it is read."""
    try:
        return SEVERAL in parsed_toml(text)
    except PolicyError:
        return False


def parse_tables_policy(
    text: str, folder: Path, options: Callable[[], Iterable[PolicyKey]] = tuple
) -> TablesPolicy:
    """The policy for several tables that a TOML text states.

    Parameters
    ----------
    text, folder, options
        As for `parse_policy`.
    """
    stated = parsed_toml(text)
    if SEVERAL not in stated:
        raise PolicyError(
            "it is a policy for one table; write [tables.NAME] for each of several, or use shoal.anonymize"
        )
    for name in ("source", "attributes"):
        if name in stated:
            raise PolicyError(
                f"[{name}] is for a single table, and the policy has several; state it under [tables.NAME]"
            )
    check_names("table", stated, (SEVERAL, *SHARED))
    shared = {name: table_of(name, stated.get(name, {})) for name in SHARED}
    for name, table in shared.items():
        keys = keys_of(name)
        if name == "search" and not keys.keys() >= table.keys():
            keys = {**keys_of(name, options()), **keys}
        check_keys(f"[{name}]", table, keys)
        for key in table:
            if key in keys_of(name) and key not in SHARED[name]:
                raise PolicyError(
                    f"[{name}]: {key} is for a single table, and the policy has several; leave it out"
                )
    if "k" not in shared["privacy"]:
        raise PolicyError("the policy does not say k: write k = 10 under [privacy]")
    tables = table_of(SEVERAL, stated[SEVERAL])
    search, objective, release = shared["search"], shared["objective"], shared["release"]
    return TablesPolicy(
        tables=tuple(_linked(name, each, folder) for name, each in tables.items()),
        k=shared["privacy"]["k"],
        known_events=shared["privacy"].get("known_events", "all"),
        cost=objective.get("cost", DEFAULT_COST),
        suppression=(
            Suppression(objective["suppression"]) if "suppression" in objective else Suppression.unstated()
        ),
        consistent=objective.get("consistent", False),
        algorithm=search.get("algorithm", "auto"),
        options={key: value for key, value in search.items() if key not in SHARED["search"]},
        budget=Budget.stated(**{key: search.get(key) for key in ("seconds", "nodes", "gap")}),
        threads=search.get("threads"),
        seed=search.get("seed", 0),
        release=folder / release["path"] if "path" in release else None,
        strict=release.get("strict", False),
    )


def _linked(name: str, stated: object, folder: Path) -> LinkedTable:
    where = f"[{SEVERAL}.{name}]"
    table = table_of(where.strip("[]"), stated)
    check_keys(where, table, TABLE_KEYS)
    within = f"{SEVERAL}.{name}.attributes"
    attributes = [
        attribute_of(column, each, folder, within) for column, each in table.get("attributes", {}).items()
    ]
    if "missing" in table:
        attributes = _with_markers(attributes, tuple(table["missing"]), where)
    file = file_options({key: table.get(key) for key in FILE_OPTIONS})
    path: Any = None if "path" not in table else folder / table["path"]
    return LinkedTable(
        name=name,
        attributes=tuple(attributes),
        source=with_options(path, file),
        file=file,
        **{key: table.get(key) for key in ("key", "parent", "parent_key", "person")},
    )


def _with_markers(attributes: list[Attribute], markers: tuple[Any, ...], where: str) -> list[Attribute]:
    check_markers(markers, where)
    return [each if each.missing is not None else replace(each, missing=markers) for each in attributes]
