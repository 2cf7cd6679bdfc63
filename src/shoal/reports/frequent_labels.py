"""Of columns with many labels the most frequent ones: a report is read, and a list of thousands is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]

MOST_LABELS = 20


def frequent(labels: Sequence[Facts]) -> dict[str, Any]:
    """The labels of a released column, in their order; of many only the most frequent."""
    kept = sorted(range(len(labels)), key=lambda index: -labels[index]["share"])[:MOST_LABELS]
    shown = [dict(labels[index]) for index in sorted(kept)]
    return {"shown": shown, "more": len(labels) - len(shown)}


def with_frequent_labels(utility: Facts | None) -> dict[str, Any] | None:
    """Utility with the most frequent labels of each column, before and after."""
    if utility is None:
        return None
    columns = []
    for column in utility["columns"]:
        most: dict[Any, float] = {}
        for label in (*column["after"], *column["before"]):
            most[label["label"]] = max(most.get(label["label"], 0.0), label["share"])
        kept = set(sorted(most, key=lambda label: -most[label])[:MOST_LABELS])
        shown = {
            when: [dict(label) for label in column[when] if label["label"] in kept]
            for when in ("before", "after")
        }
        columns.append({**column, **shown, "more": len(most) - len(kept)})
    return {**utility, "columns": columns}
