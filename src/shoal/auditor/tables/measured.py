"""What holds in several written tables together: a plain reader of keys and rows.

Nothing here knows how the tables were made. A person is what their rows say: the quasi-identifiers of a row,
and below it the rows that belong to it, recursively, in whatever order they are written. Every such tree gets
a number, equal trees equal ones, by a dictionary of whole trees; no hash can join two different ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.auditor.tables.written_table import WrittenTable
from shoal.model.table.marks import SUPPRESSED


@dataclass(frozen=True, kw_only=True)
class MeasuredTables:
    """What was measured.

    Parameters
    ----------
    persons
        Persons with at least one row.
    groups
        Different persons: trees of rows that nobody else has, or others do, too.
    smallest
        The fewest persons who share a tree; `None` without persons.
    alone, below
        Persons whose tree nobody else has, and, if k is demanded, those whose tree fewer than k have.
    rows
        The rows of each table.
    per_table
        For each table the fewest persons whose rows in it read the same as one of its rows.
    faults
        What is wrong with keys, in sentences that quote no cell.
    """

    persons: int
    groups: int
    smallest: int | None
    alone: int
    below: int
    rows: Mapping[str, int]
    per_table: Mapping[str, int | None]
    faults: tuple[str, ...] = field(default=())

    def failures(self, k: int) -> tuple[str, ...]:
        """Why the tables do not hold what k demands, in sentences."""
        failures = list(self.faults)
        if self.smallest is not None and self.smallest < k:
            failures.append(
                f"{self.below:,} of {self.persons:,} persons have rows across the tables that fewer than "
                f"{k:,} persons share; the fewest are {self.smallest:,}"
            )
        return tuple(failures)


def measured_tables(tables: Sequence[WrittenTable], k: int | None = None) -> MeasuredTables:
    """Measure several tables together.

    Parameters
    ----------
    tables
        The tables, each after its parent.
    k
        What is demanded of persons, if anything is.
    """
    reader = _Reader(tables)
    sizes = Counter(reader.persons().values())
    return MeasuredTables(
        persons=sizes.total(),
        groups=len(sizes),
        smallest=min(sizes.values(), default=None),
        alone=sum(1 for size in sizes.values() if size == 1),
        below=0 if k is None else sum(size for size in sizes.values() if size < k),
        rows={each.name: len(each.cells.codes) for each in tables},
        per_table={each.name: reader.fewest(each) for each in tables},
        faults=tuple(reader.faults),
    )


class _Reader:
    """Reads tables from the first to the last, and trees from the last to the first."""

    def __init__(self, tables: Sequence[WrittenTable]) -> None:
        self._tables = tables
        self.faults: list[str] = []
        self._rows = {each.name: each.rows() for each in tables}
        self._row_of_key: dict[str, dict[str | None, int]] = {}
        self._parent: dict[str, list[int | None]] = {}
        self._person: dict[str, list[object]] = {}
        for each in tables:
            self._read_keys(each)
            self._read_links(each)
            self._read_repeats(each)

    def _read_keys(self, table: WrittenTable) -> None:
        if table.columns.key is None:
            return
        keys = table.texts(table.columns.key)
        missing = sum(key is None or key == SUPPRESSED for key in keys)
        known: dict[str | None, int] = {}
        repeated = 0
        for row, key in enumerate(keys):
            repeated += key in known
            known.setdefault(key, row)
        if missing:
            self.faults.append(f"{missing:,} row(s) of {table.name!r} have no key in {table.columns.key!r}")
        if repeated:
            self.faults.append(f"{repeated:,} row(s) of {table.name!r} repeat a key in {table.columns.key!r}")
        self._row_of_key[table.name] = known

    def _read_links(self, table: WrittenTable) -> None:
        count = len(self._rows[table.name])
        if table.columns.parent_key is None:
            self._person[table.name] = list(range(count))
            return
        links = table.texts(table.columns.parent_key)
        if table.columns.parent is None:
            missing = sum(link is None or link == SUPPRESSED for link in links)
            if missing:
                self.faults.append(
                    f"{missing:,} row(s) of {table.name!r} have no person in {table.columns.parent_key!r}"
                )
            self._person[table.name] = list(links)
            return
        known, persons = self._row_of_key[table.columns.parent], self._person[table.columns.parent]
        above = [known.get(link) for link in links]
        orphans = sum(row is None for row in above)
        if orphans:
            self.faults.append(
                f"{orphans:,} row(s) of {table.name!r} have a key in {table.columns.parent_key!r} that no "
                f"row of {table.columns.parent!r} has"
            )
        self._parent[table.name] = above
        # A row without its parent is read as a person of its own, which hides nobody.
        self._person[table.name] = [
            (table.name, row) if parent is None else persons[parent] for row, parent in enumerate(above)
        ]

    def _read_repeats(self, table: WrittenTable) -> None:
        """Columns that repeat a key must name the row that the row belongs to, further up."""
        for column, owner in table.columns.repeats.items():
            names = table.texts(column)
            if owner:
                known, own = self._row_of_key.get(owner, {}), self._above(table, owner)
                wrong = sum(known.get(name, -1) != row for name, row in zip(names, own, strict=True))
            else:
                pairs = zip(names, self._person[table.name], strict=True)
                wrong = sum(name != person for name, person in pairs)
            if wrong:
                self.faults.append(
                    f"{wrong:,} row(s) of {table.name!r} name another row of {owner or 'the persons'!r} in "
                    f"{column!r} than the one that they belong to"
                )

    def _above(self, table: WrittenTable, owner: str) -> list[int | None]:
        """The row of a table further up that each row belongs to."""
        rows: list[int | None] = list(range(len(self._rows[table.name])))
        while table.name != owner and table.columns.parent is not None:
            above = self._parent[table.name]
            rows = [None if row is None else above[row] for row in rows]
            table = next(each for each in self._tables if each.name == table.columns.parent)
        return rows

    def persons(self) -> dict[object, int]:
        """The number of the tree of each person."""
        numbers: dict[object, int] = {}
        below: dict[str, defaultdict[int, list[int]]] = {
            each.name: defaultdict(list) for each in self._tables
        }
        trees: defaultdict[object, list[int]] = defaultdict(list)
        for table in reversed(self._tables):
            own = below[table.name]
            above = self._parent.get(table.name)
            for row, cells in enumerate(self._rows[table.name]):
                tree = (table.name, cells, tuple(sorted(own[row])) if row in own else ())
                number = numbers.setdefault(tree, len(numbers))
                parent = None if above is None else above[row]
                if table.columns.parent is not None and parent is not None:
                    below[table.columns.parent][parent].append(number)
                else:
                    trees[self._person[table.name][row]].append(number)
        whole: dict[tuple[int, ...], int] = {}
        return {person: whole.setdefault(tuple(sorted(each)), len(whole)) for person, each in trees.items()}

    def fewest(self, table: WrittenTable) -> int | None:
        """The fewest persons whose rows in a table read the same; rows of `*` alone say nothing."""
        persons: defaultdict[tuple[str | None, ...], set[object]] = defaultdict(set)
        for cells, person in zip(self._rows[table.name], self._person[table.name], strict=True):
            if any(cell != SUPPRESSED for cell in cells):
                persons[cells].add(person)
        return min(map(len, persons.values()), default=None)
