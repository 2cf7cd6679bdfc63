"""How one released column is coded: what each of its labels says about a row.

Read from the manifest: the kind of its values, the sets of its labels, and their order. A label is read as
anyone would read it; where it is a word, by what the manifest lists for it, or by a hierarchy. What a release
does not say is not said here: `*` has no bounds, and `>= 80` has no upper one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.number_label import Span
from shoal.model.result.listed_sets import listed_sets
from shoal.model.table.cell_meaning import CellReader, Meaning, set_members
from shoal.model.table.domain import MISSING, SUPPRESSED, Kind
from shoal.model.table.label_bounds import DAY, MICROSECOND, Grid
from shoal.model.table.number_text import number, number_of, number_text
from shoal.model.table.short_labels import is_short

Texts = tuple[str | None, ...]

_OR_MISSING = f" or {MISSING}"


@dataclass(frozen=True, kw_only=True)
class CellCoding:
    """What one label says.

    Parameters
    ----------
    suppressed
        Whether it reads `*`.
    missing
        Whether the value was missing in the source; `None` if the label leaves that open.
    span
        The numbers or days that it can represent; `None` if it names none.
    members
        The categories that it can represent, in their order, `None` among them for the missing value; `None`
        if they are not listed anywhere.
    """

    suppressed: bool = False
    missing: bool | None = False
    span: Span | None = None
    members: Texts | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnCoding:
    """The coding of one column.

    Parameters
    ----------
    name
        The column.
    kind
        What its values are.
    whole, moments
        Whether its numbers are whole; whether its dates have a time of day.
    center
        What replaced the values of a group, if labels are centroids: "mean", "median" or "mode".
    level
        The level of the hierarchy that its labels are on, if they are on one level.
    words
        The labels on a level that are neither a value nor a list of values, such as `school` and `0213*`;
        `None` if the manifest does not say.
    entries
        What the manifest lists for labels: label -> values.
    order
        Its labels in their order, if that order is meaningful and no two of them overlap.
    hierarchy
        The hierarchy that its labels come from, if the reader has it.
    sets
        What its short labels represent, as text.
    """

    name: str
    kind: Kind
    whole: bool = False
    moments: bool = False
    center: str | None = None
    level: int | None = None
    words: frozenset[str] | None = None
    entries: Mapping[str | None, Texts]
    order: tuple[str, ...] | None = None
    hierarchy: Hierarchy | None = None
    sets: Mapping[str, str]

    @property
    def has_bounds(self) -> bool:
        """Whether its values are numbers or dates that labels enclose."""
        return self.kind != "category" and self.center is None

    @cached_property
    def grid(self) -> Grid:
        """Where its values lie."""
        if self.kind == "date":
            return Grid(is_date=True, step=MICROSECOND if self.moments else DAY)
        return Grid(is_date=False, step=Fraction(1) if self.whole else None)

    @cached_property
    def _reader(self) -> CellReader:
        return CellReader(self.hierarchy, self.kind, self.sets)

    def cell(self, label: str | None) -> CellCoding:
        """What a label says."""
        if label not in self._cells:
            self._cells[label] = self._coded(label)
        return self._cells[label]

    @cached_property
    def _cells(self) -> dict[str | None, CellCoding]:
        return {}

    def _coded(self, label: str | None) -> CellCoding:
        if label is None:
            return CellCoding(missing=True, members=(None,))
        if label == SUPPRESSED:
            return CellCoding(suppressed=True, missing=None)
        if self.kind == "category" or self.center is not None:
            return self._of_category(label)
        meaning = self._meaning(label)
        return CellCoding(missing=None if meaning.missing else False, span=self.grid.hull(meaning))

    def _meaning(self, label: str) -> Meaning:
        """What a label of numbers or dates represents; the values listed for it, if it does not read as such.

        A number alone can be a word of a hierarchy: `20` for the twenties.
        """
        listed = self.entries.get(label)
        meaning = self._reader.meaning(label)
        if meaning.spans or meaning.days or listed is None:
            return self._worded(label, meaning)
        read = [self._reader.meaning(each) for each in listed if each is not None]
        return Meaning(
            missing=None in listed,
            values=frozenset().union(*(each.values for each in read)),
            spans=tuple(span for each in read for span in each.spans),
            days=tuple(span for each in read for span in each.days),
        )

    def _worded(self, label: str, meaning: Meaning) -> Meaning:
        """The meaning; without that of the label itself where that is a word above the values."""
        if not self.level or self.hierarchy is None or label not in self._above:
            return meaning
        own = number_of(label)
        return Meaning(missing=meaning.missing, values=meaning.values - {label if own is None else own})

    @cached_property
    def _above(self) -> frozenset[str]:
        """The labels of the hierarchy that are not also among its values."""
        assert self.hierarchy is not None
        labels = {label for row in self.hierarchy.rows for label in row[1:]}
        return frozenset(labels - {row[0] for row in self.hierarchy.rows})

    def _of_category(self, label: str) -> CellCoding:
        members = self._members(label)
        missing = False if members is None or None not in members else None
        return CellCoding(missing=missing, members=members)

    def _members(self, label: str) -> Texts | None:
        listed = self.entries.get(label)
        if listed is not None:
            return listed
        if self.hierarchy is not None and self.level is not None:
            leaves = [row[0] for row in self.hierarchy.rows if label in row]
            if leaves:
                return tuple(leaf or None for leaf in dict.fromkeys(leaves))
        before = label.removesuffix(_OR_MISSING)
        if before != label and self.hierarchy is not None and self.level is not None:
            members = self._members(before)
            return None if members is None else (*members, None)
        if is_short(label):
            return None
        parsed = set_members(label)
        if parsed is not None:
            return parsed
        return None if self._is_word(label) else (label,)

    def _is_word(self, label: str) -> bool:
        """Whether a label is above the values, as far as the manifest says."""
        return bool(self.level) if self.words is None else label in self.words

    def reads(self, label: str | None) -> bool:
        """Whether the release says what a label of numbers or dates encloses."""
        if label is None or label == SUPPRESSED:
            return True
        # A number alone can be a word: `20` for the twenties.
        if self.hierarchy is None and number_of(label) is not None and self._is_word(label):
            return False
        return self.cell(label).span is not None


def coding_of(
    facts: Mapping[str, Any],
    name: str,
    labels: Sequence[str | None],
    hierarchy: Hierarchy | None = None,
) -> ColumnCoding:
    """The coding of a quasi-identifier.

    Parameters
    ----------
    facts
        The manifest.
    name
        The column.
    labels
        Its labels in the release.
    hierarchy
        The hierarchy that its labels come from, if the reader has it.
    """
    recoding = facts["recoding"][name]
    stated = facts.get("columns", {}).get(name, {})
    described = recoding if isinstance(recoding, Mapping) else {}
    listed = stated.get("sets", ()) if described else recoding
    level = described.get("level")
    entries: Mapping[str | None, Texts] = {
        entry["label"]: tuple(_text(value) for value in entry["values"])
        for entry in listed
        if entry["values"]
    }
    sets = listed_sets({"recoding": {name: recoding}, "columns": {name: stated}}).get(name, {})
    kind = stated.get("type") or _kind(labels, CellReader(hierarchy, None, sets))
    return ColumnCoding(
        name=name,
        kind=kind,
        whole=stated.get("whole", kind == "number" and _all_whole(labels)),
        moments=stated.get("moments", kind == "date" and any(label and ":" in label for label in labels)),
        center=described.get("center"),
        level=level,
        words=frozenset(stated.get("words", ())) if stated else None,
        entries=entries,
        order=None if "order" not in stated else tuple(stated["order"]),
        hierarchy=hierarchy,
        sets=sets,
    )


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(number(value))  # type: ignore[arg-type]


def _kind(labels: Sequence[str | None], reader: CellReader) -> Kind:
    """The kind of the values of a column whose manifest does not state it: the narrowest that fits."""
    known = [label for label in labels if label not in (None, SUPPRESSED)]
    meanings = [reader.meaning(label) for label in known]
    for kind, grid in (
        ("number", Grid(is_date=False, step=None)),
        ("date", Grid(is_date=True, step=DAY)),
    ):
        if known and all(grid.hull(each) is not None for each in meanings):
            return kind  # type: ignore[return-value]
    return "category"


def _all_whole(labels: Sequence[str | None]) -> bool:
    return not any("." in label or "e" in label for label in labels if label)
