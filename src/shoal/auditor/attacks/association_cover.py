"""Association covers: what several views of one table together reveal about people and sensitive values.

Views are projections of all rows of a private table. A row of the table is then one that every view has a
part of: one of the natural join of the views. Each row of a view comes from some of those rows. If all of
them agree on who it is, the sensitive values that they have are an association cover of that person: one of
the values is theirs. A set of views violates k-anonymity if somebody has a cover of fewer than k values.

No smaller cover exists than one of these. Let A be pairs of a person and values. The rows of the join
without those pairs are a table with the same views, unless all rows that some row of a view can come from are
among the pairs: so A is a cover only if it contains all rows that some row of a view can come from.

Not covered: functional dependencies, and views that show how often a row occurs.

Paper: Yao, Wang and Jajodia, VLDB 2005; the survey, section 6 and Fig. 16.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._linked import below_k, key
from shoal.errors import PolicyError
from shoal.model.table.cell_meaning import Key
from shoal.model.table.coded_cells import CodedCells

MOST_ROWS = 5_000_000

Value = Key | None
Row = tuple[Value, ...]


class AssociationCover(Attack):
    """People for whom the views leave fewer than k sensitive values, or one if there is no k."""

    name = "association-cover"
    criterion = "inference"
    needs = ("views", "whole")

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        columns = {name for view in _views(target) for name in view.columns}
        if not any(name in columns for name in target.protected):
            return "no view has a sensitive column that is named"
        if not any(name in columns for name in (*target.quasi_identifiers, *target.also_known)):
            return "no view has a quasi-identifier"
        return None

    def run(self, target: Target) -> AttackResult:
        views, least = _views(target), target.least
        columns: dict[str, object] = {}
        tried = succeeded = 0
        for name in target.protected:
            if not any(name in view.columns for view in views):
                continue
            sizes = [
                size
                for known in _known(views, (*target.quasi_identifiers, *target.also_known))
                for size in covers(views, known, name).values()
            ]
            below = sum(size < least for size in sizes)
            columns[name] = {
                "covers": [[size, sizes.count(size)] for size in sorted(set(sizes))],
                "below_k": below,
                "told": sizes.count(1),
            }
            tried, succeeded = tried + len(sizes), succeeded + below
        return below_k(
            self,
            target,
            tried=tried,
            succeeded=succeeded,
            words=(
                f"{len(views)} views together leave fewer than {least} sensitive values for {succeeded:,} of "
                f"{tried:,} known people."
            ),
            facts={"views": len(views), "columns": columns},
        )


@dataclass(frozen=True)
class View:
    """The distinct rows of a view."""

    columns: tuple[str, ...]
    rows: frozenset[Row]


def covers(views: Sequence[View], known: Sequence[str], sensitive: str) -> dict[Row, int]:
    """Per combination of values of the known columns the size of its smallest association cover.

    Parameters
    ----------
    views
        The views.
    known
        Columns that say who somebody is.
    sensitive
        The column whose association with them is protected.
    """
    smallest: dict[Row, int] = {}
    for index, view in enumerate(views):
        others = [*views[:index], *views[index + 1 :]]
        for people, values in _completed(view, others, known, sensitive):
            if len(people) == 1:
                (person,) = people
                smallest[person] = min(len(values), smallest.get(person, len(values)))
    return smallest


def _completed(
    view: View, others: Sequence[View], known: Sequence[str], sensitive: str
) -> Iterable[tuple[set[Row], set[Value]]]:
    """Per row of a view who it can be of, and which sensitive values it can have.

    Columns that are no longer needed are dropped on the way: what is left is small where views are joined
    by few columns.
    """
    wanted = {*known, sensitive}
    columns, rows = view.columns, {(row, row) for row in view.rows}
    left = list(others)
    while True:
        needed = wanted.union(*(each.columns for each in left))
        columns, rows = _narrowed(columns, rows, needed)
        if not left:
            break
        # The one with most columns in common first: a product comes last, if it must be.
        left.sort(key=lambda each: -len({*each.columns} & {*columns}))
        columns, rows = _join(columns, rows, left.pop(0), wanted.union(*(each.columns for each in left)))
    completed: defaultdict[Row, tuple[set[Row], set[Value]]] = defaultdict(lambda: (set(), set()))
    places = [columns.index(name) for name in known]
    value = columns.index(sensitive)
    for origin, row in rows:
        people, values = completed[origin]
        people.add(tuple(row[place] for place in places))
        values.add(row[value])
    return completed.values()


Rows = set[tuple[Row, Row]]
"""Rows that were joined, each with the row of the first view that it comes from."""


def _narrowed(columns: tuple[str, ...], rows: Rows, needed: set[str]) -> tuple[tuple[str, ...], Rows]:
    places = [index for index, name in enumerate(columns) if name in needed]
    kept = {(origin, tuple(row[place] for place in places)) for origin, row in rows}
    return tuple(columns[place] for place in places), kept


def _join(columns: tuple[str, ...], rows: Rows, view: View, needed: set[str]) -> tuple[tuple[str, ...], Rows]:
    common = [name for name in view.columns if name in columns]
    new = [name for name in view.columns if name not in columns and name in needed]
    mine, theirs = [columns.index(name) for name in common], [view.columns.index(name) for name in common]
    added = [view.columns.index(name) for name in new]
    by_common: defaultdict[Row, set[Row]] = defaultdict(set)
    for row in view.rows:
        by_common[tuple(row[place] for place in theirs)].add(tuple(row[place] for place in added))
    joined: Rows = set()
    for origin, row in rows:
        more = by_common.get(tuple(row[place] for place in mine), set())
        joined.update((origin, row + each) for each in more)
        if len(joined) > MOST_ROWS:
            raise PolicyError(
                f"the views have too little in common: joining them makes more than {MOST_ROWS:,} rows. "
                "Attack fewer views at once, or name other attacks"
            )
    return (*columns, *new), joined


def _views(target: Target) -> list[View]:
    """The attacked release and the further views."""
    assert target.whole is not None
    return [_view(target.whole), *(_view(each.cells) for each in target.views)]


def _view(table: CodedCells) -> View:
    texts = [[key(text) for text in column] for column in table.cells]
    rows = frozenset(
        tuple(texts[index][code] for index, code in enumerate(line)) for line in table.codes.tolist()
    )
    return View(table.columns, rows)


def _known(views: Sequence[View], quasi_identifiers: Sequence[str]) -> list[tuple[str, ...]]:
    """The columns that people are known by: the quasi-identifiers of each view that has some."""
    of_views = [tuple(name for name in quasi_identifiers if name in view.columns) for view in views]
    return list(dict.fromkeys(each for each in of_views if each))
