"""The query that releases a table by a plan.

Rows are numbered cell by cell, grouped by numbers and only then labelled: labels that a collation holds for
equal, as 'a' and 'A', are still two groups. Every column is named; one that the table gets later is not
released.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from shoal.model.table.domain import SUPPRESSED
from shoal.warehouse.cells import counted_value, label_of, numbered
from shoal.warehouse.dialect import Dialect, in_list
from shoal.warehouse.plan import Plan

_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Query:
    """The query of one plan.

    Parameters
    ----------
    dialect
        How it is written.
    plan
        What it does.
    source
        The table.
    columns
        Its columns, in order.
    dropped
        Those that are not released.
    """

    dialect: Dialect
    plan: Plan
    source: exp.Table
    columns: tuple[str, ...]
    dropped: tuple[str, ...]

    def select(self) -> exp.Select:
        """The query."""
        steps = {"recoded": self._recoded()}
        if self.plan.groups_of_rows is not None:
            steps["placed"] = self._placed()
        rows = list(steps)[-1]
        if self.plan.distinct:
            steps["counted"] = self._counted(rows)
        steps["grouped"] = self._grouped(rows)
        query = self._released()
        for name, step in steps.items():
            query = query.with_(self._step(name).this, as_=step, copy=False)
        return query

    def _step(self, name: str) -> exp.Table:
        """A step by its name, which the table does not have."""
        while name in (part.name.lower() for part in self.source.parts):
            name += "_"
        return exp.Table(this=exp.to_identifier(name))

    @property
    def _others(self) -> list[str]:
        """Columns that are released as they are."""
        recoded = {column.domain.name for column in self.plan.columns}
        return [name for name in self.columns if name not in recoded and name not in self.dropped]

    @property
    def _inspected(self) -> list[str]:
        """Columns that are needed to count."""
        return list(dict.fromkeys(demand.column for demand in self.plan.distinct))

    @property
    def _carried(self) -> list[str]:
        return [*self._others, *(name for name in self._inspected if name not in self._others)]

    def _own(self, what: str) -> exp.Identifier:
        """A name for a column of a step, which no column of the table has."""
        taken = {name.lower() for name in self.columns}
        name = f"shoal_{what}"
        while name in taken:
            name += "_"
        return self.dialect.identifier(name)

    def _number(self, place: int) -> exp.Identifier:
        return self._own(f"q{place + 1}")

    @property
    def _grouping(self) -> list[exp.Identifier]:
        """The columns that distinguish groups."""
        if self.plan.groups_of_rows is not None:
            return [self._own("group")]
        return [self._number(place) for place in range(len(self.plan.columns))]

    def _cell(self, name: str, table: str) -> exp.Column:
        return exp.column(self.dialect.identifier(name), table=table)

    def _passed(self, name: str, table: str) -> exp.Expr:
        return _as(self._cell(name, table), self.dialect.identifier(name))

    def _recoded(self) -> exp.Select:
        numbers = [
            _as(numbered(self.dialect, column, self._cell(column.domain.name, "s")), self._number(place))
            for place, column in enumerate(self.plan.columns)
        ]
        carried = [self._passed(name, "s") for name in self._carried]
        return exp.select(*numbers, *carried, copy=False).from_(_aliased(self.source, "s"), copy=False)

    def _placed(self) -> exp.Select:
        """Rows with the group that they belong to, found by all their cells together."""
        assert self.plan.groups_of_rows is not None
        key = self._key(
            [exp.column(self._number(place), table="r") for place in range(len(self.plan.columns))]
        )
        group = exp.Case(
            ifs=[
                exp.If(this=in_list(key, _integers(keys)), true=exp.Literal.number(number))
                for number, keys in enumerate(self.plan.groups_of_rows)
            ]
        )
        carried = [self._passed(name, "r") for name in self._carried]
        return exp.select(_as(group, self._own("group")), *carried, copy=False).from_(
            _aliased(self._step("recoded"), "r"), copy=False
        )

    def _key(self, numbers: Sequence[exp.Expr]) -> exp.Expr:
        """Several numbers as one; NULL if one of them is."""
        whole = 1
        for size in self.plan.sizes:
            whole *= size
        key: exp.Expr | None = None
        for number, size in zip(numbers, self.plan.sizes, strict=True):
            if whole > _LARGEST_INTEGER:
                number = exp.cast(number, "bigint")
            if key is None:
                key = number
                continue
            stepped = exp.Mul(this=_grouped_by_parentheses(key), expression=exp.Literal.number(size))
            key = exp.Add(this=stepped, expression=number)
        assert key is not None
        return _grouped_by_parentheses(key)

    def _known(self, table: str) -> list[exp.Expr]:
        """That the cells of a row were there when the rows were counted."""
        return [
            exp.Not(this=exp.Is(this=exp.column(column, table=table), expression=exp.null()))
            for column in self._grouping
        ]

    def _counted(self, rows: str) -> exp.Select:
        """Per group its rows, and the distinct values of columns."""
        grouping = [exp.column(column, table="r") for column in self._grouping]
        named = [_as(exp.column(column, table="r"), column.copy()) for column in self._grouping]
        counts: list[exp.Expr] = [_as(exp.Count(this=exp.Star()), self._own("rows"))]
        for place, demand in enumerate(self.plan.distinct):
            value = counted_value(self.dialect, demand.domain, self._cell(demand.column, "r"))
            count: exp.Expr = exp.Count(this=exp.Distinct(expressions=[value]))
            if (
                demand.domain is not None and demand.domain.has_missing
            ):  # a missing value is one of the values
                absent = exp.Is(this=value.copy(), expression=exp.null())
                one = exp.Case(ifs=[exp.If(this=absent, true=exp.Literal.number(1))], default=_zero())
                count = exp.Add(this=count, expression=exp.Max(this=one))
            counts.append(_as(count, self._own(f"d{place + 1}")))
        return (
            exp.select(*named, *counts, copy=False)
            .from_(_aliased(self._step(rows), "r"), copy=False)
            .where(*self._known("r"), copy=False)
            .group_by(*(column.copy() for column in grouping), copy=False)
        )

    def _grouped(self, rows: str) -> exp.Select:
        """Rows, and whether they are kept."""
        kept = exp.Case(
            ifs=[exp.If(this=exp.and_(*self._demands()), true=exp.Literal.number(1))], default=_zero()
        )
        columns = [
            *(_as(exp.column(column, table="r"), column.copy()) for column in self._grouping),
            *(self._passed(name, "r") for name in self._others),
        ]
        query = exp.select(*columns, _as(kept, self._own("kept")), copy=False).from_(
            _aliased(self._step(rows), "r"), copy=False
        )
        if not self.plan.distinct:
            return query
        same = [
            exp.EQ(this=exp.column(column, table="c"), expression=exp.column(column.copy(), table="r"))
            for column in self._grouping
        ]
        return query.join(
            _aliased(self._step("counted"), "c"), on=exp.and_(*same), join_type="left", copy=False
        )

    def _demands(self) -> Iterable[exp.Expr]:
        yield from self._known("r")
        grouping = [exp.column(column, table="r") for column in self._grouping]
        if self.plan.kept is not None:
            yield in_list(self._key(grouping), _integers(self.plan.kept))
        if self.plan.distinct:
            if self.plan.k is not None:
                yield _at_least(exp.column(self._own("rows"), table="c"), self.plan.k)
            for place, demand in enumerate(self.plan.distinct):
                yield _at_least(exp.column(self._own(f"d{place + 1}"), table="c"), demand.least)
        elif self.plan.k is not None:
            rows = exp.Window(this=exp.Count(this=exp.Star()), partition_by=grouping)
            yield _at_least(rows, self.plan.k)

    def _released(self) -> exp.Select:
        """The rows that are kept with their labels; the others without any cell, if they are masked."""
        is_kept = exp.EQ(this=exp.column(self._own("kept"), table="g"), expression=exp.Literal.number(1))
        recoded = {column.domain.name: place for place, column in enumerate(self.plan.columns)}
        printed = []
        for name in self.columns:
            if name in self.dropped:
                continue
            cell: exp.Expr = self._cell(name, "g")
            otherwise: exp.Expr = exp.null()
            if name in recoded:
                place = recoded[name]
                by_row = self.plan.groups_of_rows is not None
                number = exp.column(self._own("group") if by_row else self._number(place), table="g")
                cell = label_of(self.dialect, self.plan.columns[place], number)
                otherwise = self.dialect.text(SUPPRESSED)
            if self.plan.suppressed == "mask":
                # A suppressed row that kept its other cells could still be recognized by them: it keeps none.
                cell = exp.Case(ifs=[exp.If(this=is_kept.copy(), true=cell)], default=otherwise)
            printed.append(_as(cell, self.dialect.identifier(name)))
        query = exp.select(*printed, copy=False).from_(_aliased(self._step("grouped"), "g"), copy=False)
        return query if self.plan.suppressed == "mask" else query.where(is_kept, copy=False)


def _as(expression: exp.Expr, name: exp.Identifier) -> exp.Alias:
    return exp.Alias(this=expression, alias=name)


def _aliased(table: exp.Table, alias: str) -> exp.Table:
    named = table.copy()
    named.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return named


def _at_least(value: exp.Expr, least: int) -> exp.Expr:
    return exp.GTE(this=value, expression=exp.Literal.number(least))


def _integers(numbers: Iterable[int]) -> list[exp.Expr]:
    return [exp.Literal.number(number) for number in numbers]


def _zero() -> exp.Expr:
    return exp.Literal.number(0)


def _grouped_by_parentheses(expression: exp.Expr) -> exp.Expr:
    return exp.Paren(this=expression) if isinstance(expression, exp.Binary) else expression
