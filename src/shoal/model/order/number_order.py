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
    """A+ to F, the best first; with a sign, or F without E: bare letters are names of anything."""
    keys = _each(texts, _grade)
    if keys is None:
        return None
    letters = {key[0] for key in keys}
    return keys if any(key[1] != 1 for key in keys) or ("f" in letters and "e" not in letters) else None


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


def without_numbers(texts: Sequence[str]) -> list[str] | None:
    """The texts without the number of its own that each has in front: 1. low, 2. medium, 10. high."""
    found = [re.fullmatch(r"\s*\(?(\d+)\s*[.):\-]\s*(?!\d)(.+)", text, re.ASCII) for text in texts]
    known = [each for each in found if each is not None]
    alone = len(known) == len(texts) and len({int(each[1]) for each in known}) == len(known)
    return [each[2] for each in known] if alone else None


def numbered(texts: Sequence[str]) -> Keys | None:
    """Group 2, Group 10: the same words around numbers; decimals are decimals.

    Numbers between signs alone are left to others: 05/06/2024 has two readings. So are short codes: A30 to
    A34 are names.
    """
    shapes = {_NUMBER.sub("#", text.strip().casefold()) for text in texts}
    shape = next(iter(shapes))
    if len(shapes) != 1 or "#" not in shape or not re.search(r"[^\W\d_]{3}|\s[^\W\d_]|[^\W\d_]\s", shape):
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
