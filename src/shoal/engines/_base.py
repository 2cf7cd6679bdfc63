"""What an engine is, and the data that its verbs take and return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql.coding import Coding
from shoal.engines.sql.session import Dictionary, JoinedValue, Session
from shoal.engines.staging import Staged
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import SuppressedRows
from shoal.model.recoding.attribute_set import AttributeSet
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.companion import Companion, NestedColumn
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.measurement import Measurement, WildcardMeasurement
from shoal.model.table.people import Demand, People

Source = Any
"""A path, or a data frame of a library that is not imported here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted:
    """The result of counting: the frequency table for the search, and the codings that `apply` needs again.

    Parameters
    ----------
    frequencies
        The table as the search sees it.
    codings
        For each quasi-identifier, how its cells became codes.
    dictionaries
        For each quasi-identifier, how to find a row's cell among the coding's cells.
    decisive
        The columns that decide the release: quasi-identifiers, class, and what models read.
    evidence
        What was counted for privacy models.
    sensitive
        For each column of `evidence.columns` its domain; `None` for one that only identifies persons.
    persons
        For each column that only identifies persons, SQL for the code of a row's cell.
    distributed
        The distinct rows, if they stayed in the engine; `frequencies` then has only the codes of each column
        and their counts.
    facts
        For each sensitive column that models look at, SQL for the code of a row's cell.
    placed
        If released values depend on whose row it is: which line of `frequencies` a row is.
    hashed
        Hashes of the source's distinct rows, if the engine finds rows by them.
    """

    frequencies: FrequencyTable
    codings: tuple[Coding, ...]
    dictionaries: tuple[Dictionary, ...]
    decisive: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    sensitive: tuple[Domain | None, ...] = ()
    persons: Mapping[str, JoinedValue] = field(default_factory=dict)
    distributed: DistributedRows | None = None
    facts: Mapping[str, JoinedValue] = field(default_factory=dict)
    placed: Placed | None = None
    hashed: HashedRows | None = None


@dataclass(frozen=True, eq=False)
class HashedRows:
    """The distinct rows of a source by a hash of their quasi-identifiers, which no two of them share.

    Parameters
    ----------
    hashes
        Their hashes, as `Session.hashed` computes them.
    rows
        The row of the frequency table that each one is.
    """

    hashes: NDArray[np.int64]
    rows: NDArray[np.int64]


class Placed(Protocol):
    """Rows whose released values depend on whose row it is."""

    def lookup(self, session: Session, released: NDArray[np.int32], grouped: Groups) -> Any:
        """How to find the released values of a row, by those of the lines of the frequency table."""


@dataclass(frozen=True, kw_only=True)
class Application:
    """How to write the rows.

    Parameters
    ----------
    recoding, k, sets, models
        Rows in groups of the recoding that are smaller than k or than a set demands, or that a model
        refuses, are suppressed.
    suppressed
        Whether they are dropped, or kept as rows of `*`.
    dropped
        Columns that the release does not have.
    groups
        The groups, if they are already known.
    companions, nested
        Columns to write in addition, each after its quasi-identifier; quasi-identifiers to write as structs.
    """

    recoding: Recoding
    k: int
    sets: tuple[AttributeSet, ...] = ()
    suppressed: SuppressedRows = "drop"
    dropped: tuple[str, ...] = ()
    models: tuple[Demand, ...] = ()
    companions: tuple[Companion, ...] = ()
    nested: tuple[NestedColumn, ...] = ()

    groups: Groups | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditColumns:
    """Columns that the audit needs for each written row and the release lacks; they never leave the engine.

    Parameters
    ----------
    columns
        The columns that identify persons, whose codes are kept.
    weighs
        Whether survey weights are also kept.
    rows
        The number of rows.
    place
        Where they are: in the order of the written rows, a file in the engine's private folder or arrays by
        column; if rows have no order, a table that also has the written rows.
    labels
        The quasi-identifiers whose released values are also kept by number, to verify the order; empty if
        rows have no order.
    """

    columns: tuple[str, ...]
    weighs: bool
    rows: int
    place: Path | Mapping[str, NDArray[Any]] | exp.Table
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Printed:
    """How many people of the population would be printed alike.

    Parameters
    ----------
    names
        The quasi-identifiers.
    numbers
        For each quasi-identifier the number of each label that released rows have.
    domains
        For each quasi-identifier its domain, if its cells may be written unchanged.
    people
        For each combination of numbers the people, in millionths; other numbers are values that no row
        prints.
    """

    names: tuple[str, ...]
    numbers: tuple[Mapping[str | None, int], ...]
    domains: tuple[Domain | None, ...]
    people: Mapping[tuple[int, ...], int]


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditReference:
    """What the audit knows about a release and cannot read from it.

    Parameters
    ----------
    people
        The source's distributions, which the privacy models compare with.
    sensitive
        As in `Counted`.
    columns, printed
        The columns kept for each row, and the population.
    """

    people: People
    sensitive: tuple[Domain | None, ...]

    columns: AuditColumns | None = None
    printed: Printed | None = None


class Engine(ABC):
    """Runs three verbs where the rows live."""

    name: ClassVar[str]

    @abstractmethod
    def columns(self, source: Source) -> tuple[str, ...]:
        """The source's columns, in order."""

    @abstractmethod
    def digest(self, source: Source, counted: Counted) -> str:
        """A digest of the source's content, as far as it decides the release."""

    @abstractmethod
    def staging(self, target: Path | str, inputs: Mapping[str, Path], *, replace: bool = False) -> Staged:
        """A staged release to a file or a table; raises, before any work, if it could not be written.

        What exists is replaced only if it is a release of Shoal.

        Parameters
        ----------
        target
            A path, or the name of a table where the source lives.
        inputs
            The inputs of the release: the name of each in messages -> its file.
        replace
            Whether a file that is no release may be replaced, too; folders and tables never are.
        """

    @abstractmethod
    def count(
        self,
        source: Source,
        attributes: Sequence[Attribute],
        evidence: Evidence | None = None,
        *,
        remote: bool = False,
    ) -> Counted:
        """Count the distinct combinations of the quasi-identifiers, the class and the evidence in each.

        If a search over them would take too much memory, it raises `PolicyError`, or with `remote` returns a
        `RemoteTable`.
        """

    @abstractmethod
    def apply(self, source: Source, counted: Counted, application: Application, place: Any = None) -> Any:
        """Write the recoded rows to a staged place, or return them as a frame of the source's kind."""

    @abstractmethod
    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        """Measure the groups of any table, without any knowledge of recodings."""

    @abstractmethod
    def measure_wildcards(
        self, source: Source, quasi_identifiers: Sequence[str], k: int
    ) -> WildcardMeasurement:
        """Measure how many rows each row of any table matches, if `*` matches everything."""

    @abstractmethod
    def audit_reference(self, source: Source, counted: Counted, application: Application) -> AuditReference:
        """What the audit must know about a release in addition to what is written."""

    @abstractmethod
    def measure_people(
        self,
        source: Source,
        quasi_identifiers: Sequence[str],
        evidence: Evidence,
        reference: AuditReference | None = None,
    ) -> MeasuredGroups:
        """Count the evidence in the groups of any table; for a release, with its reference."""
