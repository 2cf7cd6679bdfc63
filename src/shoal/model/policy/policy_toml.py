"""A policy written as TOML. Tables and keys are those of `keys`: any other one is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import PolicyError
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.keys import TABLES, current_name, keys_of
from shoal.model.policy.keys.key import PolicyKey
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import build_policy, renamed_words
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import FILE_OPTIONS
from shoal.model.table.table_source import TableSource, resolved

SEVERAL = "tables"
"""The table of a policy for several linked tables, which has a reader of its own."""

JOINT = "joint"
"""The table of a policy for several holders, which has a reader of its own, too."""

_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    bool: "true or false",
    dict: "a table",
}


def parse_policy(text: str, folder: Path, options: Callable[[], Iterable[PolicyKey]] = tuple) -> Policy:
    """The policy that a TOML text states.

    Parameters
    ----------
    text
        The file's content.
    folder
        What the paths in it are relative to.
    options
        Returns the options that algorithms have; called only if the policy states one.
    """
    stated = parsed_toml(text)
    if JOINT in stated:
        raise PolicyError(
            "it is a policy for several holders ([joint]), which the commands of `shoal joint` take; "
            "anything else looks at one table: leave out [joint]"
        )
    return policy_of_tables(stated, folder, options)


def policy_of_tables(
    stated: dict[str, Any], folder: Path, options: Callable[[], Iterable[PolicyKey]] = tuple
) -> Policy:
    """The policy that the tables of a TOML text state; as in `parse_policy`."""
    if SEVERAL in stated:
        raise PolicyError(
            "it is a policy for several tables ([tables.NAME]), which shoal.anonymize_tables, `shoal "
            "anonymize` and `shoal audit` take; anything else looks at one table: give it a policy with "
            "[source] and [attributes]"
        )
    check_names("table", stated, TABLES)
    tables = {name: table_of(name, stated.get(name, {})) for name in TABLES}
    for name in TABLES:
        # The keys of these two are columns and attacks, which are checked where they are read.
        if name not in ("attributes", "attacks"):
            keys = keys_of(name)
            if name == "search" and not keys.keys() >= tables[name].keys():
                keys = {**keys_of(name, options()), **keys}
            check_keys(f"[{name}]", tables[name], keys)
    if "k" not in tables["privacy"]:
        raise PolicyError("the policy does not say k: write k = 10 under [privacy]")
    _check_models(tables["privacy"].get("models", []))
    of_algorithm = {name: each for name, each in tables["search"].items() if name not in keys_of("search")}
    said = {**tables["privacy"], **tables["objective"], **tables["search"], **tables["release"]}
    said |= {name: value for name, value in tables["source"].items() if name in FILE_OPTIONS}
    return build_policy(
        {
            **{name: value for name, value in said.items() if name not in of_algorithm},
            "options": of_algorithm,
            "attacks": tables["attacks"],
            "front": _front(tables["front"]) if "front" in stated else None,
            "missing": tables["source"].get("missing"),
        },
        source=_source(tables["source"], folder),
        attributes=[attribute_of(name, each, folder) for name, each in tables["attributes"].items()],
        folder=folder,
    )


def parsed_toml(text: str) -> dict[str, Any]:
    """What a TOML text states; `PolicyError` if it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"the policy is not TOML: {error}") from None
    except RecursionError:
        raise PolicyError(
            "the policy is nested too deeply; no key of a policy is more than a few deep"
        ) from None
    except ValueError:  # Python reads no number of more than some thousand digits
        raise PolicyError("the policy has a number with too many digits") from None


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
    options = [key.name for key in keys_of("front").values() if key.heeded_by]
    return FrontRequest(
        **{name: _frozen(value) for name, value in table.items() if name not in options},
        options={name: table[name] for name in options if name in table},
    )


def attribute_of(name: str, stated: object, folder: Path, within: str = "attributes") -> Attribute:
    """The column that a table of a policy file describes.

    Parameters
    ----------
    name, stated
        The column, and what is stated about it.
    folder
        What paths are relative to.
    within
        The table of the file that it is in.
    """
    where = f"[{within}.{name}]"
    table = dict(table_of(where.strip("[]"), stated))
    check_keys(where, table, keys_of("attributes"))
    if "order" in table:
        _check_order(table["order"], where)
    return Attribute(
        name=name,
        role=role_of(table.pop("role", Role.OTHER), where),
        hierarchy=_hierarchy(table.pop("hierarchy", None), folder, where),
        **{key: _frozen(value) for key, value in table.items()},
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _hierarchy(stated: str | dict[str, object] | None, folder: Path, where: str) -> Path | Recipe | None:
    return Recipe.parse(stated, where) if isinstance(stated, dict) else _path(stated, folder)


def role_of(name: str, where: str) -> Role:
    """The role with this name."""
    try:
        return Role(name)
    except ValueError:
        raise PolicyError(f"{where}: there is no role {name!r}.{suggestion(name, Role)}") from None


def _check_order(entries: list[Any] | str, where: str) -> None:
    if not isinstance(entries, str) and any(isinstance(entry, list | dict) for entry in entries):
        raise PolicyError(f"{where}: `order` is a list of values, not of lists or tables")


def _check_models(entries: list[Any]) -> None:
    if not all(isinstance(entry, dict) for entry in entries):
        raise PolicyError('[privacy]: each of `models` is a table like { name = "k-map", k = 5 }')


def _path(stated: str | None, folder: Path) -> Path | None:
    return None if stated is None else folder / stated


def table_of(name: str, stated: object) -> dict[str, Any]:
    """A table of a policy file; `PolicyError` if something else is stated."""
    if not isinstance(stated, dict):
        raise PolicyError(f"[{name}] must be a table, not {_word(stated)}")
    return stated


def check_keys(where: str, table: dict[str, Any], keys: Mapping[str, PolicyKey]) -> None:
    """Raise `PolicyError` for a key that does not exist, or a value of another kind than it takes."""
    for name in table:
        current = current_name(name)
        if name not in keys and current is not None and current.name in keys:
            raise PolicyError(f"{where}: {name} is now {current.name}. {renamed_words(current)}")
    check_names(f"key in {where}", table, keys)
    for name, value in table.items():
        kinds = keys[name].kinds
        # TOML's truth values are Python's, and those pass for whole numbers.
        if isinstance(value, bool) != (kinds == (bool,)) or not isinstance(value, kinds):
            wanted = " or ".join(_WORDS[each] for each in kinds)
            raise PolicyError(f"{where}: {name} must be {wanted}, not {_word(value)}")
        blank = isinstance(value, str) and not value.strip()
        if blank and not (value and keys[name].may_be_blank):  # taken for absent, it would undo a demand
            raise PolicyError(f"{where}: {name} is given and empty; leave it out, or say what is meant")


def check_names(what: str, stated: Mapping[str, object], known: Collection[str]) -> None:
    """Raise `PolicyError` for a name that a policy does not have."""
    for name in stated:
        if name not in known:
            raise PolicyError(f"the policy has an unknown {what}: {name!r}.{suggestion(name, known)}")


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return _WORDS.get(type(value), "a table" if isinstance(value, dict) else "a date")
