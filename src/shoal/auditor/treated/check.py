"""Checks the treated columns of a release: alone, or next to the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.treated.compared_column import ComparedColumn, Facts
from shoal.auditor.treated.definitions import DEFINITIONS, Definition
from shoal.model.cells.column_texts import in_plain_form
from shoal.model.cells.treated_texts import treated_texts
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute
from shoal.model.table.coded_cells import CodedCells

DROP = "drop"


class ReadsRows(Protocol):
    """What the check needs from an engine."""

    def columns(self, source: Any) -> tuple[str, ...]: ...

    def cells(self, source: Any, columns: Sequence[str]) -> CodedCells: ...

    def rows(self, source: Any, columns: Sequence[str]) -> CodedCells: ...


def failures_alone(engine: ReadsRows, release: Any, facts: Mapping[str, Facts]) -> dict[str, str]:
    """What the release alone shows to be wrong: column -> words.

    Parameters
    ----------
    engine, release
        The release.
    facts
        What its manifest says about each treated column.
    """
    columns = engine.columns(release)
    failures = _wrong_columns(columns, facts)
    for name, own in facts.items():
        if name in failures or own["name"] == DROP:
            continue
        definition = DEFINITIONS[own["name"]]
        if definition.cell is None:
            continue
        cells = engine.cells(release, [name])
        try:
            wrong = _wrong_cells(cells, definition, own)
        except (KeyError, TypeError, ValueError):
            failures[name] = _INCOMPLETE.format(name)
            continue
        if wrong:
            failures[name] = _words(name, wrong, definition)
    return failures


def _wrong_cells(cells: CodedCells, definition: Definition, own: Facts) -> int:
    assert definition.cell is not None
    (texts,) = cells.cells
    lines = zip(cells.codes[:, 0].tolist(), cells.counts.tolist(), strict=True)
    return sum(
        count for code, count in lines if (text := texts[code]) is not None and not definition.cell(own, text)
    )


_INCOMPLETE = "the manifest does not fully state the treatment of column {!r}"


def failures_next_to_original(
    engine: ReadsRows,
    release: Any,
    original: CodedCells,
    rows: NDArray[np.int64],
    facts: Mapping[str, Facts],
    masked: NDArray[np.bool_] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    attributes: Mapping[str, Attribute] | None = None,
) -> dict[str, str]:
    """What the release and its original together show to be wrong: column -> words.

    Parameters
    ----------
    engine, release, facts
        As in `failures_alone`; rows of the release must have an order.
    original
        All rows of the source, with the treated columns and those that treatments read.
    rows
        Per row of the release, in its order, the row of the source; -1 if it is not known, and not examined.
    masked
        Per row of the release whether it is suppressed, and so must have no known cell.
    hierarchies
        The hierarchies by which columns were generalized.
    attributes
        What the policy states about the cells of the source: how they are written, and which mean "missing".
    """
    failures = failures_alone(engine, release, facts)
    names = [name for name, own in facts.items() if own["name"] != DROP and name not in failures]
    if not names:
        return failures
    meant = {name: DEFINITIONS[facts[name]["name"]].needs(facts[name]) for name in names}
    original = in_plain_form(original, treated_texts(original, meant, attributes or {}))
    written = engine.rows(release, names)
    if len(written.codes) != len(rows):
        return {names[0]: f"the release has {len(written.codes):,} rows, and not {len(rows):,}"}
    hidden = np.zeros(len(rows), np.bool_) if masked is None else masked
    examined = ~hidden & (rows >= 0)
    for name in names:
        column = ComparedColumn(
            column=name,
            released=written.lines(examined),
            original=original,
            rows=rows[examined],
            facts=facts,
            hierarchies=hierarchies or {},
        )
        shown = [written.texts(name)[code] for code in np.unique(written.column(name)[hidden]).tolist()]
        try:
            wrong = (
                f"column {name!r} has known cells in suppressed rows"
                if any(text is not None for text in shown)
                else _wrong_in(column)
            )
        except (KeyError, TypeError, ValueError):
            wrong = _INCOMPLETE.format(name)
        if wrong is not None:
            failures[name] = wrong
    return failures


def _wrong_columns(columns: Sequence[str], facts: Mapping[str, Facts]) -> dict[str, str]:
    failures = {}
    for name, own in facts.items():
        if own["name"] == DROP:
            if name in columns:
                failures[name] = f"column {name!r} was to be dropped, and the release has it"
        elif name not in columns:
            failures[name] = f"the release has no column {name!r}"
        elif own["name"] not in DEFINITIONS:
            failures[name] = f"the audit does not know the treatment {own['name']!r} of column {name!r}"
    return failures


def _wrong_in(column: ComparedColumn) -> str | None:
    definition, own = DEFINITIONS[column.own["name"]], column.own
    wrong = 0
    for text, original, rows in column.pairs:
        if text is None or original is None:
            wrong += rows if text is not original else 0
        elif definition.pair is not None and not definition.pair(own, text, original):
            wrong += rows
    if wrong:
        return _words(column.column, wrong, definition)
    whole = None if definition.column is None else definition.column(column)
    return None if whole is None else f"column {column.column!r} {whole}"


def _words(name: str, cells: int, definition: Definition) -> str:
    return f"{cells:,} cell(s) of the treated column {name!r} are not {definition.words}"
