"""Counts the distinct combinations of quasi-identifiers, and what models and metrics need of each.

One GROUP BY over the raw columns, including the class and the columns that privacy models read; domains are
derived from its distinct combinations. A population is counted separately. Its values belong to the domains,
and combinations that only it has become rows with count 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import Counted, HashedRows
from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coded_lines import Coded, Codes, coded_lines
from shoal.engines.sql.coding import Coding, code_cells, code_together, reordered
from shoal.engines.sql.evidence_cells import person_codes, sensitive_cells, sensitive_column
from shoal.engines.sql.frequencies import MOST_PEOPLE, CountedLines, frequencies
from shoal.engines.sql.likeness import learned_orders
from shoal.engines.sql.read_column import Locate
from shoal.engines.sql.remote_rows import EngineRows
from shoal.engines.sql.row_places import first_row, first_rows
from shoal.engines.sql.table import Cells, Table
from shoal.engines.sql.tally import CodedColumn, EngineTally, Tally
from shoal.engines.sql.values import read, text_of
from shoal.errors import PolicyError
from shoal.model.cells.missing_markers import StatedMarkers, marker_text
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.evidence import Evidence
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import MISSING, Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import PARTS_OF_A_PERSON, SensitiveColumn
from shoal.model.table.remote_table import RemoteTable


class Counting:
    """One count of a table.

    Parameters
    ----------
    table
        The source.
    attributes
        What the policy states about its columns.
    evidence
        What privacy models read.
    population
        The population's table, if any.
    memory
        The memory that the search may use.
    remote
        Whether the search can work with distinct rows that stay in the engine, if they are too many to fetch.
    """

    def __init__(
        self,
        table: Table,
        attributes: Sequence[Attribute],
        evidence: Evidence,
        population: Table | None,
        memory: SearchMemory,
        *,
        remote: bool = False,
    ) -> None:
        self._table = table
        self._coded = [each for each in attributes if each.role is Role.QUASI_IDENTIFIER]
        self._class_markers = next(
            (each.missing for each in attributes if each.role is Role.CLASS and each.missing), ()
        )
        self._classes = [each.name for each in attributes if each.role is Role.CLASS]
        self._evidence = evidence
        self._population = population
        self._memory = memory
        self._remote = remote and not (
            self._classes or evidence.entities or evidence.survey_weight or population is not None
        )

    def counted(self) -> Counted:
        """The result."""
        table, names = self._table, [each.name for each in self._coded]
        evidence_columns, weight = self._evidence.columns, self._evidence.survey_weight
        columns = [*names, *self._classes]
        cells = [table.cell(name) for name in columns] + [
            self._evidence_cell(name) for name in evidence_columns
        ]
        with table.weighed([*columns, *evidence_columns], weight) as relation:
            combinations, number = self._combinations(table, relation, cells, weight)
            cells_of_columns = table.all_cells([*columns, *evidence_columns], combinations, "x")
            quasi, facts = cells_of_columns[: len(names)], cells_of_columns[len(columns) :]
            codings, others, people = self._codings(relation, quasi)
            tally = self._tally(combinations, number, cells_of_columns)
            codings, others = self._arranged(tally, number, quasi, codings, others)
            codings = self._with_markers(combinations, quasi, codings)
            sensitive = [
                self._sensitive(relation, name, each)
                for name, each in zip(evidence_columns, facts, strict=True)
            ]
        coded, labels = self._coded_columns(codings, cells_of_columns, [codes for codes, _ in sensitive])
        remote = self._remote_table(combinations, number, codings, coded)
        if remote is not None:
            return Counted(
                frequencies=remote,
                codings=tuple(codings),
                dictionaries=tuple(cells.dictionary for cells in quasi),
                decisive=tuple(columns),
            )
        combined = self._lines(tally, coded, len(facts))
        table.session.forget(combinations)
        if people is not None:
            combined = self._with_population(combined, people, others)
        domains = tuple(domain for _, domain in sensitive)
        sensitive_columns = self._columns(combined, [codes for codes, _ in sensitive], domains)
        counted = frequencies([coding.domain for coding in codings], combined, labels, sensitive_columns)
        if people is not None:
            self._check_contained(counted)
        return Counted(
            frequencies=counted,
            codings=tuple(codings),
            dictionaries=tuple(cells.dictionary for cells in quasi),
            decisive=tuple(dict.fromkeys((*columns, *self._evidence.read))),
            evidence=self._evidence,
            sensitive=domains,
            hashed=self._hashed(tally, codings, counted),
            persons={
                name: each.dictionary.value(self._evidence_cell(name), codes)
                for name, each, (codes, domain) in zip(evidence_columns, facts, sensitive, strict=True)
                if domain is None
            },
            facts={
                name: each.dictionary.value(self._evidence_cell(name), codes)
                for name, each, (codes, domain) in zip(evidence_columns, facts, sensitive, strict=True)
                if domain is not None
            },
        )

    def _evidence_cell(self, name: str) -> exp.Expr:
        """SQL for a cell; rows without a person's mark belong to one person, however that is written."""
        cell = self._table.cell(name)
        unmarked = self._table.is_text and self._evidence.shape(name) is None
        return sql.fragment("nullif(:cell, '')", cell=cell) if unmarked else cell

    def _combinations(
        self, table: Table, relation: exp.Expr, cells: Sequence[exp.Expr], weight: str | None
    ) -> tuple[exp.Table, int]:
        """The distinct combinations of cells, kept in the engine, and how many: the one pass over rows."""
        measures, measured = [sql.fragment("count(*) AS n")], []
        if weight is not None:
            measured = [exp.alias_(table.millionths(weight), "w")]
            measures.append(sql.fragment("sum(w) AS m"))
            measures.append(sql.fragment("sum(CASE WHEN w IS NULL THEN 1 ELSE 0 END) AS unweighted"))
        aliased = [exp.alias_(cell, f"x{index}") for index, cell in enumerate(cells)]
        kept = table.session.keep(
            "combinations", sql.counted(aliased, relation, *measures, measured=measured), table.about
        )
        number = _count(table, kept)
        if number == 0:
            purpose = "release" if table is self._table else "compare with"
            raise PolicyError(f"{table.about} has no rows; there is nothing to {purpose}")
        if weight is not None:
            self._check_weights(table, relation, kept, weight)
        return kept, number

    def _check_weights(self, table: Table, relation: exp.Expr, combinations: exp.Table, weight: str) -> None:
        sums = [sql.fragment("sum(unweighted) AS s"), sql.fragment("coalesce(sum(m), 0) AS m")]
        unweighted, people = table.session.row(exp.select(*sums).from_(combinations), table.about)
        if unweighted:
            none = exp.Is(this=table.millionths(weight), expression=exp.null())
            first = first_row(table, relation, none, "; the first is row {:,}")
            raise PolicyError(
                f"survey_weight: {int(unweighted):,} row(s) of column {weight!r} have no weight, that is, no "
                f"number from 0 on{first}. Correct them, and write them plainly, like 12.5"
            )
        if people > MOST_PEOPLE * PARTS_OF_A_PERSON:
            raise PolicyError(
                f"survey_weight: the weights of column {weight!r} represent more than {MOST_PEOPLE:,} "
                "people; correct them"
            )

    def _codings(
        self, relation: exp.Expr, quasi: Sequence[Cells]
    ) -> tuple[list[Coding], list[tuple[Coding, Cells]], exp.Table | None]:
        """The codings of the quasi-identifiers; those of the population, and its combinations."""
        table, population = self._table, self._population
        if population is None:
            return (
                [
                    code_cells(
                        each,
                        cells.cells,
                        missing=cells.missing,
                        kind=table.kind(each.name),
                        locate=self._locate(table, relation, table.cell(each.name), cells),
                    )
                    for each, cells in zip(self._coded, quasi, strict=True)
                ],
                [],
                None,
            )
        names = [each.name for each in self._coded]
        for name in names:
            if name not in population.columns:
                raise PolicyError(
                    f"the population has no column {name!r}, which is a quasi-identifier."
                    f"{suggestion(name, population.columns)}"
                )
        codings, others = [], []
        with population.selected(names) as people:
            combinations, _ = self._combinations(
                population, people, [population.cell(name) for name in names], None
            )
            theirs_of_columns = population.all_cells(names, combinations, "x")
            for each, cells, more in zip(self._coded, quasi, theirs_of_columns, strict=True):
                own, theirs = code_together(
                    each,
                    (cells.cells, cells.missing),
                    (more.cells, more.missing),
                    kind=table.kind(each.name),
                    locate=_either(
                        len(cells.cells),
                        self._locate(table, relation, table.cell(each.name), cells),
                        self._locate(population, people, population.cell(each.name), more),
                    ),
                )
                codings.append(own)
                others.append((theirs, more))
        return codings, others, combinations

    def _tally(self, combinations: exp.Table, number: int, cells: Sequence[Cells]) -> Tally:  # noqa: ARG002
        """Where combinations are counted by codes."""
        return EngineTally(self._table, combinations, weighs=self._evidence.survey_weight is not None)

    def _hashed(
        self,
        tally: Tally,  # noqa: ARG002
        codings: Sequence[Coding],  # noqa: ARG002
        frequencies: FrequencyTable,  # noqa: ARG002
    ) -> HashedRows | None:
        """The distinct rows by their hashes, if the engine finds rows by them."""
        return None

    def _arranged(
        self,
        tally: Tally,
        number: int,
        quasi: Sequence[Cells],
        codings: list[Coding],
        others: list[tuple[Coding, Cells]],
    ) -> tuple[list[Coding], list[tuple[Coding, Cells]]]:
        """The codings with the categories whose order the data decides in that order."""
        columns = [CodedColumn(*each) for each in zip(quasi, codings, strict=True)]
        learned = learned_orders(tally, number, columns)
        codings, others = list(codings), list(others)
        for column, (order, arrangement) in learned.items():
            codings[column] = reordered(codings[column], order, arrangement)
            if others:
                coding, cells = others[column]
                others[column] = reordered(coding, order, arrangement), cells
        return codings, others

    def _with_markers(
        self, combinations: exp.Table, quasi: Sequence[Cells], codings: Sequence[Coding]
    ) -> list[Coding]:
        """The codings, with the number of rows that each missing marker has."""
        return [
            self._with_marker_counts(combinations, f"x{index}", cells, coding)
            for index, (cells, coding) in enumerate(zip(quasi, codings, strict=True))
        ]

    def _with_marker_counts(
        self, combinations: exp.Table, alias: str, cells: Cells, coding: Coding
    ) -> Coding:
        """The coding, with the number of rows that each of its missing markers has."""
        reading = coding.domain.reading
        if not coding.markers or reading is None:
            return coding
        texts = list(reading.missing)
        numbers = np.zeros(len(cells.cells) + 1, np.int32)
        for at in coding.markers:
            numbers[at] = texts.index(marker_text(cells.cells[at])) + 1
        found = self._marker_counts(combinations, alias, cells, numbers)
        missing = {text: found.get(number, 0) for number, text in enumerate(texts, 1)}
        return replace(coding, domain=replace(coding.domain, reading=replace(reading, missing=missing)))

    def _marker_counts(
        self, combinations: exp.Table, alias: str, cells: Cells, numbers: Codes
    ) -> dict[int, int]:
        """The rows of each number that cells have."""
        if cells.counts is not None:
            return {int(number): int(cells.counts[numbers == number].sum()) for number in np.unique(numbers)}
        marker = cells.dictionary.value(exp.column(alias, combinations.alias_or_name), numbers)
        counts = exp.select(exp.alias_(marker.value, "t"), "n").from_(combinations)
        counts = counts if marker.join is None else counts.join(marker.join)
        total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
        query = exp.select("t", total).from_(counts.subquery("c")).group_by("t")
        return {int(number): int(rows) for number, rows in self._table.session.rows(query, self._table.about)}

    def _sensitive(self, relation: exp.Expr, name: str, cells: Cells) -> tuple[Codes, Domain | None]:
        """The code of each distinct cell and, at the end, of the missing one; and their domain."""
        shape = self._evidence.shape(name)
        if shape is None:
            return person_codes(cells.cells), None
        locate = self._locate(self._table, relation, self._table.cell(name), cells)
        known_cells, kind = sensitive_cells(cells.cells), self._table.kind(name)
        coding = code_cells(shape, known_cells, missing=cells.missing, kind=kind, locate=locate)
        return coding.codes, coding.domain

    def _locate(self, table: Table, relation: exp.Expr, cell: exp.Expr, cells: Cells) -> Locate:
        def locate(indices: Sequence[int]) -> str:
            flags = np.zeros(len(cells.cells) + 1, np.int32)
            flags[list(indices)] = 1
            flagged = cells.dictionary.value(cell, flags)
            is_flagged = sql.fragment(":flag = 1", flag=flagged.value)
            rows = exp.select("count(*)").from_(relation).where(is_flagged)
            rows = rows if flagged.join is None else rows.join(flagged.join)
            (count,) = table.session.row(rows, table.about)
            first = "" if flagged.join else first_rows(table, relation, is_flagged)
            return f"{int(count):,} row(s){first}"

        return locate

    def _coded_columns(
        self, codings: Sequence[Coding], cells_of_columns: Sequence[Cells], facts: Sequence[Codes]
    ) -> tuple[list[Coded], list[str]]:
        """The codes to compute for each combination, and the class labels."""
        coded = [
            Coded(f"a{index}", index, cells, coding.codes)
            for index, (coding, cells) in enumerate(zip(codings, cells_of_columns, strict=False))
        ]
        labels: list[str] = []
        if self._classes:
            labels, codes = _label_codes(cells_of_columns[len(codings)], StatedMarkers(self._class_markers))
            coded.append(Coded("label", len(codings), cells_of_columns[len(codings)], codes))
        first = len(cells_of_columns) - len(facts)
        for index, (codes, cells) in enumerate(zip(facts, cells_of_columns[first:], strict=True)):
            coded.append(Coded(f"f{index}", first + index, cells, codes))
        return coded, labels

    def _remote_table(
        self, combinations: exp.Table, number: int, codings: Sequence[Coding], coded: Sequence[Coded]
    ) -> RemoteTable | None:
        """The combinations as rows that stay in the engine, if they are too many to fetch."""
        table, session, columns = self._table, self._table.session, len(coded)
        if self._memory.allows(number, columns):
            return None
        names = [each.name for each in coded]
        lines = coded_lines(combinations, {each.name: each for each in coded}, ["n"]).subquery("l")
        total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
        rows = session.keep("rows", exp.select(*names, total).from_(lines).group_by(*names), table.about)
        # Bins merge combinations, so count the distinct codes.
        number = _count(table, rows)
        if not self._remote or self._memory.allows(number, columns):
            session.forget(rows)
            self._memory.check(number, columns, table.about)
            return None
        session.forget(combinations)
        margins = []
        # What models read has no margins: with it, the rows are counted again where they are cut.
        for name, coding in zip(names, codings, strict=False):
            margin = np.zeros(len(coding.domain), np.int64)
            for code, count in session.rows(exp.select(name, total).from_(rows).group_by(name), table.about):
                margin[int(code)] = int(count)
            margins.append(margin)
        return RemoteTable(
            domains=tuple(coding.domain for coding in codings),
            codes=np.zeros((0, len(codings)), np.int32),
            counts=np.zeros(0, np.int64),
            margins=tuple(margins),
            remote_rows=EngineRows(
                session, rows, [len(margin) for margin in margins], number, self._memory, table.about
            ),
        )

    def _lines(self, tally: Tally, coded: Sequence[Coded], facts: int) -> CountedLines:
        """Code the combinations, merge equal ones, and sort, so that threads do not affect the order."""
        plain = tally.summed(coded)
        return CountedLines(
            codes=_columns(plain, "a", len(self._coded)),
            counts=plain["n"].astype(np.int64),
            labels=plain.get("label"),
            facts=None if not facts else _columns(plain, "f", facts),
            people=plain["m"].astype(np.int64) if "m" in plain else None,
        )

    def _with_population(
        self, lines: CountedLines, combinations: exp.Table, others: Sequence[tuple[Coding, Cells]]
    ) -> CountedLines:
        assert self._population is not None
        coded = [
            Coded(f"a{index}", index, cells, coding.codes) for index, (coding, cells) in enumerate(others)
        ]
        plain = EngineTally(self._population, combinations).summed(coded)
        self._population.session.forget(combinations)
        return lines.with_population(_columns(plain, "a", len(others)), plain["n"].astype(np.int64))

    def _columns(
        self, lines: CountedLines, codes: Sequence[Codes], domains: Sequence[Domain | None]
    ) -> list[SensitiveColumn]:
        """The columns that privacy models read, counted over the whole source."""
        columns = []
        for index, (name, domain) in enumerate(zip(self._evidence.columns, domains, strict=True)):
            assert lines.facts is not None
            size = int(codes[index].max()) + 1 if domain is None else len(domain)
            counts = np.zeros(size, np.int64)
            np.add.at(counts, lines.facts[:, index], lines.counts)
            columns.append(sensitive_column(name, counts, domain, self._evidence.shape(name)))
        return columns

    def _check_contained(self, counted: FrequencyTable) -> None:
        assert counted.population is not None
        exceeding = counted.counts * PARTS_OF_A_PERSON > counted.population
        if exceeding.any():
            raise PolicyError(
                f"the population does not contain the source: {int(counted.counts[exceeding].sum()):,} "
                "row(s) have quasi-identifiers that occur more often in the source than in the population. "
                "Give the population that the rows were taken from, with its columns written alike"
            )


