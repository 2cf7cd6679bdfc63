"""Codes that are recognized by their shape: diagnoses of the ICD, postal codes that are more than digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

NEARLY_ALL = 0.95
FEWEST = 10
"""With fewer distinct cells, shapes as short as these occur by chance."""
CHAPTERS = 3
"""Diagnoses of several chapters begin with several letters; model numbers rarely do."""
SUBDIVIDED = 0.1
"""The least share of codes with a digit behind a dot."""
_ICD_10 = re.compile(r"[A-TV-Z]\d[0-9A-B](\.[0-9A-Z]{1,4}|\d{1,2})?[*+!]?")
_ICD_9 = re.compile(r"\d{3}(\.\d{1,2})?|V\d{2}(\.\d{1,2})?|E\d{3}(\.\d)?")
_POSTCODES = tuple(
    re.compile(shape)
    for shape in (
        r"(GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})",  # United Kingdom
        r"[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d",  # Canada
        r"[1-9]\d{3} ?[A-Z]{2}",  # Netherlands
        r"\d{2}-\d{3}",  # Poland
        r"\d{4}-\d{3}",  # Portugal
        r"\d{3} \d{2}",  # Sweden, Czechia, Greece
        r"\d{5}-\d{4}",  # United States
        r"\d{5}-\d{3}",  # Brazil
        r"(D|A|CH|F|I|L|B|S|DK|FI|FIN|N|NL|E|PL)-\d{4,5}",  # with the country in front
    )
)


def are_diagnoses(texts: Sequence[str]) -> bool:
    """Whether the cells are codes of the ICD, version 9 or 10."""
    if len(texts) < FEWEST:
        return False
    codes = [text.upper() for text in texts]
    subdivided = sum("." in code for code in codes) / len(codes)
    if _share(_ICD_10, codes) >= NEARLY_ALL:
        return subdivided >= SUBDIVIDED and len({code[0] for code in codes}) >= CHAPTERS
    # Most codes of version 9 are numbers, so that the letters of its supplements must occur.
    letters = {code[0] for code in codes} & {"V", "E"}
    return bool(letters) and subdivided >= SUBDIVIDED and _share(_ICD_9, codes) >= NEARLY_ALL


def are_postcodes(texts: Sequence[str]) -> bool:
    """Whether the cells are postal codes of one country; plain digits are not recognized."""
    if len(texts) < FEWEST:
        return False
    codes = [text.upper() for text in texts]
    return any(_share(shape, codes) >= NEARLY_ALL for shape in _POSTCODES)


def _share(shape: re.Pattern[str], codes: Sequence[str]) -> float:
    return sum(shape.fullmatch(code) is not None for code in codes) / len(codes)
