"""Small random tables of persons with several rows, and the same as a search sees them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from shoal.model.history.histories import Histories
from shoal.model.table.frequency_table import FrequencyTable
from tests.agreement.level_problems import Hierarchy, levelled_table

Cells = tuple[str | None, ...]

HIERARCHIES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("a", "*"), ("b", "*")),
    (("a", "*"), ("b", "*"), ("c", "*")),
    (("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")),
    (("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")),
)
NUMBERS: tuple[tuple[str, ...], ...] = (
    ("0", "0-1", "*"),
    ("1", "0-1", "*"),
    ("4", "4-9", "*"),
    ("9", "4-9", "*"),
)


@dataclass(frozen=True)
class Longitudinal:
    """Persons with their rows in the order of the file.

    Parameters
    ----------
    hierarchies
        Column -> for each leaf its labels up to the top.
    numbers
        For each column whether its leaves are numbers, and its hierarchy is built from those present.
    persons
        For each person their rows of quasi-identifiers.
    sensitive
        For each person the sensitive value of each row.
    """

    hierarchies: dict[str, Hierarchy]
    numbers: tuple[bool, ...]
    persons: tuple[tuple[Cells, ...], ...]
    sensitive: tuple[tuple[str, ...], ...]

    @property
    def rows(self) -> list[Cells]:
        """The rows of all persons, one person after another."""
        return [row for person in self.persons for row in person]

    def columns(self, entity: str = "person") -> dict[str, list[str | None]]:
        """The table as columns: the person, the quasi-identifiers, the sensitive value."""
        ids: list[str | None] = [
            f"p{number}" for number, person in enumerate(self.persons) for _ in range(len(person))
        ]
        quasi = {name: [row[place] for row in self.rows] for place, name in enumerate(self.hierarchies)}
        return {entity: ids, **quasi, "ill": [value for each in self.sensitive for value in each]}

    def table(self) -> FrequencyTable:
        """Its distinct rows, with domains and trees."""
        return levelled_table(self.hierarchies, self.rows, built=self.numbers)

    def coded(self, table: FrequencyTable) -> list[list[int]]:
        """For each person the distinct rows of the frequency table, in order."""
        texts = [[None if value is None else str(value) for value in each.values] for each in table.domains]
        number = {tuple(codes): place for place, codes in enumerate(table.codes.tolist())}
        return [
            [number[tuple(texts[place].index(cell) for place, cell in enumerate(row))] for row in person]
            for person in self.persons
        ]

    def histories(self, *, ordered: bool) -> Histories:
        """Its distinct histories, as an engine counts them."""
        table = self.table()
        counted = Counter(tuple(person) if ordered else tuple(sorted(person)) for person in self.coded(table))
        distinct = sorted(counted)
        return Histories.of_one_table(
            table,
            np.concatenate([[0], np.cumsum([len(each) for each in distinct])]).astype(np.int64),
            np.array([row for each in distinct for row in each], np.int32),
            np.array([counted[each] for each in distinct], np.int64),
            ordered=ordered,
        )


@st.composite
def longitudinal_tables(
    draw: st.DrawFn, *, max_persons: int = 6, max_events: int = 3, max_columns: int = 3, missing: bool = True
) -> Longitudinal:
    """Any small table: some columns are numbers, some never change within a person, cells may be missing."""
    hierarchies: dict[str, Hierarchy] = {}
    numbers: list[bool] = []
    cells, constant = [], []
    for column in range(draw(st.integers(1, max_columns))):
        number = draw(st.booleans())
        hierarchy = NUMBERS if number else draw(st.sampled_from(HIERARCHIES))
        hierarchies[f"q{column}"] = hierarchy
        numbers.append(number)
        gaps = [None] if missing and draw(st.integers(0, 3)) == 0 else []
        cells.append(st.sampled_from([*(row[0] for row in hierarchy), *gaps]))
        constant.append(draw(st.integers(0, 3)) == 0)
    persons = []
    for _ in range(draw(st.integers(1, max_persons))):
        fixed = [draw(cell) for cell in cells]
        rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=max_events))
        persons.append(
            tuple(
                tuple(fixed[place] if constant[place] else cell for place, cell in enumerate(row))
                for row in rows
            )
        )
    sensitive = tuple(tuple(draw(st.sampled_from("xyz")) for _ in rows) for rows in persons)
    return Longitudinal(hierarchies, tuple(numbers), tuple(persons), sensitive)
