"""Whether texts look like codes, whose beginnings mean something: postcodes, diagnoses."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE = re.compile(r"(?=.*[0-9])[0-9A-Z]{3,}", re.ASCII)


def look_like_codes(texts: Sequence[str]) -> bool:
    """Whether texts are equally long, of digits and capitals, with a digit in each."""
    return len({len(text) for text in texts}) == 1 and all(_CODE.fullmatch(text) for text in texts)
