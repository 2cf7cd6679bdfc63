"""The options of single algorithms that the studio shows; the keys are those of a policy's table [search]."""

from __future__ import annotations

from typing import Any

from shoal import POLICY_KEYS, PolicyKey
from shoal.studio.draft import Draft


def options_of(algorithm: str) -> list[PolicyKey]:
    """The options of an algorithm that have a field."""
    return [key for key in POLICY_KEYS if key.table == "search" and algorithm in key.heeded_by and key.label]


def choose_algorithm(draft: Draft, algorithm: str | None) -> None:
    """Say which algorithm shall search; options that were said for another are forgotten."""
    search: dict[str, Any] = draft.stated["search"]
    kept = {
        key.name
        for key in POLICY_KEYS
        if key.table == "search" and (not key.heeded_by or algorithm in key.heeded_by)
    }
    for name in [each for each in search if each not in kept]:
        del search[name]
    draft.say("search", "algorithm", algorithm)
    # What guarantees k is the first choice here, not the paper's.
    draft.say("search", "combinations", "all" if algorithm == "mu-argus" else None)
