"""Recodings of histories: a row's released values depend on whose row it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.history.histories import Histories
from shoal.model.history.placement import SUPPRESSED_ROW, Placement
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding, Vocabulary, joined_throughout
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable


@dataclass(frozen=True, kw_only=True, eq=False)
class HistoryRecoding(LocalRecoding):
    """Released values of the lines of a placed table; lines of stars are never released.

    A row of stars would show that its person has one more row.

    Parameters
    ----------
    also_suppressed
        The groups whose cells all read `*`.
    levels
        The level of each attribute, if equal values are released alike in all rows.
    """

    also_suppressed: tuple[tuple[int, ...], ...] = ()
    levels: tuple[int, ...] | None = None

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Whether each line is released: a line of stars is not."""
        stars = self.also_suppressed
        return (
            (self.values != np.array(stars[0], np.int32)).any(axis=1)
            if stars
            else np.ones(len(self.values), np.bool_)
        )

    def notes(self, domains: Sequence[Domain]) -> tuple[str, ...]:
        # Stars that only suppressed rows have are in no released cell.
        shown = [np.unique(self.values[self.shown, each]).tolist() for each in range(len(domains))]
        number = [{old: new for new, old in enumerate(own)} for own in shown]
        columns = [
            [own.get(value, 0) for value in self.values[self.shown, each].tolist()]
            for each, own in enumerate(number)
        ]
        released = LocalRecoding(
            values=np.array(columns, np.int32).T.reshape(-1, len(domains)),
            nodes=tuple(
                tuple(nodes[each] for each in own) for nodes, own in zip(self.nodes, shown, strict=True)
            ),
        )
        return released.notes(domains)

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        if self.levels is not None:
            return LevelRecoding(self.levels).describe(domains, released)
        return super().describe(domains, released)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedTable:
    """A table of histories with one line for all equal rows in one place.

    Parameters
    ----------
    table
        The lines.
    place_of
        The place of each line; `SUPPRESSED_ROW` where it is not released.
    line_of
        For each row of a history its line; -1 for a row of another table.
    history_of
        For each line a history that has a row of it.
    placement
        What the lines were made from.
    """

    table: FrequencyTable
    place_of: NDArray[np.int64]
    line_of: NDArray[np.int64]
    history_of: NDArray[np.int64]
    placement: Placement

    @classmethod
    def of(cls, histories: Histories, placement: Placement, number: int = 0) -> PlacedTable:
        """The lines of one table of the histories, by its number."""
        if len(placement.place_of) != len(histories.row_of):
            raise InternalError("a placement belongs to other histories")
        source = histories.tables[number]
        own = np.flatnonzero(histories.table_of == number)
        persons = histories.counts[histories.history_of[own]]
        places = placement.place_of[own] + 1  # the suppressed ones are 0
        keys = histories.row_of[own].astype(np.int64) * (int(places.max(initial=0)) + 1) + places
        distinct, line = np.unique(keys, return_inverse=True)
        line = line.reshape(len(own))
        _, first = np.unique(line, return_index=True)
        counts = np.bincount(line, persons, len(distinct)).astype(np.int64)
        line_of = np.full(len(histories.row_of), -1, np.int64)
        line_of[own] = line
        values = None if histories.values is None else histories.values[own]
        return cls(
            table=FrequencyTable(
                domains=source.domains,
                codes=source.codes[histories.row_of[own][first]],
                counts=counts,
                facts=None if values is None else _facts(source, line, values, persons, len(distinct)),
            ),
            place_of=placement.place_of[own][first].astype(np.int64),
            line_of=line_of,
            history_of=histories.history_of[own][first].astype(np.int64),
            placement=placement,
        )

    def recoding(
        self, vocabulary: Sequence[Vocabulary], levels: tuple[int, ...] | None = None
    ) -> HistoryRecoding:
        """The recoding that releases the lines of each place alike.

        Parameters
        ----------
        vocabulary
            For each attribute what its values may be released as.
        levels
            The level of each attribute, in place of the least values that cover a place.
        """
        if levels is not None:
            return self._on_levels(levels)
        made = self.placement.recode(self.table, vocabulary, self.place_of, self.history_of)
        made = _with_stars(made, self.table)
        stars = [number for number in map(_star, made.nodes) if number is not None]
        return HistoryRecoding(
            values=made.values,
            nodes=made.nodes,
            also_suppressed=(tuple(stars),) if len(stars) == len(made.nodes) else (),
        )

    def _on_levels(self, levels: tuple[int, ...]) -> HistoryRecoding:
        """The recoding that lifts every column to its level, priced as levels are."""
        hidden, columns, nodes, tops = self.place_of == SUPPRESSED_ROW, [], [], []
        for attribute, (domain, level) in enumerate(zip(self.table.domains, levels, strict=True)):
            tree = domain.hierarchy
            parts = np.array(tree.parts[level], np.int32)[self.table.codes[:, attribute]]
            size = len(tree.labels[level])
            columns.append(np.where(hidden, size, parts))
            nodes.append((*((level, part) for part in range(size)), None))
            tops.append(tree.labels[level] == (SUPPRESSED,))
        stars = tuple(len(each) - 1 for each in nodes)
        return HistoryRecoding(
            values=np.column_stack(columns).astype(np.int32),
            nodes=tuple(nodes),
            also_suppressed=(stars, (0,) * len(nodes)) if all(tops) else (stars,),
            levels=levels,
        )


def _with_stars(recoding: LocalRecoding, table: FrequencyTable) -> LocalRecoding:
    """The same with suppressed cells in columns that have one label, of all values: it is printed alike."""
    values, nodes = recoding.values.copy(), list(recoding.nodes)
    for attribute, domain in enumerate(table.domains):
        if joined_throughout(nodes[attribute], domain):
            values[:, attribute], nodes[attribute] = 0, (None,)
    return replace(recoding, values=values, nodes=tuple(nodes))


def _star(nodes: Sequence[object]) -> int | None:
    """The number of the suppressed cell among released values."""
    return next((number for number, node in enumerate(nodes) if node is None), None)


def _facts(
    source: FrequencyTable,
    line: NDArray[np.int64],
    values: NDArray[np.int32],
    persons: NDArray[np.int64],
    lines: int,
) -> Facts | None:
    """How the rows of each line spread over the sensitive values."""
    if source.facts is None:
        return None
    combinations, fact = np.unique(values, axis=0, return_inverse=True)
    entries, entry = np.unique(line * len(combinations) + fact.reshape(len(line)), return_inverse=True)
    of_line, of_entry = np.divmod(entries, len(combinations))
    return Facts(
        columns=source.facts.columns,
        combinations=combinations.astype(np.int32),
        first=np.searchsorted(of_line, np.arange(lines + 1)).astype(np.int64),
        of_entry=of_entry.astype(np.int32),
        counts=np.bincount(entry.reshape(len(line)), persons, len(entries)).astype(np.int64),
    )
