"""Distinct rows that stay in the engine, and the groups of level nodes, counted there.

Each node is one GROUP BY over the groups of the smallest cached node below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.search_memory import SearchMemory
from shoal.engines.sql import pieces as sql
from shoal.engines.sql.session import Session
from shoal.model.table.remote_table import Firsts, NodeSums

MOST_TABLES = 64
"""Most cached tables; together they have no more rows than the distinct rows themselves."""


@dataclass(frozen=True, eq=False)
class _Node:
    """The groups of a node as a table with columns `a0`, `a1`, ... for codes, and `n`."""

    firsts: Firsts
    table: exp.Table
    groups: int

    def is_below(self, firsts: Firsts) -> bool:
        """Whether these groups can be joined to those of another node."""
        return all(
            np.array_equal(theirs[own], theirs) for own, theirs in zip(self.firsts, firsts, strict=True)
        )


class EngineRows:
    """Distinct rows in a session.

    Parameters
    ----------
    session
        Where they are.
    table
        Their codes `a0`, `a1`, ... and counts `n`.
    sizes
        How many codes each attribute has.
    rows
        The number of distinct rows.
    memory
        The limit for what is fetched.
    about
        What to call the source in messages.
    """

    def __init__(
        self,
        session: Session,
        table: exp.Table,
        sizes: Sequence[int],
        rows: int,
        memory: SearchMemory,
        about: str,
    ) -> None:
        self._session = session
        self._about = about
        self._memory = memory
        self._bottom = _Node(tuple(np.arange(size, dtype=np.int32) for size in sizes), table, rows)
        self._cached: list[_Node] = []
        self._numbers: dict[tuple[int, bytes], exp.Expr] = {}

    def sums(self, firsts: Firsts, k: int) -> NodeSums:
        rows = exp.column("n")
        large, small = sql.fragment("n >= :k", k=k), sql.fragment("n < :k", k=k)
        totals = [
            sql.summed_if(large, sql.number(1)),
            sql.summed_if(large, sql.fragment("n * n")),
            sql.summed_if(small, rows),
        ]
        selected = [exp.alias_(each, f"m{at}") for at, each in enumerate(totals)]
        row = self._session.row(exp.select(*selected).from_(self._node(firsts).table), self._about)
        return NodeSums(*map(int, row))

    def units_below(self, firsts: Firsts, k: int, units: Sequence[NDArray[np.int64]]) -> int:
        same, terms = 0, []
        for attribute, of_code in enumerate(units):
            if (of_code == of_code[0]).all():
                same += int(of_code[0])
            else:
                terms.append(self._number_of(attribute, of_code))
        total: exp.Expr = sql.number(same)
        for term in terms:
            total = exp.Add(this=total, expression=term)
        units_lost = sql.summed_if(sql.fragment("n < :k", k=k), sql.fragment("n * :total", total=total))
        query = exp.select(exp.alias_(units_lost, "m")).from_(self._node(firsts).table)
        return int(self._session.row(query, self._about)[0])

    def groups(self, firsts: Firsts) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        node = self._node(firsts)
        self._memory.check_groups(node.groups, len(firsts), self._about)
        names = [f"a{attribute}" for attribute in range(len(firsts))]
        arrays = self._session.arrays(exp.select(*names, "n").from_(node.table).order_by(*names), self._about)
        codes = np.column_stack([np.asarray(arrays[name], np.int32) for name in names])
        return codes, np.asarray(arrays["n"], np.int64)

    def rows_below(self, firsts: Firsts, k: int) -> list[NDArray[np.int64]]:
        names = [f"a{attribute}" for attribute in range(len(firsts))]
        joined = [exp.alias_(each, f"j{at}") for at, each in enumerate(self._joined(self._bottom, firsts))]
        rows = exp.select(*names, "n", *joined).from_(self._bottom.table).subquery("b")
        same = [sql.fragment(f"b.j{at} = g.a{at}") for at in range(len(firsts))]
        small = exp.select("*").from_(self._node(firsts).table).where(sql.fragment("n < :k", k=k))
        lost = exp.select(*(exp.column(name, "b") for name in (*names, "n"))).from_(rows)
        kept = self._session.keep("lost", lost.join(small.subquery("g"), on=exp.and_(*same)), self._about)
        counts_below = []
        for name, own in zip(names, self._bottom.firsts, strict=True):
            counts = np.zeros(len(own), np.int64)
            summed = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
            query = exp.select(name, summed).from_(kept).group_by(name)
            for code, count in self._session.rows(query, self._about):
                counts[int(code)] = int(count)
            counts_below.append(counts)
        self._session.forget(kept)
        return counts_below

    def _node(self, firsts: Firsts) -> _Node:
        """The groups of a node, counted if they are not cached."""
        below = [each for each in (self._bottom, *self._cached) if each.is_below(firsts)]
        for each in below:
            if all(map(np.array_equal, each.firsts, firsts)):
                return each
        source = min(below, key=lambda each: each.groups)
        cells = [exp.alias_(each, f"a{at}") for at, each in enumerate(self._joined(source, firsts))]
        total = exp.alias_(sql.as_integer(sql.fragment("sum(n)")), "n")
        query = sql.counted(cells, source.table, total, measured=[exp.column("n")])
        table = self._session.keep("node", query, self._about)
        (groups,) = self._session.row(exp.select("count(*)").from_(table), self._about)
        node = _Node(firsts, table, int(groups))
        self._cached.append(node)
        while len(self._cached) > 1 and (
            len(self._cached) > MOST_TABLES or sum(each.groups for each in self._cached) > self._bottom.groups
        ):
            self._session.forget(self._cached.pop(0).table)
        return node

    def _joined(self, source: _Node, firsts: Firsts) -> list[exp.Expr]:
        """SQL for the codes of a node, over the groups of one below it."""
        codes: list[exp.Expr] = []
        for attribute, (own, theirs) in enumerate(zip(source.firsts, firsts, strict=True)):
            if np.array_equal(own, theirs):
                codes.append(exp.column(f"a{attribute}"))
            elif not theirs.any():
                codes.append(sql.number(0))
            else:
                codes.append(self._number_of(attribute, theirs))
        return codes

    def _number_of(self, attribute: int, of_code: NDArray[np.integer]) -> exp.Expr:
        """SQL for the number of an attribute's code."""
        key = attribute, of_code.tobytes()
        if key not in self._numbers:
            self._numbers[key] = self._session.numbered(of_code, exp.column(f"a{attribute}"))
        return self._numbers[key].copy()
