"""Conditions on the cells of a column: which values belong together."""

from __future__ import annotations

from sqlglot import exp

from shoal.model.table.domain import Domain
from shoal.model.table.number_text import plus
from shoal.warehouse.dialect import Dialect, in_list, is_numeric
from shoal.warehouse.plan import Branch, Column


def numbered(dialect: Dialect, column: Column, cell: exp.Expr) -> exp.Expr:
    """The number of a cell; NULL for one that no released row had when the rows were counted."""
    if not column.branches:
        return exp.Literal.number(0)
    return exp.Case(
        ifs=[
            exp.If(this=belongs(dialect, column, branch, cell), true=exp.Literal.number(branch.number))
            for branch in column.branches
        ]
    )


def belongs(dialect: Dialect, column: Column, branch: Branch, cell: exp.Expr) -> exp.Expr:
    """Whether a cell belongs to a branch."""
    domain = column.domain
    decimal = not domain.has_doubles or (column.decimal and dialect.has_decimals)
    known = [code for code in branch.codes if domain.values[code] is not None]
    conditions: list[exp.Expr] = []
    if known and branch.between:
        conditions.append(_between(dialect, domain, known[0], known[-1], cell, decimal=decimal))
    elif domain.bin is not None:
        conditions += [_between(dialect, domain, code, code, cell, decimal=decimal) for code in known]
    elif known:
        values = [domain.values[code] for code in known]
        conditions.append(dialect.one_of(cell.copy(), values, decimal=decimal))
    if len(known) < len(branch.codes):
        conditions += _missing(dialect, domain, cell)
    return conditions[0] if len(conditions) == 1 else exp.or_(*conditions)


def _between(
    dialect: Dialect, domain: Domain, first: int, last: int, cell: exp.Expr, *, decimal: bool
) -> exp.Expr:
    """Whether a cell is in the interval of two codes, as its label states."""
    low, high = domain.values[first], domain.values[last]
    below = False
    if domain.bin is not None:
        end, below = domain.bin_end(last), not domain.integral
        high = end if below else plus(end, -1)
    if low == high:
        return dialect.one_of(cell.copy(), [low], decimal=decimal)
    ends = [dialect.literal(end, decimal=decimal) for end in (low, high)]
    if not below:
        return exp.Between(this=cell.copy(), low=ends[0], high=ends[1])
    return exp.and_(
        exp.GTE(this=cell.copy(), expression=ends[0]), exp.LT(this=cell.copy(), expression=ends[1])
    )


def _missing(dialect: Dialect, domain: Domain, cell: exp.Expr) -> list[exp.Expr]:
    """Ways in which a cell can be missing."""
    conditions: list[exp.Expr] = [exp.Is(this=cell.copy(), expression=exp.null())]
    known = domain.values[:-1]
    if domain.kind == "number":
        nan = dialect.is_nan(cell.copy())
        return conditions if nan is None else [*conditions, nan]
    if known and all(isinstance(value, str) for value in known) and "" not in known:
        # A CSV file does not distinguish empty text from a missing cell; in the warehouse it can be either.
        filled = dialect.filled(cell.copy())
        if filled is not None:
            conditions[0] = exp.Is(this=filled, expression=exp.null())
    return conditions


def counted_value(dialect: Dialect, domain: Domain | None, cell: exp.Expr) -> exp.Expr:
    """A cell as its distinct values are counted: never more of them than Shoal distinguishes."""
    if domain is None:
        return cell
    if domain.kind == "number":  # 1 and 1.0 are one value, also where the column is of text
        double = exp.cast(cell, "double")
        nan = dialect.is_nan(cell.copy())
        # NaN is missing: next to NULL it would be a second value.
        return double if nan is None else exp.Case(ifs=[exp.If(this=nan, true=exp.null())], default=double)
    known = [value for value in domain.values if value is not None]
    if not all(isinstance(value, str) for value in known):
        return cell
    filled = dialect.filled(cell) or cell
    if all(map(is_numeric, known)):  # numbers that were counted as codes
        return exp.Nullif(this=exp.Lower(this=filled), expression=exp.Literal.string("nan"))
    return filled


def label_of(dialect: Dialect, column: Column, number: exp.Expr) -> exp.Expr:
    """What is printed for a number."""
    by_label: dict[object, list[int]] = {}
    for each, label in column.labels.items():
        if label is not None:
            by_label.setdefault((type(label), label), []).append(each)
    ifs = []
    for (_, label), numbers in by_label.items():  # type: ignore[misc]
        literals: list[exp.Expr] = [exp.Literal.number(each) for each in numbers]
        ifs.append(exp.If(this=in_list(number.copy(), literals), true=dialect.literal(label)))
    return exp.Case(ifs=ifs) if ifs else exp.null()
