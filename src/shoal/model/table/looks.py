"""Recognizes cells that point to a person: mail addresses, numbers, names, dates of birth.

A match is a reason to check, and no match proves nothing: names of one word, private codes and free text are
not recognized. Check digits are verified where a number has them, and most cells must pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shoal.model.policy.attribute import Role
from shoal.model.table import cell_patterns as cells
from shoal.model.table import insurance_numbers as insurance
from shoal.model.table.likely_role import Look

MOST = 0.5
"""The least share of the distinct cells that must match."""
SOME = 0.1
"""The least share for kinds that never occur by chance: a mail address inside a note."""
NEARLY_ALL = 0.95
"""The least share for plain numbers with a check digit, which one in ten has by chance."""
FEW_CELLS = 10
"""With fewer distinct cells, check digits of plain numbers prove nothing, nor do two capitalized words."""
YEARS_OF_LIVES = 40
"""Dates of birth usually range over more years than other dates."""
_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['\u2019-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_WORD}(?:,? (?:(?:de|da|van|von|der|la) )?{_WORD}){{1,3}}")
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")


class _Kind(NamedTuple):
    """Cells of one kind: what to call them, whether a cell matches, the least share, and the fewest cells."""

    description: str
    matches: Callable[[str], bool]
    share: float = MOST
    fewest: int = 1


_IDENTIFIERS: tuple[_Kind, ...] = (
    _Kind("mail addresses", cells.is_email, SOME),
    _Kind("web addresses", cells.is_url, SOME),
    _Kind("social security numbers", cells.is_ssn),
    _Kind("insurance or tax numbers", insurance.is_lettered),
    _Kind("insurance or tax numbers", insurance.is_plain, NEARLY_ALL, FEW_CELLS),
    _Kind("account or card numbers", cells.is_account),
    _Kind("phone numbers", cells.is_phone),
    _Kind("network addresses", cells.is_ip),
    _Kind("addresses of devices", cells.is_device),
    _Kind("universally unique identifiers", cells.is_uuid),
)


def look_of(texts: Sequence[str], *, share: float) -> Look | None:
    """What the cells look like; `None` if nothing in them points to a person.

    Parameters
    ----------
    texts
        Distinct cells.
    share
        Distinct values per row of the column: names of people repeat less than names of things.
    """
    stripped = [text.strip() for text in texts]
    if not stripped:
        return None
    for kind in _IDENTIFIERS:
        if len(stripped) >= kind.fewest and _share(kind.matches, stripped) >= kind.share:
            return Look(Role.IDENTIFIER, kind.description)
    if len(stripped) >= FEW_CELLS:
        if share >= MOST and _share(is_name, stripped) >= MOST:
            return Look(Role.IDENTIFIER, "names of people")
        if _share(cells.is_date, stripped) >= MOST and _years(stripped) >= YEARS_OF_LIVES:
            return Look(Role.QUASI_IDENTIFIER, "dates of birth")
    return None


def is_name(text: str) -> bool:
    """Whether it is two to four capitalized words: a first and a last name, in either order."""
    return _NAME.fullmatch(text) is not None


def _share(matches: Callable[[str], bool], texts: Sequence[str]) -> float:
    return sum(map(matches, texts)) / len(texts)


def _years(texts: Sequence[str]) -> int:
    years = [int(match[0]) for match in map(_YEAR.search, texts) if match is not None]
    return max(years) - min(years) if years else 0
