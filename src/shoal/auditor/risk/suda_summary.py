"""What SUDA says of a table as a whole: no row, and no cell, is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class SudaSummary:
    """How special the unique rows of a table are, and which columns make them so.

    Parameters
    ----------
    columns
        The columns of which MSUs consist.
    size
        The most columns of an MSU that was looked for.
    rows
        Rows of the table.
    msus_by_size
        How many MSUs of 1, 2, ... columns there are.
    special, unique
        Rows with an MSU, and rows that are unique on all columns; they differ where large MSUs were not
        looked for.
    sampling_fraction, dis
        The share of the population that the rows are, and the chance that a match with a unique row is right.
    scores
        Of the rows with an MSU the median, the ninth decile and the greatest score; nothing if there is none.
    above
        How many rows have a DIS-SUDA score above each of `LIMITS`.
    contributions
        Per column the share of the sum of all scores that MSUs with this column have; they add up to more
        than 1. Nothing if there is no MSU.
    """

    LIMITS: ClassVar[tuple[float, ...]] = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)

    columns: tuple[str, ...]
    size: int
    rows: int
    msus_by_size: tuple[int, ...]
    special: int
    unique: int
    sampling_fraction: float
    dis: float
    scores: tuple[float, ...]
    above: tuple[int, ...]
    contributions: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "size": self.size,
            "rows": self.rows,
            "msus_by_size": list(self.msus_by_size),
            "special": self.special,
            "unique": self.unique,
            "sampling_fraction": self.sampling_fraction,
            "dis": self.dis,
            "scores": dict(zip(("median", "ninth_decile", "highest"), self.scores, strict=False)) or None,
            "dis_scores_above": [
                [limit, int(rows)] for limit, rows in zip(self.LIMITS, self.above, strict=True)
            ],
            "contributions": dict(zip(self.columns, self.contributions, strict=False)) or None,
        }

    def lines(self) -> Iterator[str]:
        """For people, line by line."""
        every = f"up to {self.size} columns" if self.size < len(self.columns) else "all sizes"
        yield (
            f"SUDA         {self.special:,} of {self.rows:,} rows have a minimal unique combination of "
            f"values ({every}); by columns: {', '.join(f'{count:,}' for count in self.msus_by_size)}"
        )
        if not self.scores:
            return
        median, decile, highest = self.scores
        yield (
            f"SUDA         score of these rows: median {median:,.4g}, ninth decile {decile:,.4g}, highest "
            f"{highest:,.4g}"
        )
        shown = [(limit, rows) for limit, rows in zip(self.LIMITS, self.above, strict=True) if limit and rows]
        yield (
            f"SUDA         a match with a unique row is right with chance {self.dis:.2g} if the rows are "
            f"{self.sampling_fraction:.4g} of the population; rows with a higher chance: "
            + (", ".join(f"{rows:,} above {limit:g}" for limit, rows in shown) or "none above 0.1")
        )
        by_share = sorted(zip(self.contributions, self.columns, strict=True), reverse=True)
        yield "SUDA         share of the scores: " + ", ".join(
            f"{name} {100 * share:.3g} %" for share, name in by_share
        )
