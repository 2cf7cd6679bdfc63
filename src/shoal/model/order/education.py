"""Recognises levels of education, as census tables and questionnaires write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.model.order.plain_words import plain

_LINES = (
    "children|no schooling|no formal education|no education|never attended|none|illiterate|uneducated|"
    "kein abschluss|keine|less than 1st grade|did not attend",
    "preschool|nursery|nursery school|kindergarten|vorschule",
    "",  # grades of school by their number
    "primary|primary school|primary education|elementary|elementary school|grundschule|less than primary",
    "some high school|less than high school|less than hs|lower secondary|lower secondary education|"
    "middle school|junior high|junior high school|incomplete secondary|some secondary|hauptschule|"
    "hauptschulabschluss|no high school diploma",
    "realschule|mittlere reife|realschulabschluss",
    "secondary|secondary school|secondary education|upper secondary|upper secondary education|high school|hs|"
    "hs grad|high school grad|high school graduate|high school diploma|hs diploma|completed high school|ged|"
    "high school or equivalent|abitur|gymnasium|fachabitur|hochschulreife",
    "vocational|vocational school|vocational training|trade school|technical school|technical|apprenticeship|"
    "ausbildung|berufsausbildung|lehre|post secondary|postsecondary|post secondary non tertiary",
    "some college|some college but no degree|some college no degree|college dropout|some university|"
    "some postsecondary",
    "assoc voc|associates degree occup vocational|associate vocational",
    "assoc acdm|assoc|associates degree academic program|associate|associates|associate degree|"
    "associate s degree|associates degree|associate academic",
    "college|college grad|college graduate|college degree|bachelor|bachelors|bachelor s|bachelor s degree|"
    "bachelors degree|bachelor degree|undergraduate|undergraduate degree|university|university degree|"
    "tertiary|tertiary education|higher|higher education|hochschule|hochschulabschluss|studium",
    "graduate|graduate school|graduate degree|postgraduate|post graduate|advanced degree|master|masters|"
    "master s|master s degree|masters degree|master degree|magister|diplom",
    "prof school|professional|professional degree|prof school degree|professional school|staatsexamen",
    "doctorate|doctoral|phd|ph d|doctor|doctorate degree|doctoral degree|doctorate or professional|promotion",
)
_RANKS = {name: rank for rank, line in enumerate(_LINES) for name in line.split("|") if name}
_GRADES = _LINES.index("")
_GRADE = re.compile(r"grades? (\d{1,2})\b.*|(\d{1,2})(?:st|nd|rd|th)\b.*", re.ASCII)


def education(texts: Sequence[str]) -> list[tuple[int, int]] | None:
    """Preschool, 1st-4th, 9th, HS-grad, Bachelors, Doctorate: the rank, and the grade of school."""
    keys = [_level(text) for text in texts]
    known = [key for key in keys if key is not None]
    # Grades of school alone are ordinals, and "none" is on many scales.
    return known if len(known) == len(keys) and any(rank not in (0, _GRADES) for rank, _ in known) else None


def _level(text: str) -> tuple[int, int] | None:
    words = plain(re.sub(r"\([^)]*\)", " ", text))
    if words in _RANKS:
        return _RANKS[words], 0
    grade = _GRADE.fullmatch(words)
    return (_GRADES, int(grade[1] or grade[2])) if grade else None
