"""Local recodings: every distinct row has released values of its own.

Equal values can be released differently in different rows; equal rows are released alike, so the release does
not depend on the order of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.coded_tree import Tree
from shoal.model.domain import SUPPRESSED, Domain
from shoal.model.frequency import FrequencyTable
from shoal.model.recoding import Recoding, plain_value

Node = tuple[int, int]
"""A level of a hierarchy, and a part of that level."""

SUPPRESSED_CELL = -1
"""In place of a level: the cell is suppressed."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalRecoding(Recoding):
    """Released values per distinct row of a frequency table.

    An algorithm that suppresses a row gives it suppressed cells: a value that no released row has would still
    be named in the manifest.

    Parameters
    ----------
    values
        Per distinct row and attribute the number of the released value.
    nodes
        Per attribute its released values, each a node of the hierarchy; `None` is a suppressed cell, which
        is printed `*` and loses everything.
    keeps_small_groups
        Whether groups smaller than k are released, too. Their audit does not hold.
    """

    values: NDArray[np.int32]
    nodes: tuple[tuple[Node | None, ...], ...]
    keeps_small_groups: bool = False

    @classmethod
    def from_levels(
        cls, table: FrequencyTable, levels: NDArray[np.integer], *, keeps_small_groups: bool = False
    ) -> LocalRecoding:
        """The recoding that lifts every cell to a level.

        Values that are printed alike and stand for the same leaves become one, on the least of their levels;
        a top that is printed `*` becomes the suppressed cell.

        Parameters
        ----------
        table
            Every one of its domains has a tree.
        levels
            Per distinct row and attribute the level, or `SUPPRESSED_CELL`.
        keeps_small_groups
            As in the class.
        """
        columns, nodes = [], []
        for attribute, domain in enumerate(table.domains):
            codes = table.codes[:, attribute]
            least, parts = _least_nodes(domain.hierarchy, codes, levels[:, attribute])
            keys, numbers = np.unique(least * len(domain) + parts, return_inverse=True)
            found = [divmod(key, len(domain)) for key in keys.tolist()]
            nodes.append(tuple(None if level == SUPPRESSED_CELL else (level, part) for level, part in found))
            columns.append(numbers.reshape(len(codes)))
        values = np.column_stack(columns).astype(np.int32)
        return cls(values=values, nodes=tuple(nodes), keeps_small_groups=keeps_small_groups)

    def released(self, table: FrequencyTable) -> NDArray[np.int32]:
        if self.values.shape != table.codes.shape:
            raise InternalError("a local recoding belongs to the table that it was made for")
        return self.values

    def labels(
        self, attribute: int, domain: Domain, released: Collection[int] | None = None
    ) -> tuple[str | None, ...]:
        return tuple(
            self._looked_up(attribute, lambda level: domain.level_labels(level, released), SUPPRESSED)
        )

    def tells(self, attribute: int, domain: Domain) -> Sequence[bool]:  # noqa: ARG002
        return [node is not None for node in self.nodes[attribute]]

    def members(self, attribute: int, domain: Domain) -> Sequence[Sequence[int]]:
        return self._looked_up(attribute, domain.hierarchy.members, tuple(range(len(domain))))

    def losses(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._looked_up(attribute, domain.part_losses, Fraction(1))

    def shares(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._looked_up(attribute, domain.part_shares, Fraction(1))

    def steps(self, attribute: int, domain: Domain) -> Sequence[Fraction]:
        return self._looked_up(attribute, domain.part_steps, Fraction(1))

    def describe(
        self, domains: Sequence[Domain], released: Sequence[Collection[int]] | None = None
    ) -> dict[str, object]:
        described: dict[str, object] = {}
        for attribute, domain in enumerate(domains):
            shown = range(len(domain)) if released is None else released[attribute]
            labels, members = self.labels(attribute, domain, shown), self.members(attribute, domain)
            entries: list[dict[str, object]] = []
            for number in np.unique(self.values[:, attribute]).tolist():
                if labels[number] == SUPPRESSED:
                    entries.append({"label": SUPPRESSED, "values": []})
                elif codes := [code for code in members[number] if code in shown]:
                    values = [plain_value(domain, code) for code in codes]
                    entries.append({"label": labels[number], "values": values})
            described[domain.name] = entries
        return described

    def smallest_kept(self, k: int) -> int:
        return 1 if self.keeps_small_groups else k

    def _looked_up(self, attribute: int, of_level: Callable[[int], Sequence[T]], suppressed: T) -> list[T]:
        """What each released value has, where every level has it per part; each level is asked once."""
        nodes = self.nodes[attribute]
        of_part = {level: of_level(level) for level in {node[0] for node in nodes if node is not None}}
        return [suppressed if node is None else of_part[node[0]][node[1]] for node in nodes]


def _least_nodes(
    tree: Tree, codes: NDArray[np.int32], levels: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per cell the least level that says the same, and its part there; part 0 of a suppressed cell."""
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
