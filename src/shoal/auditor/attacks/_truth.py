"""Which original values the rows of a released group truly have: to measure an attacker, not to attack."""

from __future__ import annotations

from collections import Counter

import numpy as np

from shoal.auditor.attacks._base import Target
from shoal.auditor.attacks.candidates import Candidates
from shoal.model.table.coded_cells import CodedCells

Values = dict[str, Counter[str | None]]
"""By column how many rows have which value."""


def true_values(target: Target, release: CodedCells) -> list[Values] | None:
    """Per group the values of its rows; `None` if they are not known for every group.

    They are known where every original row fits one group, or else where release and original have their rows
    in the same order: as many, and each cell true of its row.

    Parameters
    ----------
    target
        The release and, if it is given, the original.
    release
        The groups: distinct rows of the quasi-identifiers.
    """
    if target.original is None:
        return None
    candidates = Candidates(release, target.original, target.quasi_identifiers, target.reader)
    if (candidates.people_of_lines != candidates.release.counts).any() or (candidates.only_lines == -2).any():
        return _by_position(target, release)
    groups = []
    for people in candidates.people_in:
        values: Values = {}
        for place, name in enumerate(candidates.people.columns):
            texts = candidates.people.cells[place]
            rows = np.bincount(
                candidates.people.codes[people, place], candidates.people.counts[people], len(texts)
            )
            values[name] = Counter({text: int(each) for text, each in zip(texts, rows, strict=True) if each})
        groups.append(values)
    return groups


def _by_position(target: Target, release: CodedCells) -> list[Values] | None:
    one, two = target.in_order, target.original_in_order
    if one is None or two is None or len(one.codes) != len(two.codes):
        return None
    number = {
        tuple(release.cells[place][code] for place, code in enumerate(line)): group
        for group, line in enumerate(release.codes.tolist())
    }
    columns = target.quasi_identifiers
    shown = list(zip(*(_texts(one, name) for name in columns), strict=True))
    true = list(zip(*(_texts(two, name) for name in columns), strict=True))
    groups: list[Values] = [{name: Counter() for name in columns} for _ in number]
    for (cells, values), rows in Counter(zip(shown, true, strict=True)).items():
        if cells not in number:
            continue  # a row of `*` alone
        for name, cell, value in zip(columns, cells, values, strict=True):
            if not target.reader(name).meaning(cell).covers(value):
                return None
            groups[number[cells]][name][value] += rows
    return groups


def _texts(table: CodedCells, name: str) -> list[str | None]:
    texts = table.texts(name)
    return [texts[code] for code in table.column(name).tolist()]
