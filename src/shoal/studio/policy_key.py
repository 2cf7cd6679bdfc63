"""The description of policy keys, as forms look it up."""

from __future__ import annotations

from shoal import POLICY_KEYS, PolicyKey

UNLIMITED = "unlimited"
"""What a policy states for no limit."""


def policy_key(table: str, name: str) -> PolicyKey:
    """The key with a name in a table."""
    return next(key for key in POLICY_KEYS if (key.table, key.name) == (table, name))
