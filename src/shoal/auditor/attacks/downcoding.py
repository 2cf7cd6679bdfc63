"""Downcoding: somebody who assumes that a release is minimal can make some of its cells finer again.

In a minimal release no row could have been given a finer label with every group still of k rows. Take a group
of n rows and a label that is finer than the group's in one column. Were enough rows of the group under the
finer label to be a group of their own, or to join one that is there, and could n - k rows be spared or were
all rows under it, then they would have been released that way. That limits the rows under each finer label;
what its sibling labels cannot hold must be under the last one. The attacker writes the rows that a label must
have finer, and needs nothing but the release, the hierarchies and k.

Paper: Cohen, USENIX Security 2022. The proof, and what is left out: docs/how-to/attack-a-release.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.auditor.attacks._base import Attack, AttackResult, Target
from shoal.auditor.attacks._divisions import Divisions, Node
from shoal.auditor.attacks._truth import true_values
from shoal.auditor.attacks.linkage import visible_rows
from shoal.model.table.coded_cells import CodedCells


class Downcoding(Attack):
    """Generalized rows whose finer value is certain, one column at a time."""

    name = "downcoding"
    criterion = "singling out"
    needs = ("hierarchies",)
    uses = ("in_order",)

    def lacking(self, target: Target) -> str | None:
        absent = super().lacking(target)
        if absent is not None:
            return absent
        if not any(name in target.hierarchies for name in target.quasi_identifiers):
            return "no quasi-identifier has a hierarchy"
        return None if target.k > 1 else "no k above 1 is stated"

    def run(self, target: Target) -> AttackResult:
        release = visible_rows(target).of(target.quasi_identifiers)
        columns = {
            name: Divisions(target.hierarchies[name], target.reader(name))
            for name in target.quasi_identifiers
            if name in target.hierarchies
        }
        groups = _Groups(release, target.k)
        truth = true_values(target, release)
        tried = succeeded = exact = claimed = refuted = 0
        for group, size in enumerate(release.counts.tolist()):
            written = [groups.written(group, name, divisions) for name, divisions in columns.items()]
            finer = [each for each in written if each is not None]
            if not finer:
                continue
            tried += size
            if not all(each.is_minimal for each in finer):
                refuted += 1
                continue
            best = max(finer, key=lambda each: each.rows)
            claimed += best.rows
            exact += max(each.exact for each in finer)
            succeeded += best.rows if truth is None else best.right(truth[group][best.column], columns)
        return self.result(
            target,
            tried=tried,
            succeeded=succeeded,
            words=f"Assuming a minimal release makes {claimed:,} of {tried:,} generalized rows finer "
            "in a column, whoever they are."
            + ("" if truth is None else f" {succeeded:,} of them are right."),
            facts={
                "claimed": claimed,
                "claimed_exactly": exact,
                "groups_not_minimal": refuted,
                "measured": truth is not None,
            },
        )


@dataclass(frozen=True, kw_only=True)
class _Written:
    """What is certain about a group in a column: the least rows that are under each of the finer labels."""

    column: str
    least: Mapping[Node, int]
    exact: int = 0
    is_minimal: bool = True

    @property
    def rows(self) -> int:
        return sum(self.least.values())

    def right(self, values: Mapping[str | None, int], columns: Mapping[str, Divisions]) -> int:
        """How many rows are written rightly, given the true values of the group."""
        place_of = columns[self.column].place_of
        held = dict.fromkeys(self.least, 0)
        for value, rows in values.items():
            for node in self.least:
                if place_of.get(value or "", -1) in node:
                    held[node] += rows
        return sum(min(least, held[node]) for node, least in self.least.items())


class _Groups:
    """The groups of a release, and what minimality says of each."""

    def __init__(self, release: CodedCells, k: int) -> None:
        self._release = release
        self._k = k
        self._siblings: dict[int, dict[tuple[int, ...], list[tuple[int, int]]]] = {}

    def written(self, group: int, name: str, divisions: Divisions) -> _Written | None:
        """What is certain about a group in a column; `None` if its label has no finer ones."""
        place = self._release.position(name)
        if None in self._release.texts(name) and self._has_missing(place):
            return None  # a missing value is under no finer label
        codes = self._release.codes[group].tolist()
        node = divisions.node(self._release.cells[place][codes[place]])
        parts = divisions.parts(node)
        if not parts:
            return None
        size = int(self._release.counts[group])
        if size < self._k:
            return _Written(column=name, least={}, is_minimal=False)
        capacity = _Capacity(divisions, size, self._k, self._alike(codes, place, divisions))
        most = {part: capacity.of(part) for part in parts}
        if sum(most.values()) < size:
            return _Written(column=name, least={}, is_minimal=False)
        least = _least(size, most)
        exact = sum(capacity.exact(part, rows) for part, rows in least.items())
        return _Written(column=name, least=least, exact=exact)

    def _has_missing(self, place: int) -> bool:
        return self._release.cells[place].index(None) in self._release.codes[:, place]

    def _alike(self, codes: list[int], place: int, divisions: Divisions) -> dict[Node, int]:
        """Rows of the groups that differ in one column alone, by their value there."""
        if place not in self._siblings:
            groups = self._siblings[place] = {}
            for line, size in zip(self._release.codes.tolist(), self._release.counts.tolist(), strict=True):
                others = (*line[:place], *line[place + 1 :])
                groups.setdefault(others, []).append((line[place], size))
        texts = self._release.cells[place]
        siblings = self._siblings[place][*codes[:place], *codes[place + 1 :]]
        return {divisions.node(texts[code]): size for code, size in siblings if code != codes[place]}


class _Capacity:
    """How many rows of a minimal group can be under each label that is finer in one column."""

    def __init__(self, divisions: Divisions, size: int, k: int, siblings: Mapping[Node, int]) -> None:
        self._divisions = divisions
        self._size = size
        self._k = k
        self._siblings = siblings
        self._known: dict[Node, int] = {}

    def of(self, node: Node) -> int:
        """The most rows that can be under a label."""
        if node not in self._known:
            need = max(1, self._k - self._siblings.get(node, 0))
            # Rows that make a group there are too many if the others can do without them; all rows are, too.
            most = need - 1 if self._size >= self._k + need else self._size - 1
            parts = self._divisions.parts(node)
            self._known[node] = min(most, sum(map(self.of, parts))) if parts else most
        return self._known[node]

    def exact(self, node: Node, rows: int) -> int:
        """Of the rows that must be under a label, those whose exact value is certain."""
        parts = self._divisions.parts(node)
        if not parts or not rows:
            return rows
        least = _least(rows, {part: self.of(part) for part in parts})
        return sum(self.exact(part, each) for part, each in least.items())


def _least(rows: int, most: Mapping[Node, int]) -> dict[Node, int]:
    """The rows that each label must have: what all others cannot hold."""
    together = sum(most.values())
    return {node: max(0, rows - (together - own)) for node, own in most.items()}
