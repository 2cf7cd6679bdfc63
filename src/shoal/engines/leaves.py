"""The leaf order of a hierarchy file, and the labels it has for sets of neighbouring leaves.

The layout is ARX's: a line per leaf, `leaf;level 1;...;top`, any delimiter.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import EngineError, PolicyError

_DELIMITERS = (";", ",", "\t", "|")


@dataclass(frozen=True)
class Leaves:
    """Leaves in their order, and each label with the leaves below it."""

    order: tuple[str, ...]
    labels: tuple[tuple[str, frozenset[str]], ...]


def read_leaves(path: Path) -> Leaves:
    """Read a hierarchy file; `PolicyError` if a leaf is repeated or a line has too few levels."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyError(f"the hierarchy {path.name} is not UTF-8 text") from None
    except OSError as error:
        raise EngineError(f"cannot read the hierarchy {path}: {error.strerror}") from None
    if not text.strip():
        raise PolicyError(f"the hierarchy {path.name} is empty")
    # The delimiter of a hierarchy is the one that splits its first line into most levels.
    rows = max((_rows(text, sign) for sign in _DELIMITERS), key=lambda rows: len(rows[0]))
    order = tuple(row[0] for row in rows)
    if len(set(order)) < len(order):
        line = next(number for number, leaf in enumerate(order, 1) if leaf in order[: number - 1])
        raise PolicyError(f"the hierarchy {path.name} names a leaf twice, again in line {line}; remove it")
    if any(len(row) != len(rows[0]) for row in rows):
        line = next(number for number, row in enumerate(rows, 1) if len(row) != len(rows[0]))
        raise PolicyError(
            f"the hierarchy {path.name} has another number of levels in line {line} than in line 1"
        )
    below: dict[tuple[int, str], set[str]] = {}
    for row in rows:
        for level, label in enumerate(row[1:]):
            below.setdefault((level, label), set()).add(row[0])
    return Leaves(order, tuple((label, frozenset(leaves)) for (_, label), leaves in below.items()))


def _rows(text: str, delimiter: str) -> list[list[str]]:
    return [row for row in csv.reader(text.strip("\n").split("\n"), delimiter=delimiter) if row]
