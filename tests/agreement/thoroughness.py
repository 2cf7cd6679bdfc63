"""How many random cases a property is tried on: a quarter in `make test`, all with SHOAL_THOROUGH=1."""

from __future__ import annotations

import os

_SHARE = 1.0 if os.environ.get("SHOAL_THOROUGH") == "1" else 0.25


def examples(count: int) -> int:
    """Of so many cases those that are tried."""
    return max(3, round(_SHARE * count))
