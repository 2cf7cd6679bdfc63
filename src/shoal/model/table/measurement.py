"""What an engine measures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a table really contains, measured from nothing but its cells.

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
        Rows of the smallest group; `None` without groups.
    groups_below, rows_below
        Groups smaller than the given k, and the rows in them.
    """

    rows: int
    suppressed: int
    groups: int
    smallest: int | None
    groups_below: int
    rows_below: int


@dataclass(frozen=True, kw_only=True)
class WildcardMeasurement:
    """What a table contains if `*` equals every value.

    Parameters
    ----------
    smallest
        The least number of rows that match a row, itself included; `None` if no row reveals anything.
    rows_below
        Rows that match fewer rows than the given k.
    """

    smallest: int | None
    rows_below: int
