"""Whether cells can be what a word of the column's name says, for words that also mean other things."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from shoal.model.table.roles import numbers_in_cells as found

FEW, SOME = 8, 40
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9 -]{2,9}")
_LONG_IDENTIFIERS = frozenset({"contact", "official-number", "account", "record-number", "online"})
_PERSONAL = frozenset({"person-name", "address"})


def fits(concept: str, texts: Sequence[str]) -> bool:
    """Whether cells can be about a concept; not if there are none.

    Parameters
    ----------
    concept
        A name of `CONCEPTS`.
    texts
        Distinct cells.
    """
    return bool(texts) and _FITS.get(concept, _are_words)(texts)


def contradicts(concept: str, texts: Sequence[str]) -> bool:
    """Whether cells cannot name a person, although the column's name says so: numbers of few digits."""
    if concept in _LONG_IDENTIFIERS:
        return found.are_short(texts) or found.are_fractions(texts)
    return concept in _PERSONAL and bool(found.numbers(texts))


def _are_words(texts: Sequence[str]) -> bool:
    return len(texts) <= SOME and not found.numbers(texts)


def _are_few(texts: Sequence[str]) -> bool:
    return len(texts) <= FEW


def _are_some(texts: Sequence[str]) -> bool:
    return len(texts) <= SOME


def _are_codes(texts: Sequence[str]) -> bool:
    return sum(_CODE.fullmatch(text) is not None for text in texts) >= found.MOST * len(texts) and not (
        found.are_short(texts) or found.are_fractions(texts)
    )


def _are_ages(texts: Sequence[str]) -> bool:
    return found.lie_between(texts, 0, found.OLDEST)


def _are_places(texts: Sequence[str]) -> bool:
    return not found.numbers(texts) or (
        found.are_fractions(texts) and found.lie_between(texts, -found.WIDEST, found.WIDEST)
    )


def _are_heights(texts: Sequence[str]) -> bool:
    return found.lie_between(texts, *found.HEIGHTS)


def _are_numbers(texts: Sequence[str]) -> bool:
    return bool(found.numbers(texts))


_FITS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "postcode": _are_codes,
    "sex": _are_few,
    "family": _are_few,
    "education": _are_some,
    "age": _are_ages,
    "place": _are_places,
    "body": _are_heights,
    "money": _are_numbers,
}
