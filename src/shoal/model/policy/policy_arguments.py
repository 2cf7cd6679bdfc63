"""A policy from arguments: what the Python functions and the command line have in place of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, Unpack

from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.policy.attribute import Attribute, Role, check_markers
from shoal.model.policy.budget import Budget
from shoal.model.policy.column_set import ColumnSet
from shoal.model.policy.keys import POLICY_ARGUMENTS, current_name
from shoal.model.policy.keys.key import Argument, PolicyKey
from shoal.model.policy.place import POINT_KEYS
from shoal.model.policy.policy import Policy
from shoal.model.policy.recoding_model import DEFAULT_COST, recoding_model
from shoal.model.policy.stated_treatment import StatedTreatment
from shoal.model.policy.suppression import UNLIMITED, Suppression
from shoal.model.policy.typed_arguments import PolicyArguments
from shoal.model.suggestion import suggestion
from shoal.model.table.file_options import FILE_OPTIONS, file_options
from shoal.model.table.file_source import FileSource, with_options
from shoal.model.table.table_source import TableSource, release_place

T = TypeVar("T")

HierarchyLike = str | Path | Hierarchy | Recipe | Mapping[Any, object]
"""A file, a hierarchy, a recipe to build one from the data, or a tree as nested dictionaries."""

_CONVERTED: Mapping[str, Callable[[Any], Any]] = {
    "suppression": Suppression,
    "sets": lambda sets: tuple(map(ColumnSet.of, sets)),
    "models": tuple,
    "acknowledge": tuple,
}
"""Per keyword how its value becomes what `Policy` keeps; paths and the rest are kept as they are."""

_SHAPES = (
    "types",
    "bins",
    "formats",
    "missing",
    "orders",
    "hierarchies",
    "levels",
    "weights",
    "points",
    "slots",
)
_SHAPES_OF_SENSITIVE = ("types", "formats", "missing", "orders", "hierarchies")
_SHAPES_OF_TREATED = ("formats", "missing", "hierarchies")


def policy_of(
    *, source: Path | FileSource | TableSource | None = None, **stated: Unpack[PolicyArguments]
) -> Policy:
    """The policy; the arguments have the meaning of the keys of a policy file, and `None` states nothing."""
    said = said_arguments(stated, POLICY_ARGUMENTS)
    if "quasi_identifiers" not in said or "k" not in said:
        raise PolicyError("name the quasi_identifiers and k, or give a policy")
    everywhere = None if isinstance(said.get("missing"), Mapping) else said.pop("missing", None)
    of_release, of_columns = _acknowledged(said.pop("acknowledge", ()))
    attributes = _with_acknowledged(_attributes(said), of_columns)
    rest = {name: value for name, value in said.items() if POLICY_ARGUMENTS[name].table != "attributes"}
    rest["missing"], rest["acknowledge"] = everywhere, of_release
    for name in ("models", "sets"):
        rest[name] = _names(name, rest.get(name, ()))
    for name in ("options", "attacks"):
        rest[name] = dict(_mapping(name, rest.get(name)))
    return build_policy(rest, source=source, attributes=attributes)


def _acknowledged(stated: Any) -> tuple[list[str], dict[str, list[str]]]:
    """The codes of warnings about the release, and those about columns."""
    by_column = stated if isinstance(stated, Mapping) else {"": stated}
    found = {name: _names("acknowledge", codes) for name, codes in by_column.items()}
    return found.pop("", []), found


def _with_acknowledged(
    attributes: Sequence[Attribute], by_column: Mapping[str, list[str]]
) -> list[Attribute]:
    """The columns, and those of which nothing else is said, with the warnings accepted about each."""
    stated = {each.name for each in attributes}
    columns = [*attributes, *(Attribute(name=name) for name in by_column if name not in stated)]
    return [replace(each, acknowledge=tuple(by_column.get(each.name, ()))) for each in columns]


def said_arguments(stated: Mapping[str, Any], known: Mapping[str, Argument]) -> dict[str, Any]:
    """The arguments that say something; `PolicyError` for one that does not exist."""
    for name in stated:
        if name in known:
            continue
        current = current_name(name)
        if current is not None:
            raise PolicyError(f"{name}= is now {current.name}=. {renamed_words(current)}")
        raise PolicyError(f"there is no argument {name!r}.{suggestion(name, known)}")
    return {name: value for name, value in stated.items() if value is not None}


def renamed_words(key: PolicyKey) -> str:
    """What a key with a new name means, as a sentence."""
    return f"{key.words.partition(':')[0]}."


def build_policy(
    stated: Mapping[str, Any],
    *,
    source: Path | FileSource | TableSource | None,
    attributes: Sequence[Attribute],
    folder: Path | None = None,
) -> Policy:
    """The policy that arguments or a file state.

    Parameters
    ----------
    stated
        What is stated, by keyword. What has no rule here is a field of `Policy` as it is.
    source, attributes
        The table and its columns.
    folder
        What paths are relative to.
    """
    rest = dict(stated)
    options = file_options({name: rest.pop(name, None) for name in FILE_OPTIONS})
    path = rest.pop("path", None)
    attributes = _with_markers(attributes, rest.pop("missing", None))
    named = recoding_model(rest.pop("recoding_model")) if "recoding_model" in rest else None
    if named is not None and not named.releases_every_row:
        rest.setdefault("suppression", UNLIMITED)
    return Policy(
        source=with_options(source, options),
        file=options,
        attributes=tuple(attributes),
        budget=Budget.stated(**{name: rest.pop(name, None) for name in ("seconds", "nodes", "gap")}),
        release=None if path is None else release_place(path, source, folder),
        recoding_model=named,
        cost=rest.pop("cost", DEFAULT_COST if named is None else named.cost),
        **{name: _converted(name, value, folder or Path()) for name, value in rest.items()},
    )


def _with_markers(attributes: Sequence[Attribute], missing: Any) -> list[Attribute]:
    """The columns, with the missing markers of all columns for those that state none of their own."""
    if missing is None:
        return list(attributes)
    # A text is a sequence of its letters, and never meant so.
    is_list = isinstance(missing, Iterable) and not isinstance(missing, str)
    markers: Any = tuple(missing) if is_list else missing
    check_markers(markers, "[source]")
    return [each if each.missing is not None else replace(each, missing=markers) for each in attributes]


def _converted(name: str, value: Any, folder: Path) -> Any:
    """A value as `Policy` keeps it."""
    if name in ("population", "ledger", "extend"):
        return folder / value if isinstance(value, str) else value
    return _CONVERTED[name](value) if name in _CONVERTED else value


def _attributes(said: Mapping[str, Any]) -> list[Attribute]:
    """The columns, in the order quasi-identifiers, sensitive, identifiers, other, class."""
    shapes = {name: _mapping(name, said.get(name)) for name in _SHAPES}
    names = _names("quasi_identifiers", said["quasi_identifiers"])
    private = _names("sensitive", said.get("sensitive", ()))
    treat = {
        name: StatedTreatment.parse(stated, f"treatments of {name!r}")
        for name, stated in _mapping("treatments", said.get("treatments")).items()
    }
    for argument, shape in shapes.items():
        also = private if argument in _SHAPES_OF_SENSITIVE else []
        if argument in _SHAPES_OF_TREATED:
            also = [*also, *(name for name in treat if name not in also)]
        for name in shape:
            if name not in (*names, *also):
                which = "no quasi-identifier" + (" and not sensitive or treated" if also else "")
                raise PolicyError(
                    f"{argument} names {name!r}, which is {which}.{suggestion(name, names + also)}"
                )
    attributes = [
        Attribute(
            name=name, role=Role.QUASI_IDENTIFIER, treatment=treat.get(name), **_shape(name, shapes, _SHAPES)
        )
        for name in names
    ]
    attributes += [
        Attribute(
            name=name,
            role=Role.SENSITIVE,
            treatment=treat.get(name),
            **_shape(name, shapes, _SHAPES_OF_SENSITIVE),
        )
        for name in private
    ]
    kept = _names("other", said.get("other", ()))
    roles = {"identifiers": Role.IDENTIFIER, "other": Role.OTHER}
    named = {"identifiers": _names("identifiers", said.get("identifiers", ())), "other": kept}
    if "class_attribute" in said:
        roles["class_attribute"], named["class_attribute"] = Role.CLASS, [said["class_attribute"]]
    for argument, role in roles.items():
        attributes += [
            Attribute(name=name, role=role, treatment=treat.get(name), **_treated_shape(name, shapes, treat))
            for name in named[argument]
        ]
    have_role = {each.name for each in attributes}
    attributes += [
        Attribute(name=name, treatment=treatment, **_treated_shape(name, shapes, treat))
        for name, treatment in treat.items()
        if name not in have_role
    ]
    return attributes


def _treated_shape(
    name: str, shapes: Mapping[str, Mapping[str, Any]], treat: Mapping[str, StatedTreatment]
) -> dict[str, Any]:
    """How the cells of a treated column are read, and the hierarchy that it is generalized by."""
    return _shape(name, shapes, _SHAPES_OF_TREATED) if name in treat else {}


def _shape(name: str, shapes: Mapping[str, Mapping[str, Any]], heeded: Sequence[str]) -> dict[str, Any]:
    """What is said of a column's values."""
    said = {argument: shapes[argument][name] for argument in heeded if name in shapes[argument]}
    found: dict[str, Any] = {}
    if "levels" in said:
        found["min_level"], found["max_level"] = _range(name, said.pop("levels"))
    for argument, key in (("types", "type"), ("bins", "bin"), ("weights", "weight"), ("formats", "format")):
        if argument in said:
            found[key] = said[argument]
    if "missing" in said:
        markers = said["missing"]
        found["missing"] = markers if isinstance(markers, str) else tuple(markers)
    if "points" in said:
        found |= _point(name, said["points"])
    if "slots" in said:
        slots = said["slots"]
        found |= {"type": "time", "slots": slots if isinstance(slots, str) else tuple(slots)}
    if "orders" in said:
        order = said["orders"]
        found["order"] = order if isinstance(order, str) else tuple(order)
    found["hierarchy"] = _hierarchy(said.get("hierarchies"))
    return found


def _point(name: str, stated: object) -> dict[str, Any]:
    """What is said of a point."""
    if not isinstance(stated, Mapping):
        raise PolicyError(
            f'points of {name!r} is a dictionary, as in {{"latitude": "lat", "longitude": "lon"}}; given was '
            f"one of type {type(stated).__name__}"
        )
    for key in stated:
        if key not in POINT_KEYS:
            raise PolicyError(
                f"points of {name!r}: a point has no {key!r}.{suggestion(str(key), POINT_KEYS)}"
            )
    frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in stated.items()}
    return {"type": "point", **frozen}


def _hierarchy(given: HierarchyLike | None) -> Path | Hierarchy | Recipe | None:
    if isinstance(given, Mapping):
        return Hierarchy.from_dict(given)
    return Path(given) if isinstance(given, str) else given


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
