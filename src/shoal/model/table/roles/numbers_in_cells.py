"""What the cells of a column are as numbers, as far as its role depends on it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from shoal.model.cells.number_form import parts_of

MOST = 0.9
SHORT = 1_000
"""A number below is a count or a code, not that of a phone or an account."""
BODY = (0.3, 350.0)
"""Weights of bodies, in kilograms or pounds."""
GRAMS = (300.0, 7_000.0)
"""Weights of the newborn, in grams."""
HEIGHTS = (0.3, 250.0)
OLDEST = 125
WIDEST = 180


def numbers(texts: Sequence[str]) -> list[float]:
    """The cells as numbers, if nearly all are; otherwise none."""
    read = []
    for text in texts:
        try:
            read.append(float(text.replace(",", ".")))
        except ValueError:
            amount = _amount(text)
            if amount is not None:
                read.append(amount)
    return read if texts and len(read) >= MOST * len(texts) else []


def _amount(text: str) -> float | None:
    """A number with a currency or percent sign, or with marks of thousands and decimals; `None` for others.

    Digits in groups alone may be a phone number.
    """
    parts = parts_of(text)
    if parts is None or not (parts.currency or parts.percent or ("." in parts.body and "," in parts.body)):
        return None
    whole, mark, decimals = parts.body, "", ""
    for sign in ".,":
        before, found, after = parts.body.rpartition(sign)
        # The last mark is that of decimals, unless three digits follow it, or it occurs again.
        if found and after.isdigit() and len(after) != 3 and sign not in before:
            whole, mark, decimals = before, ".", after
    digits = "".join(each for each in whole if each.isdigit())
    return float(f"{digits or 0}{mark}{decimals}") * (-1 if parts.negative else 1)


def are_fractions(texts: Sequence[str]) -> bool:
    """Whether the cells are measured numbers: nearly all are numbers, and most have decimals."""
    read = numbers(texts)
    return bool(read) and sum(not each.is_integer() for each in read) > len(read) / 2


def are_short(texts: Sequence[str]) -> bool:
    """Whether the cells are numbers of few digits."""
    read = numbers(texts)
    return bool(read) and max(map(abs, read)) < SHORT


def are_survey_weights(texts: Sequence[str]) -> bool:
    """Whether numbers called weights can be no weights of bodies: most of them lie around 1, or far above."""
    read = numbers(texts)
    if not read or min(read) < 0:
        return False
    middle = statistics.median(read)
    if 0 < middle < 2 and are_fractions(texts):
        return True
    lowest, highest = min(read), max(read)
    of_bodies = BODY[0] <= lowest and highest <= BODY[1]
    of_newborns = GRAMS[0] <= lowest and highest <= GRAMS[1]
    return not (of_bodies or of_newborns) and highest > 2 * BODY[1]


def lie_between(texts: Sequence[str], low: float, high: float) -> bool:
    """Whether nearly all cells are numbers in a range."""
    read = numbers(texts)
    return bool(read) and sum(low <= each <= high for each in read) >= MOST * len(read)
