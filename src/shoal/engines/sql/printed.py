"""The population as the release would print it: the people with each combination of labels.

The population is not part of the release. So it is recoded like the source, and the audit looks up the groups
that it reads from the written table.
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
    grouped = application.groups
    if grouped is None:
        grouped = groups(table, recoding, application.k, application.sets, application.models)
    released, rows = released_codes(table, grouped, recoding), recoding.released(table)
    kept = grouped.kept[grouped.of_row]
    numbers: list[Mapping[str | None, int]] = []
    columns = []
    for attribute, domain in enumerate(table.domains):
        labels = recoding.labels(attribute, domain, released[attribute])
        column = rows[:, attribute].astype(np.int64)
        shown = set(np.unique(column[kept]).tolist())
        of_label = {
            label: index for index, label in enumerate(dict.fromkeys(labels[each] for each in sorted(shown)))
        }
        # A value that no released row has is never printed: its number belongs to no label.
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
    """The label numbers of written cells; -1 for a cell that is not a label."""
    numbers, domain = printed.numbers[attribute], printed.domains[attribute]
    result = []
    for cell in cells:
        if (cell is None or isinstance(cell, str)) and cell in numbers:
            result.append(numbers[cell])
        else:
            result.append(-1 if domain is None else _unchanged_number(numbers, domain, cell))
    return result


def _unchanged_number(numbers: Mapping[str | None, int], domain: Domain, cell: object) -> int:
    """The number of a cell that was written unchanged: its value has a label that is spelled differently."""
    (code,) = codes_in(domain, [cell])
    if code < 0:
        return -1
    if domain.values[code] is None:
        return numbers.get(None, -1)
    spelled = -1 if domain.tree is None else numbers.get(domain.tree.labels[0][code], -1)
    return numbers.get(domain.text(code), spelled)
