"""How to read `*` in some cells of a row, and how many rows each row hides among then.

- *value*: `*` is a value like any other. Rows hide among those that read exactly as they do.
- *wildcard*: `*` matches everything. Rows hide among those that agree with them wherever neither reads `*`:
  what a reader who knows nothing of the suppressed cells cannot distinguish. Rows that match a row need not
  match each other, so this makes no groups.
- *conservative*: `*` hides nothing. Whoever learns what a suppressed cell was, from another release or from
  the way in which cells were chosen, fills it in; at worst it was a value that no other row has. So a row
  with a suppressed cell is alone, and the others hide among the equal rows that have no suppressed cell.

The conservative groups are the finest that any filling-in can leave: filled with values that occur nowhere
else they are left exactly so, and filled otherwise groups can only be joined. A privacy model under which
unions of admitted groups are admitted, as with all of `shoal.privacy`, holds whatever the cells were if it
holds for these groups; the least number of rows is attained.

In all three, a row whose quasi-identifiers all read `*` is suppressed and not measured, and a column that
reads `*` in all other rows is taken as one that was not released: it distinguishes no two rows, and does not
show why a cell was suppressed. For each row, conservative <= value <= wildcard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.measure.measures import Examines
from shoal.errors import PolicyError
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.measurement import Measurement, WildcardMeasurement
from shoal.model.table.rows_alike import rows_alike

SuppressedCells = Literal["value", "wildcard", "conservative"]

Ints = NDArray[np.int64]


def check_reading(reading: str) -> SuppressedCells:
    """The reading of that name; `PolicyError` if it does not exist."""
    for each in get_args(SuppressedCells):
        if reading == each:
            checked: SuppressedCells = each
            return checked
    raise PolicyError(
        f"suppressed cells are read as one of {', '.join(get_args(SuppressedCells))}, not as {reading!r}"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class SizesRead:
    """How large the groups of a table are in one reading of `*`.

    Parameters
    ----------
    measured, sizes
        The groups; with wildcards, those of rows that read exactly alike.
    wildcards
        The least number of rows that a row matches, with wildcards.
    among, rows
        Numbers of rows that a row hides among, itself one of them, and how many rows have each.
    """

    measured: Measurement
    sizes: GroupSizes
    wildcards: WildcardMeasurement | None = None
    among: Ints
    rows: Ints

    def rows_below(self, size: int) -> int:
        """Rows that hide among fewer rows."""
        return int(self.rows[self.among < size].sum())


def sizes_read(
    engine: Examines, source: Any, quasi_identifiers: Sequence[str], k: int, reading: SuppressedCells
) -> SizesRead:
    """Measure a table in a reading; for values in the engine, for the others among its distinct rows."""
    if reading == "value":
        sizes = engine.group_sizes(source, quasi_identifiers)
        return _of_groups(sizes, k)
    cells = engine.cells(source, quasi_identifiers)
    visible = ~cells.stars().all(axis=1)
    suppressed, rows = int(cells.counts[~visible].sum()), cells.counts[visible]
    among = hidden_among(cells, reading)[visible]
    if reading == "conservative":
        return _of_groups(_sizes(np.repeat(among, np.where(among < rows, rows, 1)), suppressed), k)
    measured = _of_groups(_sizes(rows, suppressed), k)
    wildcards = WildcardMeasurement(
        smallest=int(among.min()) if len(among) else None, rows_below=int(rows[among < k].sum())
    )
    return replace(measured, wildcards=wildcards, among=among, rows=rows)


def hidden_among(groups: CodedCells, reading: SuppressedCells) -> Ints:
    """Per line how many rows each of its rows hides among.

    Parameters
    ----------
    groups
        The distinct rows of the quasi-identifiers.
    reading
        How `*` is read. For lines of nothing but `*` the number means nothing.
    """
    hidden = groups.counts.copy()
    if reading == "conservative":
        hidden[partly_suppressed(groups)] = 1
    elif reading == "wildcard":
        stars = groups.stars()
        visible = ~stars.all(axis=1)
        if visible.any():
            hidden[visible] = rows_alike(
                groups.codes[visible].astype(np.int64), stars[visible], groups.counts[visible]
            )
    return hidden


def partly_suppressed(groups: CodedCells) -> NDArray[np.bool_]:
    """Per line whether some of its cells are suppressed, but not all of them, and not only whole columns."""
    stars = groups.stars()
    visible = ~stars.all(axis=1)
    whole = stars[visible].all(axis=0)
    partly: NDArray[np.bool_] = np.any(stars[:, ~whole], axis=1)
    return partly & visible


def set_apart(measured: MeasuredGroups) -> MeasuredGroups:
    """The conservative groups: every row with a suppressed cell alone, the others as they were.

    Rows of nothing but `*` that still show a sensitive value stay one group, as they are in every reading.
    """
    assert measured.labels is not None
    if measured.population is not None:
        raise PolicyError(
            "with suppressed cells read conservatively every row that has one is alone, and survey "
            "weights are added up by group; leave out survey_weight, or read the cells as values"
        )
    apart = partly_suppressed(measured.labels)
    if not apart.any():
        return measured
    kept, split = ~apart[measured.of_entry], apart[measured.of_entry]
    number = np.cumsum(~apart) - 1
    groups, rows = int((~apart).sum()), int(measured.rows[apart].sum())
    times = measured.counts[split]
    entries = np.repeat(np.flatnonzero(split), times)
    return replace(
        measured,
        rows=np.concatenate([measured.rows[~apart], np.ones(rows, np.int64)]),
        of_entry=np.concatenate([number[measured.of_entry[kept]], groups + np.arange(rows)]),
        codes=np.concatenate([measured.codes[kept], measured.codes[entries]]),
        counts=np.concatenate([measured.counts[kept], np.ones(rows, np.int64)]),
        stars=None if measured.stars is None else int(number[measured.stars]),
        labels=measured.labels.lines(
            np.concatenate([np.flatnonzero(~apart), measured.of_entry[entries]]).astype(np.int64)
        ),
    )


def _sizes(groups: Ints, suppressed: int) -> GroupSizes:
    sizes, times = np.unique(groups, return_counts=True)
    return GroupSizes(sizes=sizes, groups=times.astype(np.int64), suppressed=suppressed)


def _of_groups(sizes: GroupSizes, k: int) -> SizesRead:
    return SizesRead(
        measured=Measurement(
            rows=sizes.rows + sizes.suppressed,
            suppressed=sizes.suppressed,
            groups=sizes.count,
            smallest=sizes.smallest,
            groups_below=int(sizes.groups[sizes.sizes < k].sum()),
            rows_below=sizes.rows_below(k),
        ),
        sizes=sizes,
        among=sizes.sizes,
        rows=sizes.sizes * sizes.groups,
    )
