"""Texts without what does not matter when they are recognised: case, punctuation, umlauts, a shared unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_UNKNOWN = frozenset(
    {
        "",  # nothing but signs, such as ?
        *("unknown", "unk", "missing", "na", "n a", "nan", "null", "refused", "undisclosed"),
        *("not available", "not applicable", "not known", "not stated", "not reported", "not specified"),
        *("do not know", "don t know", "dont know", "no answer", "prefer not to say"),
        *("unbekannt", "keine angabe", "k a", "weiss nicht", "nicht bekannt"),
    }
)


def plain(text: str) -> str:
    """A text in small letters, with single blanks in the place of all signs."""
    return re.sub(r"[\W_]+", " ", text.casefold().translate(_UMLAUTS)).strip()


def is_unknown(text: str) -> bool:
    """Whether a text says that the value is not known; such values come last in every order."""
    return plain(text) in _UNKNOWN


def without_shared(texts: Sequence[str]) -> list[str]:
    """Plain texts without the words that all of them begin or end with: low risk, high risk.

    A text keeps at least one word; if one would not, nothing is left out.
    """
    words = [text.split() for text in texts]
    first = last = 0
    least = min(len(each) for each in words)
    while first < least and len({each[first] for each in words}) == 1:
        first += 1
    while last < least and len({each[-1 - last] for each in words}) == 1:
        last += 1
    if first + last >= least:
        return list(texts)
    return [" ".join(each[first : len(each) - last]) for each in words]
