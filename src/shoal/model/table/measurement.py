"""What an engine measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a table really holds, measured from nothing but its cells.

    Parameters
    ----------
    rows
        All rows, suppressed ones included.
    suppressed
        Rows whose quasi-identifiers all read `*`.
    groups
        Distinct combinations of the quasi-identifiers among the other rows. A missing value is equal to a
        missing value and to nothing else.
    smallest
        Rows of the smallest group; `None` if there is no group.
    groups_below, rows_below
        Groups smaller than the k that was asked about, and the rows in them.
    """

    rows: int
    suppressed: int
    groups: int
    smallest: int | None
    groups_below: int
    rows_below: int


@dataclass(frozen=True, kw_only=True)
class WildcardMeasurement:
    """What a table holds if `*` is like every value.

    Parameters
    ----------
    smallest
        The least number of rows that are like a row, itself among them; `None` if no row tells anything.
    rows_below
        Rows that are like fewer than the k that was asked about.
    """

    smallest: int | None
    rows_below: int
