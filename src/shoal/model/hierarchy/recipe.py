"""How a hierarchy is built from the values of a column, when no file lists it.

A recipe states one way: widths or fan-outs of intervals, the calendar's steps, prefixes of codes, groups, or
only the top. Without any, the values and their counts decide. In every case a level that joins nothing new is
left out, every label is true of its values, and the last level is a single label.

The missing value is not part of a built hierarchy; it is a value of its own with only the top above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import repeat
from typing import Any

from shoal.errors import PolicyError
from shoal.model.hierarchy.category_levels import neighbour_sets, rarest_first_levels, set_label
from shoal.model.hierarchy.date_levels import AUTOMATIC_STEPS, date_levels
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.neighbours import Starts, halved, joined, least_loss
from shoal.model.hierarchy.nested_labels import nested_rows
from shoal.model.hierarchy.number_levels import NumberLine
from shoal.model.hierarchy.prefix_levels import are_codes, automatic_prefix_levels, prefix_levels
from shoal.model.hierarchy.recipe_check import check_recipe
from shoal.model.suggestion import suggestion
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.model.table.number_text import exact


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to build a hierarchy; from the data if nothing is stated.

    Parameters
    ----------
    widths
        Numbers: the width of the intervals at each level, anchored at 0; each a multiple of the one before.
    fan_outs
        How many neighbours each level joins: intervals when `widths` begin, otherwise values present.
    fan_out
        The same number at every level, until a single label is left.
    bottom, top
        Numbers below `bottom` become `< bottom`, those from `top` on `>= top`, at every level. Without widths
        and fan-outs, the first level joins nothing else.
    steps
        Dates: day, week, month, quarter, year, decade, century.
    prefixes
        Codes: how many characters each level keeps from the left; or, all negative, drops from the right.
    groups
        Labels with the values or further labels under them, nested to any depth.
    keep
        No level but the value itself and the top.
    suppressed
        Whether the top is `*`; otherwise it is a label that covers all values.
    """

    widths: tuple[int | float, ...] = ()
    fan_outs: tuple[int, ...] = ()
    fan_out: int | None = None
    bottom: int | float | None = None
    top: int | float | None = None
    steps: tuple[str, ...] = ()
    prefixes: tuple[int, ...] = ()
    groups: Mapping[str, object] | None = None
    keep: bool = False
    suppressed: bool = True

    def __post_init__(self) -> None:
        for name in ("widths", "fan_outs", "steps", "prefixes"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        check_recipe(self.stated)
        if self.groups is not None:
            _ = self.grouped  # built now, to report a mistake before the data is read

    @classmethod
    def parse(cls, stated: Mapping[str, object], where: str) -> Recipe:
        """The recipe that a table of a policy states.

        Parameters
        ----------
        stated
            The table.
        where
            What to call it in messages.
        """
        keys = [field.name for field in fields(cls)]
        for key in stated:
            if key not in keys:
                raise PolicyError(f"{where}: a hierarchy has no key {key!r}.{suggestion(key, keys)}")
        arguments: dict[str, Any] = dict(stated)
        try:
            return cls(**arguments)
        except PolicyError as error:
            raise PolicyError(f"{where}: {error}") from None

    @property
    def stated(self) -> dict[str, object]:
        """What differs from the automatic recipe, by key, as a policy would state it."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    def build(self, domain: Domain, counts: Sequence[int], *, ordered: bool = False) -> Hierarchy:
        """The hierarchy of a domain; its leaves are the known values as a release prints them.

        Parameters
        ----------
        domain
            The values.
        counts
            How many rows have each value.
        ordered
            Whether the order of categories is meaningful, so that automatic levels may join only neighbours.
        """
        size = len(domain) - domain.has_missing
        if size == 0:
            raise PolicyError(
                f"column {domain.name!r} has only missing values; a hierarchy needs at least one value"
            )
        leaves = [domain.label(code, code) or "" for code in range(size)]
        if len(set(leaves)) < size:
            raise PolicyError(
                f"two values of column {domain.name!r} are printed alike; write one differently"
            )
        levels = self._levels(domain, [int(count) for count in counts[:size]], ordered)
        return _stacked(leaves, levels, self._top(domain, levels))

    def _levels(self, domain: Domain, counts: Sequence[int], ordered: bool) -> list[list[str]]:
        texts = [domain.text(code) for code in range(len(counts))]
        self._check_kind(domain)
        if self.keep:
            return []
        if self.groups is not None:
            return self._group_levels(domain, texts)
        if self.prefixes:
            return prefix_levels(texts, self.prefixes)
        if domain.kind == "number":
            return self._number_levels(domain, counts)
        if self.fan_outs or self.fan_out:
            return [_neighbours(domain, texts, starts) for starts in self._joined(len(texts))]
        if domain.kind == "date":
            return date_levels(domain, self.steps or AUTOMATIC_STEPS)
        if domain.arrangement is not None and domain.arrangement.is_found:
            return [neighbour_sets(texts, starts) for starts in least_loss(counts)]
        if ordered:
            return [neighbour_sets(texts, starts) for starts in halved(counts)]
        if are_codes(domain):
            return automatic_prefix_levels(texts)
        return rarest_first_levels(texts, counts)

    def _check_kind(self, domain: Domain) -> None:
        needed = {"widths": "number", "bottom": "number", "top": "number", "steps": "date"}
        for key in self.stated:
            if domain.kind != needed.get(key, domain.kind):
                raise PolicyError(
                    f"column {domain.name!r} is of type '{domain.kind}', and {key} shapes a {needed[key]}; "
                    f'leave out {key}, or set type = "{needed[key]}"'
                )
        if self.prefixes and domain.bin is not None:
            raise PolicyError(f"column {domain.name!r}: bins have no prefixes; leave out one of the two")

    def _number_levels(self, domain: Domain, counts: Sequence[int]) -> list[list[str]]:
        line = NumberLine(domain=domain, bottom=self.bottom, top=self.top)
        if self.widths:
            widths = [exact(width) for width in self.widths]
            for fan_out in self.fan_outs:
                widths.append(widths[-1] * fan_out)
            return [line.of_width(width) for width in widths]
        if self.fan_outs or self.fan_out:
            levels = [line.of_parts(starts) for starts in self._joined(len(line.middle))]
            return levels or [line.ungrouped()]
        parts = halved(counts[line.middle.start : line.middle.stop])
        # Without ends the first of these joins nothing, and is left out like every level that joins nothing.
        return [line.ungrouped(), *(line.of_parts(starts) for starts in parts)]

    def _joined(self, size: int) -> list[Starts]:
        return joined(size, self.fan_outs or repeat(self.fan_out or 2))

    @cached_property
    def grouped(self) -> Hierarchy:
        """The hierarchy that the groups describe."""
        rows = nested_rows(self.groups or {}, "groups")
        return Hierarchy(tuple((*row, SUPPRESSED) for row in rows))

    def _group_levels(self, domain: Domain, texts: Sequence[str]) -> list[list[str]]:
        places = [self.grouped.find(text) for text in texts]
        grouped = [place for place in places if place is not None]
        if len(grouped) < len(places):
            raise PolicyError(
                f"{len(places) - len(grouped):,} of {len(places):,} values of column {domain.name!r} are in "
                "none of the groups; add them"
            )
        return [
            [self.grouped.rows[place][level] for place in grouped] for level in range(1, self.grouped.height)
        ]

    def _top(self, domain: Domain, levels: Sequence[Sequence[str]]) -> str:
        if self.suppressed:
            return SUPPRESSED
        if levels and len(set(levels[-1])) == 1:
            return levels[-1][0]
        last = len(domain) - domain.has_missing - 1
        if domain.kind == "category":
            return set_label([domain.text(code) for code in range(last + 1)])
        return domain.label(0, last) or ""


def _neighbours(domain: Domain, texts: Sequence[str], starts: Starts) -> list[str]:
    if domain.kind == "category":
        return neighbour_sets(texts, starts)
    ends = (*starts[1:], len(texts))
    return [
        domain.label(start, end - 1) or ""
        for start, end in zip(starts, ends, strict=True)
        for _ in range(start, end)
    ]


def _stacked(leaves: Sequence[str], levels: Sequence[Sequence[str]], top: str) -> Hierarchy:
    """A hierarchy of the levels that join something new, with a single label on top."""
    kept = [list(leaves)]
    for level in levels:
        if 1 < len(set(level)) < len(set(kept[-1])):
            kept.append(list(level))
    if len(leaves) > 1 or top != leaves[0]:
        kept.append([top] * len(leaves))
    return Hierarchy(tuple(zip(*kept, strict=True)))
