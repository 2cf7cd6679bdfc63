"""`shoal.read`: a release as a table for analysis, with numbers, dates, intervals and categories."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from shoal.api._alongside_policy import alongside_policy
from shoal.api._door import door
from shoal.api.read_policy import read_policy
from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import HierarchyLike, policy_of
from shoal.model.result.column_coding import ColumnCoding, coding_of
from shoal.model.result.manifest import Manifest
from shoal.model.suggestion import suggestion
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.number_text import exact
from shoal.pipeline.read_back.forms import FORMS, Form, Limits, ReadColumn
from shoal.pipeline.read_back.frames import Library, as_frame
from shoal.pipeline.read_back.opened import OpenedRelease, opened_release
from shoal.pipeline.read_back.plain_cells import plain_cells
from shoal.pipeline.read_back.typed_cells import TypedCells

Forms = Form | Sequence[Form]


@door
@alongside_policy("as_", "columns", "default", "manifest", "limits")
def read(
    release: Any,
    *,
    as_: Library = "pandas",
    columns: Mapping[str, Forms] | None = None,
    default: Form = "typed",
    manifest: Manifest | str | Path | None = None,
    limits: Mapping[str, Sequence[Any]] | None = None,
    policy: Policy | str | Path | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
) -> Any:
    """Read a release as a table to work with: labels become numbers, dates, intervals, categories or lists.

    A quasi-identifier can be read in several forms:

    - "typed": numbers and dates as such where every cell is one value, otherwise as intervals; categories
    - "lower", "upper", "midpoint": a bound, or the middle, of the numbers or dates that a cell can represent
    - "interval": `pandas.Interval`, or a struct of low and high in polars and Arrow
    - "ordered": an ordered category, in the order of the values
    - "list": the categories that a cell can represent
    - "missing": whether the value was missing in the source; missing itself where the cell leaves that open
    - "label": the text as it was released

    `*` is missing in every form but "label". A cell that reads `[20, 29] or missing` has the bounds of the
    values that are not missing. Other columns keep their type; those of a CSV file get the narrowest
    type that fits all their cells.

    Parameters
    ----------
    release
        A `Release`, the path of its file, a `TableSource`, or a data frame with its `manifest`.
    as_
        The library of the result: "pandas", "polars" or "arrow".
    columns
        Quasi-identifier -> its form, or several: then each has its own column, as in `age_lower`.
    default
        The form of the other quasi-identifiers; those that do not have it are "typed".
    manifest
        The manifest, or its file; the one next to the release when absent.
    limits
        Column -> the least and the greatest value that it can have, as you know them from elsewhere: the
        bounds of `*`, and of labels with one end, such as `>= 80`. The release does not reveal them.
    policy, hierarchies
        Where labels are words of a hierarchy, the policy that has it, or the hierarchy by column.

    Examples
    --------
    >>> table = shoal.read("release.csv", columns={"age": ["lower", "upper", "midpoint"]})
    >>> table["age_midpoint"].mean()
    """
    if as_ not in get_args(Library):
        raise PolicyError(f"as_ is one of {', '.join(map(repr, get_args(Library)))}; it is {as_!r}")
    opened = opened_release(release, manifest)
    stated = {name: _forms(name, each) for name, each in (columns or {}).items()}
    known = limits or {}
    _check_names("columns", stated, opened)
    _check_names("limits", known, opened)
    _check_form(default)
    trees = _hierarchies(policy, hierarchies, opened)
    decimals = _decimal_companions(opened)
    typed: list[TypedCells] = []
    for name in opened.cells.columns:
        texts, codes = opened.cells.texts(name), opened.cells.column(name)
        if name not in opened.recoded:
            is_text, whole = name in opened.texts, name not in decimals
            typed.append(plain_cells(name, texts, codes, is_text=is_text, whole=whole))
            continue
        coding = coding_of(opened.facts, name, texts, trees.get(name))
        bounds = _limits(coding, known[name]) if name in known else None
        column = ReadColumn(coding=coding, labels=texts, codes=codes, limits=bounds)
        if name not in stated:
            typed.append(column.read(default if column.offers(default) else "typed"))
        elif isinstance(stated[name], tuple):
            typed += [column.read(form, f"{name}_{form}") for form in stated[name]]
        else:
            typed.append(column.read(stated[name]))
    _check_distinct([each.name for each in typed])
    return as_frame(typed, as_)


def _decimal_companions(opened: OpenedRelease) -> set[str]:
    """The bounds of numbers that are not all whole; those of a CSV file may look whole."""
    described = opened.facts.get("columns", {}).values()
    fractions = [each for each in described if each.get("type") == "number" and not each.get("whole")]
    return {name for each in fractions for name in each.get("companions", ())}


def _forms(name: str, stated: object) -> Any:
    """The form of a column, or a tuple of several."""
    forms = (stated,) if isinstance(stated, str) else tuple(stated)  # type: ignore[arg-type]
    for form in forms:
        _check_form(form)
    if not forms:
        raise PolicyError(f"columns: {name!r} has no form; name one of {', '.join(FORMS)}")
    return stated if isinstance(stated, str) else forms


def _check_form(form: object) -> None:
    if form not in FORMS:
        raise PolicyError(f"there is no form {form!r}.{suggestion(str(form), FORMS)}")


def _check_names(argument: str, stated: Mapping[str, object], opened: OpenedRelease) -> None:
    for name in stated:
        if name in opened.recoded:
            continue
        if name in opened.cells.columns:
            raise PolicyError(
                f"{argument} names {name!r}, which is not a quasi-identifier: it was released as it is"
            )
        raise PolicyError(f"{opened.name} has no column {name!r}.{suggestion(name, [*opened.recoded])}")


def _check_distinct(names: Sequence[str]) -> None:
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise PolicyError(
            f"the result would have two columns {repeated!r}; read that column in one form, not several"
        )


def _hierarchies(
    policy: Policy | str | Path | None,
    stated: Mapping[str, HierarchyLike] | None,
    opened: OpenedRelease,
) -> dict[str, Hierarchy]:
    """The hierarchies that are given, by column."""
    found: dict[str, Hierarchy] = {}
    if policy is not None:
        whole = policy if isinstance(policy, Policy) else read_policy(policy)
        attributes = whole.quasi_identifiers
    elif stated:
        _check_names("hierarchies", stated, opened)
        attributes = policy_of(quasi_identifiers=list(stated), k=1, hierarchies=stated).quasi_identifiers
    else:
        return found
    for attribute in attributes:
        given = attribute.given_hierarchy()
        if given is not None and attribute.name in opened.recoded:
            found[attribute.name] = given
    return found


def _limits(coding: ColumnCoding, stated: Sequence[Any]) -> Limits:
    if not coding.has_bounds:
        raise PolicyError(f"limits are for numbers and dates, and column {coding.name!r} has none")
    try:
        low, high = (_position(coding, each) for each in stated)
    except (TypeError, ValueError):
        low, high = None, None
    if low is None or high is None or low > high:
        kind = "numbers" if coding.kind == "number" else 'dates like "2024-01-31"'
        raise PolicyError(f"limits of column {coding.name!r} are two {kind}, the lower one first")
    return low, high


def _position(coding: ColumnCoding, value: Any) -> Fraction | None:
    if coding.kind == "number":
        return exact(value)
    return day_of(value.isoformat() if isinstance(value, datetime.date) else value)
