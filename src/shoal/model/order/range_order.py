"""Recognises ranges: 0-17, 18-24, <20, 65+, >=80, $10k-$20k, under 18, 65 and over, (10, 20].

They must follow each other: a column with 18-65 and 20-30 is not recognised, for one contains the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

End = Fraction | float
"""An end of a range; open ends are infinite."""

_FACTORS = {"k": 10**3, "thousand": 10**3, "tsd": 10**3, "m": 10**6, "mio": 10**6, "million": 10**6}
_NUMBER = r"(\d+(?:,\d{3})*(?:\.\d+)?)\s*(k|thousand|tsd|mio|million|m)?"
_BELOW = r"(?:<=?|less than|fewer than|under|below|up to|at most|unter|bis zu|bis|weniger als|hoechstens)"
_ABOVE = r"(?:>=?|more than|over|above|at least|from|ueber|ab|mehr als|mindestens)"
_ON = (
    r"(?:\+|plus|and over|and older|and above|and more|and up|or over|or older|or above|or more|or higher|"
    r"und mehr|und aelter|und darueber|oder mehr|oder aelter)"
)
_THAN = (
    r"(?:and under|and younger|and below|or less|or younger|or fewer|or under|or below|und juenger|"
    r"und weniger)"
)
_SHAPES = {
    "between": re.compile(rf"{_NUMBER}\s*(?:-|to|bis|and)\s*(?:<\s*)?{_NUMBER}", re.ASCII),
    "inside": re.compile(rf"{_NUMBER}\s*<=?\s*[a-z]*\s*<=?\s*{_NUMBER}", re.ASCII),
    "bracketed": re.compile(r"[\[(]\s*(-?[\d.]+|-inf)\s*[,;]\s*(-?[\d.]+|inf)\s*[\])]", re.ASCII),
    "below": re.compile(rf"{_BELOW}\s*{_NUMBER}|{_NUMBER}\s*{_THAN}", re.ASCII),
    "above": re.compile(rf"{_ABOVE}\s*{_NUMBER}|{_NUMBER}\s*{_ON}", re.ASCII),
    "single": re.compile(_NUMBER, re.ASCII),
}
_DASHES = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-"}
    | {"\u2264": "<=", "\u2265": ">=", "ä": "ae", "ö": "oe", "ü": "ue"}
)
_UNITS = re.compile(
    r"(?:years? old|years?|yrs?|months?|weeks?|days?|hours?|minutes?|jahre?n?|monate?n?|tage?n?|stunden?|"
    r"usd|eur|euros?|dollars?|%|persons?|people|personen)\b\.?|%"
)


def ranges(texts: Sequence[str]) -> list[tuple[End, End]] | None:
    """The ends of each range, or `None` if a text is none, or they do not follow each other."""
    found = [_range(text) for text in texts]
    known = [each for each in found if each is not None]
    if len(known) < len(found) or all(low == high for low, high in known):
        return None
    return known if all(before[1] <= after[1] for before, after in pairwise(sorted(known))) else None


def _range(text: str) -> tuple[End, End] | None:
    text = text.casefold().translate(_DASHES).strip()
    if text in ("none", "no", "zero", "keine", "null"):
        return Fraction(0), Fraction(0)
    text = re.sub(r"\s+", " ", _UNITS.sub(" ", re.sub(r"[$\u20ac\u00a3]", "", text))).strip()
    for name, shape in _SHAPES.items():
        match = shape.fullmatch(text)
        if match is not None:
            return _ends(name, match.groups())
    return None


def _ends(shape: str, parts: Sequence[str | None]) -> tuple[End, End] | None:
    if shape == "bracketed":
        low, high = (_bound(part or "") for part in parts)
        return None if low is None or high is None or low > high else (low, high)
    if shape in ("between", "inside"):
        last = _number(parts[2], parts[3])
        # 10-20k: the factor of the last is that of both.
        first = _number(parts[0], parts[1] or parts[3])
        return (first, last) if first <= last else None
    value = _number(*(parts[:2] if parts[0] is not None else parts[2:]))
    if shape == "single":
        return value, value
    return (-math.inf, value) if shape == "below" else (value, math.inf)


def _number(digits: str | None, factor: str | None) -> Fraction:
    return Fraction((digits or "0").replace(",", "")) * _FACTORS.get(factor or "", 1)


def _bound(text: str) -> End | None:
    if text.endswith("inf"):
        return float(text)
    try:
        return Fraction(text)
    except ValueError:
        return None
