"""What a recoding does to rows, in the terms that SQL has: branches of CASE, keys, and groups that are kept.

Only what released rows have is written: a value that only suppressed rows had is in no branch, so a row that
has it is suppressed, in the rows that were counted and in those that come later. That changes no group that
was released, because none of its rows has such a value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError, PolicyError
from shoal.model.policy.policy import SuppressedRows
from shoal.model.recoding.groups import LARGEST_KEY, Groups, released_codes
from shoal.model.recoding.recoding import DomainRecoding, Recoding
from shoal.model.result.problem import Problem
from shoal.model.table.domain import MISSING, SUPPRESSED, Domain, Value
from shoal.privacy import GroupModel

MOST_VALUES = 50_000
MOST_ROWS = 10_000
MOST_GROUPS = 10_000


@dataclass(frozen=True)
class Branch:
    """Values that get the same number.

    Parameters
    ----------
    number
        The number.
    codes
        Their codes, increasing.
    between
        Whether also every value between the first and the last belongs here: the label is their interval.
    """

    number: int
    codes: tuple[int, ...]
    between: bool


@dataclass(frozen=True, kw_only=True)
class Column:
    """How one quasi-identifier is numbered and what its numbers are printed as.

    Parameters
    ----------
    domain
        The column's domain.
    branches
        Its values by number; none if every cell, whatever it is, gets the number 0.
    labels
        What is printed for a number: a text, or the value itself where all cells stay as they are; `None` for
        a missing cell. Where whole rows are looked up, for the number of a group.
    size
        How many numbers there are.
    decimal
        Whether its cells are known to be decimals: next to a double they would be rounded, and one beyond the
        end of an interval would pass for the end.
    """

    domain: Domain
    branches: tuple[Branch, ...]
    labels: Mapping[int, Value | float]
    size: int
    decimal: bool = False


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """A demand that SQL can count: least distinct values of a column in each group.

    Parameters
    ----------
    column
        The column.
    least
        The demand.
    domain
        Its values; `None` for one that identifies persons.
    """

    column: str
    least: int
    domain: Domain | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A recoding, ready to be written.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    k
        Least rows of a group; `None` where k is a demand on several sets of columns, which is not counted.
    distinct
        What else is counted.
    groups_of_rows
        Per group the keys of its rows, where a recoding depends on whole rows; else `None`.
    kept
        Keys of the groups that are kept, where that is not only a matter of counting; else `None`.
    unchecked
        Demands that held when the rows were counted, in words, and that the statement does not check.
    suppressed
        Whether suppressed rows are dropped or masked.
    truthful
        Whether every label is true of its row, also of rows that come later.
    """

    columns: tuple[Column, ...]
    k: int | None
    distinct: tuple[Distinct, ...] = ()
    groups_of_rows: tuple[tuple[int, ...], ...] | None = None
    kept: tuple[int, ...] | None = None
    unchecked: tuple[str, ...] = ()
    suppressed: SuppressedRows = "drop"
    truthful: bool = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each column has; the radices of keys."""
        return tuple(column.size for column in self.columns)


def plan_of(
    problem: Problem,
    recoding: Recoding,
    groups: Groups,
    *,
    sensitive: Mapping[str, Domain | None],
    suppressed: SuppressedRows,
    decimals: Collection[str] = (),
) -> Plan:
    """Plan a recoding, or raise `PolicyError` if it needs SQL of excessive length.

    Parameters
    ----------
    problem, recoding, groups
        The problem, its recoding, and the groups that this forms.
    sensitive
        The domains of the columns of the privacy models.
    suppressed
        How suppressed rows are released.
    decimals
        The columns that are known to have a type of decimals.
    """
    _check_sayable(problem, recoding)
    if isinstance(recoding, DomainRecoding):
        columns = _by_cell(problem, recoding, groups, suppressed)
        groups_of_rows = None
    else:
        columns, groups_of_rows = _by_row(problem, recoding, groups, suppressed)
    columns = tuple(replace(column, decimal=column.domain.name in decimals) for column in columns)
    values = sum(
        1 if branch.between else len(branch.codes) for column in columns for branch in column.branches
    )
    if values > MOST_VALUES:
        raise PolicyError(
            f"the SQL would list {values:,} values one by one, and at most {MOST_VALUES:,} are listed; put "
            "numbers into bins, give columns of many values a coarser form, or run shoal anonymize"
        )
    counted, unchecked = _demands(problem, sensitive)
    by_sets = len(problem.sets) > 1
    if by_sets:
        least, most = (pick(each.k for each in problem.sets) for pick in (min, max))
        words = f"k = {least}" if least == most else f"k = {least} to {most}, as the policy says,"
        unchecked = (f"{words} on each of the {len(problem.sets)} sets of columns", *unchecked)
    listed = (
        by_sets
        or bool(_not_in_sql(problem))
        or any(map(recoding.suppresses, map(tuple, groups.values.tolist())))
    )
    return Plan(
        columns=columns,
        k=None
        if by_sets
        else max([problem.k, *(model.least_rows for model in problem.group_models if _size_alone(model))]),
        distinct=counted,
        groups_of_rows=groups_of_rows,
        kept=_kept(columns, groups) if listed and groups_of_rows is None else None,
        unchecked=unchecked,
        suppressed=suppressed,
        truthful=recoding.truthful,
    )


def _check_sayable(problem: Problem, recoding: Recoding) -> None:
    if recoding.wildcards:
        raise PolicyError(
            "suppressed cells are to be read as wildcards, and SQL does not count rows so; leave out "
            'reading = "wildcard", or run shoal anonymize'
        )
    if recoding.smallest_kept(problem.k) < problem.k:
        raise PolicyError(
            f"this recoding does not guarantee k = {problem.k}; generalize further, or choose another "
            "algorithm"
        )
    if recoding.pieces is not None:
        raise PolicyError(
            "this recoding releases equal rows differently, which SQL cannot distinguish; choose a global "
            "one (exact, lattice, subtree, ...), or run shoal anonymize"
        )


def _by_cell(
    problem: Problem, recoding: DomainRecoding, groups: Groups, suppressed: SuppressedRows
) -> tuple[Column, ...]:
    table = problem.table
    kept = groups.kept[groups.of_row]
    released = released_codes(table, groups, recoding)
    columns = []
    for attribute, domain in enumerate(table.domains):
        labels = recoding.labels(attribute, domain, released[attribute])
        parts = recoding.parts(attribute, domain)
        size = int(parts.max()) + 1
        if size == 1 and labels[0] == SUPPRESSED:  # it is true of every cell, also of one that is new
            columns.append(Column(domain=domain, branches=(), labels={0: SUPPRESSED}, size=1))
            continue
        of_part: dict[int, list[int]] = {}
        for code in np.unique(table.codes[kept, attribute]).tolist():
            of_part.setdefault(int(parts[code]), []).append(code)
        branches = tuple(
            Branch(part, tuple(codes), _is_interval(domain, parts, codes, labels[part]))
            for part, codes in sorted(of_part.items())
        )
        printed: Mapping[int, Value | float] = {part: labels[part] for part in of_part}
        if suppressed == "drop" and _as_it_was(domain, branches, printed):
            printed = {branch.number: domain.values[branch.codes[0]] for branch in branches}
        columns.append(Column(domain=domain, branches=branches, labels=printed, size=size))
    return tuple(columns)


def _is_interval(domain: Domain, parts: NDArray[np.int32], codes: Sequence[int], label: str | None) -> bool:
    """Whether the label covers the values between the first and the last of these, and no other."""
    known = [code for code in codes if domain.values[code] is not None]
    if domain.kind == "category" or not known or label is None:
        return False
    if len(known) < len(codes):
        label = label.removesuffix(f" or {MISSING}")
    alone = (parts[known[0] : known[-1] + 1] == parts[known[0]]).all()
    return bool(alone) and label == domain.label(known[0], known[-1])


def _as_it_was(domain: Domain, branches: Sequence[Branch], labels: Mapping[int, Value | float]) -> bool:
    """Whether every number is one value, and printed as that; then it can keep its type."""
    if domain.bin is not None:
        return False
    return all(
        len(branch.codes) == 1
        and labels[branch.number]
        == (None if domain.values[branch.codes[0]] is None else domain.text(branch.codes[0]))
        for branch in branches
    )


def _by_row(
    problem: Problem, recoding: Recoding, groups: Groups, suppressed: SuppressedRows
) -> tuple[tuple[Column, ...], tuple[tuple[int, ...], ...]]:
    """Per column its values, each with its number; per group the keys of its rows."""
    table = problem.table
    kept = groups.kept[groups.of_row] & (table.counts > 0)
    if int(kept.sum()) > MOST_ROWS:
        raise PolicyError(
            f"this recoding depends on whole rows, and {int(kept.sum()):,} different ones are more than the "
            f"{MOST_ROWS:,} that are listed; choose a global one (exact, lattice, subtree, ...), or run "
            "Shoal in the engine (shoal anonymize)"
        )
    released = released_codes(table, groups, recoding)
    kept_groups = np.unique(groups.of_row[kept])
    columns, numbers = [], []
    for attribute, domain in enumerate(table.domains):
        used, number = np.unique(table.codes[kept, attribute], return_inverse=True)
        numbers.append(number.astype(np.int64))
        labels: Sequence[Value | float] = recoding.labels(attribute, domain, released[attribute])
        centroids = recoding.numbers(attribute, domain)
        if centroids is not None and suppressed == "drop":
            labels = centroids
        columns.append(
            Column(
                domain=domain,
                branches=tuple(Branch(place, (code,), False) for place, code in enumerate(used.tolist())),
                labels={
                    place: labels[int(groups.values[group, attribute])]
                    for place, group in enumerate(kept_groups.tolist())
                },
                size=len(used),
            )
        )
    keys = keys_of(np.column_stack(numbers), [column.size for column in columns])
    of_row = groups.of_row[kept]
    return tuple(columns), tuple(tuple(sorted(keys[of_row == group].tolist())) for group in kept_groups)


def keys_of(numbers: NDArray[np.int64], sizes: Sequence[int]) -> NDArray[np.int64]:
    """One number per row, in mixed radix, the first column most significant."""
    whole = 1
    for size in sizes:
        whole *= size
    if whole > LARGEST_KEY:
        raise PolicyError(
            "there are more combinations of values than a 64-bit number distinguishes; use fewer "
            "quasi-identifiers, or run shoal anonymize"
        )
    keys = np.zeros(len(numbers), np.int64)
    for column, size in zip(numbers.T, sizes, strict=True):
        keys = keys * size + column
    return keys


def _demands(
    problem: Problem, sensitive: Mapping[str, Domain | None]
) -> tuple[tuple[Distinct, ...], tuple[str, ...]]:
    """The demands that are counted, and words for the others."""
    counted = []
    for model in problem.group_models:
        demand = _distinct(model)
        if demand is not None:
            column, least = demand
            domain = None if column in model.person_columns else sensitive[column]
            counted.append(Distinct(column=column, least=least, domain=domain))
    return tuple(counted), (*_not_in_sql(problem), *(model.name for model in problem.release_models))


def _distinct(model: GroupModel) -> tuple[str, int] | None:
    return model.distinct_demand if model.defines("distinct_demand") else None


def _size_alone(model: GroupModel) -> bool:
    return model.defines("size_alone") and model.size_alone


def _least_rows(problem: Problem) -> int:
    return max([problem.k, *(model.least_rows for model in problem.group_models if _size_alone(model))])


def _not_in_sql(problem: Problem) -> tuple[str, ...]:
    """The models of groups that SQL does not count."""
    return tuple(
        model.name for model in problem.group_models if not _size_alone(model) and _distinct(model) is None
    )


def _kept(columns: Sequence[Column], groups: Groups) -> tuple[int, ...]:
    chosen = groups.kept & (groups.sizes > 0)
    if int(chosen.sum()) > MOST_GROUPS:
        raise PolicyError(
            f"which groups are kept depends on more than counting, and {int(chosen.sum()):,} groups are more "
            f"than the {MOST_GROUPS:,} that are listed; choose a larger k or models that SQL can count "
            "(distinct-l-diversity, p-sensitivity, entity), or run shoal anonymize"
        )
    numbers = groups.values[chosen].astype(np.int64)
    for column, numbered in zip(columns, numbers.T, strict=True):
        if len(numbered) and int(numbered.max()) >= column.size:
            raise InternalError(f"a group has a number that column {column.domain.name!r} does not have")
    return tuple(sorted(keys_of(numbers, [column.size for column in columns]).tolist()))
