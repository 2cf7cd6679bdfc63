"""The columns that a release has in addition on request, computed from its labels alone.

A companion is a function of the label that a reader sees, so it reveals nothing more, and groups stay as they
are; the auditor checks both in what was written.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.sql.engine import SqlEngine
from shoal.engines.sql.table import FrameTable
from shoal.errors import InternalError, PolicyError
from shoal.model.hierarchy.number_label import Span
from shoal.model.policy.policy import Policy
from shoal.model.result.column_coding import ColumnCoding, coding_of
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.companion import Companion, Element, NestedColumn
from shoal.model.table.domain import Domain
from shoal.model.table.label_bounds import moment_of
from shoal.model.table.number_text import number, number_of, number_text
from shoal.pipeline.column_codings import column_codings
from shoal.pipeline.released_columns import rows_of_values

if TYPE_CHECKING:
    from shoal.pipeline.draft import Draft

LOW, HIGH = "_low", "_high"
_MOST_WHOLE = 2**63


def check_companions(policy: Policy, columns: Sequence[str], domains: Sequence[Domain]) -> None:
    """Raise `PolicyError` where a companion would have the name of another column.

    Parameters
    ----------
    policy, columns
        The request, and the columns of its source.
    domains
        The domains of the quasi-identifiers.
    """
    if not policy.companions:
        return
    # Names that differ only in case are one name in SQL.
    kept = {name.lower() for name in columns if name not in policy.identifiers}
    for domain in domains:
        for name in (domain.name + LOW, domain.name + HIGH):
            if domain.kind != "category" and name.lower() in kept:
                raise PolicyError(
                    f"companions: the bounds of {domain.name!r} would be in a column {name!r}, and the "
                    "source already has one; rename or drop that, or leave out companions and use shoal.read"
                )


def check_nested(policy: Policy, engine: SqlEngine, table: object) -> None:
    """Raise `PolicyError` where structs cannot be written.

    Parameters
    ----------
    policy
        The request.
    engine, table
        The source.
    """
    if not policy.nested:
        return
    if not isinstance(policy.release, Path) or policy.release.suffix != ".parquet":
        raise PolicyError(
            "nested writes structs, which a Parquet file has: name the release NAME.parquet, or leave out "
            "nested"
        )
    if engine.name != "duckdb" or isinstance(table, FrameTable):
        raise PolicyError(
            "nested is for a source that is a file or a table of DuckDB; leave it out, and read the release "
            "with shoal.read, which has intervals and lists"
        )


def in_addition(draft: Draft) -> tuple[tuple[Companion, ...], tuple[NestedColumn, ...]]:
    """The companions of a release, and its columns that are structs, as its policy requests.

    Parameters
    ----------
    draft
        The release.
    """
    policy = draft.policy
    if not (policy.companions or policy.nested):
        return (), ()
    if not draft.recoding.truthful:
        raise PolicyError(
            f"{'companions' if policy.companions else 'nested'} writes what labels enclose, and this release "
            "has means of groups in their place; leave it out"
        )
    facts = {"recoding": draft.described, "columns": column_codings(draft)}
    companions: list[Companion] = []
    nested: list[NestedColumn] = []
    for attribute, domain in enumerate(draft.problem.table.domains):
        released = draft.solution.released_codes[attribute]
        labels = draft.recoding.labels(attribute, domain, released)
        used = rows_of_values(draft, attribute, len(labels)).nonzero()[0].tolist()
        # A label is about the values of released rows; others under it only suppressed rows have.
        members = draft.recoding.members(attribute, domain)
        shown = {number: [code for code in members[number] if code in released] for number in used}
        column = LabelColumns(facts, domain, labels, shown)
        if policy.companions and column.has_bounds:
            companions += column.bounds()
        struct = column.nested() if policy.nested else None
        nested += [] if struct is None else [struct]
    return tuple(companions), tuple(nested)


def addition_notes(draft: Draft) -> tuple[str, ...]:
    """Which columns have no companions although they were requested, in a sentence.

    Parameters
    ----------
    draft
        The release.
    """
    having = {each.column for each in draft.companions}
    without = [
        domain.name
        for domain in draft.problem.table.domains
        if draft.policy.companions and domain.kind != "category" and domain.name not in having
    ]
    if not without:
        return ()
    return (
        f"The labels of {', '.join(map(repr, without))} are words of a hierarchy, which state no bounds: the "
        "release has no companions of them.",
    )


class LabelColumns:
    """What the labels of one quasi-identifier say, for columns in addition to them.

    Parameters
    ----------
    facts
        The recoding and the columns as the manifest has them.
    domain
        The quasi-identifier.
    labels
        The labels of its released values.
    members
        For each released value that rows have, the released codes that it represents.
    """

    def __init__(
        self,
        facts: dict[str, Any],
        domain: Domain,
        labels: Sequence[str | None],
        members: Mapping[int, Sequence[int]],
    ) -> None:
        self._domain, self._labels, self._members, self._used = domain, labels, members, [*members]
        self._coding: ColumnCoding = coding_of(facts, domain.name, [labels[number] for number in members])

    @property
    def has_bounds(self) -> bool:
        """Whether all labels read as numbers or dates; not where they are words of a hierarchy."""
        coding = self._coding
        return coding.has_bounds and all(coding.reads(self._labels[number]) for number in self._used)

    def bounds(self) -> tuple[Companion, Companion]:
        """The companions of the column."""
        self._check_true()
        element = self._element
        ends: list[list[str | None]] = [[None] * len(self._labels), [None] * len(self._labels)]
        for number_ in self._used:
            span = self._coding.cell(self._labels[number_]).span
            if span is not None:
                ends[0][number_] = _text(span.low, element)
                ends[1][number_] = _text(span.high, element)
        name = self._domain.name
        low, high = (
            Companion(column=name, name=name + suffix, element=element, texts=tuple(texts))
            for suffix, texts in zip((LOW, HIGH), ends, strict=True)
        )
        return low, high

    def nested(self) -> NestedColumn | None:
        """The column as a struct; `None` if its labels say no more than they are."""
        if self._domain.kind != "category":
            return NestedColumn(column=self._domain.name, bounds=self.bounds()) if self.has_bounds else None
        if self._coding.center is not None:
            return None
        members: list[tuple[str | None, ...] | None] = [None] * len(self._labels)
        for number_ in self._used:
            members[number_] = self._coding.cell(self._labels[number_]).members
        return NestedColumn(column=self._domain.name, members=tuple(members))

    @property
    def _element(self) -> Element:
        if self._coding.kind == "date":
            return "moment" if self._coding.moments else "date"
        spans = [self._coding.cell(self._labels[number_]).span for number_ in self._used]
        ends = [end for span in spans if span is not None for end in (span.low, span.high) if end is not None]
        small = all(abs(end) < _MOST_WHOLE for end in ends)
        return "whole" if self._coding.whole and small else "decimal"

    def _check_true(self) -> None:
        """The bounds of every label must contain the values that it represents."""
        if self._domain.bin is not None:
            return
        last = len(self._domain) - self._domain.has_missing
        for number_ in self._used:
            span = self._coding.cell(self._labels[number_]).span
            known = [code for code in self._members[number_] if code < last]
            # Values are in ascending order, so the first and the last decide.
            for code in {known[0], known[-1]} if known and span is not None else ():
                text = self._domain.text(code)
                place = number_of(text) if self._domain.kind == "number" else day_of(text)
                if place is None or not _within(span, place):
                    raise InternalError(f"a label of {self._domain.name!r} does not contain its own values")


def _within(span: Span | None, place: Fraction) -> bool:
    return span is not None and span.contains(Span(place, place))


def _text(end: Fraction | None, element: Element) -> str | None:
    if end is None:
        return None
    if element in ("whole", "decimal"):
        return number_text(number(end))
    moment: datetime.datetime = moment_of(end)
    return moment.date().isoformat() if element == "date" else moment.isoformat(sep=" ")
