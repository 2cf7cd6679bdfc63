"""Recognizes cells that point to a person: mail addresses, numbers, names, dates, diagnoses, places.

A match is a reason to check, and no match proves nothing: private codes and free text are not recognized.
Check digits are verified where a number has them, and most cells must pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shoal.model.policy.attribute import Role
from shoal.model.table import cell_patterns as cells
from shoal.model.table import insurance_numbers as insurance
from shoal.model.table.roles.codes_in_cells import are_diagnoses, are_postcodes
from shoal.model.table.roles.names_in_cells import are_names
from shoal.model.table.roles.words_in_cells import words_in

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
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_PARTS_OF_A_DAY = re.compile(r"\d+|[^\W\d_]{3,}")


class Look(NamedTuple):
    """What the cells of a column look like.

    Parameters
    ----------
    role
        The role of a column with cells like these.
    description
        What the cells look like, for messages.
    sure
        Whether hardly anything else looks like that; names of towns look like names of people.
    """

    role: Role
    description: str
    sure: bool = False


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
    *(_Kind("insurance or tax numbers", check) for check in insurance.LETTERED),
    *(_Kind("insurance or tax numbers", check, NEARLY_ALL, FEW_CELLS) for check in insurance.PLAIN),
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
            return Look(Role.IDENTIFIER, kind.description, sure=True)
    said = words_in(stripped)
    if said is not None:
        return Look(*said)
    return _of_many(stripped, share) if len(stripped) >= FEW_CELLS else None


def _of_many(texts: Sequence[str], share: float) -> Look | None:
    """What can be told only from many cells."""
    if are_diagnoses(texts):
        return Look(Role.SENSITIVE, "codes of diagnoses (ICD)")
    if are_postcodes(texts):
        return Look(Role.QUASI_IDENTIFIER, "postal codes")
    if _share(cells.is_coordinates, texts) >= MOST:
        return Look(Role.QUASI_IDENTIFIER, "coordinates of places")
    if _share(cells.is_date, texts) >= MOST:
        if _years(texts) >= YEARS_OF_LIVES:
            return Look(Role.QUASI_IDENTIFIER, "dates of birth")
        if _share(_is_day, texts) >= MOST:
            return Look(Role.QUASI_IDENTIFIER, "days on which something happened")
        return None
    return Look(Role.IDENTIFIER, "names of people") if are_names(texts, share=share) else None


def _share(matches: Callable[[str], bool], texts: Sequence[str]) -> float:
    return sum(map(matches, texts)) / len(texts)


def _is_day(text: str) -> bool:
    """Whether a date has a day, a month and a year."""
    return len(_PARTS_OF_A_DAY.findall(text)) >= 3


def _years(texts: Sequence[str]) -> int:
    years = [int(match[0]) for match in map(_YEAR.search, texts) if match is not None]
    return max(years) - min(years) if years else 0
