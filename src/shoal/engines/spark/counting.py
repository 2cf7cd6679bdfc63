"""Counting whose combinations stay in Spark: the driver gets the distinct cells of each column, and sums."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from shoal.engines._base import Counted
from shoal.engines.search_memory import SearchMemory
from shoal.engines.spark.mondrian import SparkRows
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.spark.table import SparkTable
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coding import Coding
from shoal.engines.sql.counting import Counting
from shoal.engines.sql.table import Cells
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.recoding.distributed import marginal_table


class DistributedCounting(Counting):
    """One count of a table in Spark.

    Parameters
    ----------
    session
        Where the table is.
    table
        The source.
    attributes
        What the policy states about its columns.
    """

    def __init__(self, session: SparkSqlSession, table: SparkTable, attributes: Sequence[Attribute]) -> None:
        super().__init__(table, attributes, Evidence(), None, SearchMemory.of(None))
        self._session = session

    def counted(self) -> Counted:
        table, names = self._table, [each.name for each in self._coded]
        with table.weighed(names, None) as relation:
            combinations, number = self._combinations(
                table, relation, [table.cell(name) for name in names], None
            )
            cells = [table.cells(name, combinations, f"x{index}") for index, name in enumerate(names)]
            codings, others, _ = self._codings(relation, cells)
            codings, _ = self._arranged(combinations, number, cells, codings, others)
            codings = self._with_markers(combinations, cells, codings)
        query = _coded(combinations, cells, codings)
        frame = self._session.fixed(lambda: self._session.frame(query), table.about)
        self._session.forget(combinations)
        rows = SparkRows(self._session, frame, [coding.domain for coding in codings])
        return Counted(
            frequencies=marginal_table(rows.domains, rows.whole),
            codings=tuple(codings),
            dictionaries=tuple(each.dictionary for each in cells),
            decisive=tuple(names),
            distributed=rows,
        )


def _coded(combinations: exp.Table, cells: Sequence[Cells], codings: Sequence[Coding]) -> exp.Select:
    """The combinations by codes, with equal ones merged, in no order."""
    values = [
        each.dictionary.value(exp.column(f"x{index}", combinations.alias_or_name), coding.codes)
        for index, (each, coding) in enumerate(zip(cells, codings, strict=True))
    ]
    names = [f"a{index}" for index in range(len(values))]
    lines = exp.select(*(exp.alias_(each.value, name) for each, name in zip(values, names, strict=True)), "n")
    lines = lines.from_(combinations)
    for each in values:
        lines = lines if each.join is None else lines.join(each.join)
    total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
    return exp.select(*names, total).from_(lines.subquery("l")).group_by(*names)
