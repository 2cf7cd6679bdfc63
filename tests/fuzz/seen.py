"""A release beside its source, row by row, as plain cells; a column that numbers the rows pairs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.cells import SHORT, is_true, number, same, text_of
from tests.fuzz.instance import ROW, Instance

Row = tuple[Any, ...]


@dataclass
class Seen:
    """A release and what it was made from.

    Parameters
    ----------
    pairs
        Released rows that are not suppressed, each with the source's row.
    masked
        Rows that are kept without their cells.
    """

    instance: Instance
    outcome: Any
    columns: list[str]
    pairs: list[tuple[Row, dict[str, Any]]]
    masked: list[Row]
    sources: list[dict[str, Any]]
    is_text: bool
    manifest: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        request = self.instance.request
        self.k: int = request["k"]
        self.quasi: list[str] = list(request["quasi_identifiers"])
        self.linked: str | None = linked_column(request)
        self.identifiers = set(request.get("identifiers", ()))
        if self.linked is None and "entity" in request:
            self.identifiers.add(request["entity"])
        self.treatments: dict[str, Any] = dict(request.get("treatments", {}))
        if self.linked is not None:
            self.treatments.setdefault(self.linked, {"name": "pseudonym"})
        self.quasi_places = [self.columns.index(name) for name in self.quasi]
        self.companions = {
            name: (f"{name}_low", f"{name}_high")
            for name in self.quasi
            if request.get("companions") and f"{name}_low" in self.columns
        }
        added = {end for ends in self.companions.values() for end in ends}
        self.kept_places = [
            place for place, name in enumerate(self.columns) if name not in self.quasi and name not in added
        ]
        stated = [each if isinstance(each, dict) else {"columns": each} for each in request.get("sets", ())]
        self.sets: list[list[str]] = [list(each["columns"]) for each in stated] or [self.quasi]
        self.ks: list[int] = [each.get("k", self.k) for each in stated] or [self.k]
        # Rows of stars are in no group, whether they were suppressed or lie at the top.
        self.told = [
            (row, source)
            for row, source in self.pairs
            if any(row[place] != "*" for place in self.quasi_places)
        ]
        self.suppressed = len(self.sources) - len(self.pairs)
        self.keys = [self.key(row, self.quasi) for row, _ in self.told]

    def key(self, row: Row, names: Iterable[str]) -> tuple[str | None, ...]:
        """What others see of a row."""
        cells = (row[self.columns.index(name)] for name in names)
        return tuple(None if cell is None else text_of(cell) for cell in cells)

    def more(self, row: Row, name: str) -> dict[str, Any] | None:
        """What a row has in addition to the label of a quasi-identifier; `None` if nothing."""
        if name in self.companions:
            low, high = (row[self.columns.index(end)] for end in self.companions[name])
            return {"low": low, "high": high}
        struct = self.outcome.structs.get(name)
        return None if struct is None else struct[self.outcome.rows.index(row)]

    def seen_of(self, row: Row, names: Iterable[str]) -> tuple[Any, ...]:
        """All that others see of a row on some columns: labels, and what is in addition to them."""
        return tuple(repr((self.key(row, [name]), self.more(row, name))) for name in names)

    def on(self, names: Sequence[str]) -> list[tuple[str | None, ...]]:
        """What others see of each row on some columns, but for rows of which they see nothing."""
        keys = [self.key(row, names) for row, _ in self.told]
        return [key for key in keys if any(cell != "*" for cell in key)]

    def people_of_groups(self, names: Sequence[str]) -> list[int]:
        """Per group of rows that look alike on some columns its rows, or its persons."""
        entity, groups = self.linked or self.instance.request.get("entity"), dict[Any, list[Any]]()
        for row, source in self.told:
            if any(cell != "*" for cell in self.key(row, names)):
                groups.setdefault(self.seen_of(row, names), []).append(
                    source[entity] if entity else source[ROW]
                )
        return [len(set(people)) for people in groups.values()]

    def groups(self) -> list[list[dict[str, Any]]]:
        """The source's rows of each group."""
        groups: dict[Any, list[dict[str, Any]]] = {}
        for key, (_, source) in zip(self.keys, self.told, strict=True):
            groups.setdefault(key, []).append(source)
        return list(groups.values())

    def released(self) -> list[list[dict[str, Any]]]:
        """The source's rows of each group, that of the rows of stars included."""
        groups: dict[Any, list[dict[str, Any]]] = {}
        for row, source in self.pairs:
            groups.setdefault(self.key(row, self.quasi), []).append(source)
        return list(groups.values())

    @property
    def unverified(self) -> bool:
        """Whether k was not promised: it was accepted, or stars are read as wildcards."""
        request = self.instance.request
        return (
            bool(request.get("accept_unverified")) or request.get("options", {}).get("reading") == "wildcard"
        )

    @property
    def has_population(self) -> bool:
        """Whether rows outside the subset are people whom labels are about, too."""
        return any(model["name"] == "k-map" for model in self.instance.request.get("models", ()))

    def labels(self, name: str, value: Any) -> set[str]:
        """What the policy's hierarchy calls a value."""
        made = self.instance.request.get("hierarchies", {}).get(name)
        if isinstance(made, dict):
            groups = made.get("groups", {})
            return {
                label for label, leaves in groups.items() if value is not None and text_of(value) in leaves
            }
        if not made:
            return set()
        if value is None:
            return set(made[0][-1:])
        return {label for row in made if same(row[0], text_of(value)) for label in row[1:]}

    def listed(self, name: str, printed: Any) -> list[str | None] | None:
        """The values of a short label, as the manifest lists them; `None` if the cell is no such label."""
        entries = self.manifest.get("recoding", {}).get(name)
        if isinstance(entries, dict):  # of levels
            entries = self.manifest.get("columns", {}).get(name, {}).get("sets")
        if not isinstance(printed, str) or not SHORT.fullmatch(printed) or not isinstance(entries, list):
            return None
        for entry in entries:
            if entry["label"] == printed and len(entry["values"]) > 1:
                return [None if value is None else text_of(value) for value in entry["values"]]
        return None

    def may_be(self, name: str, printed: str | None, value: Any) -> bool:
        """Whether a released cell is true of a value."""
        known, listed = None if value is None else text_of(value), self.listed(name, printed)
        if listed is not None:
            return known in listed
        return is_true(printed, known, self.labels(name, value))

    def everything(self) -> str:
        """All that the release and its manifest tell, as one text."""
        cells = [text_of(cell) for row, _ in self.pairs for cell in row if cell is not None]
        cells.append(str(self.outcome.structs))
        return "\n".join([*cells, self.outcome.besides, self.outcome.written])

    def only_suppressed(self, name: str) -> set[str]:
        """Values that only rows outside the release have; no part of another cell, nor of the policy."""
        kept = {source[ROW] for _, source in self.pairs}
        values = {
            text_of(source[name])
            for source in (self.sources if self.has_population else all_rows(self.instance))
            if source[ROW] not in kept and source[name] is not None
        }
        others = [text_of(cell) for _, source in self.pairs for cell in source.values() if cell is not None]
        named = [*others, str(dict(self.instance.request)), *self.columns]
        return {value for value in values if not any(value in other or same(value, other) for other in named)}


