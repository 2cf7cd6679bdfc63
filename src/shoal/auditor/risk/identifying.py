"""Which columns identify people, and why: a suggestion to think about, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.auditor.risk.subsets import Subset
from shoal.formatting.numbers import percent_in_line as percent
from shoal.model.policy.attribute import Role
from shoal.model.table.likely_role import likely_role
from shoal.model.table.sampled_cells import SampledCells

ALONE = 0.05
"""A column that leaves this share of rows unique by itself identifies people."""
HALF = 0.5
"""So does a column without which at least half of the unique rows are no longer unique."""
SEPARATES = 0.9
"""A column that distinguishes this share of pairs of rows helps others to."""


@dataclass(frozen=True, kw_only=True)
class Identifying:
    """A column that probably identifies people.

    Parameters
    ----------
    column
        The column.
    reason
        What was measured.
    known
        Whether it is one of the quasi-identifiers that were named.
    """

    column: str
    reason: str
    known: bool = True

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"column": self.column, "reason": self.reason, "quasi_identifier": self.known}


def identifying(
    names: Sequence[str], subsets: Sequence[Subset], others: Sequence[SampledCells], rows: int
) -> list[Identifying]:
    """The columns, the named ones first, each with the strongest reason.

    Parameters
    ----------
    names
        The quasi-identifiers.
    subsets
        How well sets of them distinguish rows: at least each alone, and all together.
    others
        The other columns of the table.
    rows
        Rows of the table.
    """
    measured = {frozenset(each.columns): each for each in subsets}
    whole = measured[frozenset(names)]
    columns = []
    for name in names:
        without = measured.get(frozenset(names) - {name})
        reason = _reason(measured[frozenset([name])], without, whole)
        if reason is not None:
            columns.append(Identifying(column=name, reason=reason))
    for cells in others:
        role, why, _ = likely_role(cells.column, rows=rows, distinct=cells.distinct, texts=cells.informative)
        if cells.informative and role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER):
            columns.append(
                Identifying(
                    column=cells.column, reason=f"{why}, and it is not a quasi-identifier here", known=False
                )
            )
    return columns


def _reason(alone: Subset, without: Subset | None, whole: Subset) -> str | None:
    if alone.uniqueness >= ALONE:
        return f"by itself it leaves {percent(alone.uniqueness)} of the rows unique"
    if without is not None and without.uniqueness <= HALF * whole.uniqueness < whole.uniqueness:
        return (
            f"without it {percent(without.uniqueness)} of the rows are unique instead of "
            f"{percent(whole.uniqueness)}"
        )
    if alone.separation >= SEPARATES:
        return f"by itself it distinguishes {percent(alone.separation)} of all pairs of rows"
    return None