def _count(table: Table, kept: exp.Table) -> int:
    """The number of rows of a kept table."""
    (count,) = table.session.row(exp.select("count(*)").from_(kept), table.about)
    return int(count)


def _either(end: int, own: Locate, theirs: Locate) -> Locate:
    """Describes rows of the source if it has some of the cells, otherwise rows of the population."""

    def locate(indices: Sequence[int]) -> str:
        mine = [index for index in indices if index < end]
        if mine:
            return own(mine)
        return f"{theirs([index - end for index in indices])} of the population"

    return locate


def _columns(plain: dict[str, NDArray[Any]], letter: str, count: int) -> Codes:
    codes = np.empty((len(plain["n"]), count), np.int32)
    for index in range(count):
        codes[:, index] = plain[f"{letter}{index}"]
    return codes


def _label_codes(cells: Cells, markers: StatedMarkers) -> tuple[list[str], Codes]:
    """Class labels as text, and the label of each distinct cell; a missing label is the last label."""
    known = [None if cell in markers else cell for cell in cells.cells]
    texts = [None if cell is None else text_of(cell) for cell in read(known, "category")]
    labels = sorted({text for text in texts if text is not None})
    code_of = {label: code for code, label in enumerate(labels)}
    codes = [len(labels) if text is None else code_of[text] for text in texts]
    missing = cells.missing or None in known
    codes.append(len(labels) if missing else -1)
    return labels + [MISSING] * missing, np.array(codes, np.int32)
