"""The names under which a policy can limit attacks; what each does is in `shoal.auditor.attacks`.

They are here so that a misspelt one is refused wherever a policy is made: a limit that nothing heeds would
seem to be kept.
"""

from __future__ import annotations

ATTACK_NAMES = (
    "linkage",
    "history",
    "homogeneity",
    "background-knowledge",
    "skewness",
    "similarity",
    "minimality",
    "composition",
    "complementary",
    "unsorted",
    "association-cover",
    "downcoding",
    "senders",
)
