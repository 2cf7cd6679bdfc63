"""Groups that break a demand, described without their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.measure.measures import Examines
from shoal.auditor.measure.suppressed_cells import SuppressedCells, hidden_among
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.distinct_codes import distinct_codes
from shoal.model.table.domain import MISSING, SUPPRESSED
from shoal.model.table.number_text import number_of
from shoal.model.table.short_labels import is_short

K_ANONYMITY = "k-anonymity"


@dataclass(frozen=True, kw_only=True)
class OffendingGroup:
    """A group that breaks a demand.

    Parameters
    ----------
    rows
        Its rows.
    hidden_among
        How many rows each of them hides among, as suppressed cells are read.
    breaks
        The demands that it breaks, by their keys.
    first_row
        The number of its first row in the table, from 1, without the header; `None` where rows have no
        order.
    suppressed, generalized, missing
        The quasi-identifiers that read `*` there, those that cover more than one value, and the missing ones.
        The others show a single value.
    distinct
        Per sensitive column how many different values the group has; the missing one counts as one.
    """

    rows: int
    hidden_among: int
    breaks: tuple[str, ...]
    first_row: int | None = None
    suppressed: tuple[str, ...] = ()
    generalized: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    distinct: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        plain = asdict(self)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}


@dataclass(frozen=True, kw_only=True)
class Offending:
    """The groups that break a demand.

    Parameters
    ----------
    groups, rows
        All of them, and their rows.
    described
        The smallest of them, as many as were requested; ties in the order of their first rows.
    """

    groups: int = 0
    rows: int = 0
    described: tuple[OffendingGroup, ...] = ()


def offending_groups(
    engine: Examines,
    source: Any,
    quasi_identifiers: Sequence[Attribute],
    sensitive: Sequence[str],
    *,
    k: int,
    reading: SuppressedCells,
    refused: Mapping[str, CodedCells],
    limit: int,
) -> Offending:
    """Find the groups that are smaller than k or that models refuse, and describe the smallest.

    Parameters
    ----------
    engine, source
        The table.
    quasi_identifiers, sensitive
        The columns that make the groups, and those whose values are counted in each.
    k, reading
        How many rows each row must hide among, and how `*` is read.
    refused
        Per model, by its key, the groups that it refuses.
    limit
        How many groups to describe.
    """
    names = [each.name for each in quasi_identifiers]
    table = _Groups(engine, source, names, list(sensitive), places=limit > 0)
    among = hidden_among(table.groups, reading)
    breaking = {K_ANONYMITY: (among < k) & ~table.groups.stars().all(axis=1)}
    breaking |= {key: table.among(groups) for key, groups in refused.items()}
    any_broken = np.any(list(breaking.values()), axis=0)
    chosen = np.flatnonzero(any_broken)
    # Smallest first; ties by their place, so that the answer depends on nothing else.
    order = np.lexsort((table.first[chosen], table.groups.counts[chosen], among[chosen]))[: max(0, limit)]
    readers = [CellReader.of(each) for each in quasi_identifiers]
    described = tuple(
        OffendingGroup(
            rows=int(table.groups.counts[group]),
            hidden_among=int(among[group]),
            breaks=tuple(key for key, broken in breaking.items() if broken[group]),
            first_row=int(table.first[group]) + 1 if table.ordered else None,
            distinct=table.distinct(group),
            **_forms(quasi_identifiers, readers, table.texts(group)),
        )
        for group in chosen[order].tolist()
    )
    return Offending(groups=len(chosen), rows=int(table.groups.counts[chosen].sum()), described=described)


class _Groups:
    """The groups of a table, with the rows that they are made of."""

    def __init__(
        self, engine: Examines, source: Any, names: list[str], sensitive: list[str], *, places: bool
    ) -> None:
        columns = list(dict.fromkeys((*names, *sensitive)))
        rows = _in_order(engine, source, columns) if places else None
        self.ordered = rows is not None
        self._read = engine.cells(source, columns) if rows is None else rows
        self._sensitive = sensitive
        lines, self._of_row = distinct_codes(self._read.codes[:, : len(names)])
        self.first: NDArray[np.int64] = np.full(len(lines), len(self._of_row), np.int64)
        np.minimum.at(self.first, self._of_row, np.arange(len(self._of_row)))
        self.groups = CodedCells(
            columns=tuple(names),
            cells=self._read.cells[: len(names)],
            codes=lines,
            counts=np.bincount(self._of_row, self._read.counts, len(lines)).astype(np.int64),
        )

    def among(self, groups: CodedCells) -> NDArray[np.bool_]:
        """Per group whether it is one of these, which were read at another time."""
        translated = []
        for own, other, codes in zip(self.groups.cells, groups.cells, groups.codes.T, strict=True):
            code_of = {text: code for code, text in enumerate(own)}
            translated.append(np.array([code_of.get(text, len(own)) for text in other], np.int32)[codes])
        both = np.concatenate([self.groups.codes, np.column_stack(translated).astype(np.int32)])
        _, numbers = distinct_codes(both)
        size = len(self.groups.codes)
        among: NDArray[np.bool_] = np.isin(numbers[:size], numbers[size:])
        return among

    def texts(self, group: int) -> list[str | None]:
        """The cells of a group."""
        codes = self.groups.codes[group].tolist()
        return [cells[code] for cells, code in zip(self.groups.cells, codes, strict=True)]

    def distinct(self, group: int) -> dict[str, int]:
        """Per sensitive column the different values of a group."""
        rows = self._of_row == group
        return {
            name: len({self._read.texts(name)[code] for code in np.unique(self._read.column(name)[rows])})
            for name in self._sensitive
        }


def _in_order(engine: Examines, source: Any, columns: Sequence[str]) -> CodedCells | None:
    """The rows in their order; `None` where they have none, so that a place would mean nothing."""
    try:
        return engine.rows(source, columns)
    except PolicyError:
        return None


def _forms(
    attributes: Sequence[Attribute], readers: Sequence[CellReader], cells: Sequence[str | None]
) -> dict[str, tuple[str, ...]]:
    """Which columns of a group are suppressed, generalized and missing."""
    forms: dict[str, list[str]] = {"suppressed": [], "generalized": [], "missing": []}
    for attribute, reader, cell in zip(attributes, readers, cells, strict=True):
        if cell is None or cell == MISSING:
            forms["missing"].append(attribute.name)
        elif cell == SUPPRESSED:
            forms["suppressed"].append(attribute.name)
        elif _is_generalized(attribute, reader, cell):
            forms["generalized"].append(attribute.name)
    return {form: tuple(columns) for form, columns in forms.items()}


def _is_generalized(attribute: Attribute, reader: CellReader, cell: str) -> bool:
    """Whether a cell covers more than one value, as far as it can be read."""
    meaning = reader.meaning(cell)
    if is_short(cell):
        return True
    if len(meaning.values) > 1 or meaning.begin is not None or meaning.missing:
        return True
    if number_of(cell) is not None:
        return False
    # 2025-Q2 is many days, or a value of a column of quarters: only the policy says which.
    days = meaning.days if attribute.type == "date" or cell.startswith(("[", "(", "]")) else ()
    return any(
        span.low is None or span.high is None or span.high - span.low > width
        for spans, width in ((meaning.spans, 0), (days, 1))
        for span in spans
    )
