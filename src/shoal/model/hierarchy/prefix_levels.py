"""Levels of codes: ever shorter beginnings, the rest masked, as in `0213*` and `021**`.

A masked code keeps its length: codes of different lengths are never joined, except at the top.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import PolicyError
from shoal.model.hierarchy.code_texts import look_like_codes
from shoal.model.hierarchy.neighbours import AUTOMATIC_LEVELS
from shoal.model.table.domain import SUPPRESSED, Domain


def check_prefixes(prefixes: Sequence[int]) -> None:
    """Raise `PolicyError` unless all of them are numbers of characters to keep, or all to drop."""
    if len({prefix > 0 for prefix in prefixes}) > 1 or 0 in prefixes:
        raise PolicyError(
            "prefixes are all positive (characters to keep from the left) or all negative (characters to "
            "drop from the right); 0 is not needed, because the top keeps nothing"
        )
    if len(set(prefixes)) < len(prefixes):
        raise PolicyError("a prefix is named twice; name each once")


def prefix_levels(texts: Sequence[str], prefixes: Sequence[int]) -> list[list[str]]:
    """The texts with ever fewer characters.

    Parameters
    ----------
    texts
        The values.
    prefixes
        Characters to keep from the left; if negative, characters to drop from the right.
    """
    return [[_masked(text, prefix) for text in texts] for prefix in sorted(prefixes, reverse=True)]


def _masked(text: str, prefix: int) -> str:
    kept = text[:prefix]
    return kept + SUPPRESSED * (len(text) - len(kept))


def are_codes(domain: Domain) -> bool:
    """Whether the known values look like codes, whose beginnings mean something."""
    present = domain.values[: len(domain) - domain.has_missing]
    texts = [value for value in present if isinstance(value, str)]
    return len(texts) == len(present) and look_like_codes(texts)


def automatic_prefix_levels(texts: Sequence[str]) -> list[list[str]]:
    """All shorter beginnings that join something; if they are too many, some at even distances."""
    levels = prefix_levels(texts, range(1, len(texts[0])))
    sizes = [len(texts), *(len(set(level)) for level in levels)]
    joining = [
        level for level, size, below in zip(levels, sizes[1:], sizes, strict=False) if 1 < size < below
    ]
    if len(joining) <= AUTOMATIC_LEVELS:
        return joining
    return [joining[place * len(joining) // AUTOMATIC_LEVELS] for place in range(AUTOMATIC_LEVELS)]
