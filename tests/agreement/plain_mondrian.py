"""Mondrian in plain Python, by the definitions of the privacy models, for tables of a few rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from shoal.algorithms.rows.mondrian import Mondrian
from shoal.cost import CellMetric, GeneralLoss
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.privacy import AverageRisk

Group = tuple[int, ...]
"""Distinct rows, increasing."""

UNITS = 2**24


@dataclass(frozen=True)
class Cut:
    """A cut of a group: its sides, and what the choice looks at, the least first."""

    sides: tuple[Group, ...]
    attribute: int
    loss: float
    off: int


@dataclass(frozen=True)
class PlainMondrian:
    """The algorithm, one definition at a time."""

    problem: Problem
    asked: Mondrian

    def groups(self) -> list[Group] | None:
        """The groups; `None` if even all rows together are refused."""
        whole = tuple(row for row, count in enumerate(self.problem.table.counts.tolist()) if count)
        if not self.admitted(whole):
            return None
        done, open_ = [], [whole]
        while open_:
            group = open_.pop()
            cut = self.chosen(group)
            if cut is None:
                done.append(group)
            else:
                open_ += cut.sides
        return done

    def chosen(self, group: Group) -> Cut | None:
        """The cut that is made, if any is allowable."""
        best = None
        for attribute in sorted(self.attributes(group), key=lambda a: -self.width(group, a)):
            cuts = list(self.allowable(group, attribute))
            best = min([best, *cuts] if best else cuts, key=lambda cut: (cut.loss, cut.off), default=None)
            if best and self.asked.choice == "width":
                break
        return best

    def attributes(self, group: Group) -> list[int]:
        """The attributes on which a group has more than one value."""
        return [a for a in range(len(self.problem.table.domains)) if len(set(self.codes(group, a))) > 1]

    def allowable(self, group: Group, attribute: int) -> Iterator[Cut]:
        """The cuts of a group along an attribute of which every side is admitted."""
        cuts = self._node_cuts if self._by_node(attribute) else self._ordered_cuts
        for sides in cuts(group, attribute):
            if len(sides) > 1 and all(map(self.admitted, sides)):
                greatest = max(map(self.rows, sides))
                yield Cut(
                    sides,
                    attribute,
                    0.0 if self.asked.choice == "width" else sum(map(self.loss, sides)),
                    abs(2 * greatest - self.rows(group)),
                )

    def _ordered_cuts(self, group: Group, attribute: int) -> Iterator[tuple[Group, ...]]:
        codes = dict(zip(group, self.codes(group, attribute), strict=True))
        key = codes
        if self._is_set(attribute):
            rows = {code: self.rows(tuple(r for r in group if codes[r] == code)) for code in codes.values()}
            ranked = sorted(rows, key=lambda code: (-rows[code], code))
            key = {row: ranked.index(code) for row, code in codes.items()}
        ordered = sorted(group, key=lambda row: (key[row], row))
        for at in range(1, len(ordered)):
            if self.asked.partitioning == "relaxed" or key[ordered[at - 1]] != key[ordered[at]]:
                yield tuple(sorted(ordered[:at])), tuple(sorted(ordered[at:]))

    def _node_cuts(self, group: Group, attribute: int) -> Iterator[tuple[Group, ...]]:
        parts = self._domain(attribute).hierarchy.parts[self.level(group, attribute) - 1]
        below: dict[int, list[int]] = {}
        for row, code in zip(group, self.codes(group, attribute), strict=True):
            below.setdefault(parts[code], []).append(row)
        children = [tuple(below[part]) for part in sorted(below)]
        if self.asked.partitioning == "strict":
            yield tuple(children)
            return
        alone = [child for child in children if self.admitted(child)]
        rest = [child for child in children if child not in alone]
        while rest and alone and not self.admitted(tuple(sorted(sum(rest, ())))):
            smallest = min(reversed(alone), key=self.rows)
            alone.remove(smallest)
            rest.append(smallest)
        sides = [(children.index(child), child) for child in alone]
        if rest:
            sides.append((min(map(children.index, rest)), tuple(sorted(sum(rest, ())))))
        yield tuple(side for _, side in sorted(sides))

    # ---- what is known of a group --------------------------------------------------------------------------
    def codes(self, group: Group, attribute: int) -> list[int]:
        return [int(self.problem.table.codes[row, attribute]) for row in group]

    def rows(self, group: Group) -> int:
        return sum(int(self.problem.table.counts[row]) for row in group)

    def admitted(self, group: Group) -> bool:
        """Whether k, the models, and the average risk of a release of such groups allow it."""
        table, rows = self.problem.table, self.rows(group)
        risks = [model for model in self.problem.release_models if isinstance(model, AverageRisk)]
        return (
            rows >= self.problem.k
            and all(model.holds([rows]) for model in risks)
            and all(model.admits(table.group(group), table.people) for model in self.problem.group_models)
        )

    def loss(self, group: Group) -> float:
        """What a side loses by the choice that is asked for."""
        if self.asked.choice == "cost":
            return self.rows(group) * sum(
                self.width(group, a) for a in range(len(self.problem.table.domains))
            )
        counts = self.problem.table.label_counts[list(group)].sum(axis=0).tolist()
        return sum((-count * math.log2(count) for count in counts if count), _weighed(sum(counts)))

    def width(self, group: Group, attribute: int) -> int:
        """How wide a group is, in units."""
        domain, codes = self._domain(attribute), self.codes(group, attribute)
        metric, weight = self.problem.cost, Fraction(1)
        if isinstance(metric, CellMetric) and metric.weights:
            weight = metric.weights[attribute]
        if self._by_node(attribute):
            level = self.level(group, attribute)
            return round(domain.part_shares(level)[domain.hierarchy.parts[level][codes[0]]] * weight * UNITS)
        if self._is_set(attribute):
            return (len(set(codes)) - 1) * (
                round(domain.share(0, 1) * weight * UNITS) if len(domain) > 1 else 0
            )
        if domain.kind == "category":
            lies = [Fraction(code, max(1, len(domain) - 1)) for code in range(len(domain))]
        else:
            measure = domain.loss if isinstance(metric, GeneralLoss) else domain.share
            lies = [measure(0, code) for code in range(len(domain))]
        return round(lies[max(codes)] * weight * UNITS) - round(lies[min(codes)] * weight * UNITS)

    def level(self, group: Group, attribute: int) -> int:
        """The least level on which all rows of a group are below one node."""
        parts, codes = self._domain(attribute).hierarchy.parts, self.codes(group, attribute)
        return next(level for level, part in enumerate(parts) if len({part[code] for code in codes}) == 1)

    def _domain(self, attribute: int) -> Domain:
        return self.problem.table.domains[attribute]

    def _by_node(self, attribute: int) -> bool:
        tree = self._domain(attribute).tree
        if self.asked.values == "given":
            return tree is not None and tree.stated
        return self.asked.values == "hierarchy" and tree is not None

    def _is_set(self, attribute: int) -> bool:
        return (
            self._domain(attribute).kind == "category"
            and self.asked.values != "intervals"
            and not self._by_node(attribute)
        )


def _weighed(count: int) -> float:
    return count * math.log2(count) if count else 0.0
