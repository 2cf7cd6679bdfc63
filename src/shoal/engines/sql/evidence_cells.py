"""What cells mean in columns that privacy models read: sensitive values, and marks of persons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sql.values import read, text_of
from shoal.model.hierarchy.recipe import Recipe
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import MISSING, Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import SensitiveColumn


def sensitive_cells(cells: Sequence[object]) -> list[object]:
    """The cells of a sensitive column; an empty text counts as missing, as in a CSV file.

    Otherwise {missing, empty} would be two values, and a group of them diverse.
    """
    return [None if isinstance(each, str) and each == "" else each for each in cells]


def person_codes(cells: Sequence[object]) -> NDArray[np.int32]:
    """A code for each distinct mark of a person and, at the end, for the missing mark.

    Marks that read alike belong to one person: 1, 1.0 and "1" in a column of objects. An empty mark counts as
    missing. Otherwise one person could look like a group.
    """
    if len({type(each) for each in cells}) == 1 and isinstance(cells[0], str | int):  # as nearly always
        texts = list(map(str, cells))
    else:
        texts = ["" if each is None else text_of(read([each], "category")[0]) for each in cells]
    numbers = {text: number for number, text in enumerate(dict.fromkeys([*texts, ""]))}
    return np.array([numbers[text] for text in [*texts, ""]], np.int32)


def sensitive_column(
    name: str, counts: NDArray[np.int64], domain: Domain | None, shape: Attribute | None
) -> SensitiveColumn:
    """A column as privacy models see it.

    Parameters
    ----------
    name
        The column.
    counts
        Rows per code.
    domain
        Its domain; `None` for a column that only identifies persons.
    shape
        What the policy states about it.
    """
    if domain is None or shape is None:
        occurring = counts if counts[-1] else counts[:-1]  # the last is the missing mark, if a row has it
        return SensitiveColumn(name=name, counts=tuple(occurring.tolist()))
    if isinstance(shape.hierarchy, Recipe):
        codes = np.arange(len(domain), dtype=np.int32).reshape(-1, 1)
        table = FrequencyTable(domains=(domain,), codes=codes, counts=counts)
        (domain,) = with_hierarchies(table, [shape], every=False).domains
    values = [MISSING if value is None else domain.text(code) for code, value in enumerate(domain.values)]
    return SensitiveColumn(name=name, counts=tuple(counts.tolist()), values=tuple(values), tree=domain.tree)
