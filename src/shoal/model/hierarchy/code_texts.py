"""Whether texts look like codes, whose beginnings mean something: postcodes, diagnoses."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE = re.compile(r"(?=.*[0-9])[0-9A-Z]{3,}", re.ASCII)


def look_like_codes(texts: Sequence[str]) -> bool:
    """Whether texts are equally long, of digits and capitals, with a digit in each, and begin alike in part.

    Some beginning must join some of them and not all: A30 to A34 are names, whose beginning says nothing.
    """
    if len({len(text) for text in texts}) != 1 or not all(_CODE.fullmatch(text) for text in texts):
        return False
    return any(1 < len({text[:size] for text in texts}) < len(texts) for size in range(1, len(texts[0])))
