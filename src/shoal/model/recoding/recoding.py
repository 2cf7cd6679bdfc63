"""Recodings: how values change between the source and the release.

A recoding gives every cell of a quasi-identifier a released value: a number, a label and what the value
loses. Metrics, engines and the manifest see only that, so a released table costs the same whichever kind of
recoding produced it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError, PolicyError
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.number_text import json_number

if TYPE_CHECKING:
    from shoal.model.recoding.pieces import Pieces
    from shoal.model.table.frequency_table import FrequencyTable


class Recoding(ABC):
    """Released values of the distinct rows of a frequency table."""

    truthful: ClassVar[bool] = True
    """Whether every cell is true of its own row: it covers the row's value, or reveals nothing."""

    pieces: Pieces | None = None
    """The pieces that rows are divided into, if any are; most recodings release equal rows alike."""

    also_suppressed: tuple[tuple[int, ...], ...] = ()
    """Groups that are suppressed although each alone could be released, given by their released values."""

    wildcards: bool = False
    """Whether suppressed cells match every value, and k is a demand on the rows that match a row."""

    def refined(self, table: FrequencyTable) -> FrequencyTable:
        """The table with one line for all rows that are released alike."""
        return table if self.pieces is None else self.pieces.refine(table)

    @abstractmethod
    def released(self, table: FrequencyTable) -> NDArray[np.int32]:
        """For each distinct row and attribute the number of the released value."""

    @abstractmethod
    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        """The labels of an attribute's released values; `None` is the missing value, or a value never
        printed.

        Parameters
        ----------
        attribute, domain
            The attribute's number and its domain.
        released
            The codes that released rows have; a label must not reveal a value that only suppressed rows had.
        """

    def numbers(self, attribute: int, domain: Domain) -> tuple[float | None, ...] | None:  # noqa: ARG002
        """The labels as numbers, if all are numbers or missing and are written as numbers; else `None`."""
        return None

    @abstractmethod
    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        """The codes that each of an attribute's released values may represent."""

    @abstractmethod
    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        """General loss of an attribute's released values, 0 to 1."""

    @abstractmethod
    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        """Loss of an attribute's released values counted in values of the domain, 0 to 1."""

    @abstractmethod
    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        """Share of the hierarchy's height that an attribute's released values have climbed, 0 to 1."""

    @abstractmethod
    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        """The manifest's form: attribute -> released values, each with its label and the values it
        represents.

        A suppressed cell lists no values: it must not reveal any, and neither must the manifest.

        Parameters
        ----------
        domains
            The domains of the attributes.
        released
            For each attribute the codes that released rows have; values of suppressed rows only are left out.
        """

    def notes(self, domains: Sequence[Domain]) -> tuple[str, ...]:  # noqa: ARG002  most explain themselves
        """How to read the released values, in sentences, where that is not obvious."""
        return ()

    def informative(self, attribute: int, domain: Domain) -> Sequence[bool]:
        """Whether each of an attribute's released values is something other than a suppressed cell."""
        return [True] * len(self.members(attribute, domain))

    def suppresses(self, group: tuple[int, ...]) -> bool:
        """Whether a group, given by its released values, is suppressed however large it is."""
        return group in self._also

    @cached_property
    def _also(self) -> frozenset[tuple[int, ...]]:
        return frozenset(self.also_suppressed)

    def smallest_kept(self, k: int) -> int:
        """The least number of rows of a released group if the policy requires k."""
        return k


class DomainRecoding(Recoding):
    """A recoding that treats equal values alike: a partition of each attribute's domain into parts."""

    @abstractmethod
    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:
        """The part of each code of a domain, numbered from 0."""

    def released(self, table: FrequencyTable) -> NDArray[np.int32]:
        columns = [
            self.parts(attribute, domain)[table.codes[:, attribute]]
            for attribute, domain in enumerate(table.domains)
        ]
        return np.column_stack(columns).astype(np.int32, copy=False)

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        parts = self.parts(attribute, domain)
        order = np.argsort(parts, kind="stable")
        return [codes.tolist() for codes in np.split(order, np.flatnonzero(np.diff(parts[order])) + 1)]

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        described: dict[str, object] = {}
        for attribute, domain in enumerate(domains):
            codes = range(len(domain)) if released is None else released[attribute]
            values: dict[int, list[object]] = {}
            of_code = self.parts(attribute, domain)
            for code in sorted(codes):
                values.setdefault(int(of_code[code]), []).append(plain_value(domain, code))
            labels = self.labels(attribute, domain, codes)
            described[domain.name] = [
                {"label": labels[part], "values": [] if labels[part] == SUPPRESSED else values[part]}
                for part in sorted(values)
            ]
        return described


@dataclass(frozen=True, order=True)
class CutRecoding(DomainRecoding):
    """Intervals of ordered domains, each given by its cuts.

    A cut is a code that begins a new interval. Code 0 always does and is left out, so the empty tuple
    joins a whole domain, and a recoding is a subset of the alphabet of all cuts (K-Optimize, section 4).

    Parameters
    ----------
    cuts
        For each attribute the increasing cuts.
    also_suppressed
        Groups that are suppressed although they are large enough, each given by its parts.
    """

    cuts: tuple[tuple[int, ...], ...]
    also_suppressed: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        for cuts in self.cuts:
            if any(a >= b for a, b in zip((0, *cuts), cuts, strict=False)):
                raise InternalError(f"cuts must be positive and increasing: {cuts}")

    @classmethod
    def from_sets(cls, cuts: Iterable[Iterable[int]]) -> CutRecoding:
        """The recoding with these cuts, in any order."""
        return cls(tuple(tuple(sorted(set(each))) for each in cuts))

    def starts(self, attribute: int) -> tuple[int, ...]:
        """First codes of the attribute's intervals."""
        return (0, *self.cuts[attribute])

    def intervals(self, attribute: int, domain: Domain) -> list[tuple[int, int]]:
        """First and last codes of the attribute's intervals."""
        starts = self.starts(attribute)
        return [(start, end - 1) for start, end in zip(starts, (*starts[1:], len(domain)), strict=True)]

    def parts(self, attribute: int, domain: Domain) -> NDArray[np.int32]:
        marks = np.zeros(len(domain), np.int32)
        marks[list(self.cuts[attribute])] = 1
        return np.cumsum(marks, dtype=np.int32)

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        return domain.labels(self.starts(attribute), released)

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.loss(first, last) for first, last in self.intervals(attribute, domain)]

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return [domain.share(first, last) for first, last in self.intervals(attribute, domain)]

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:  # noqa: ARG002
        raise not_on_levels(domain)


def not_on_levels(domain: Domain) -> PolicyError:
    """The error for a precision requested of an interval or a set."""
    return PolicyError(
        f"an interval of column {domain.name!r} has no level in a hierarchy, so precision is not "
        "defined; choose cost 'general-loss' or 'ncp', or an algorithm over levels or subtrees"
    )


def plain_value(domain: Domain, code: int) -> object:
    """A value in its JSON form; a bin by its label."""
    value = domain.values[code]
    if domain.bin is not None:
        return domain.label(code, code)
    if isinstance(value, Decimal):
        return json_number(value)
    return value if value is None or isinstance(value, bool | int | str) else domain.text(code)
