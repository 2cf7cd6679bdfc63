"""What short labels represent, by the manifest of their release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.model.table.domain import MISSING, value_text
from shoal.model.table.number_text import number
from shoal.model.table.short_labels import is_short, listed

ListedSets = Mapping[str, Mapping[str, str]]
"""Column -> short label -> the text that lists all its values."""

NOT_LISTED: ListedSets = {}
"""Of a release without a manifest: its short labels are words that nobody explains."""


def listed_sets(facts: Mapping[str, Any] | None) -> ListedSets:
    """The values of all short labels of a release.

    Parameters
    ----------
    facts
        Its manifest, if there is one; `recoding` may have been removed from it. Where that says only the
        level, `columns` lists the sets.
    """
    sets: dict[str, dict[str, str]] = {}
    stated = {} if facts is None else facts.get("columns", {})
    for column, recoded in ({} if facts is None else facts.get("recoding", {})).items():
        entries = stated.get(column, {}).get("sets") if isinstance(recoded, Mapping) else recoded
        if isinstance(entries, list | tuple):
            short = {
                entry["label"]: listed([_text(value) for value in entry["values"]], MISSING)
                for entry in entries
                if isinstance(entry["label"], str) and entry["values"] and is_short(entry["label"])
            }
            if short:
                sets[column] = short
    return sets


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return value_text(number(value) if isinstance(value, float) else value)  # type: ignore[arg-type]
