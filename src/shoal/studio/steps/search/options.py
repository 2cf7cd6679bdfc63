"""The options of an algorithm in the policy; the keys are those of its table [search]."""

from __future__ import annotations

from typing import Any

from shoal import POLICY_KEYS
from shoal.algorithms import ALGORITHMS, parameters_of
from shoal.studio.draft import Draft

COMMON = [key.name for key in POLICY_KEYS if key.table == "search"]


def choose_algorithm(draft: Draft, algorithm: str | None) -> None:
    """Set the algorithm; options of another one are removed, and some get a start value."""
    search: dict[str, Any] = draft.stated["search"]
    options = {} if algorithm is None or algorithm not in ALGORITHMS else parameters_of(ALGORITHMS[algorithm])
    for key in [each for each in search if each not in (*COMMON, *options)]:
        del search[key]
    draft.say("search", "algorithm", algorithm)
    for key, words in options.items():
        if words.start is not None:
            draft.say("search", key, words.start)
