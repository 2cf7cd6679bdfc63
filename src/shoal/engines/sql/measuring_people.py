"""Counts what privacy models read in the groups of a table, as its reader sees them.

As in `measuring`, a missing value equals only a missing value, and a row whose quasi-identifiers all read `*`
belongs to no group. For a release, the engine also knows which values its sensitive columns had in the
source, which person each row belongs to and how many people of the population would be printed alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines._base import AuditColumns, AuditReference
from shoal.engines.duckdb.session import DuckSession, literal
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.audit_columns import LABEL, PERSON, WEIGHT
from shoal.engines.sql.coding import code_cells, codes_in
from shoal.engines.sql.evidence_cells import person_codes, sensitive_cells, sensitive_column
from shoal.engines.sql.printed import label_numbers
from shoal.engines.sql.reading import cell_texts
from shoal.engines.sql.session import Dictionary, JoinedValue
from shoal.engines.sql.table import Cells, FrameTable, Table
from shoal.errors import AuditError, PolicyError
from shoal.model.policy.evidence import Evidence
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People

Ints = NDArray[np.int64]


def people_measured(
    table: Table, quasi_identifiers: Sequence[str], evidence: Evidence, reference: AuditReference | None
) -> MeasuredGroups:
    """One pass over the rows, and one over their distinct combinations."""
    written = _Written(table, quasi_identifiers, evidence, reference)
    try:
        return written.measured()
    finally:
        written.forget()


class _Written:
    """The distinct combinations of the cells of a table, kept in the engine."""

    def __init__(
        self,
        table: Table,
        quasi_identifiers: Sequence[str],
        evidence: Evidence,
        reference: AuditReference | None,
    ) -> None:
        self._combinations: exp.Table | None = None
        self._session = table.session
        self._table = table
        self._quasi = list(quasi_identifiers)
        self._evidence = evidence
        self._reference = reference
        self._audit_columns = None if reference is None else reference.columns

    def forget(self) -> None:
        """Drop what is kept in the engine."""
        if self._combinations is not None:
            self._session.forget(self._combinations)

    @property
    def _kept(self) -> tuple[str, ...]:
        """The columns that were kept for the audit."""
        return () if self._audit_columns is None else self._audit_columns.columns

    def measured(self) -> MeasuredGroups:
        evidence, printed = self._evidence, None if self._reference is None else self._reference.printed
        weighs = evidence.survey_weight is not None
        self._combinations = combinations = self._count()
        self._check_order(combinations)
        facts = [self._cells(name, f"f{index}") for index, name in enumerate(evidence.columns)]
        # For a release in the making nobody needs the labels of the groups, unless people are looked up by
        # them.
        labelled = self._reference is None or printed is not None
        printing = [self._cells(n, f"g{i}") for i, n in enumerate(self._quasi)] if labelled else []
        order = ", ".join(f"g{index}" for index in range(len(self._quasi)))
        values = {f"f{index}": self._position(each, f"f{index}") for index, each in enumerate(facts)}
        values |= {f"p{index}": self._position(each, f"g{index}") for index, each in enumerate(printing)}
        rows = exp.select(
            sql.fragment(f"dense_rank() OVER (ORDER BY {order}) - 1 AS g"),
            *(exp.alias_(each.value, name) for name, each in values.items()),
            sql.fragment("CAST(star AS INT) AS star"),
            "n",
            *(["coalesce(m, 0) AS m", "unweighted"] if weighs else []),
        ).from_(combinations)
        for each in values.values():
            rows = rows if each.join is None else rows.join(each.join)
        arrays = self._session.arrays(
            exp.select("*").from_(rows.subquery("r")).order_by("g"), self._table.about
        )
        plain = {name: np.asarray(array).astype(np.int64) for name, array in arrays.items()}
        plain = self._without_suppressed(facts, plain)
        groups = int(plain["g"].max(initial=-1)) + 1
        stars = plain["g"][plain["star"] > 0]
        codes, people = self._coded(facts, plain)
        sizes = _summed(plain["g"], plain["n"], groups)
        population = _summed(plain["g"], plain["m"], groups) if weighs else None
        if printed is not None:
            population, sizes = self._population(printing, plain, sizes, stars_count=len(stars) > 0)
        return MeasuredGroups(
            people=people,
            rows=sizes,
            of_entry=plain["g"],
            codes=codes,
            counts=plain["n"],
            population=population,
            stars=int(stars[0]) if len(stars) else None,
            labels=self._labels(printing, plain, sizes) if self._reference is None else None,
        )

    def _labels(self, printing: Sequence[Cells], plain: dict[str, Any], rows: Ints) -> CodedCells:
        """The cells of each group."""
        first = np.searchsorted(plain["g"], np.arange(len(rows)))
        return CodedCells(
            columns=tuple(self._quasi),
            cells=tuple(cell_texts(cells) for cells in printing),
            codes=np.column_stack(
                [plain[f"p{index}"][first].astype(np.int32) for index in range(len(printing))]
            ),
            counts=rows,
        )

    def _without_suppressed(self, facts: Sequence[Cells], plain: dict[str, Any]) -> dict[str, Any]:
        """The entries without rows that are suppressed.

        Rows whose quasi-identifiers all read `*` are suppressed only if they reveal nothing else: a group
        that was generalized to the top still has its sensitive values, and a person who matches no other
        group is in it. Where all rows read so, the columns are suppressed: everybody is in one group, and its
        persons, and those of the population, count.
        """
        stars = plain["star"] > 0
        revealing = bool(stars.all()) and self._prints_stars()
        for index, (name, cells) in enumerate(zip(self._evidence.columns, facts, strict=True)):
            if stars.all() and not cells.cells and self._evidence.shape(name) is None:
                revealing = True  # persons whose column was dropped are kept as numbers
            elif self._evidence.shape(name) is not None or stars.all():
                is_known = np.array([*(cell is not None for cell in sensitive_cells(cells.cells)), False])
                revealing |= bool((stars & is_known[plain[f"f{index}"]]).any())
        remaining = {name: array if revealing else array[~stars] for name, array in plain.items()}
        remaining["g"] = np.unique(remaining["g"], return_inverse=True)[1].reshape(-1)
        unweighted = int(remaining["unweighted"].sum()) if "unweighted" in remaining else 0
        if unweighted:
            raise PolicyError(
                f"survey_weight: {unweighted:,} row(s) of column {self._evidence.survey_weight!r} have no "
                "weight, that is, no number from 0 on. Correct them, and write them plainly, like 12.5"
            )
        return remaining

    def _prints_stars(self) -> bool:
        """Whether the population is known, and a released row is printed as nothing but `*`."""
        printed = None if self._reference is None else self._reference.printed
        if printed is None:
            return False
        return all("*" in printed.numbers[printed.names.index(name)] for name in self._quasi)

    def _count(self) -> exp.Table:
        """Keep the combinations."""
        grouped = [f"g{index}" for index in range(len(self._quasi))]
        grouped += [f"f{index}" for index in range(len(self._evidence.columns))]
        grouped += [f"l{index}" for index in self._numbered]
        measures = [sql.fragment("count(*) AS n")]
        if self._evidence.survey_weight is not None:
            measures.append(sql.fragment("CAST(sum(w) AS BIGINT) AS m"))
            measures.append(sql.fragment("sum(CASE WHEN w IS NULL THEN 1 ELSE 0 END) AS unweighted"))
        with self._rows() as rows:
            counted = exp.select(*grouped, "star", *measures).from_(rows.subquery("r"))
            return self._session.keep("written", counted.group_by(*grouped, "star"), self._table.about)

    @contextmanager
    def _rows(self) -> Iterator[exp.Query]:
        """The rows, with the columns that were kept for the audit."""
        table, evidence, audit_columns = self._table, self._evidence, self._audit_columns
        own = [name for name in evidence.columns if name not in self._kept]
        weight = None if audit_columns is not None and audit_columns.weighs else evidence.survey_weight
        selected = [exp.alias_(table.seen(name), f"g{index}") for index, name in enumerate(self._quasi)]
        selected += [exp.alias_(table.cell(name), f"f{evidence.columns.index(name)}") for name in own]
        compared = list(selected)
        selected.append(exp.alias_(sql.every([table.is_star(name) for name in self._quasi]), "star"))
        if weight is not None:
            selected.append(exp.alias_(table.millionths(weight), "w"))
        kept: list[exp.Expr] = [
            exp.alias_(exp.column(PERSON.format(index)), f"f{evidence.columns.index(name)}")
            for index, name in enumerate(self._kept)
        ]
        kept += [
            exp.alias_(exp.column(LABEL.format(at)), f"l{index}") for index, at in self._numbered.items()
        ]
        kept += (
            [exp.alias_(exp.column(WEIGHT), "w")]
            if audit_columns is not None and audit_columns.weighs
            else []
        )
        columns = [*self._quasi, *own]
        if audit_columns is None:
            with table.weighed(columns, weight) as relation:
                yield exp.select(*selected).from_(relation)
        elif isinstance(table, FrameTable):
            assert isinstance(audit_columns.place, Mapping)
            _check_rows(len(table.frame), audit_columns)
            with table.weighed(columns, weight, audit_columns.place) as relation:
                yield exp.select(*selected, *kept).from_(relation)
        elif isinstance(audit_columns.place, exp.Table):
            with table.weighed(columns, weight) as relation:
                self._check_same(compared, relation, audit_columns)
            yield exp.select(*selected, *kept).from_(audit_columns.place)
        else:
            with table.weighed(columns, weight) as relation:
                self._check_number(relation, audit_columns)
                assert isinstance(self._session, DuckSession)
                assert isinstance(audit_columns.place, Path)
                stored = f"SELECT * FROM read_parquet({literal(str(audit_columns.place))})"
                kept_rows = exp.select(*kept).from_(self._session.view("kept", stored, table.about))
                # Rows are joined by their numbers: both files are read in their order.
                columns_kept = exp.Join(this=kept_rows.subquery("b"), method="POSITIONAL")
                rows = exp.select(*selected).from_(relation)
                yield exp.select("*").from_(rows.subquery("r")).join(columns_kept)

    @property
    def _numbered(self) -> dict[int, int]:
        """The quasi-identifiers whose released values were numbered for the audit, and where."""
        labels = () if self._audit_columns is None else self._audit_columns.labels
        return {index: labels.index(name) for index, name in enumerate(self._quasi) if name in labels}

    def _check_order(self, combinations: exp.Table) -> None:
        """Raise unless written and kept rows have the same order: each number must have one label."""
        for index in self._numbered:
            number, cell = f"l{index}", f"g{index}"
            several = exp.select(number).from_(combinations).group_by(number)
            several = several.having(
                sql.fragment(f"count(DISTINCT {cell}) + max(CASE WHEN {cell} IS NULL THEN 1 ELSE 0 END) > 1")
            )
            (count,) = self._session.row(
                exp.select("count(*)").from_(several.subquery("s")), self._table.about
            )
            if count:
                raise AuditError(
                    f"the audit refused the release: its rows are not in the order in which they were to be "
                    f"written, as column {self._quasi[index]!r} shows. Nothing was published"
                )

    def _check_number(self, relation: exp.Expr, audit_columns: AuditColumns) -> None:
        (rows,) = self._session.row(exp.select("count(*)").from_(relation), self._table.about)
        _check_rows(int(rows), audit_columns)

    def _check_same(
        self, compared: Sequence[exp.Expr], relation: exp.Expr, audit_columns: AuditColumns
    ) -> None:
        """Raise unless the kept rows are the written ones, apart from their order."""
        assert isinstance(audit_columns.place, exp.Table)
        self._check_number(relation, audit_columns)
        written = sql.counted(compared, relation)
        kept = sql.counted(compared, audit_columns.place)
        for one, other in ((written, kept), (kept, written)):
            only_in_one = exp.except_(one, other)
            if self._session.row(
                exp.select("count(*)").from_(only_in_one.subquery("x")), self._table.about
            ) != (0,):
                raise AuditError(
                    "the audit refused the release: its rows are not the ones that were to be written. "
                    "Nothing was published"
                )

    def _cells(self, name: str, alias: str) -> Cells:
        assert self._combinations is not None
        if name in self._kept:
            return Cells([], False, _Codes())
        return self._table.cells(name, self._combinations, alias)

    def _position(self, cells: Cells, alias: str) -> JoinedValue:
        """The position of a cell; the missing one comes last."""
        assert self._combinations is not None
        return cells.dictionary.value(exp.column(alias, self._combinations.alias_or_name))

    def _coded(self, facts: Sequence[Cells], plain: dict[str, Any]) -> tuple[NDArray[np.int32], People]:
        """Codes of the counted columns, entry by entry, and the table that they are compared with."""
        columns = self._evidence.columns
        codes = np.empty((len(plain["n"]), len(columns)), np.int32)
        counted_columns = []
        for index, (name, cells) in enumerate(zip(columns, facts, strict=True)):
            cell_numbers, shape = plain[f"f{index}"], self._evidence.shape(name)
            domain = None
            if name in self._kept:
                codes[:, index] = cell_numbers
            elif shape is None:
                codes[:, index] = person_codes(cells.cells)[cell_numbers]
            elif self._reference is None:
                # Suppressed rows are left out, so a value that only they have would belong to no row: the
                # ends of ordered values would be farther apart, and all distances would seem shorter than
                # they are.
                used, positions = np.unique(cell_numbers, return_inverse=True)
                counted = [*sensitive_cells(cells.cells), None]
                coding = code_cells(
                    shape,
                    [counted[position] for position in used],
                    missing=False,
                    kind=self._table.kind(name),
                    locate=lambda indices: f"{len(indices):,} of them",
                )
                codes[:, index], domain = coding.codes[positions.reshape(-1)], coding.domain
            else:
                domain = self._reference.sensitive[index]
                assert domain is not None
                missing = len(domain) - 1 if domain.has_missing else -1
                codes[:, index] = np.array(
                    [*codes_in(domain, sensitive_cells(cells.cells), as_source=True), missing], np.int32
                )[cell_numbers]
                unknown = int(plain["n"][codes[:, index] < 0].sum())
                if unknown:
                    raise AuditError(
                        f"the audit refused the release: {unknown:,} row(s) of column {name!r} have values "
                        "that the source does not have. Nothing was published"
                    )
            size = max(int(codes[:, index].max(initial=0)) + 1, 0 if domain is None else len(domain))
            counts = _summed(codes[:, index], plain["n"], size + (domain is None))
            counted_columns.append(sensitive_column(name, counts, domain, shape))
        if self._reference is not None:
            return codes, self._reference.people
        return codes, People(
            columns=tuple(counted_columns), population=self._evidence.survey_weight is not None
        )

    def _population(
        self, printing: Sequence[Cells], plain: dict[str, Any], rows: Ints, *, stars_count: bool
    ) -> tuple[Ints, Ints]:
        """The people whom each group represents; and the rows, with 0 for groups of people only."""
        assert self._reference is not None
        assert self._reference.printed is not None
        printed = self._reference.printed
        first = np.searchsorted(plain["g"], np.arange(len(rows)))
        names = printed.names
        numbers = []
        for index, cells in enumerate(printing):
            attribute = names.index(self._quasi[index])
            of_cell = np.array([*label_numbers(printed, attribute, [*cells.cells, None])], np.int64)
            numbers.append(of_cell[plain[f"p{index}"][first]])
        chosen = [names.index(name) for name in self._quasi]
        people: dict[tuple[int, ...], int] = {}
        stars = tuple(printed.numbers[each].get("*", -1) for each in chosen)
        for combination, count in printed.people.items():
            key = tuple(combination[each] for each in chosen)
            if key != stars or stars_count:
                people[key] = people.get(key, 0) + count
        keys = list(zip(*(column.tolist() for column in numbers), strict=True))
        in_groups = [people.get(key, 0) for key in keys]
        released = set(keys)
        elsewhere = [count for key, count in people.items() if key not in released]
        return (
            np.array(in_groups + elsewhere, np.int64),
            np.concatenate([rows, np.zeros(len(elsewhere), np.int64)]),
        )


def _check_rows(rows: int, audit_columns: AuditColumns) -> None:
    if rows != audit_columns.rows:
        raise AuditError(
            f"the audit refused the release: it should have {audit_columns.rows:,} rows, but the "
            f"audit measured {rows:,} in the written table. Nothing was published"
        )


class _Codes(Dictionary):
    """For a column whose codes were kept: they need no lookup."""

    size = 0

    def value(self, cell: exp.Expr, of_cell: NDArray[np.int32] | None = None) -> JoinedValue:  # noqa: ARG002
        return JoinedValue(cell)


def _summed(keys: NDArray[Any], values: Ints, size: int) -> Ints:
    sums = np.zeros(size, np.int64)
    np.add.at(sums, keys, values)
    return sums
