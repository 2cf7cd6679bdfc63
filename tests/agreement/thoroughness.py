"""How many random tables an agreement is tried on: what fits in minutes, or all with SHOAL_THOROUGH=1."""

from __future__ import annotations

import os

_SHARE = 1.0 if os.environ.get("SHOAL_THOROUGH") == "1" else 0.4


def examples(count: int) -> int:
    """Of so many tables those that are tried."""
    return max(3, round(_SHARE * count))
