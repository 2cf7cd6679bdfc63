"""What an engine is, and what it is asked and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql.coding import Coding
from shoal.engines.sql.session import Dictionary, Looked
from shoal.engines.staging import Staged
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import SuppressedRows
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.measurement import Measurement, WildcardMeasurement
from shoal.model.table.people import Demand, People

Source = Any
"""A path, or a data frame of a library that is not imported here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted:
    """What counting found: the frequency table for the search, and the codings that `apply` needs again.

    Parameters
    ----------
    frequencies
        The table as the search sees it.
    codings
        Per quasi-identifier, how its cells became codes.
    dictionaries
        Per quasi-identifier, how a row's cell is found among the coding's cells.
    decisive
        The columns that decide the release: quasi-identifiers, class, and what models look at.
    evidence
        What was counted for privacy models.
    sensitive
        Per column of `evidence.columns` its domain; `None` for one that only tells persons apart.
    persons
        Per column that only tells persons apart, SQL for the code of a row's cell.
    distributed
        The distinct rows, where they stayed in the engine; `frequencies` has only the codes of each column
        then, and how many rows have them.
    """

    frequencies: FrequencyTable
    codings: tuple[Coding, ...]
    dictionaries: tuple[Dictionary, ...]
    decisive: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    sensitive: tuple[Domain | None, ...] = ()
    persons: Mapping[str, Looked] = field(default_factory=dict)
    distributed: DistributedRows | None = None


@dataclass(frozen=True, kw_only=True)
class Application:
    """How the rows shall be written.

    Parameters
    ----------
    recoding, k, sets, models
        Rows in groups of the recoding that are smaller than k, on any of the sets, or that a model refuses,
        are suppressed.
    suppressed
        Whether they are dropped, or kept as rows of `*`.
    dropped
        Columns that the release does not have.
    made
        The groups, if they are known already.
    """

    recoding: Recoding
    k: int
    sets: tuple[tuple[int, ...], ...] = ()
    suppressed: SuppressedRows = "drop"
    dropped: tuple[str, ...] = ()
    models: tuple[Demand, ...] = ()
    made: Groups | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Withheld:
    """What the audit needs of each written row and the release does not have; it never leaves the engine.

    Parameters
    ----------
    columns
        The columns that tell persons apart, whose codes are kept.
    weighs
        Whether survey weights are kept, too.
    rows
        How many rows there are.
    place
        Where they are: in the order of the written rows, a file in the engine's private folder or arrays by
        column; where rows have no order, a table that has the written rows besides.
    labels
        The quasi-identifiers of which the number of the released value is kept, too, by which the order is
        verified; none where rows have no order.
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
        Per quasi-identifier the number of each label that released rows have.
    domains
        Per quasi-identifier its domain, if its cells may be written as they were.
    people
        Per combination of numbers the people, in millionths; other numbers stand for what no row prints.
    """

    names: tuple[str, ...]
    numbers: tuple[Mapping[str | None, int], ...]
    domains: tuple[Domain | None, ...]
    people: Mapping[tuple[int, ...], int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Known:
    """What is known of a release that is measured, and cannot be read from it.

    Parameters
    ----------
    people
        The source's distributions: what the policy was set against.
    sensitive
        As in `Counted`.
    beside, printed
        What was kept of each row, and the population.
    """

    people: People
    sensitive: tuple[Domain | None, ...]
    beside: Withheld | None = None
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
    def staging(self, target: Path | str, inputs: Mapping[str, Path]) -> Staged:
        """A release on its way to a file or a table; raises, before any work, if it could not be written.

        Parameters
        ----------
        target
            A path, or the name of a table where the source lives.
        inputs
            The files that the release is made from: what to call it -> its file.
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

        If a search among them would take too much memory: `PolicyError`, or with `remote` a `RemoteTable`.
        """

    @abstractmethod
    def apply(self, source: Source, counted: Counted, application: Application, place: Any = None) -> Any:
        """Write the recoded rows to a staged place, or hand them out as the kind of frame the source is."""

    @abstractmethod
    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        """Measure the groups of any table. Knows nothing of recodings."""

    @abstractmethod
    def measure_wildcards(
        self, source: Source, quasi_identifiers: Sequence[str], k: int
    ) -> WildcardMeasurement:
        """Measure how many rows each row of any table is like, if `*` is like everything."""

    @abstractmethod
    def know(self, source: Source, counted: Counted, application: Application) -> Known:
        """What the audit must know of a release besides what is written."""

    @abstractmethod
    def measure_people(
        self, source: Source, quasi_identifiers: Sequence[str], evidence: Evidence, known: Known | None = None
    ) -> MeasuredGroups:
        """Count the evidence in the groups of any table; of a release, with what is known of it."""
