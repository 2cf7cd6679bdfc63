"""Attributes that others know together, by their positions, and the k that holds on them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AttributeSet:
    """Attributes on which every released row is like at least k released rows.

    Parameters
    ----------
    attributes
        Their positions.
    k
        Their k.
    """

    attributes: tuple[int, ...]
    k: int
