"""A hierarchy over the codes of one domain, as the searches on levels see it.

A level is a partition of the codes into parts, each with one label. Level 0 has one part per code, the top
has a single part. The loss of a part is counted in leaves of the hierarchy, whether or not a row has them:
the loss of a label does not depend on who happens to be in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import InternalError


@dataclass(frozen=True)
class Tree:
    """Levels of parts, each level nested in the next.

    Parameters
    ----------
    parts
        For each level the part of each code; parts are numbered in the order of their first codes.
    labels
        For each level the label of each part; `None` for the missing value on its own.
    leaves
        For each level the number of leaves of the hierarchy below each part, present in the table or not.
    places
        The place of each code among the leaves; empty for a hierarchy built from the domain.
    by_recipe
        Whether it was built from the domain by a recipe that the policy states.
    """

    parts: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str | None, ...], ...]
    leaves: tuple[tuple[int, ...], ...]
    places: tuple[int, ...] = ()
    by_recipe: bool = False

    def __post_init__(self) -> None:
        if len(self.labels[-1]) != 1:
            raise InternalError("the top of a hierarchy must be one part")

    @property
    def height(self) -> int:
        """Levels above the values themselves."""
        return len(self.parts) - 1

    @property
    def total(self) -> int:
        """All leaves, present in the table or not."""
        return self.leaves[-1][0]

    @property
    def given(self) -> bool:
        """Whether the user gave the leaves; otherwise they are just the values present."""
        return bool(self.places)

    @property
    def stated(self) -> bool:
        """Whether the policy states it, by its leaves or by a recipe."""
        return self.given or self.by_recipe

    def steps(self, level: int) -> tuple[int, ...]:
        """For each part the lowest level at which the same label covers the same leaves.

        A value that a level leaves unchanged has not been generalized, whatever the level.
        """
        steps = []
        for codes in self.members(level):
            least = level
            while least > 0 and self._same(codes[0], least, least - 1):
                least -= 1
            steps.append(least)
        return tuple(steps)

    def _same(self, code: int, level: int, lower: int) -> bool:
        here, there = self.parts[level][code], self.parts[lower][code]
        return (
            self.labels[level][here] == self.labels[lower][there]
            and self.leaves[level][here] == self.leaves[lower][there]
        )

    def members(self, level: int) -> tuple[tuple[int, ...], ...]:
        """The codes of each part of a level, increasing."""
        members: list[list[int]] = [[] for _ in self.labels[level]]
        for code, part in enumerate(self.parts[level]):
            members[part].append(code)
        return tuple(tuple(codes) for codes in members)

    @property
    def ambiguous(self) -> bool:
        """Whether two nodes on different levels, neither above the other, share a label.

        With mixed levels both can be in one release, and nobody could distinguish them.
        """
        seen: dict[str, list[int]] = {}
        for level, labels in enumerate(self.labels):
            first = {part: code for code, part in reversed(tuple(enumerate(self.parts[level])))}
            for part, label in enumerate(labels):
                if label is None:
                    continue
                below = seen.setdefault(label, [])
                if any(self.parts[level][code] != part for code in below):
                    return True
                below.append(first[part])
        return False

    @property
    def contiguous(self) -> bool:
        """Whether every part is an interval of codes, so that the domain's order is a tree order."""
        return all(list(parts) == sorted(parts) for parts in self.parts)


def tree_of(
    rows: Sequence[Sequence[str]],
    place_of: Sequence[int],
    texts: Sequence[str | None],
    *,
    missing: bool,
    given: bool = True,
) -> Tree:
    """The tree of a hierarchy over some of its leaves.

    Parameters
    ----------
    rows
        The hierarchy: for each leaf its labels, from the leaf to the top.
    place_of
        For each code the row of its leaf.
    texts
        How a release prints each code by itself.
    missing
        Whether one more code, the last, represents a missing value that the hierarchy lacks. It stays by
        itself on every level but the top.
    given
        Whether the user gave the leaves.
    """
    codes = len(place_of) + missing
    parts: list[tuple[int, ...]] = [tuple(range(codes))]
    labels: list[tuple[str | None, ...]] = [(*texts, None) if missing else tuple(texts)]
    leaves: list[tuple[int, ...]] = [(1,) * codes]
    height = len(rows[0]) - 1
    for level in range(1, height + 1):
        below: dict[str, int] = {}
        for row in rows:
            below[row[level]] = below.get(row[level], 0) + 1
        number: dict[str, int] = {}
        of_code = [number.setdefault(rows[place][level], len(number)) for place in place_of]
        names: list[str | None] = list(number)
        sizes = [below[name] for name in number]
        if missing and level < height:
            of_code.append(len(names))
            names.append(None)
            sizes.append(1)
        elif missing:
            of_code.append(0)
            names, sizes = [rows[0][level]], [len(rows) + 1]
        parts.append(tuple(of_code))
        labels.append(tuple(names))
        leaves.append(tuple(sizes))
    return Tree(
        parts=tuple(parts),
        labels=tuple(labels),
        leaves=tuple(leaves),
        places=(*place_of, len(rows)) if given and missing else tuple(place_of) if given else (),
    )
