"""What the cells of a column look like, of the things that point to a person.

A look is a reason to ask, and no look is no proof: names of one word, codes of one's own and free text are
not recognized. Where a number carries check digits they are verified, and most cells must pass.
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
"""The least share of the distinct cells that must look so."""
SOME = 0.1
"""The same of what is never there by chance: a mail address inside a note."""
NEARLY_ALL = 0.95
"""The same of plain numbers with a check digit, which one in ten has by chance."""
FEW_CELLS = 10
"""Of fewer distinct cells a plain number's check digits prove nothing, nor do two words with capitals."""
YEARS_OF_LIVES = 40
"""Dates of birth range over more years than dates of other things mostly do."""
_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['\u2019-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_WORD}(?:,? (?:(?:de|da|van|von|der|la) )?{_WORD}){{1,3}}")
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")


class _Kind(NamedTuple):
    """Cells of one kind: what to call them, whether one is such, the least share, and the fewest cells."""

    words: str
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


def looked(texts: Sequence[str], *, share: float) -> Look | None:
    """What the cells look like; `None` if like nothing that points to a person.

    Parameters
    ----------
    texts
        Distinct cells.
    share
        Distinct values per row of the column: names repeat less than the names of things.
    """
    told = [text.strip() for text in texts]
    if not told:
        return None
    for kind in _IDENTIFIERS:
        if len(told) >= kind.fewest and _share(kind.matches, told) >= kind.share:
            return Look(Role.IDENTIFIER, kind.words)
    if len(told) >= FEW_CELLS:
        if share >= MOST and _share(is_name, told) >= MOST:
            return Look(Role.IDENTIFIER, "names of people")
        if _share(cells.is_date, told) >= MOST and _years(told) >= YEARS_OF_LIVES:
            return Look(Role.QUASI_IDENTIFIER, "dates of birth")
    return None


def is_name(text: str) -> bool:
    """Whether it is two to four words with capitals: a first and a last name, either first."""
    return _NAME.fullmatch(text) is not None


def _share(matches: Callable[[str], bool], texts: Sequence[str]) -> float:
    return sum(map(matches, texts)) / len(texts)


def _years(texts: Sequence[str]) -> int:
    found = [int(match[0]) for match in map(_YEAR.search, texts) if match is not None]
    return max(found) - min(found) if found else 0
