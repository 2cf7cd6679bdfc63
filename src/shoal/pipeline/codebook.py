"""What a data dictionary says of each column, taken from the release and its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.formatting.numbers import counted
from shoal.model.result.column_coding import CellCoding, ColumnCoding, coding_of
from shoal.model.table.domain import SUPPRESSED
from shoal.pipeline.hardening.words import INFERRED
from shoal.pipeline.read_back.opened import OpenedRelease
from shoal.pipeline.read_back.plain_cells import plain_cells
from shoal.pipeline.treated_entry import treated_entry
from shoal.reports.codebook import Code, Codebook, Entry

MOST_CODES = 30
MOST_FREQUENT = 12
"""Of a column with more different cells than the first number, only the most frequent are shown."""
_ROLES = {
    "quasi-identifier": "Quasi-identifier",
    "sensitive": "Sensitive",
    "class": "Class",
    "other": "Other column",
    "companion": "Companion",
}
_VALUES = {"number": "numbers", "date": "dates", "category": "categories"}
_ELEMENTS = {
    "whole": "whole numbers",
    "decimal": "numbers",
    "date": "dates",
    "moment": "dates and times",
    "truth": "true or false",
    "text": "text",
}
_CENTERS = {"mean": "mean", "median": "median", "mode": "most frequent value"}


def codebook_of(opened: OpenedRelease) -> Codebook:
    """The data dictionary of a release.

    Parameters
    ----------
    opened
        The release.
    """
    facts, name = opened.facts, opened.name
    rows = len(opened.cells.codes)
    summary = [
        f"{counted(rows, 'row')} in {counted(facts['groups'], 'group')}. Rows of a group have the same cells "
        f"in all quasi-identifiers, and every group has at least {facts['audit']['k-anonymity'] or 0:,} rows."
    ]
    if facts["suppressed"]:
        summary.append(f"{counted(facts['suppressed'], 'row')} of the source are not in it, or masked.")
    if facts.get("order") == "shuffle":
        summary.append("The rows are in a random order, which says nothing about the source.")
    file = name if name != "the data frame" else "release.csv"
    return Codebook(
        release=name,
        summary=tuple(summary),
        columns=tuple(_entry(opened, column, file) for column in opened.cells.columns),
        # What an attacker could infer is for those who release, not for those who read.
        notes=tuple(note for note in facts.get("notes", ()) if not _is_of_attackers(note)),
        python=f"release = shoal.read({json.dumps(file, ensure_ascii=False)})",
        r=_r_reading(file, opened.delimiter),
    )


def _is_of_attackers(note: str) -> bool:
    return note.startswith(INFERRED) or "`harden`" in note


def _r_reading(file: str, delimiter: str | None) -> str:
    name = json.dumps(file, ensure_ascii=False)
    if file.endswith(".parquet"):
        return f"release <- arrow::read_parquet({name})"
    sep = "" if delimiter in (None, ",") else f", sep = {json.dumps(delimiter)}"
    return (
        f'release <- read.csv({name}{sep}, na.strings = c("", "*"), colClasses = "character", '
        "check.names = FALSE)"
    )


def _entry(opened: OpenedRelease, name: str, file: str) -> Entry:
    stated = opened.facts.get("columns", {}).get(name, {})
    texts, codes = opened.cells.texts(name), opened.cells.column(name)
    rows: dict[str | None, int] = {}
    for text, times in zip(texts, np.bincount(codes, minlength=len(texts)).tolist(), strict=True):
        if times:
            rows[text] = rows.get(text, 0) + times
    role = _ROLES.get(stated.get("role", ""), "Other column")
    if name in opened.recoded:
        coding = coding_of(opened.facts, name, list(rows))
        return _Recoded(coding, rows, stated, opened.facts, file).entry(_ROLES["quasi-identifier"])
    typed = plain_cells(name, texts, codes, is_text=name in opened.texts)
    treated = treated_entry(opened.facts, name)
    done = treated.done if treated else _companion_of(opened.facts, name) or "Released as it is."
    shown, is_number = len(rows) <= MOST_CODES, typed.element in ("whole", "decimal")
    quoted = json.dumps(name, ensure_ascii=False)
    return Entry(
        name=name,
        role=role,
        type=(treated and treated.type) or _ELEMENTS[typed.element],
        done=(done, *(() if shown else (f"{len(rows):,} different cells.",))),
        codes=tuple(Code(label=text, rows=times) for text, times in _sorted(rows)) if shown else (),
        distinct=len(rows),
        cells=_empty(rows),
        python=(treated and treated.python) or f"release[{quoted}]",
        r=(treated and treated.r)
        or (f"as.numeric(release[[{quoted}]])" if is_number else f"release[[{quoted}]]"),
    )


def _companion_of(facts: Mapping[str, Any], name: str) -> str:
    for column, stated in facts.get("columns", {}).items():
        names = stated.get("companions", [])
        if name in names:
            end = ("lower", "upper")[names.index(name)]
            return f"The {end} bound of what the label of {column!r} in the same row represents."
    return ""


def _sorted(rows: Mapping[str | None, int]) -> list[tuple[str | None, int]]:
    """The most frequent cells first."""
    return sorted(rows.items(), key=lambda each: (-each[1], each[0] is None, each[0] or ""))


def _empty(rows: Mapping[str | None, int]) -> tuple[str, ...]:
    times = rows.get(None, 0)
    return (f"Empty in {counted(times, 'row')}: there is no value.",) if times else ()


def _made_words(stated: Mapping[str, Any], labels: int) -> str:
    """What was done to a point or a time."""
    if "place" not in stated:
        return f"Times as slots of several lengths: {counted(labels, 'different slot')}."
    place = stated["place"]
    levels = place["levels"] - 1
    if place["cells"] == "grid":
        sides = f"squares with sides of {place['finest']:,} to {place['finest'] << levels:,} m"
    else:
        sides = f"cells of H3 of resolution {place['finest']} to {place['finest'] - levels}"
    return f"Points as {sides}: {counted(labels, 'different cell')}. `shoal map` draws them."


class _Recoded:
    """A quasi-identifier."""

    def __init__(
        self,
        coding: ColumnCoding,
        rows: Mapping[str | None, int],
        stated: Mapping[str, Any],
        facts: Mapping[str, Any],
        file: str,
    ) -> None:
        self._coding, self._rows, self._stated, self._facts = coding, rows, stated, facts
        self._file = file
        self._known: dict[str | None, CellCoding] = {
            label: coding.cell(label) for label in rows if label not in (None, SUPPRESSED)
        }

    def entry(self, role: str) -> Entry:
        codes = self._in_order()
        return Entry(
            name=self._coding.name,
            role=role,
            type=_VALUES[self._coding.kind],
            done=tuple(self._done()),
            codes=tuple(
                Code(label=label, rows=self._rows[label], meaning=self._meaning(label)) for label in codes
            ),
            distinct=len(self._rows),
            cells=tuple(self._cells()),
            python=self._python(),
            r=self._r(),
        )

    def _in_order(self) -> list[str | None]:
        """All labels in their order if there are few; the most frequent ones otherwise."""
        frequent = [label for label, _ in _sorted(self._rows)]
        if len(frequent) > MOST_CODES:
            return frequent[:MOST_FREQUENT]
        place = {label: index for index, label in enumerate(self._ordered)}
        return sorted(frequent, key=lambda label: (label in (None, SUPPRESSED), place.get(label, -1)))

    @property
    def _ordered(self) -> Sequence[str | None]:
        if self._coding.has_bounds:
            return sorted(self._known, key=self._place)
        return self._coding.order or tuple(sorted(map(str, self._known)))

    def _place(self, label: str | None) -> tuple[object, ...]:
        span = self._known[label].span
        if span is None:
            return (2, 0, 0)
        return (span.low is not None, span.low or 0, span.high or 0)

    def _done(self) -> list[str]:
        coding, labels = self._coding, len(self._known)
        if not self._known:
            return ["Suppressed as a whole: every row reads *." if SUPPRESSED in self._rows else "Empty."]
        if coding.center is not None:
            center = _CENTERS[coding.center]
            return [f"The {center} of a group of similar rows; a cell need not be true of its own row."]
        if "place" in self._stated or "time" in self._stated:
            return [_made_words(self._stated, labels)]
        wide = [label for label, cell in self._known.items() if self._is_wide(cell)]
        if not wide:
            return ["Released as it is."]
        if coding.kind == "category":
            return [self._in_sets(wide)]
        ordered = [label for label in self._ordered if self._known[label].span is not None]
        what = "Numbers" if coding.kind == "number" else "Dates"
        ends = f", from {ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else ""
        return [f"{what} as intervals: {counted(labels, 'different label')}{ends}.", *self._widths()]

    def _in_sets(self, wide: Sequence[str | None]) -> str:
        labels = counted(len(self._known), "different label")
        sizes = [len(cell.members) for cell in self._known.values() if cell.members is not None]
        if len(sizes) < len(self._known):
            return f"Categories, generalized by a hierarchy to level {self._coding.level}: {labels}."
        more = "1" if min(sizes) == 1 else f"{min(sizes):,}"
        single = len(self._known) - len(wide)
        alone = f"; {single:,} of them a single value" if single else ""
        return f"Categories in sets: {labels}, of {more} to {max(sizes):,} values{alone}."

    def _widths(self) -> list[str]:
        """How wide an interval is on average, over the rows."""
        if self._coding.kind != "number":
            return []
        widths = [
            (float(span.high - span.low), self._rows[label])
            for label, cell in self._known.items()
            if (span := cell.span) is not None and span.low is not None and span.high is not None
        ]
        rows = sum(times for _, times in widths)
        if not rows:
            return []
        mean = sum(width * times for width, times in widths) / rows
        return [f"An interval is {mean:.3g} wide on average over the rows."]

    def _is_wide(self, cell: CellCoding) -> bool:
        if self._coding.kind == "category":
            return cell.members is None or len(cell.members) > 1
        return cell.span is None or cell.span.low != cell.span.high or cell.missing is None

    def _meaning(self, label: str | None) -> str:
        """What a label says, if it does not say it itself."""
        if label is None:
            return "missing in the source"
        if label == SUPPRESSED:
            return "suppressed"
        cell = self._known[label]
        if self._coding.kind == "category" and cell.members is not None and "#" in label:
            return ", ".join("missing" if each is None else each for each in cell.members)
        return ""

    def _cells(self) -> list[str]:
        sentences = []
        if self._rows.get(None):
            rows = counted(self._rows[None], "row")
            sentences.append(f"An empty cell, in {rows}, says that the value was missing in the source.")
        if self._rows.get(SUPPRESSED) and self._known:
            rows = counted(self._rows[SUPPRESSED], "row")
            sentences.append(f"* in {rows} is a suppressed cell: it reveals nothing.")
        either = sum(self._rows[label] for label, cell in self._known.items() if cell.missing is None)
        if either:
            rows = counted(either, "row")
            sentences.append(f"Labels that say missing, in {rows}, leave open whether there was a value.")
        order = self._facts.get("orders", {}).get(self._coding.name)
        if order and self._coding.kind == "category":
            sentences.append(f"Order of the values: {order}.")
        if self._stated.get("companions"):
            low, high = self._stated["companions"]
            sentences.append(f"Its bounds are in the columns {low!r} and {high!r}.")
        return sentences

    def _python(self) -> str:
        file, name = (json.dumps(each, ensure_ascii=False) for each in (self._file, self._coding.name))
        if self._coding.has_bounds:
            return f'shoal.read({file}, columns={{{name}: ["lower", "upper", "midpoint"]}})'
        if self._coding.order is not None:
            return f'shoal.read({file}, columns={{{name}: "ordered"}})'
        lists = all(cell.members is not None for cell in self._known.values())
        wide = any(cell.members is not None and len(cell.members) > 1 for cell in self._known.values())
        if self._coding.center is None and lists and wide:
            return f'shoal.read({file}, columns={{{name}: "list"}})'
        return f"shoal.read({file})[{name}]"

    def _r(self) -> str:
        column = f"release[[{json.dumps(self._coding.name, ensure_ascii=False)}]]"
        if self._stated.get("nested") and self._coding.has_bounds:
            return f"{column}$low; {column}$high"
        if self._stated.get("companions"):
            read = "as.numeric" if self._coding.kind == "number" else "as.Date"
            names = (json.dumps(each, ensure_ascii=False) for each in self._stated["companions"])
            return "; ".join(f"{read}(release[[{each}]])" for each in names)
        if self._coding.has_bounds:
            read = "as.numeric" if self._coding.kind == "number" else "as.Date"
            low, high = r'"^\\[(.*), .*", "\\1"', r'"^\\[.*, (.*)[])]$", "\\1"'
            return f"low <- {read}(sub({low}, {column})); high <- {read}(sub({high}, {column}))"
        if self._coding.order is not None and len(self._coding.order) <= MOST_CODES:
            levels = ", ".join(json.dumps(each, ensure_ascii=False) for each in self._coding.order)
            return f"factor({column}, levels = c({levels}), ordered = TRUE)"
        return f"factor({column})"
