"""`shoal.policy_schema`: the JSON schema of policy files, for editors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.option_keys import option_keys
from shoal.api._door import door
from shoal.cost import METRICS
from shoal.model.policy.keys import POLICY_KEYS, TABLES, keys_of
from shoal.model.policy.keys.key import PolicyKey
from shoal.model.policy.policy_toml import SEVERAL
from shoal.model.policy.tables.keys import TABLE_KEYS
from shoal.privacy import MODELS

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


@door
def policy_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of policy files, with all registered algorithms, costs and models.

    Examples
    --------
    >>> import json
    >>> text = json.dumps(shoal.policy_schema())  # an editor completes policies by it
    """
    return schema_of((*POLICY_KEYS, *option_keys()))


def schema_of(keys: Iterable[PolicyKey]) -> dict[str, Any]:
    """The schema of policy files with some keys."""
    keys = tuple(keys)
    tables: dict[str, Any] = {name: _table(name, keys) for name in TABLES}
    attribute = tables["attributes"]
    attribute["properties"]["hierarchy"] = {
        "description": attribute["properties"]["hierarchy"]["description"],
        "anyOf": [{"type": "string"}, _table("hierarchy", keys)],
    }
    tables["attributes"] = {
        "description": "One table per column that has a role.",
        "type": "object",
        "additionalProperties": attribute,
    }
    tables["privacy"]["required"] = ["k"]
    linked = {name: _property(key, keys) for name, key in TABLE_KEYS.items() if name != "attributes"}
    tables[SEVERAL] = {
        "description": "Several tables that keys link, in place of source and attributes.",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {**linked, "attributes": tables["attributes"]},
            "additionalProperties": False,
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Shoal policy",
        "description": "What is required of a release: columns, privacy, objective, search.",
        "type": "object",
        "properties": tables,
        "required": ["privacy"],
        "additionalProperties": False,
    }


def _table(name: str, keys: Iterable[PolicyKey]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {each: _property(key, keys) for each, key in keys_of(name, keys).items()},
        "additionalProperties": False,
    }


def _property(key: PolicyKey, keys: Iterable[PolicyKey]) -> dict[str, Any]:
    types = [_TYPES[kind] for kind in key.kinds]
    alike = [each for each in keys if (each.table, each.name) == (key.table, key.name)]
    schema: dict[str, Any] = {"description": _description(key, alike)}
    if types == ["integer", "number"]:
        types = ["number"]
    schema["type"] = types[0] if len(types) == 1 else types
    choices = _choices(key, alike)
    if choices:
        schema["enum"] = choices
    if key.least is not None:
        schema["minimum"] = key.least
    if key.most is not None:
        schema["maximum"] = key.most
    if key.items:
        schema["items"] = dict(key.items)
    if (key.table, key.name) == ("privacy", "models"):
        schema["items"] = _model()
    if key.default is not None and len(alike) == 1:
        schema["default"] = key.default
    return schema


def _choices(key: PolicyKey, alike: Iterable[PolicyKey]) -> list[str]:
    """The values that a key takes; for an option, those of every algorithm that has it."""
    if (key.table, key.name) == ("search", "algorithm"):
        return ["auto", *ALGORITHMS]
    if (key.table, key.name) == ("objective", "cost"):
        return list(METRICS)
    return list(dict.fromkeys(value for each in alike for value in each.choices))


def _model() -> dict[str, Any]:
    """A privacy model: its name, and the parameters that models have."""
    parameters = {field.name for model in MODELS.values() for field in fields(model)}
    return {
        "type": "object",
        "properties": {"name": {"enum": list(MODELS)}, **{parameter: {} for parameter in sorted(parameters)}},
        "required": ["name"],
        "additionalProperties": False,
    }


def _description(key: PolicyKey, alike: Iterable[PolicyKey]) -> str:
    of = f" For {', '.join(dict.fromkeys(name for each in alike for name in each.heeded_by))}."
    return key.words.replace("`", "") + (of if key.heeded_by else "")
