"""Checks that rows of labels form a hierarchy, and explains what is wrong if they do not.

A label belongs to its level: the same word at two levels is two labels, for example where a short branch
repeats its value upward. Messages name the line and quote the labels, which come from the user's own file.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import PolicyError
from shoal.model.table.half_character import has_half_character

Rows = Sequence[Sequence[str]]


def check_rows(rows: Rows, lines: Sequence[int], name: str) -> None:
    """Raise `PolicyError` unless the rows are a hierarchy.

    Parameters
    ----------
    rows
        One row per value: the value and its ever coarser labels.
    lines
        The line of each row in its file.
    name
        What to call the hierarchy.
    """
    if not rows:
        raise PolicyError(f"{name} is empty; it needs a line for each value: value;label;...;*")
    for check in (_check_shape, _check_values, _check_labels, _check_nesting, _check_top):
        check(rows, lines, name)


def _check_shape(rows: Rows, lines: Sequence[int], name: str) -> None:
    for row, line in zip(rows, lines, strict=True):
        if not row or not all(isinstance(label, str) for label in row):
            raise PolicyError(f"{name}, line {line}: a row is a value and its labels, all of them text")
        if any(map(has_half_character, row)):
            raise PolicyError(f"{name}, line {line}: a cell has half a character, which is not text; fix it")
        if len(row) != len(rows[0]):
            raise PolicyError(
                f"{name}, line {line}: it has a different number of levels ({len(row) - 1}) than line "
                f"{lines[0]} ({len(rows[0]) - 1}); give every line the same number of cells"
            )


def _check_values(rows: Rows, lines: Sequence[int], name: str) -> None:
    seen: dict[str, int] = {}
    for row, line in zip(rows, lines, strict=True):
        if row[0] in seen:
            raise PolicyError(
                f"{name}, line {line}: the value {row[0]!r} is already in line {seen[row[0]]}; remove one"
            )
        seen[row[0]] = line


def _check_labels(rows: Rows, lines: Sequence[int], name: str) -> None:
    """An empty label would read as a missing cell; only the missing value, the empty text, may keep it."""
    for row, line in zip(rows, lines, strict=True):
        if row[0] and "" in row:
            raise PolicyError(
                f"{name}, line {line}: the label of level {row.index('')} is empty, and would read as a "
                "missing value; write a word, or remove the column"
            )


def _check_nesting(rows: Rows, lines: Sequence[int], name: str) -> None:
    for level in range(1, len(rows[0]) - 1):
        parents: dict[str, tuple[str, int]] = {}
        for row, line in zip(rows, lines, strict=True):
            parent, first = parents.setdefault(row[level], (row[level + 1], line))
            if parent != row[level + 1]:
                raise PolicyError(
                    f"{name}, line {line}: {row[level]!r} (level {level}) is under {row[level + 1]!r} "
                    f"here, but under {parent!r} in line {first}; give it one label above"
                )


def _check_top(rows: Rows, lines: Sequence[int], name: str) -> None:
    for row, line in zip(rows, lines, strict=True):
        if row[-1] != rows[0][-1]:
            raise PolicyError(
                f"{name}, line {line}: it ends in {row[-1]!r}, but line {lines[0]} in {rows[0][-1]!r}; a "
                "hierarchy has a single top: add a last column that is the same everywhere, like *"
            )
