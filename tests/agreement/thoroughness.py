"""How many random cases a property is tried on: a quarter in `make test`, all with SHOAL_THOROUGH=1.

Of properties with many cases it is ten, or a tenth if that is more: every run draws new ones, so that faults
which only one case in hundreds shows are found by the runs of days, and by `make thorough` in one.
"""

from __future__ import annotations

import os

_ALL = os.environ.get("SHOAL_THOROUGH") == "1"


def examples(count: int) -> int:
    """Of so many cases those that are tried."""
    return count if _ALL else max(3, min(round(count / 4), max(10, round(count / 10))))
