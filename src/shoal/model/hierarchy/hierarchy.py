"""A hierarchy: values, each with its ever coarser labels.

Everything is text, as in a file and as a release prints it; only `find` treats 39, 39.0 and "39" as one
value. The order of the rows is the order of the values. Level 0 is the value itself, and the last level is a
single label, so that a recoding that reveals nothing always exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import PolicyError
from shoal.files.whole_file import write_text
from shoal.model.hierarchy import csv_file as hierarchy_csv
from shoal.model.hierarchy.check import check_rows
from shoal.model.hierarchy.nested_labels import nested_rows, printed
from shoal.model.hierarchy.number_label import is_untrue
from shoal.model.table.domain import SUPPRESSED, Kind
from shoal.model.table.number_text import number_of


class UntrueLabel(NamedTuple):
    """A label that does not cover its value: line (from 1), value, level and label."""

    line: int
    leaf: str
    level: int
    label: str


@dataclass(frozen=True)
class Hierarchy:
    """Values with their ever coarser labels.

    Parameters
    ----------
    rows
        One row per value: `rows[i][l]` is the label of value i at level l, and level 0 the value itself.
    """

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        check_rows(self.rows, range(1, len(self.rows) + 1), "the hierarchy")

    @property
    def height(self) -> int:
        """Number of levels above the values."""
        return len(self.rows[0]) - 1

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values, in their order."""
        return tuple(row[0] for row in self.rows)

    @property
    def top(self) -> str:
        """The label of the last level."""
        return self.rows[0][-1]

    def level(self, level: int) -> tuple[str, ...]:
        """The label of each value at a level, in the order of the values."""
        if not 0 <= level <= self.height:
            raise PolicyError(f"no level {level}; the levels are 0 to {self.height}")
        return tuple(row[level] for row in self.rows)

    def labels(self, level: int) -> tuple[str, ...]:
        """The distinct labels of a level, in the order in which they first appear."""
        return tuple(dict.fromkeys(self.level(level)))

    @cached_property
    def _places(self) -> dict[object, int]:
        numbers: dict[object, int] = {
            number_of(leaf): place for place, leaf in reversed(tuple(enumerate(self.leaves)))
        }
        numbers.pop(None, None)  # from leaves that are not numbers
        return {**numbers, **{leaf: place for place, leaf in enumerate(self.leaves)}}

    def find(self, value: str) -> int | None:
        """The row of a value, if it has one; numbers match however they are written."""
        place = self._places.get(value)
        return self._places.get(number_of(value)) if place is None else place

    def missing_from(self, values: Iterable[object]) -> tuple[str, ...]:
        """The given values that have no row, as text, each once; the missing value is the empty text."""
        texts = dict.fromkeys("" if value is None else printed(value, "the values") for value in values)
        return tuple(text for text in texts if self.find(text) is None)

    def untrue(self) -> tuple[UntrueLabel, ...]:
        """Labels that read as numbers but do not cover their value: 40 under "35-39".

        A release with this kind of label would not be true.
        """
        return tuple(
            UntrueLabel(line, row[0], level, label)
            for line, row in enumerate(self.rows, 1)
            for level, label in enumerate(row[1:], 1)
            if is_untrue(row[0], label)
        )

    def with_suppressed_top(self, label: str = SUPPRESSED) -> Hierarchy:
        """The same hierarchy with a level on top that suppresses every value, added unless it has one."""
        # A value that is itself `*` is at the bottom and suppresses nothing.
        has = self.height > 0 and self.top == label
        return self if has else Hierarchy(tuple((*row, label) for row in self.rows))

    def without_suppressed_top(self, label: str = SUPPRESSED) -> Hierarchy:
        """The same hierarchy without the level at which every value is suppressed, if it has it."""
        if self.height == 0 or self.top != label:
            return self
        below = self.labels(self.height - 1)
        if len(below) != 1:
            raise PolicyError(
                f"the top {label!r} cannot be left out: {len(below)} labels are below it, and a "
                "hierarchy has a single top; add a level with one label for all of them first"
            )
        return Hierarchy(tuple(row[:-1] for row in self.rows))

    @classmethod
    def read(cls, path: str | Path, delimiter: str | None = None) -> Hierarchy:
        """The hierarchy in a file: ARX's layout, any delimiter.

        Parameters
        ----------
        path
            The file.
        delimiter
            The character between cells; detected when absent.
        """
        path = Path(path)
        if path.suffix.lower() == ".ahs":
            raise PolicyError(
                f"{path.name} is a specification from which ARX builds a hierarchy, and has no values; build "
                f"it over your table: shoal hierarchy build TABLE --column NAME --arx {path.name} -o FILE.csv"
            )
        return cls._parse(hierarchy_csv.read_text(path), delimiter, f"the hierarchy {path.name}")

    @classmethod
    def from_arx(cls, path: str | Path, values: Iterable[str]) -> Hierarchy:
        """The hierarchy that ARX builds over values by a specification (.ahs).

        `PolicyError` where ARX's labels cannot be given exactly, or are not true of their values. A top of
        `*` is added where ARX leaves several labels.

        Parameters
        ----------
        path
            The specification.
        values
            The values as texts; each counts once.
        """
        # Imported here because the modules need each other.
        from shoal.model.hierarchy.arx_specification import ArxSpecification

        return ArxSpecification.read(Path(path)).build(values)

    @classmethod
    def parse(cls, text: str, delimiter: str | None = None) -> Hierarchy:
        """The hierarchy in a text in the file's layout."""
        return cls._parse(text, delimiter, "the hierarchy")

    @classmethod
    def _parse(cls, text: str, delimiter: str | None, name: str) -> Hierarchy:
        rows, lines = hierarchy_csv.parse_rows(text, delimiter, name)
        check_rows(rows, lines, name)
        return cls(tuple(rows))

    def to_csv(self, delimiter: str = ";") -> str:
        """The text of a file."""
        return hierarchy_csv.to_text(self.rows, delimiter)

    def write(self, path: str | Path, delimiter: str = ";") -> None:
        """Write a file, complete or not at all; an existing one is replaced."""
        write_text(Path(path), self.to_csv(delimiter))

    @classmethod
    def from_dict(cls, mapping: Mapping[Any, object]) -> Hierarchy:
        """A hierarchy from nested labels, or from the labels of each value.

        With one key it begins at the top, `{"*": {"Higher": ["Masters"], "School": [...]}}`; in branches
        that are shorter than others the value is repeated upward from the bottom. With several keys these are
        the values, each with its label or labels: `{"Masters": ["Higher", "*"], ...}`.
        """
        if len(mapping) == 1:
            return cls(tuple(nested_rows(mapping, "the dictionary")))
        if any(isinstance(labels, Mapping) for labels in mapping.values()):
            raise PolicyError(f'the dictionary has {len(mapping)} tops; put them under one: {{"*": {{...}}}}')
        where = "the labels of a value"
        return cls(
            tuple(
                (printed(leaf, where), *(printed(label, where) for label in _listed(labels)))
                for leaf, labels in mapping.items()
            )
        )

    @classmethod
    def of_numbers(
        cls,
        values: Iterable[Any],
        *,
        widths: Sequence[int | float] = (),
        fan_outs: Sequence[int] = (),
        bottom: int | float | None = None,
        top: int | float | None = None,
        suppressed: bool = True,
    ) -> Hierarchy:
        """Intervals of numbers; the parameters are those of `Recipe`, and missing values are left out."""
        stated = {"widths": tuple(widths), "fan_outs": tuple(fan_outs), "bottom": bottom, "top": top}
        return _built(values, "number", {**stated, "suppressed": suppressed})

    @classmethod
    def of_dates(
        cls, values: Iterable[Any], *, steps: Sequence[str] = (), suppressed: bool = True
    ) -> Hierarchy:
        """The calendar's steps over dates, which may be ISO texts; the parameters are those of `Recipe`."""
        return _built(values, "date", {"steps": tuple(steps), "suppressed": suppressed})

    @classmethod
    def of_prefixes(
        cls, values: Iterable[Any], *, prefixes: Sequence[int], suppressed: bool = True
    ) -> Hierarchy:
        """Ever shorter beginnings of codes; the parameters are those of `Recipe`."""
        return _built(values, "category", {"prefixes": tuple(prefixes), "suppressed": suppressed})

    @classmethod
    def of_order(cls, order: Iterable[Any], *, fan_out: int = 2, suppressed: bool = True) -> Hierarchy:
        """Sets of neighbours in the given order, `fan_out` joined at each level."""
        return _built(order, "category", {"fan_out": fan_out, "suppressed": suppressed}, ordered=True)

    @classmethod
    def automatic(cls, values: Iterable[Any], *, suppressed: bool = True) -> Hierarchy:
        """A hierarchy that follows from the values and how often each occurs."""
        return _built(values, None, {"suppressed": suppressed})


def _built(
    values: Iterable[Any], kind: Kind | None, stated: dict[str, Any], *, ordered: bool = False
) -> Hierarchy:
    # Imported here because the modules need each other: a recipe builds hierarchies.
    from shoal.model.hierarchy.recipe import Recipe
    from shoal.model.table.counted import counted

    domain, counts = counted(values, kind, ordered=ordered)
    return Recipe(**stated).build(domain, counts, ordered=domain.is_scale)


def _listed(labels: object) -> Sequence[object]:
    return labels if isinstance(labels, list | tuple) else [labels]
