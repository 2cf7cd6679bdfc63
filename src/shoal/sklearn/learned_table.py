"""What `fit` learned of a table: the recoding of each column, and which groups were released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError, PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.recoding.groups import distinct
from shoal.model.recoding.recoding import DomainRecoding
from shoal.pipeline.draft import Draft
from shoal.sklearn.cells import Cells
from shoal.sklearn.learned_column import OUTSIDE, LearnedColumn

Outside = Literal["nearest", "suppress"]
Parts = NDArray[np.int64]
Group = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class LearnedTable:
    """A recoding, with the groups that it made in the fitted table.

    Parameters
    ----------
    columns
        The recoding of each column.
    released, suppressed
        The groups that were released and those that were not, each given by the parts of its columns.
    """

    columns: tuple[LearnedColumn, ...]
    released: frozenset[Group]
    suppressed: frozenset[Group]

    @classmethod
    def of(cls, draft: Draft, cells: Sequence[Cells]) -> Self:
        """What the release of some columns teaches; `PolicyError` if it has no recoding for new rows."""
        if not isinstance(draft.recoding, DomainRecoding):
            raise PolicyError(
                f"algorithm {draft.policy.algorithm!r} does not give each column one recoding, which new "
                "rows need; choose another, or auto"
            )
        made = draft.solution.groups
        return cls(
            columns=tuple(_column(draft, draft.recoding, place, each) for place, each in enumerate(cells)),
            released=frozenset(map(tuple, made.values[made.kept].tolist())),
            suppressed=frozenset(map(tuple, made.values[~made.kept].tolist())),
        )

    def parts(self, cells: Sequence[Cells], outside: Outside) -> tuple[Parts, NDArray[np.bool_]]:
        """Per row and column the part, and whether the row is suppressed."""
        columns = []
        for column, each in zip(self.columns, cells, strict=True):
            parts = column.parts(each.texts)
            new = np.flatnonzero(parts == OUTSIDE)
            if outside == "nearest" and len(new):
                parts[new] = column.nearest([each.texts[place] for place in new.tolist()])
            columns.append(parts[each.of_row])
        found = np.column_stack(columns)
        first, of_row = distinct(found.astype(np.int32) + 1)
        groups = [tuple(found[row].tolist()) for row in first]
        refused = [
            group not in self.released if outside == "suppress" else group in self.suppressed
            for group in groups
        ]
        return found, np.array(refused, np.bool_)[of_row]

    def check(self, cells: Sequence[Cells], *, k: int, suppressed: int) -> None:
        """Raise `InternalError` unless the fitted rows fall into groups of k, and no more are suppressed than
        the audit measured."""
        parts, hidden = self.parts(cells, "suppress")
        kept = parts[~hidden].astype(np.int32)
        _, of_row = distinct(kept)
        sizes = np.bincount(of_row)
        # A group at the top of every column prints what a suppressed row prints, and is counted as one.
        if (len(sizes) and sizes.min() < k) or int(hidden.sum()) > suppressed:
            raise InternalError("the fitted rows do not fall into the groups that were released")


def _column(draft: Draft, recoding: DomainRecoding, place: int, cells: Cells) -> LearnedColumn:
    domain, released = draft.problem.table.domains[place], draft.solution.released_codes[place]
    of_code = recoding.parts(place, domain).tolist()
    part_of: dict[str | None, int] = {
        None if domain.values[code] is None else domain.text(code): part for code, part in enumerate(of_code)
    }
    # What the engine took for a missing value stays one, however it is written.
    if domain.has_missing:
        part_of.update({text: part_of[None] for text in cells.texts if text not in part_of})
    hierarchy = draft.policy.quasi_identifiers[place].given_hierarchy()
    return LearnedColumn(
        name=cells.name,
        kind=cells.kind,
        part_of=part_of,
        labels=recoding.labels(place, domain, released),
        released=tuple(sorted({of_code[code] for code in released})),
        hierarchy=hierarchy if isinstance(hierarchy, Hierarchy) else None,
    )
