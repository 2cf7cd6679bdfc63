"""A holder's own rows: counted once, grouped for any node, recoded at the end. They stay in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.levels.elsewhere import NodeGroups
from shoal.cost import LevelPrice
from shoal.engines._base import Application
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError
from shoal.joint.domains import domains_of
from shoal.joint.policy import JointPolicy
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Role
from shoal.model.recoding.groups import Groups, groups, places_among
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.draft import check_warnings, looked_for
from shoal.pipeline.plan import plan
from shoal.pipeline.pose import count

Levels = Sequence[int]


@dataclass(frozen=True, eq=False)
class NodeOfRows:
    """The groups that a holder's rows form at a node.

    Parameters
    ----------
    levels
        The node.
    parts
        Per group the numbers of its parts, as the policy's hierarchies number them.
    sizes
        The rows of each group.
    """

    levels: tuple[int, ...]
    parts: NDArray[np.int32]
    sizes: NDArray[np.int64]

    def ordered(self, order: NDArray[np.int64]) -> NodeOfRows:
        """The same groups in another order."""
        return NodeOfRows(self.levels, self.parts[order], self.sizes[order])


class OwnRows:
    """The rows of one holder.

    Parameters
    ----------
    policy
        What was agreed.
    engine, source
        The table.

    Attributes
    ----------
    warnings
        What the holder should look at in its own columns.
    """

    def __init__(self, policy: JointPolicy, engine: SqlEngine, source: Any) -> None:
        self._policy = replace(policy.policy, algorithm="lattice", release=None)
        self._engine = engine
        self._table = engine.read_once(source)
        planned = plan(self._policy)
        self._counted = count(engine, self._table, planned)
        self.domains = domains_of(policy)
        self.warnings: tuple[CodedWarning, ...] = looked_for(engine, self._table, self._policy, self._counted)
        check_warnings(self._policy, self.warnings)
        self.codes = _codes(self._counted.frequencies, policy.hierarchies)
        counts = self._counted.frequencies.counts
        self.table = FrequencyTable(domains=self.domains, codes=self.codes, counts=counts)
        self._nodes = NodeGroups(self.table)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.table.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release, in the table's order."""
        return tuple(name for name in self._table.columns if name not in self._policy.identifiers)

    def node(self, levels: Levels) -> NodeOfRows:
        """The groups at a node."""
        parts, sizes = self._nodes.of(levels)
        return NodeOfRows(tuple(levels), parts, sizes.astype(np.int64))

    def fixed(self, price: LevelPrice) -> list[int]:
        """Per attribute and level what all of these rows cost if they are kept, one after the other."""
        sums = []
        for attribute, units in enumerate(price.units):
            margin = self.table.margin(attribute)
            for level, of_part in enumerate(units):
                parts = np.array(self.domains[attribute].hierarchy.parts[level])
                sums.append(int(np.array(of_part, np.int64)[parts] @ margin))
        return sums

    def write(self, node: NodeOfRows, refused: NDArray[np.bool_], place: Path) -> None:
        """Recode the rows to a node's levels, and drop or mask those of refused groups.

        Parameters
        ----------
        node
            The groups at the levels of the release.
        refused
            Which of them are not released.
        place
            The file.
        """
        recoding = LevelRecoding(node.levels)
        made = groups(self._counted.frequencies, recoding, 1)
        of_row = self._group_of_row(node)
        kept = np.ones(len(made.sizes), np.bool_)
        kept[made.of_row[refused[of_row]]] = False
        application = Application(
            recoding=recoding,
            k=1,
            suppressed=self._policy.suppressed,
            dropped=self._policy.identifiers,
            groups=Groups(made.values, made.sizes, made.of_row, kept),
        )
        self._engine.apply(self._table, self._counted, application, place)

    def _group_of_row(self, node: NodeOfRows) -> NDArray[np.int64]:
        """For each distinct row the number of its group."""
        rows = np.column_stack(
            [
                np.array(domain.hierarchy.parts[level], np.int32)[self.codes[:, attribute]]
                for attribute, (domain, level) in enumerate(zip(self.domains, node.levels, strict=True))
            ]
        )
        return places_among(node.parts, rows)


def cells_of(price: LevelPrice, node: NodeOfRows, refused: NDArray[np.bool_]) -> list[int]:
    """The rows of refused groups, and what they would cost if they were kept."""
    sizes = node.sizes[refused]
    of_row = np.zeros(len(sizes), np.int64)
    for attribute, units in enumerate(price.units):
        of_row += np.array(units[node.levels[attribute]], np.int64)[node.parts[refused, attribute]]
    return [int(sizes.sum()), int(of_row @ sizes)]


def _codes(counted: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> NDArray[np.int32]:
    """The distinct rows by the places of their values in the policy's hierarchies."""
    columns = [
        _places(domain, hierarchy)[counted.codes[:, attribute]]
        for attribute, (domain, hierarchy) in enumerate(zip(counted.domains, hierarchies, strict=True))
    ]
    return np.ascontiguousarray(np.column_stack(columns), np.int32)


def _places(domain: Domain, hierarchy: Hierarchy) -> NDArray[np.int32]:
    """Per value of a column its place in the hierarchy; no message quotes one."""
    places = []
    for code in range(len(domain)):
        text = "" if domain.values[code] is None else domain.text(code)
        place = hierarchy.find(text)
        if place is None:
            raise PolicyError(
                f"column {domain.name!r} has missing cells, and its hierarchy has no line for them; in a "
                "joint release a domain comes from the policy: add a line that begins with an empty value"
            )
        if hierarchy.leaves[place] != text:
            raise PolicyError(
                f"column {domain.name!r} writes values in another way than its hierarchy, as 1 and 1.0; all "
                "holders must release equal values alike: write them as the hierarchy does"
            )
        places.append(place)
    return np.array(places, np.int32)


def check_roles(policy: JointPolicy) -> None:
    """Raise `PolicyError` where columns would be read that a joint release does not look at."""
    for each in policy.policy.attributes:
        if each.role is Role.CLASS:
            raise PolicyError(
                f"column {each.name!r} is a class, which no cost of a joint release looks at; leave out its "
                "role"
            )
