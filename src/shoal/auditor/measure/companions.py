"""Columns that a release has in addition to its labels: are they what the labels say, and nothing more?

A companion must be a function of the label: then grouping by labels and companions gives the same groups as
grouping by labels alone, and nobody can be told apart by it. And it must be true: the bounds that the label
itself states. Labels are read as any reader of the release does and, where the values of the source are
known, also by those.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from fractions import Fraction

from shoal.model.hierarchy.label_reader import LabelReader
from shoal.model.result.column_coding import ColumnCoding
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.domain import Domain
from shoal.model.table.number_text import number_of

Line = tuple[str | None, ...]
"""A label, and what is written next to it."""


def companion_fault(
    lines: Sequence[Line],
    coding: ColumnCoding,
    domain: Domain | None = None,
    released: Collection[int] = (),
) -> str | None:
    """What is wrong with the companions of a column, as the end of a sentence; `None` if nothing is.

    Parameters
    ----------
    lines
        Every combination of a label and its lower and upper bound in the release, once.
    coding
        How the labels of the column are read.
    domain, released
        The values of the source, if they are known, and the codes that released rows have.
    """
    if len({line[0] for line in lines}) < len(lines):
        return "a label has several bounds, so that rows of one group could be told apart"
    reader = None if domain is None or domain.bin is not None else LabelReader(domain)
    for label, *ends in lines:
        span = coding.cell(label).span
        stated = (None, None) if span is None else (span.low, span.high)
        read = [_position(coding, end) for end in ends]
        if any(not _same(one, other) for one, other in zip(stated, read, strict=True)):
            return "a label has other bounds than it states"
        codes = None if reader is None else reader.codes(label)
        if span is not None and codes is not None and domain is not None:
            known = [code for code in codes if code in released and domain.values[code] is not None]
            ends_of_codes = {known[0], known[-1]} if known else set()  # values are in ascending order
            if any(not _between(_position(coding, domain.text(code)), *read) for code in ends_of_codes):
                return "the bounds of a label leave out values that it represents"
    return None


def members_fault(lines: Sequence[Line], coding: ColumnCoding) -> str | None:
    """What is wrong with the lists of values of a column, like `companion_fault`."""
    if len({line[0] for line in lines}) < len(lines):
        return "a label has several lists of values, so that rows of one group could be told apart"
    for label, listed in lines:
        members = coding.cell(label).members
        written = None if listed is None else tuple(json.loads(listed))
        if members != written:
            return "a label has another list of values than it states"
    return None


def _position(coding: ColumnCoding, text: str | None) -> Fraction | None:
    if text is None:
        return None
    return number_of(text) if coding.kind == "number" else day_of(text)


def _same(stated: Fraction | None, written: Fraction | None) -> bool:
    if stated is None or written is None:
        return stated is written
    # A column of doubles has the nearest one.
    return stated == written or float(stated) == float(written)


def _between(value: Fraction | None, low: Fraction | None, high: Fraction | None) -> bool:
    return value is None or (
        (low is None or _ordered(low, value)) and (high is None or _ordered(value, high))
    )


def _ordered(one: Fraction, other: Fraction) -> bool:
    """Whether a number is at most another, where one of them may be the double nearest to what is meant."""
    return one <= other or float(one) <= float(other)
