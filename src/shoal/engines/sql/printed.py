"""The population as the release would print it: people per combination of labels.

The population is not part of the release, so it is recoded as the source was, and the groups that were read
from what was written are looked up in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.engines._base import Application, Counted, Printed
from shoal.engines.sql.coding import codes_in
from shoal.model.recoding.groups import groups, released_codes
from shoal.model.table.domain import Domain


def printed_people(counted: Counted, application: Application) -> Printed:
    """How many people of the population would be printed alike."""
    table, recoding = counted.frequencies, application.recoding
    assert table.population is not None
    made = application.made
    if made is None:
        made = groups(table, recoding, application.k, application.sets, application.models)
    released, rows = released_codes(table, made, recoding), recoding.released(table)
    kept = made.kept[made.of_row]
    numbers: list[Mapping[str | None, int]] = []
    columns = []
    for attribute, domain in enumerate(table.domains):
        labels = recoding.labels(attribute, domain, released[attribute])
        column = rows[:, attribute].astype(np.int64)
        shown = set(np.unique(column[kept]).tolist())
        of_label = {
            label: index for index, label in enumerate(dict.fromkeys(labels[each] for each in sorted(shown)))
        }
        # A value that no released row has is printed nowhere: its number is none that a label has.
        of_value = [of_label[each] if n in shown else len(labels) + n for n, each in enumerate(labels)]
        columns.append(np.array(of_value, np.int64)[column])
        numbers.append(of_label)
    people: dict[tuple[int, ...], int] = {}
    combinations = zip(*(column.tolist() for column in columns), strict=True)
    for combination, count in zip(combinations, table.population.tolist(), strict=True):
        people[combination] = people.get(combination, 0) + count
    domains = tuple(coding.domain if coding.faithful else None for coding in counted.codings)
    names = tuple(domain.name for domain in table.domains)
    return Printed(names=names, numbers=tuple(numbers), domains=domains, people=people)


def label_numbers(printed: Printed, attribute: int, cells: Sequence[object]) -> list[int]:
    """The numbers of the labels that written cells are; -1 for one that is none."""
    numbers, domain = printed.numbers[attribute], printed.domains[attribute]
    found = []
    for cell in cells:
        if (cell is None or isinstance(cell, str)) and cell in numbers:
            found.append(numbers[cell])
        else:
            found.append(-1 if domain is None else _as_it_was(numbers, domain, cell))
    return found


def _as_it_was(numbers: Mapping[str | None, int], domain: Domain, cell: object) -> int:
    """The number of a cell that was written as it came: its value has a label, spelled in another way."""
    (code,) = codes_in(domain, [cell])
    if code < 0:
        return -1
    if domain.values[code] is None:
        return numbers.get(None, -1)
    spelled = -1 if domain.tree is None else numbers.get(domain.tree.labels[0][code], -1)
    return numbers.get(domain.text(code), spelled)
