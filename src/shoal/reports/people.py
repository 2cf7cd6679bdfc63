"""What a release promises about people, and what was measured of it: in rows, persons or households."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.formatting.verdict_line import promise_kind
from shoal.model.history.promise_given import promise_given
from shoal.model.policy.policy import Policy

Facts = Mapping[str, Any]

ROWS_ARE_PEOPLE = (
    "Every row is taken for a person of its own. Nothing is promised about a person who has several rows."
)
_KNOWS = {
    "a": "one row of a person",
    "b": "all rows of a person, and how many there are",
    "c": "up to {} rows of a person, and not how many there are",
    "household": "all members of a household, and how many there are",
}
"""What the attacker knows whom each promise is about."""
_NOT = {
    "a": "Somebody who finds out by other means which rows are of one person, and puts them together.",
    "b": "What k persons with the same history have in common is known of all of them.",
    "c": "Somebody who knows more rows of a person, or how many rows the person has.",
    "household": "What k households with the same members have in common is known of all of them.",
}
"""What each promise leaves open."""


def people(
    policy: Policy,
    manifest: Facts | None,
    models: Sequence[Facts],
    by_manifest: Facts,
    risks: Mapping[str, Facts | None],
    persons_before: Facts | None,
) -> dict[str, Any]:
    """What is promised about people, as a report shows it.

    Parameters
    ----------
    policy, manifest
        What was demanded, and what was stated when the release was made.
    models, by_manifest
        What the audit measured, model by model, and what the manifest has of it.
    risks
        The risk `before` in the original and `after` in the release.
    persons_before
        How persons are hidden in the original, if only that was measured there.
    """
    given: Facts | None = (manifest or {}).get("promise") or promise_given(policy)
    if given is None:
        return {"unit": "row", "promise": None, "sentence": ROWS_ARE_PEOPLE, "measures": [], "fewest": None}
    column = given["column"]
    promise = promise_kind(
        entity=column,
        linkable=given["rows_linkable"],
        known_events=given["known_events"],
        household=column if given["unit"] == "household" else None,
    )
    assert promise is not None
    wanted = _keys(column, given)
    found = {each["name"]: each for each in models if each["name"] in wanted}
    measures = [found[key] for key in wanted if key in found]
    here = found.get(wanted[-1])
    # In a release without the column it was counted in the original, or when the release was made.
    fewest = by_manifest.get(wanted[-1]) if here is None else here["measured"]
    before, after = risks.get("before") or {}, risks.get("after") or {}
    return {
        "unit": given["unit"],
        "column": column,
        "k": given["k"],
        "promise": promise,
        "linkable": given["rows_linkable"],
        "sentence": given["sentence"],
        "attacker": _KNOWS[promise].format(given["known_events"]),
        "left_open": _NOT[promise],
        "measures": measures,
        "fewest": fewest,
        "by_manifest": here is None and fewest is not None,
        "before": _counted(before.get("persons") or persons_before),
        "after": _counted(after.get("persons")),
        "household": {"before": before.get("household"), "after": after.get("household")}
        if after.get("household")
        else None,
    }


def _keys(column: str, given: Facts) -> list[str]:
    """The names under which the audit measures a promise, the promise itself last."""
    keys = [f"k-anonymity({column})"]
    if given["rows_linkable"]:
        known = given["known_events"]
        keys.append(f"whole-history({column})" if known == "all" else f"known-events({column}, {known})")
    return keys


def _counted(persons: Facts | None) -> dict[str, Any] | None:
    """How many persons there are, and how many are alone; the whole distribution is no fact for a page."""
    if persons is None:
        return None
    return {"persons": persons["persons"], "alone": persons["alone"], "linkable": persons["linkable"]}
