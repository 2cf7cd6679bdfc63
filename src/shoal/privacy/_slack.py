"""The slack of comparisons."""

from __future__ import annotations

SLACK = 1e-9
"""Values that are no whole numbers are compared with this slack: 1/3 and its float are one."""
