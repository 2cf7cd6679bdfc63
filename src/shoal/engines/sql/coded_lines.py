"""SQL for the codes of counted combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from shoal.engines.sql import pieces as sql
from shoal.engines.sql.table import Cells

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Coded:
    """A code to compute for each combination.

    Parameters
    ----------
    name
        What to call it.
    column
        The number of its column among the combinations'.
    cells, codes
        The column's cells, and the code of each; the missing cell's code comes last.
    """

    name: str
    column: int
    cells: Cells
    codes: Codes


def coded_lines(combinations: exp.Table, coded: Mapping[str, Coded], counts: Sequence[str]) -> exp.Select:
    """Some codes of each combination, by name, and counts."""
    values = {
        name: each.cells.dictionary.value(
            exp.column(f"x{each.column}", combinations.alias_or_name), each.codes
        )
        for name, each in coded.items()
    }
    lines = sql.query(
        *(exp.alias_(each.value, name) for name, each in values.items()), *counts, of=combinations
    )
    for each in values.values():
        lines = lines if each.join is None else lines.join(each.join, copy=False)
    return lines
