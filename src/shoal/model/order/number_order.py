"""Recognises ordinals, Roman numerals, grades, sizes and texts with numbers in them.

Each function takes the known texts of a column and returns a sort key for each, or `None` if one does not
fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from shoal.model.order.plain_words import plain, without_shared

Key = tuple[object, ...]
Keys = Sequence[Key]

_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_ROMAN = {
    numeral: number
    for number, numeral in enumerate(
        (
            *("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
            *("xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx"),
        ),
        1,
    )
}


def _each(texts: Sequence[str], key: Callable[[str], Key | None]) -> Keys | None:
    keys = [each for each in map(key, texts) if each is not None]
    return keys if len(keys) == len(texts) else None


def ordinals(texts: Sequence[str]) -> Keys | None:
    """1st, 2nd, 3rd, 10th."""
    shortened = without_shared([plain(text) for text in texts])
    return _each(shortened, lambda text: _found(r"(\d+)(?:st|nd|rd|th)", text))


def _found(shape: str, text: str) -> Key | None:
    found = re.fullmatch(shape, text, re.ASCII)
    return (int(found[1]),) if found else None


def romans(texts: Sequence[str]) -> Keys | None:
    """I to XX, also with a letter and after a shared word: stage IIIa. 0 may come first."""
    keys = _each(without_shared([plain(text) for text in texts]), _roman)
    return keys if keys is not None and len({key[0] for key in keys} - {0}) > 1 else None


def _roman(text: str) -> Key | None:
    if text == "0":
        return (0, "")
    if text in _ROMAN:
        return (_ROMAN[text], "")
    found = re.fullmatch(r"([ivx]+) ?([a-e]\d?)", text, re.ASCII)
    return (_ROMAN[found[1]], found[2]) if found and found[1] in _ROMAN else None


def grades(texts: Sequence[str]) -> Keys | None:
    """A+ to F, the best first."""
    return _each(texts, _grade)


def _grade(text: str) -> Key | None:
    found = re.fullmatch(r"([a-f])([+\-\u2212]?)", text.strip().casefold())
    if not found:
        return None
    return found[1], 0 if found[2] == "+" else 2 if found[2] else 1


def sizes(texts: Sequence[str]) -> Keys | None:
    """XS, S, M, L, XL, 3XL."""
    return _each(texts, _size)


def _size(text: str) -> Key | None:
    found = re.fullmatch(r"(?:(\d)x|(x*))([sml])", text.strip().casefold(), re.ASCII)
    if not found:
        return None
    steps = int(found[1]) if found[1] else len(found[2])
    if found[3] == "m":
        return (0,) if steps == 0 else None
    return (-1 - steps,) if found[3] == "s" else (1 + steps,)


def leading_numbers(texts: Sequence[str]) -> Keys | None:
    """1. Never married, 2. Married, 10. Other: each with a number of its own in front."""
    keys = _each(texts, lambda text: _found(r"\s*\(?(\d+)\s*[.):\-]\s*(?!\d).+", text))
    return keys if keys is not None and len(set(keys)) == len(keys) else None


def numbered(texts: Sequence[str]) -> Keys | None:
    """Group 2, Group 10: the same words around numbers; decimals are decimals.

    Numbers between signs alone are left to others: 05/06/2024 has two readings.
    """
    shapes = {_NUMBER.sub("#", text.strip().casefold()) for text in texts}
    if len(shapes) != 1 or not re.search(r"[^\W\d_]", shape := next(iter(shapes))) or "#" not in shape:
        return None
    return [tuple(Fraction(each) for each in _NUMBER.findall(text)) for text in texts]


def signed_numbers(texts: Sequence[str]) -> Keys | None:
    """Numbers alone, in a column that the policy calls a category."""
    keys = []
    for text in texts:
        if not re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,2})?", text.strip(), re.ASCII):
            return None
        keys.append((Fraction(text.strip()),))
    return keys
