"""The verdict: what was measured, against what was demanded."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import AuditError
from shoal.model.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a release must measure besides its k.

    Parameters
    ----------
    columns
        The columns that the written table must have, and no other.
    rows, suppressed, groups, smallest
        The numbers that it must show.
    verified
        Whether the demand must hold. A policy can accept that it does not, where the algorithm is known not
        to guarantee it.
    advice
        What to try if it does not hold.
    """

    columns: tuple[str, ...]
    rows: int
    suppressed: int
    groups: int
    smallest: int | None
    verified: bool = True
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What an audit found.

    Parameters
    ----------
    quasi_identifiers
        The columns that make the groups.
    columns
        The columns that the table has.
    demanded
        The k that was asked about.
    measured
        What the table really holds.
    """

    quasi_identifiers: tuple[str, ...]
    columns: tuple[str, ...]
    demanded: int
    measured: Measurement

    @property
    def k(self) -> int | None:
        """The k that the table has: rows of its smallest group; `None` if it has no group."""
        return self.measured.smallest

    @property
    def holds(self) -> bool:
        """Whether no group is smaller than demanded."""
        return self.measured.groups_below == 0

    def check(self, expected: Expected) -> None:
        """Raise `AuditError` unless the table is the one promised and, if it must, holds the demand."""
        found = self.measured
        if expected.verified and not self.holds:
            raise AuditError(
                f"the audit refused the release: {found.groups_below:,} group(s) with "
                f"{found.rows_below:,} row(s) are smaller than k = {self.demanded}; the smallest has "
                f"{found.smallest}. Nothing was published{expected.advice}"
            )
        if self.columns != expected.columns:
            raise AuditError(
                "the audit refused the release: its columns are not the ones that it should have. "
                "Nothing was published"
            )
        measures = {"rows": "rows", "suppressed": "suppressed rows", "groups": "groups"}
        for name, words in {**measures, "smallest": "rows in the smallest group"}.items():
            promised, seen = getattr(expected, name), getattr(found, name)
            if promised != seen:
                raise AuditError(
                    f"the audit refused the release: it should have {promised or 0:,} {words}, but "
                    f"{seen or 0:,} were measured in what was written. Nothing was published"
                )

    def to_dict(self) -> dict[str, object]:
        """The verdict for programs."""
        found = self.measured
        return {
            "k-anonymity": self.k,
            "demanded": self.demanded,
            "holds": self.holds,
            "rows": found.rows,
            "suppressed": found.suppressed,
            "groups": found.groups,
            "groups_below": found.groups_below,
            "rows_below": found.rows_below,
        }
