"""The promise that a release gives about people, as its manifest has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.model.history.promise import Promise
from shoal.model.policy.policy import Policy

ALL = "all"


def promise_given(policy: Policy) -> dict[str, object] | None:
    """What a release by a policy promises about people; `None` if every row is a person of its own."""
    promise, k = policy.promise, policy.k
    if promise is None and policy.entity is None:
        return None
    if promise is None:
        return {
            "unit": "person",
            "column": policy.entity,
            "known_events": 1,
            "order": "multiset",
            "rows_linkable": False,
            "k": k,
            "sentence": f"The rows of one person are not linked: column {policy.entity!r}, which identifies "
            "persons, is not released. By its quasi-identifiers, every row reads like rows of at least "
            f"{k:,} persons.",
        }
    return {
        "unit": promise.unit,
        "column": promise.column,
        "known_events": ALL if promise.known_events is None else promise.known_events,
        "order": "sequence" if promise.ordered else "multiset",
        "rows_linkable": True,
        "k": k,
        "sentence": _sentence(promise, k),
    }


def promise_in(facts: Mapping[str, Any]) -> tuple[Promise, int] | None:
    """The promise about linkable rows in a manifest, with its k; `None` if it gives none."""
    given = facts.get("promise")
    if given is None or not given["rows_linkable"]:
        return None
    known = None if given["known_events"] == ALL else given["known_events"]
    promise = Promise(
        column=given["column"],
        unit=given["unit"],
        known_events=known,
        ordered=given["order"] == "sequence",
    )
    return promise, given["k"]


def is_promise(value: Any) -> bool:
    """Whether a value of a manifest has the form of a promise."""
    if not isinstance(value, dict):
        return False
    known, k = value.get("known_events"), value.get("k")
    return (
        value.get("unit") in ("person", "household")
        and isinstance(value.get("column"), str)
        and (known == ALL or _is_from_one(known))
        and value.get("order") in ("sequence", "multiset")
        and isinstance(value.get("rows_linkable"), bool)
        and _is_from_one(k)
        and isinstance(value.get("sentence"), str)
    )


def _is_from_one(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _sentence(promise: Promise, k: int) -> str:
    column, known = promise.column, promise.known_events
    if promise.unit == "household":
        order = ", in the same order" if promise.ordered else ""
        return (
            f"The members of one household are linked by the pseudonyms in {column!r}. By the "
            f"quasi-identifiers, at least {k:,} released households have the same members, and as many of "
            f"them{order}; no household is released without some of its members."
        )
    linked = f"The rows of one person are linked by the pseudonyms in {column!r}. By the quasi-identifiers,"
    if known is None:
        order = ", in the same order" if promise.ordered else ""
        return (
            f"{linked} at least {k:,} released persons have the same rows, and as many of them{order}: also "
            f"somebody who knows all rows of a person finds {k:,} persons."
        )
    rows, them = ("one row", "it") if known == 1 else (f"any {known:,} rows", "them")
    order = ", and their order," if promise.ordered and known > 1 else ""
    return (
        f"{linked} somebody who knows {rows} of a released person{order} finds at least {k:,} persons who "
        f"have {them}. Somebody who knows more rows, or how many rows the person has, may find fewer."
    )
