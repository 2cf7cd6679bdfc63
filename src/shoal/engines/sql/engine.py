"""The three verbs, written once: every SQL engine counts, recodes and measures in this way."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Application, AuditReference, Counted, Engine, Source
from shoal.engines.duckdb.treating import kept_rows
from shoal.engines.duckdb.writing import recoded
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql.audit_columns import audit_columns
from shoal.engines.sql.counting import Counting
from shoal.engines.sql.distinct_rows import distinct_rows
from shoal.engines.sql.histories import CountedHistories, count_histories
from shoal.engines.sql.inspecting import Uniqueness, column_facts, uniqueness
from shoal.engines.sql.linking import linked_persons
from shoal.engines.sql.measuring import measured, sizes_measured
from shoal.engines.sql.measuring_histories import histories_measured
from shoal.engines.sql.measuring_people import people_measured
from shoal.engines.sql.measuring_wildcards import wildcards_measured
from shoal.engines.sql.printed import printed_people
from shoal.engines.sql.reading import cells_read, cells_sampled, columns_read, rows_read, some_rows
from shoal.engines.sql.recoding import plan
from shoal.engines.sql.sampling import sample_table
from shoal.engines.sql.session import Session, TransactionSession
from shoal.engines.sql.subset import subset_of
from shoal.engines.sql.table import DatabaseTable, FrameTable
from shoal.errors import InternalError, PolicyError
from shoal.model.history.measured_histories import MeasuredHistories
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.domain import Domain
from shoal.model.table.file_reading import FileReading
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.inspected import ColumnFacts
from shoal.model.table.linked_persons import LinkedPersons
from shoal.model.table.measured_column import Moments
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.measurement import Measurement, WildcardMeasurement
from shoal.model.table.new_cells import NewCells
from shoal.model.table.sampled_cells import SampledCells
from shoal.model.table.table_sample import TableSample
from shoal.model.table.table_source import TableSource
from shoal.model.table.written_column import WrittenColumn


class SqlEngine(Engine):
    """An engine with a session. Subclasses only open sources and write releases; the rest is here."""

    search_memory = SearchMemory.of(None)
    """The memory of this process that a search may use."""

    @classmethod
    @abstractmethod
    def for_source(
        cls, source: Source, *, memory: str | None, threads: int | None, temp_directory: Path | None
    ) -> Self:
        """An engine for a source of its kind.

        Parameters
        ----------
        source
            A source that its registry entry selects: a `TableSource` with a connection, or a frame.
        memory, threads, temp_directory
            Limits, for an engine inside this process; memory and folder are `None` for any other.
        """

    counting: ClassVar[type[Counting]] = Counting
    """How it counts."""

    cuts_rows: ClassVar[bool] = False
    """Whether its workers can cut rows into groups: `count_distributed` leaves them there."""

    @property
    @abstractmethod
    def session(self) -> Session:
        """Where statements run."""

    @abstractmethod
    def close(self) -> None:
        """Release the engine's resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def open(self, source: Source) -> DatabaseTable | FrameTable:
        """The source as a table, which the verbs also accept: then they read a frame's columns only once."""

    def written(self, source: Source) -> DatabaseTable | FrameTable:
        """A table as its reader sees it: results of counting are not reused."""
        return self.open(source)

    def subset(self, source: Source, condition: str) -> DatabaseTable | FrameTable:
        """The rows of a source for which a condition is true, as a table that the verbs accept."""
        return subset_of(self.open(source), condition)

    def digest(self, source: Source, counted: Counted) -> str:  # noqa: ARG002  counting has already read it
        """SHA-256 of the domains and of the counted combinations, which decide the release."""
        table = counted.frequencies
        sha = hashlib.sha256(repr([(each.name, each.kind, each.values) for each in table.domains]).encode())
        for array in (table.codes, table.counts, table.label_counts):
            sha.update(np.ascontiguousarray(array).tobytes())
        if table.facts is not None:
            sha.update(table.facts.combinations.tobytes() + table.facts.counts.tobytes())
        return sha.hexdigest()

    def apply(self, source: Source, counted: Counted, application: Application, place: Any = None) -> Any:
        """Write the recoded rows of a table into a new one."""
        table = self.open(source)
        assert isinstance(table, DatabaseTable)
        query = recoded(table, plan(self.session, counted, application), table.relation, typed=True)
        self.session.execute(
            exp.Create(this=place, kind="TABLE", expression=query), f"the release of {table.about}"
        )

    def why_not_treated(self, source: Source) -> str | None:  # noqa: ARG002
        """Why cells of a table cannot be treated, or its rows shuffled; `None` if they can."""
        return f"is in {self.name!r}"

    def treated(
        self,
        source: Source,
        new: Mapping[str, NewCells],  # noqa: ARG002
        order: NDArray[np.int64],  # noqa: ARG002
    ) -> DatabaseTable | FrameTable:
        """A table with new cells in some columns, and its rows in a new order.

        Parameters
        ----------
        source
            The table.
        new
            The new cells by column, in the order of the table. A column that a file lacks is added as text.
        order
            Per row of the result the row of the table; rows that are not in it are left out.
        """
        raise InternalError(f"the table {self.why_not_treated(source)}, and should have been refused")

    def degrees(
        self,
        source: Source,
        column: str,  # noqa: ARG002
        markers: Sequence[str] | None,  # noqa: ARG002
    ) -> NDArray[np.float64]:
        """A column of degrees, row by row; NaN where the cell is missing.

        Parameters
        ----------
        source, column
            The column of a table whose cells can be treated.
        markers
            The texts that mean "missing"; the usual ones when absent.
        """
        raise InternalError(f"the table {self.why_not_treated(source)}, and should have been refused")

    def moments(
        self,
        source: Source,
        column: str,  # noqa: ARG002
        markers: Sequence[str] | None,  # noqa: ARG002
    ) -> Moments:
        """A column of moments or of times of day, row by row; as `degrees`."""
        raise InternalError(f"the table {self.why_not_treated(source)}, and should have been refused")

    def with_columns(
        self,
        source: Source,
        new: Mapping[str, NewCells],  # noqa: ARG002
        columns: Sequence[str],  # noqa: ARG002
    ) -> DatabaseTable | FrameTable:
        """A table with new columns of text, and without some of its own, its rows in their order.

        Parameters
        ----------
        source
            A table whose cells can be treated.
        new
            The new columns.
        columns
            The columns of the result, in their order.
        """
        raise InternalError(f"the table {self.why_not_treated(source)}, and should have been refused")

    def store(self, source: Source, target: Path) -> None:  # noqa: ARG002
        """Write a table that `with_columns` made to a Parquet file, missing cells as such."""
        raise InternalError(f"the table {self.why_not_treated(source)}, and should have been refused")

    def read_once(self, source: Source) -> DatabaseTable | FrameTable:
        """A table to read several times, perhaps in a form that is quicker to read than its own."""
        return self.open(source)

    def kept_rows(self, source: Source, counted: Counted, application: Application) -> NDArray[np.bool_]:
        """Per row of a treated table, in its order, whether the application keeps it."""
        return kept_rows(self.open(source), counted, application)

    def distinct_rows(self, source: Source, counted: Counted) -> NDArray[np.int64]:
        """Per row of a table, in its order, the distinct row of what was counted."""
        return distinct_rows(self.open(source), counted)

    def columns(self, source: Source) -> tuple[str, ...]:
        return self.written(source).columns

    def count(
        self,
        source: Source,
        attributes: Sequence[Attribute],
        evidence: Evidence | None = None,
        *,
        remote: bool = False,
    ) -> Counted:
        needed = Evidence() if evidence is None else evidence
        table, memory = self.open(source), self.search_memory
        if needed.population is None:
            return self.counting(table, attributes, needed, None, memory, remote=remote).counted()
        with nullcontext(self) if self._has(needed.population) else self._elsewhere() as engine:
            return self.counting(table, attributes, needed, engine.open(needed.population), memory).counted()

    def histories(self, source: Source, counted: Counted, column: str, *, ordered: bool) -> CountedHistories:
        """The distinct histories of the persons of a counted table.

        Parameters
        ----------
        source, counted
            The table, and how it was counted.
        column
            The column that identifies persons.
        ordered
            Whether the order of a person's rows matters.
        """
        if not self.session.lists:
            raise PolicyError(
                f"linkable rows and households are released from files, data frames and DuckDB, and this "
                f"table is in {self.name!r}; export it to a Parquet file first"
            )
        return count_histories(self.open(source), counted, column, ordered=ordered)

    def _has(self, source: Source) -> bool:
        """Whether a population lives in this engine, like the source."""
        return isinstance(source, TableSource)

    @staticmethod
    def _elsewhere() -> AbstractContextManager[SqlEngine]:
        """The engine for a population that is a file or a data frame, wherever the source lives."""
        from shoal.engines.duckdb.engine import DuckDB  # which derives from this class

        return DuckDB()

    def count_distributed(
        self,
        source: Source,  # noqa: ARG002
        attributes: Sequence[Attribute],  # noqa: ARG002
        evidence: Evidence,  # noqa: ARG002
    ) -> Counted:
        """Count combinations of quasi-identifiers and sensitive values, and leave them in the engine."""
        raise PolicyError(
            f"distributed = true is for Spark, and this source is in {self.name!r}, with all rows in one "
            "place; leave it out"
        )

    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        return measured(self.written(source), quasi_identifiers, k)

    def measure_wildcards(
        self, source: Source, quasi_identifiers: Sequence[str], k: int
    ) -> WildcardMeasurement:
        return wildcards_measured(self.written(source), quasi_identifiers, k)

    def measure_histories(
        self,
        source: Source,
        quasi_identifiers: Sequence[str],
        column: str,
        *,
        known_events: tuple[int, ...],
        ordered: bool,
        k: int,
    ) -> MeasuredHistories:
        """Measure how well persons hide in any table by single rows, whole histories, and some known rows.

        Parameters
        ----------
        source, quasi_identifiers
            The table, and the columns that make the groups.
        column
            The column that identifies persons, or households.
        known_events
            How many rows of a person somebody may know; each number is measured.
        ordered
            Whether the order of a person's rows is known: histories are sequences then, otherwise multisets.
        k
            How many persons everybody should hide among.
        """
        return histories_measured(
            self.written(source),
            quasi_identifiers,
            column,
            known_events=known_events,
            ordered=ordered,
            k=k,
        )

    def group_sizes(self, source: Source, quasi_identifiers: Sequence[str]) -> GroupSizes:
        """How many groups of each size a table has."""
        return sizes_measured(self.written(source), quasi_identifiers)

    def cells(self, source: Source, columns: Sequence[str]) -> CodedCells:
        """The distinct rows of some columns of a table, as its reader sees them."""
        return cells_read(self.written(source), columns)

    def rows(self, source: Source, columns: Sequence[str]) -> CodedCells:
        """All rows of some columns of a table in their order; `PolicyError` if rows have no order."""
        return rows_read(self.written(source), columns)

    def struct_fields(self, source: Source) -> dict[str, tuple[str, list[tuple[str | None, ...]]]]:  # noqa: ARG002
        """For each column that is a struct of labels its kind and its distinct cells: label, other fields."""
        return {}

    def some_rows(
        self, source: Source, columns: Sequence[str], start: int, rows: int
    ) -> tuple[tuple[str | None, ...], ...]:
        """Rows of a table from a position on, as texts; in a database, in no fixed order."""
        return some_rows(self.written(source), columns, start, rows)

    def sample(self, source: Source, column: str, most: int) -> SampledCells:
        """At most `most` distinct cells of a column of a table, the same ones each time."""
        return cells_sampled(self.written(source), column, most)

    def comment(self, source: Source) -> str | None:
        """The comment on a table of a database, which has the manifest of a release; `None` without one."""
        if not isinstance(source, TableSource) or not isinstance(self.session, TransactionSession):
            return None
        relation = getattr(self.open(source), "relation", None)
        return self.session.comment_on(relation)[1] if isinstance(relation, exp.Table) else None

    def audit_reference(self, source: Source, counted: Counted, application: Application) -> AuditReference:
        printed = None if counted.evidence.population is None else printed_people(counted, application)
        return AuditReference(
            people=counted.frequencies.people,
            sensitive=counted.sensitive,
            columns=audit_columns(self.open(source), counted, application),
            printed=printed,
        )

    def measure_people(
        self,
        source: Source,
        quasi_identifiers: Sequence[str],
        evidence: Evidence,
        reference: AuditReference | None = None,
    ) -> MeasuredGroups:
        return people_measured(self.written(source), quasi_identifiers, evidence, reference)

    def written_columns(
        self, source: Source, domains: Sequence[Domain], sets: ListedSets = NOT_LISTED
    ) -> list[WrittenColumn]:
        """What the cells of some columns of a table may represent, read as values of domains.

        Parameters
        ----------
        source
            The table.
        domains
            The domains of the columns.
        sets
            What its short labels represent.
        """
        return columns_read(self.written(source), domains, sets)

    def inspect(self, source: Source, attributes: Sequence[Attribute] = ()) -> tuple[int, list[ColumnFacts]]:
        """The rows of a table, and facts about its columns, read as a policy's attributes state."""
        return column_facts(self.open(source), attributes)

    def reading(self, source: Source) -> FileReading | None:  # noqa: ARG002  only files are read in some way
        """How a file was read; `None` for any other source."""
        return None

    def sample_table(
        self,
        source: Source,
        rows: int | None,
        kept: Sequence[str],
        quasi_identifiers: Sequence[str] = (),
        hidden: Sequence[str] = (),
    ) -> TableSample:
        """What a sample of the rows reveals about columns, and how well columns predict each other."""
        return sample_table(self.open(source), rows, kept, quasi_identifiers, hidden)

    def linked_persons(self, source: Source, person: str, columns: Sequence[str] = ()) -> LinkedPersons:
        """Who has several rows in a table, and whose rows columns or the order of rows link."""
        return linked_persons(self.open(source), person, columns)

    def uniqueness(self, source: Source, columns: Sequence[str]) -> Uniqueness:
        """How well columns of a table together distinguish its rows."""
        return uniqueness(self.open(source), columns)