def linked_column(request: Mapping[str, Any]) -> str | None:
    """The column by which a reader of the release can link rows; `None` if they cannot."""
    if "household" in request:
        return str(request["household"])
    return str(request["entity"]) if request.get("linkable") else None


def suppression_limit(instance: Instance) -> int:
    """The most rows that may be suppressed."""
    unstated = 0 if linked_column(instance.request) is None else "unlimited"
    stated = instance.request.get("suppression", unstated)
    rows = len(source_rows(instance))
    if stated == "unlimited":
        return rows
    if isinstance(stated, str):
        share = number(stated.removesuffix("%"))
        assert share is not None
        return int(rows * share / 100)
    return int(stated)


def is_text(instance: Instance) -> bool:
    """Whether the table is a file of text, in which an empty cell is missing."""
    return instance.door in ("csv", "policy", "command", "command-policy")


def source_rows(instance: Instance) -> list[dict[str, Any]]:
    """The rows to release, as a reader sees their cells."""
    numbers = [int(cell) for cell in instance.column(ROW).cells]
    return [row for row, number in zip(all_rows(instance), numbers, strict=True) if chosen(instance, number)]


def all_rows(instance: Instance) -> list[dict[str, Any]]:
    """The table row by row, as a reader sees its cells."""
    text = is_text(instance)
    cells = [
        [_as_read(instance.reads.get(column.name, {}).get(cell, cell), is_text=text) for cell in column.cells]
        for column in instance.columns
    ]
    names = [column.name for column in instance.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def chosen(instance: Instance, number: int) -> bool:
    """Whether the condition of a subset chooses the row with this number."""
    if "subset" not in instance.request:
        return True
    _, sign, bound = instance.request["subset"].split()
    return {">=": number >= int(bound), "<=": number <= int(bound), "<>": number != int(bound)}[sign]


def seen(instance: Instance, outcome: Any) -> Seen | str:
    """The release beside its source; words where the rows cannot be paired."""
    sources = source_rows(instance)
    if outcome.rows is None or outcome.manifest is None:
        return "nothing was released, and nothing said so"
    if ROW not in outcome.columns or any(name not in outcome.columns for name in instance.quasi_identifiers):
        return f"columns are missing: {outcome.columns}"
    place, by_number = outcome.columns.index(ROW), {text_of(source[ROW]): source for source in sources}
    pairs, masked = list[tuple[Row, dict[str, Any]]](), list[Row]()
    for row in outcome.rows:
        if row[place] is None:
            masked.append(row)
        elif text_of(row[place]) not in by_number:
            return f"row {row[place]!r} is not in the source"
        else:
            pairs.append((row, by_number[text_of(row[place])]))
    numbers = [int(source[ROW]) for _, source in pairs]
    if len(numbers) != len(set(numbers)):
        return "rows are there twice"
    if numbers != sorted(numbers) and instance.request.get("order") != "shuffle":
        return "rows are out of order"
    masks = instance.request.get("suppressed") == "mask"
    if len(pairs) + len(masked) != len(sources) if masks else bool(masked):
        return f"{len(pairs)} rows and {len(masked)} masked ones of {len(sources)}"
    return Seen(
        instance, outcome, outcome.columns, pairs, masked, sources, is_text(instance), outcome.manifest
    )


def _as_read(cell: Any, *, is_text: bool) -> Any:
    if is_text:
        return None if cell is None or text_of(cell) == "" else text_of(cell)
    return None if isinstance(cell, float) and cell != cell else cell
