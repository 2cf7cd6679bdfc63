"""What the privacy models and quality models of an ARX project are called in a policy.

A project states both as the texts that ARX prints, such as `distinct-3-diversity for attribute 'disease'`.
What is not known for sure is left to the reader: a demand that means something else is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Model = dict[str, object]

_NUMBER = r"(\d+(?:\.\d+)?(?:E-?\d+)?)"
_COLUMN = r" for attribute '(.*)'"

_MODELS: Mapping[str, Callable[[re.Match[str]], Model]] = {
    rf"distinct-(\d+)-diversity{_COLUMN}": lambda found: {
        "name": "distinct-l-diversity",
        "attribute": found[2],
        "l": int(found[1]),
    },
    rf"(?:shannon-)?entropy-{_NUMBER}-diversity{_COLUMN}": lambda found: {
        "name": "entropy-l-diversity",
        "attribute": found[2],
        "l": float(found[1]),
    },
    rf"recursive-\({_NUMBER},\s*{_NUMBER}\)-diversity{_COLUMN}": lambda found: {
        "name": "recursive-l-diversity",
        "attribute": found[3],
        "c": float(found[1]),
        "l": int(float(found[2])),
    },
    rf"{_NUMBER}-closeness with (equal|hierarchical)[ -]ground-distance{_COLUMN}": lambda found: {
        "name": "t-closeness",
        "attribute": found[3],
        "t": float(found[1]),
        "ground": found[2],
    },
    rf"\({_NUMBER}\)-sample-uniqueness": lambda found: {
        "name": "sample-uniqueness",
        "most": float(found[1]),
    },
}

_COSTS = {
    "loss": "general-loss",
    "precision": "precision",
    "height": "height",
    "discernability": "discernibility",
    "average equivalence class size": "average-group-size",
    "non-uniform entropy": "entropy",
}
_FACTOR_COSTS = ("general-loss", "precision")


def anonymity_of(text: str) -> int | None:
    """The k of a privacy model, if it is k-anonymity."""
    found = re.fullmatch(r"(\d+)-anonymity", text.strip(), re.IGNORECASE)
    return None if found is None else int(found[1])


def model_of(text: str) -> Model | None:
    """The privacy model that ARX prints so; `None` if it is not known to be one of Shoal's."""
    for pattern, made in _MODELS.items():
        found = re.fullmatch(pattern, text.strip(), re.IGNORECASE | re.DOTALL)
        if found is not None:
            return made(found)
    return None


def cost_of(text: str) -> tuple[str, float | None] | None:
    """The cost that ARX prints so, and its factor if it has one; `None` if it is not known."""
    found = re.fullmatch(r"(?:(?:Non-)?monotonic )?([A-Za-z -]+?)\s*(?:\((.*)\))?", text.strip())
    cost = None if found is None else _COSTS.get(found[1].lower())
    if found is None or cost is None:
        return None
    first = re.match(_NUMBER, found[2] or "")
    factor = float(first[1]) if first is not None and cost in _FACTOR_COSTS else None
    return cost, factor if factor is not None and 0 <= factor <= 1 else None
