"""Local recodings: every distinct row has released values of its own.

Equal values can be released differently in different rows. Equal rows are released alike, unless the recoding
divides the copies of a row; then the first copies in the order of the source go to the first piece.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.hierarchy.coded_tree import Tree
from shoal.model.recoding.pieces import Pieces
from shoal.model.recoding.recoding import Recoding, not_on_levels, plain_value
from shoal.model.table.domain import SUPPRESSED, Domain, shown_codes
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.printed_labels import Unnumbered

Node = tuple[int, int]
"""A level of a hierarchy, and a part of that level."""


Codes = tuple[int, ...] | range


@dataclass(frozen=True)
class Span:
    """Some values of a domain: an interval of numbers or dates, a set of categories.

    Parameters
    ----------
    codes
        The codes, increasing. An interval is a range: a list of all its codes would fill the memory for a
        very large domain.
    """

    codes: Codes


Vocabulary = Literal["nodes", "spans", "cells"]
"""What a group's values may be released as: the least node of the hierarchy over them; the least interval, or
the set of them; the value that they share, or else a suppressed cell."""

SUPPRESSED_CELL = -1
"""In place of a level: the cell is suppressed."""

SUPPRESSED_ROW = -1
"""In place of a group: every cell of the row is suppressed."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalRecoding(Recoding):
    """Released values for each distinct row of a frequency table.

    An algorithm that suppresses a row gives it suppressed cells: a value that no released row has would still
    be named in the manifest.

    Parameters
    ----------
    values
        For each distinct row, or piece, and attribute the number of the released value.
    nodes
        For each attribute its released values, each a node of the hierarchy or a span of values; `None` is a
        suppressed cell, which is printed `*` and loses everything.
    keeps_small_groups
        Whether groups smaller than k are also released. Their audit does not hold.
    pieces
        The pieces that rows are divided into, if any are.
    wildcards
        Whether a suppressed cell counts as equal to every value. Groups are then released whatever their
        size, and k is a demand on the number of rows that match a row.
    """

    values: NDArray[np.int32]
    nodes: tuple[tuple[Node | Span | None, ...], ...]
    keeps_small_groups: bool = False
    pieces: Pieces | None = None
    wildcards: bool = False

    @classmethod
    def from_groups(
        cls,
        table: FrequencyTable,
        group_of: NDArray[np.integer],
        vocabulary: Sequence[Vocabulary],
        pieces: Pieces | None = None,
    ) -> LocalRecoding:
        """The recoding that releases the rows of each group alike, with as much detail as the vocabulary
        allows.

        Parameters
        ----------
        table
            The data; domains with the vocabulary "nodes" have a tree.
        group_of
            For each distinct row, or piece, its group; `SUPPRESSED_ROW` where every cell is suppressed.
        vocabulary
            For each attribute what its values may be released as.
        pieces
            As in the class.
        """
        refined = table if pieces is None else pieces.refine(table)
        order = np.argsort(group_of, kind="stable")
        ordered = np.asarray(group_of, np.int64)[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        hidden = ordered[starts] == SUPPRESSED_ROW
        of_row = np.empty(len(order), np.int64)
        of_row[order] = np.cumsum(np.concatenate(([0], ordered[1:] != ordered[:-1])))
        columns, nodes = [], []
        for attribute, (domain, own) in enumerate(zip(table.domains, vocabulary, strict=True)):
            codes = refined.codes[:, attribute]
            released, of_group = _RELEASED_AS[own](domain, codes[order], starts, hidden)
            columns.append(of_group[of_row])
            nodes.append(released)
        return cls(values=np.column_stack(columns).astype(np.int32), nodes=tuple(nodes), pieces=pieces)

    @classmethod
    def from_levels(
        cls, table: FrequencyTable, levels: NDArray[np.integer], *, keeps_small_groups: bool = False
    ) -> LocalRecoding:
        """The recoding that lifts every cell to a level.

        Values that are printed alike and cover the same leaves become one, on the lowest of their levels;
        a top that is printed `*` becomes the suppressed cell.

        Parameters
        ----------
        table
            The data; every domain has a tree.
        levels
            For each distinct row and attribute the level, or `SUPPRESSED_CELL`.
        keeps_small_groups
            As in the class.
        """
        columns, nodes = [], []
        for attribute, domain in enumerate(table.domains):
            released, numbers = _numbered(domain, table.codes[:, attribute], levels[:, attribute])
            nodes.append(released)
            columns.append(numbers)
        values = np.column_stack(columns).astype(np.int32)
        return cls(values=values, nodes=tuple(nodes), keeps_small_groups=keeps_small_groups)

    def released(self, table: FrequencyTable) -> NDArray[np.int32]:
        if self.values.shape != table.codes.shape:
            raise InternalError("a local recoding belongs to one table, in its pieces, and this is another")
        return self.values

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        if joined_throughout(self.nodes[attribute], domain, released):
            return (SUPPRESSED,) * len(self.nodes[attribute])
        spans = [node.codes for node in self.nodes[attribute] if isinstance(node, Span)]
        spelled = dict(zip(spans, domain.printed.of_spans(spans, released), strict=True))
        labels: list[Unnumbered] = self._of_values(
            attribute,
            lambda level: domain.printed.of_level(level, released),
            lambda codes: spelled[codes],
            SUPPRESSED,
        )
        return domain.printed.numbered(labels)

    def notes(self, domains: Sequence[Domain]) -> tuple[str, ...]:
        mixed, stars = [], []
        for attribute, domain in enumerate(domains):
            members, informative = self.members(attribute, domain), self.informative(attribute, domain)
            shown = [codes for codes, is_shown in zip(members, informative, strict=True) if is_shown]
            total = sum(map(len, shown))
            # If the total exceeds the domain, some overlap; otherwise the codes are few enough to compare.
            if total > len(domain) or len({code for codes in shown for code in codes}) < total:
                mixed.append(repr(domain.name))
            if not all(informative):
                stars.append(repr(domain.name))
        sentences = []
        if mixed:
            sentences.append(
                f"Rows were recoded one by one: in {', '.join(mixed)} one value can have a narrow "
                "label in one row and a wide one in another. Labels can overlap; `recoding` shows what each "
                "represents."
            )
        if stars:
            sentences.append(f"In {', '.join(stars)} the label `*` is a suppressed cell: it reveals nothing.")
        if self.wildcards:
            sentences.append(
                "k is promised with suppressed cells read as wildcards: every row that reveals anything "
                "matches k rows if `*` matches every value. That is less than k-anonymity: a reader who "
                "takes `*` as a value may find groups smaller than k, and `k-anonymity` in `audit` shows how "
                "small; a reader who knows everything about a person may find the one row that matches them."
            )
        if self.pieces is not None:
            sentences.append(
                "Rows that were equal in the source may be released differently: as few of them as possible "
                "lose detail to hide others."
            )
        return tuple(sentences)

    def informative(self, attribute: int, domain: Domain) -> Sequence[bool]:  # noqa: ARG002
        return [node is not None for node in self.nodes[attribute]]

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        return self._of_values(
            attribute,
            lambda level: domain.hierarchy.members(level),
            lambda codes: codes,
            tuple(range(len(domain))),
        )

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._of_values(attribute, domain.part_losses, domain.span_loss, Fraction(1))

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._of_values(attribute, domain.part_shares, domain.span_share, Fraction(1))

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        def of_span(codes: Codes) -> Fraction:
            if len(codes) > 1:
                raise not_on_levels(domain)
            return Fraction(0)

        return self._of_values(attribute, domain.part_steps, of_span, Fraction(1))

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        """As for every recoding, but an interval is marked as one and lists only its ends, and the missing
        value if it is in it.

        Intervals overlap here, so all their values together could far exceed the cells of the table.
        """
        described: dict[str, object] = {}
        for attribute, domain in enumerate(domains):
            shown = range(len(domain)) if released is None else released[attribute]
            labels, members = self.labels(attribute, domain, shown), self.members(attribute, domain)
            entries: list[dict[str, object]] = []
            for number in np.unique(self.values[:, attribute]).tolist():
                if labels[number] == SUPPRESSED:
                    entries.append({"label": SUPPRESSED, "values": []})
                    continue
                codes = shown_codes(members[number], shown)
                if codes:
                    entries.append({"label": labels[number], **_described(domain, codes)})
            described[domain.name] = entries
        return described

    def smallest_kept(self, k: int) -> int:
        return 1 if self.keeps_small_groups or self.wildcards else k

    def _of_values(
        self,
        attribute: int,
        of_level: Callable[[int], Sequence[T]],
        of_span: Callable[[Codes], T],
        suppressed: T,
    ) -> list[T]:
        """A property of each released value, by its span or its part of a level; one call per level."""
        nodes = self.nodes[attribute]
        of_part = {level: of_level(level) for level in {node[0] for node in nodes if isinstance(node, tuple)}}
        return [
            suppressed
            if node is None
            else of_span(node.codes)
            if isinstance(node, Span)
            else of_part[node[0]][node[1]]
            for node in nodes
        ]


def joined_throughout(
    nodes: Sequence[Node | Span | None], domain: Domain, released: Collection[int] | None = None
) -> bool:
    """Whether all cells of a column that are not suppressed have one label, of all values.

    Parameters
    ----------
    nodes
        The released values of the column.
    domain
        Its domain.
    released
        The codes that released rows have.
    """
    shown = [node for node in nodes if node is not None]
    if len(shown) != 1 or not isinstance(shown[0], Span):
        return False
    return len(shown[0].codes) == len(domain) and domain.printed.is_joined(released)


def _described(domain: Domain, codes: Sequence[int]) -> dict[str, object]:
    """The values of a label as the manifest has them."""
    present = len(domain) - domain.has_missing
    known = [code for code in codes if code < present] if not isinstance(codes, range) else codes
    is_interval = isinstance(codes, range) or (
        domain.kind != "category" and len(known) > 2 and known[-1] - known[0] == len(known) - 1
    )
    if not is_interval or len(known) <= 2:
        return {"values": [plain_value(domain, code) for code in codes]}
    ends = [plain_value(domain, known[0]), plain_value(domain, known[-1])]
    return {"values": ends if len(known) == len(codes) else [*ends, None], "interval": True}


def _least_nodes(
    tree: Tree, codes: NDArray[np.int32], levels: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each cell the lowest equivalent level, and its part there; part 0 for a suppressed cell."""
    least, parts = levels.astype(np.int64), np.zeros(len(codes), np.int64)
    for level in np.unique(levels[levels >= 0]).tolist():
        cells = levels == level
        of_part = np.array(tree.steps(level), np.int64)
        least[cells] = of_part[np.array(tree.parts[level])[codes[cells]]]
    for level in np.unique(least[least >= 0]).tolist():
        cells = least == level
        parts[cells] = np.array(tree.parts[level])[codes[cells]]
        if level == tree.height and tree.labels[level] == (SUPPRESSED,):
            least[cells], parts[cells] = SUPPRESSED_CELL, 0
    return least, parts


Released = tuple[tuple[Node | Span | None, ...], NDArray[np.int64]]
"""Released values, and for each group the number of its value."""


def _nodes(
    domain: Domain, codes: NDArray[np.int32], starts: NDArray[np.int64], hidden: NDArray[np.bool_]
) -> Released:
    """The least node over each group's codes; groups are runs of `codes`, and begin at `starts`."""
    tree, firsts = domain.hierarchy, codes[starts]
    levels = np.full(len(starts), tree.height)
    for level in reversed(range(tree.height)):
        parts = np.array(tree.parts[level])[codes]
        levels[np.minimum.reduceat(parts, starts) == np.maximum.reduceat(parts, starts)] = level
    levels[hidden] = SUPPRESSED_CELL
    return _numbered(domain, firsts, levels)


def _numbered(domain: Domain, codes: NDArray[np.int32], levels: NDArray[np.integer]) -> Released:
    """The nodes over codes on levels, and for each code the number of its node."""
    least, parts = _least_nodes(domain.hierarchy, codes, levels)
    keys, numbers = np.unique(least * len(domain) + parts, return_inverse=True)
    pairs = [divmod(key, len(domain)) for key in keys.tolist()]
    nodes = tuple(None if level == SUPPRESSED_CELL else (level, part) for level, part in pairs)
    return nodes, numbers.reshape(len(codes))


def _spans(
    domain: Domain, codes: NDArray[np.int32], starts: NDArray[np.int64], hidden: NDArray[np.bool_]
) -> Released:
    """The interval around each group's codes, or for categories their set."""
    present = len(domain) - domain.has_missing
    if domain.kind == "category" and len(domain) > _MOST_BITS:
        return _large_sets(codes, starts, hidden, len(domain))
    if domain.kind == "category":
        keys = _sets(codes, starts, len(domain))
        keys[hidden] = _HIDDEN
        # One number sorts several times as fast as a line of them.
        distinct, of_group = (
            np.unique(keys[:, 0], return_inverse=True)
            if keys.shape[1] == 1
            else np.unique(keys, axis=0, return_inverse=True)
        )
        sets = [_set_of(words, len(domain)) for words in distinct.reshape(len(distinct), -1).tolist()]
        return tuple(sets), of_group.reshape(len(starts))
    # The missing value is the last code, and in no interval.
    lows = np.minimum(np.minimum.reduceat(codes, starts), present).astype(np.int64)
    ends = np.maximum.reduceat(np.where(codes < present, codes, -1), starts).astype(np.int64) + 1
    absent = np.maximum.reduceat(codes, starts) >= present
    numbers = (lows * (present + 1) + ends) * 2 + absent
    numbers[hidden] = _HIDDEN
    distinct, of_group = np.unique(numbers, return_inverse=True)
    spans = [_interval_of(key, present) for key in distinct.tolist()]
    return tuple(spans), of_group.reshape(len(starts))


_HIDDEN = -2
"""In place of what a group covers: its cells are suppressed."""


def _set_of(words: Sequence[int], size: int) -> Span | None:
    """The set whose codes are bits, 62 to a number."""
    if words[0] == _HIDDEN:
        return None
    return Span(tuple(code for code in range(size) if words[code // 62] >> code % 62 & 1))


def _interval_of(number: int, present: int) -> Span | None:
    """The interval that a number stands for, with the missing value if that is in it."""
    if number == _HIDDEN:
        return None
    ends, absent = divmod(number, 2)
    low, end = divmod(ends, present + 1)
    interval = range(low, end)
    return Span((*interval, present) if absent else interval)


_MOST_BITS = 248
"""Values of a domain whose sets are found as bits; more would take the memory of groups times values."""


def _large_sets(
    codes: NDArray[np.int32], starts: NDArray[np.int64], hidden: NDArray[np.bool_], size: int
) -> Released:
    """The set of each group's codes, in time and memory linear in the rows."""
    of_code = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(codes))))
    pairs = np.unique(of_code * size + codes)
    members, groups = (pairs % size).tolist(), pairs // size
    ends = np.searchsorted(groups, np.arange(len(starts)), side="right").tolist()
    sets: list[tuple[int, ...]] = [
        () if is_hidden else tuple(members[first:last])
        for first, last, is_hidden in zip([0, *ends], ends, hidden.tolist(), strict=False)
    ]
    distinct = sorted(set(sets))
    number = {codes: place for place, codes in enumerate(distinct)}
    spans = tuple(Span(each) if each else None for each in distinct)
    return spans, np.array([number[each] for each in sets], np.int64)


def _sets(codes: NDArray[np.int32], starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """For each group one bit per code that it has, 62 to a number."""
    bits = [
        np.bitwise_or.reduceat(
            np.where(codes // 62 == word, np.int64(1) << (codes % 62).astype(np.int64), np.int64(0)), starts
        )
        for word in range((size + 61) // 62)
    ]
    return np.column_stack(bits)


def _cells(
    domain: Domain, codes: NDArray[np.int32], starts: NDArray[np.int64], hidden: NDArray[np.bool_]
) -> Released:
    """The code that all rows of a group share, or a suppressed cell."""
    lows, highs = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    shared = np.where((lows == highs) & ~hidden, lows, len(domain))
    distinct, of_group = np.unique(shared, return_inverse=True)
    spans = tuple(None if code == len(domain) else Span((code,)) for code in distinct.tolist())
    return spans, of_group.reshape(len(starts))


_RELEASED_AS: dict[Vocabulary, Callable[..., Released]] = {"nodes": _nodes, "spans": _spans, "cells": _cells}
