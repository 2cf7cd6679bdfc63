"""Counting in Spark for a search in Spark: the driver gets the distinct cells of each column, and sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from shoal.engines._base import Counted
from shoal.engines.search_memory import SearchMemory
from shoal.engines.spark.mondrian import SparkRows
from shoal.engines.spark.session import SparkSqlSession
from shoal.engines.spark.table import SparkTable
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.coded_lines import Coded, coded_lines
from shoal.engines.sql.counting import Counting
from shoal.engines.sql.evidence_cells import sensitive_column
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute
from shoal.model.policy.evidence import Evidence
from shoal.model.recoding.distributed import KnownFacts, marginal_table
from shoal.model.table.domain import Domain

MOST_FACTS = 10_000
"""Most combinations of sensitive values: the driver gets the rows of each for every code of a region."""


class DistributedCounting(Counting):
    """One count of a table in Spark whose combinations stay there.

    Parameters
    ----------
    session
        Where the table is.
    table
        The source.
    attributes
        What the policy states about its columns.
    evidence
        What privacy models read: sensitive columns.
    """

    def __init__(
        self,
        session: SparkSqlSession,
        table: SparkTable,
        attributes: Sequence[Attribute],
        evidence: Evidence,
    ) -> None:
        super().__init__(table, attributes, evidence, None, SearchMemory.of(None))
        self._session = session

    def counted(self) -> Counted:
        table, names, sensitive = self._table, [each.name for each in self._coded], self._evidence.columns
        columns = [*names, *sensitive]
        with table.weighed(columns, None) as relation:
            evidence = [self._evidence_cell(name) for name in sensitive]
            combinations, number = self._combinations(
                table, relation, [*(table.cell(name) for name in names), *evidence], None
            )
            cells = table.all_cells(columns, combinations, "x")
            quasi, facts = cells[: len(names)], cells[len(names) :]
            codings, others, _ = self._codings(relation, quasi)
            tally = self._tally(combinations, number, cells)
            codings, _ = self._arranged(tally, number, quasi, codings, others)
            codings = self._with_markers(combinations, quasi, codings)
            shaped = [self._sensitive(relation, *each) for each in zip(sensitive, facts, strict=True)]
        domains = [domain for _, domain in shaped]
        sizes = _sizes(domains)
        coded, _ = self._coded_columns(codings, cells, [codes for codes, _ in shaped])
        query = _coded(combinations, coded, sizes)
        frame = self._session.fixed(lambda: self._session.frame(query), table.about)
        self._session.forget(combinations)
        rows = SparkRows(
            self._session,
            frame,
            [coding.domain for coding in codings],
            number_of_facts=math.prod(sizes) if sizes else 0,
        )
        rows.facts = self._known(rows, domains) if sizes else None
        return Counted(
            frequencies=marginal_table(rows.domains, rows.whole, rows.facts),
            codings=tuple(codings),
            dictionaries=tuple(each.dictionary for each in quasi),
            decisive=tuple(dict.fromkeys((*names, *self._evidence.read))),
            evidence=self._evidence,
            sensitive=tuple(domains),
            distributed=rows,
        )

    def _known(self, rows: SparkRows, domains: Sequence[Domain | None]) -> KnownFacts:
        """The facts, numbered as `_coded` numbers them, and the columns with the rows of each value."""
        sizes, of_fact = _sizes(domains), rows.whole.facts
        assert of_fact is not None
        combinations = np.indices(sizes, np.int32).reshape(len(sizes), -1).T
        columns = [
            sensitive_column(
                name,
                np.bincount(combinations[:, at], of_fact, sizes[at]).astype(np.int64),
                domain,
                self._evidence.shape(name),
            )
            for at, (name, domain) in enumerate(zip(self._evidence.columns, domains, strict=True))
        ]
        return KnownFacts(tuple(columns), np.ascontiguousarray(combinations))


def _sizes(domains: Sequence[Domain | None]) -> list[int]:
    """The number of values of each sensitive column; `PolicyError` if there are too many combinations."""
    sizes = [0 if domain is None else len(domain) for domain in domains]
    if any(domain is None for domain in domains) or math.prod(sizes) > MOST_FACTS:
        raise PolicyError(
            f"where the rows stay in Spark, models look at sensitive columns with at most {MOST_FACTS:,} "
            f"combinations of values, and at no persons; here there are {math.prod(sizes):,}. Look at fewer "
            "or coarser columns, or allow the search more memory (search_memory)"
        )
    return sizes


def _coded(combinations: exp.Table, coded: Sequence[Coded], sizes: Sequence[int]) -> exp.Select:
    """The combinations by codes, with equal ones merged, in no order; sensitive codes become one fact."""
    lines = coded_lines(combinations, {each.name: each for each in coded}, ["n"]).subquery("l")
    names = [each.name for each in coded[: len(coded) - len(sizes)]]
    fact = " + ".join(
        f"f{at} * {math.prod(sizes[at + 1 :])}" for at in range(len(sizes))
    )  # the last column counts ones
    facts = [sql.fragment(f"{fact} AS f")] if sizes else []
    numbered = exp.select(*names, *facts, "n").from_(lines).subquery("c")
    total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
    own = [*names, *(["f"] if sizes else [])]
    return exp.select(*own, total).from_(numbered).group_by(*own)
