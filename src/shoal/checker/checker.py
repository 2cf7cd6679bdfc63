"""Checks a certificate of optimality from the raw table, the policy and the released file. Imports nothing of Shoal.

A certificate is a tree of decisions. This file recomputes every bound in it from the plain definitions, so that whoever
trusts these lines, Python and NumPy need not trust the search. It answers `verified`, `refuted` with a line, or `cannot
check` where the policy has something that it does not know; it never guesses. The rules and their proofs: docs/proofs.md.
It is one file, longer than others of the package, because it is read as a whole by those who do not trust the rest:

    python checker.py RELEASE --policy POLICY --certificate FILE
"""

from __future__ import annotations

import argparse
import bisect
import csv
import gzip
import hashlib
import json
import math
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
NONE = 2**61  # no partition; the sum of two fits 64 bits, and no cost reaches it
SLACK = 1e-9 + 1e-12  # what a group may lack of l-diversity by entropy, and still be counted as admitted
CHUNK = 2**22  # numbers in memory at once, per array
OUT, OPEN, IN = 0, 1, 2  # a cut at a node: dropped, in the tail, in the head


class RefutedError(Exception):
    """The certificate does not prove its claim."""


class UncheckableError(Exception):
    """There is something that this checker does not know."""


# ---- what is claimed about -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Demand:
    """What a group must satisfy besides its size: `distinct` or `entropy` l-diversity; `rows` per distinct row and value."""

    kind: str
    l: float  # noqa: E741
    rows: Ints

    def admits(self, counts: Ints) -> NDArray[np.bool_]:
        """Whether groups are admitted, their rows per value along axis 1; a group in doubt is."""
        present = (counts > 0).sum(1)
        if self.kind == "distinct":
            return np.asarray(present >= self.l)
        total = np.maximum(counts.sum(1), 1)
        share = counts / total[:, None]
        entropy = -(share * np.log(np.where(share > 0, share, 1))).sum(1)
        return np.asarray(entropy >= math.log(self.l * (1 - SLACK)))

    def hopeless(self, counts: Ints) -> NDArray[np.bool_]:
        """Whether no part of a group can be admitted: too few values are present."""
        return np.asarray((counts > 0).sum(1) < self.l * (1 - SLACK))


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A coded table and what is asked of its recodings; all costs are whole numbers."""

    metric: str  # squares, minority or cells
    k: int
    limit: int  # most rows that may be suppressed
    sizes: Sequence[int]  # values per attribute
    codes: Ints  # distinct rows
    counts: Ints  # per distinct row and class label
    demands: Sequence[Demand] = ()
    losses: Sequence[Ints] = ()  # cells, cuts: per attribute units of the interval [first, last]
    row_units: int = 1  # cells: units of a suppressed row
    levels: Sequence[Ints] = ()  # levels: per attribute [level, code] -> part
    units: Sequence[Ints] = ()  # cells, levels: per attribute [level, code] -> units
    low: Sequence[int] = ()
    high: Sequence[int] = ()

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def suppressed_cost(self) -> int:
        """What a suppressed row costs; no released row costs more."""
        return {"squares": self.total, "minority": 1}.get(self.metric, self.row_units)

    @property
    def joins_are_kept(self) -> bool:
        """Whether a released group stays released when suppressed rows join it, as far as that can happen."""
        return self.limit == 0 or all(each.kind == "distinct" for each in self.demands)


Progress = Callable[[int], None]


class Lines:
    """The lines of a proof, one after the other, with their numbers."""

    def __init__(self, lines: Sequence[str], first: int = 2, progress: Progress | None = None) -> None:
        self._lines, self._next, self._first, self._progress = lines, 0, first, progress

    @property
    def number(self) -> int:
        return self._first + self._next - 1

    def next(self) -> list[str]:
        if self._next >= len(self._lines):
            raise RefutedError("the proof ends before everything is closed")
        self._next += 1
        if self._progress is not None:
            self._progress(self._next)
        return self._lines[self._next - 1].split()

    def finish(self) -> None:
        if self._next < len(self._lines):
            self._next += 1
            raise RefutedError("the proof goes on after everything is closed")


def whole(text: str) -> int:
    """A number as a proof writes it."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,17}", text, re.ASCII):
        raise RefutedError("a number is not written as one")
    return int(text)


# ---- cuts ------------------------------------------------------------------------------------------------------------


class Pieces:
    """A grouping of columns, and what each group has in every interval of the axis."""

    def __init__(self, of_column: Ints, proof: CutProof) -> None:
        self.of_column = of_column
        self.count = int(of_column.max()) + 1
        self.order = np.argsort(of_column, kind="stable")
        self.starts = np.searchsorted(of_column[self.order], np.arange(self.count))
        self.rows = self.sums(proof.rows)  # [group, label, position], from the left

    def sums(self, of_columns: Ints) -> Ints:
        return np.asarray(np.add.reduceat(of_columns[self.order], self.starts, axis=0))


class Bound:
    """b(I) of one node, and the rows that every descendant suppresses in I."""

    def __init__(self, proof: CutProof, state: NDArray[np.int8]) -> None:
        self.p, self.state = proof, state.copy()
        self.groups, self.cells = Pieces(proof.keys(state == IN), proof), Pieces(proof.keys(state != OUT), proof)
        self.cost = np.zeros(len(proof.a), np.int64)
        self.suppressed = np.zeros(len(proof.a), np.int64)
        self.loss = proof.column_losses(state)
        group_of_cell = self.groups.of_column[self.cells.order[self.cells.starts]]
        by_group = np.argsort(group_of_cell, kind="stable")
        at, per = 0, max(1, CHUNK // (len(proof.a) * proof.rows.shape[1]))
        for begin in range(0, self.groups.count, per):
            chunk = np.arange(begin, min(begin + per, self.groups.count))
            end = int(np.searchsorted(group_of_cell[by_group], chunk[-1] + 1))
            self._add(chunk, by_group[at:end], group_of_cell[by_group[at:end]] - begin)
            at = end
        self.cost[self.suppressed > proof.problem.limit] = NONE

    def _add(self, chunk: Ints, cells: Ints, group: Ints) -> None:
        proof, metric = self.p, self.p.problem.metric
        rows = proof.within(self.groups.rows[chunk])
        n = rows.sum(1)
        bad = proof.bad(self.groups, chunk, n, exact=not (self.state == OPEN).any())
        self.suppressed += (n * bad).sum(0)
        self.cost += proof.problem.suppressed_cost * (n * bad).sum(0)
        opened = ~bad
        if metric == "minority":
            minority = n - rows.max(1)
            closed = ~bad & ((n < 2 * proof.problem.k) | (2 * minority <= proof.problem.k))
            self.cost += (minority * closed).sum(0)
            opened &= ~closed
        if metric == "cells":
            self.cost += (n * opened).sum(0) * proof.axis_loss
        per = max(1, CHUNK // (len(proof.a) * proof.rows.shape[1]))
        for begin in range(0, len(cells), per):
            some = cells[begin : begin + per]
            inner = proof.within(self.cells.rows[some])
            m = inner.sum(1)
            if metric == "squares":
                price = m * np.maximum(m, proof.problem.k)
            elif metric == "minority":
                price = m - inner.max(1)
            else:
                price = m * self.loss[self.cells.order[self.cells.starts[some]]][:, None]
            self.cost += (price * opened[group[begin : begin + per]]).sum(0)

    def with_cut(self, cut: int) -> tuple[Ints, Ints]:
        """At most the bound of the node in which the cut joins the head: what suppressed sides add."""
        proof, p = self.p, self.p.problem
        cost, suppressed = self.cost.copy(), self.suppressed.copy()
        for chunk, n, left, right, bad in proof.split(self, cut, unsplit=False):
            minority = n - proof.within(self.groups.rows[chunk]).max(1)
            closed = ~bad & ((n < 2 * p.k) | (2 * minority <= p.k))
            for side in (left, right):
                rows = proof.within(side)
                m, most = rows.sum(1), rows.max(1)
                lost = (m < p.k) & ~bad
                suppressed += (m * lost).sum(0)
                if p.metric == "squares":
                    cost += (p.total - p.k) * (m * lost).sum(0)
                elif p.metric == "minority":
                    cost += (np.where(lost, m, m - most) * closed + most * (lost & ~closed)).sum(0)
            if p.metric == "minority":
                cost -= (minority * closed).sum(0)
            elif p.metric == "cells":
                cost += self._suppressed_cells(chunk, cut, left, right, bad)
        cost[(suppressed > p.limit) | (cost >= NONE)] = NONE
        return cost, suppressed

    def _suppressed_cells(self, chunk: Ints, cut: int, left: Ints, right: Ints, bad: NDArray[np.bool_]) -> Ints:
        proof, p = self.p, self.p.problem
        weighted = proof.rows[:, 0] * self.loss[:, None]
        of_all = self.groups.sums(weighted)[chunk]
        of_left = proof.left_sums(self, cut, weighted)[chunk]
        added = np.zeros(len(proof.a), np.int64)
        for rows, loss in ((left, of_left), (right, of_all - of_left)):
            m = proof.within(rows)[:, 0]
            lost = (m < p.k) & ~bad
            more = m * (p.row_units - proof.axis_loss) - (loss[:, proof.b] - loss[:, proof.a])
            added += (more * lost).sum(0)
        return added


class CutProof:
    """A proof that no set of cuts costs less than a bound; one attribute, the axis, is outside the tree, or none is.

    Cuts are numbered attribute after attribute, the axis left out: the cut at code c of attribute a is `first[a] + c - 1`.
    """

    def __init__(self, problem: Problem, axis: int | None, bound: int) -> None:
        self.problem, self.bound = problem, bound
        self.others = [a for a in range(len(problem.sizes)) if a != axis]
        self.length = 1 if axis is None else problem.sizes[axis]
        self.first = np.cumsum([0] + [problem.sizes[a] - 1 for a in self.others])
        at = np.zeros(len(problem.codes), np.int64) if axis is None else problem.codes[:, axis]
        rest = problem.codes[:, self.others]
        self.columns, of_row = np.unique(rest, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        self.rows = self._along(problem.counts, of_row, at)
        self.facts = [self._along(each.rows, of_row, at) for each in problem.demands]
        self.a, self.b = np.triu_indices(self.length + 1, 1)
        self.axis_loss = np.zeros(len(self.a), np.int64)
        if problem.metric == "cells" and axis is not None:
            self.axis_loss = problem.losses[axis][self.a, self.b - 1].astype(np.int64)

    def _along(self, counts: Ints, of_row: Ints, at: Ints) -> Ints:
        """Per column and value the rows up to each position of the axis."""
        found = np.zeros((len(self.columns), counts.shape[1], self.length + 1), np.int64)
        for value in range(counts.shape[1]):
            np.add.at(found[:, value], (of_row, at + 1), counts[:, value])
        return np.cumsum(found, axis=2)

    def within(self, rows: Ints) -> Ints:
        """Rows in each interval, from sums from the left."""
        return np.asarray(rows[..., self.b] - rows[..., self.a])

    def attribute_of(self, cut: int) -> tuple[int, int]:
        a = int(np.searchsorted(self.first, cut, side="right")) - 1
        return a, cut - int(self.first[a]) + 1

    def parts(self, chosen: NDArray[np.bool_], a: int) -> Ints:
        """The interval of each code of an attribute, numbered from 0."""
        return np.concatenate(([0], np.cumsum(chosen[self.first[a] : self.first[a + 1]])))

    def keys(self, chosen: NDArray[np.bool_]) -> Ints:
        """Per column the number of its group under some cuts."""
        key = np.zeros(len(self.columns), np.int64)
        for a in range(len(self.others)):
            parts = self.parts(chosen, a)
            key = key * (int(parts[-1]) + 1) + parts[self.columns[:, a]]
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        return key

    def column_losses(self, state: NDArray[np.int8]) -> Ints:
        """Cells: per column the units of its intervals under head and tail, the axis left out."""
        found = np.zeros(len(self.columns), np.int64)
        if self.problem.metric != "cells":
            return found
        for a, attribute in enumerate(self.others):
            parts = self.parts(state != OUT, a)
            begin = np.searchsorted(parts, parts, side="left")
            end = np.searchsorted(parts, parts, side="right") - 1
            found += self.problem.losses[attribute][begin, end][self.columns[:, a]]
        return found

    def bad(self, groups: Pieces, chunk: Ints, n: Ints, *, exact: bool) -> NDArray[np.bool_]:
        """Pieces of groups that no descendant releases; with an empty tail, those that the head does not release."""
        found = n < self.problem.k
        for demand, facts in zip(self.problem.demands, self.facts, strict=True):
            rows = self.within(groups.sums(facts)[chunk])
            found |= demand.hopeless(rows)
            # Where nothing may be suppressed, all parts would be released, and their union is admitted.
            if exact or self.problem.limit == 0:
                found |= ~demand.admits(rows)
        return found

    def left_sums(self, bound: Bound, cut: int, of_columns: Ints) -> Ints:
        """Per group the sums over its columns in front of a cut."""
        a, code = self.attribute_of(cut)
        found = np.zeros((bound.groups.count, *of_columns.shape[1:]), np.int64)
        chosen = np.flatnonzero(self.columns[:, a] < code)
        np.add.at(found, bound.groups.of_column[chosen], of_columns[chosen])
        return found

    def split(self, bound: Bound, cut: int, *, unsplit: bool) -> Iterator[tuple[Ints, Ints, Ints, Ints, Any]]:
        """The groups of the head whose interval a cut divides: their rows, both sides, and what is bad of them."""
        a, code = self.attribute_of(cut)
        left = self.left_sums(bound, cut, self.rows)
        here = (left[:, :, -1].sum(1) > 0) & (left[:, :, -1].sum(1) < bound.groups.rows[:, :, -1].sum(1))
        if unsplit:  # also where all rows are on one side, inside the interval that the cut divides
            parts = self.parts(bound.state == IN, a)
            own = parts[self.columns[bound.groups.order[bound.groups.starts], a]]
            here |= own == parts[code]
        chosen = np.flatnonzero(here)
        per = max(1, CHUNK // (len(self.a) * self.rows.shape[1]))
        for begin in range(0, len(chosen), per):
            chunk = chosen[begin : begin + per]
            n = self.within(bound.groups.rows[chunk]).sum(1)
            bad = self.bad(bound.groups, chunk, n, exact=False)
            yield chunk, n, left[chunk], bound.groups.rows[chunk] - left[chunk], bad

    # Paths along the axis.

    def paths(self, values: Ints) -> tuple[Ints, Ints]:
        """Per position the least sum over partitions of what is left of it, and of what is right of it."""
        matrix = np.full((self.length + 1, self.length + 1), NONE, np.int64)
        matrix[self.a, self.b] = values
        left, right = np.full(self.length + 1, NONE, np.int64), np.full(self.length + 1, NONE, np.int64)
        left[0] = right[-1] = 0
        for b in range(1, self.length + 1):
            left[b] = min(NONE, int((left[:b] + matrix[:b, b]).min()))
        for a in range(self.length - 1, -1, -1):
            right[a] = min(NONE, int((matrix[a, a + 1 :] + right[a + 1 :]).min()))
        return left, right

    def live(self, cost: Ints, suppressed: Ints) -> NDArray[np.bool_] | None:
        """The intervals that a partition below the bound and within the limit can use; `None` if there is none."""
        alive = cost < NONE
        limited = self.problem.limit < self.problem.total
        while True:
            left, right = self.paths(np.where(alive, cost, NONE))
            if left[-1] >= self.bound:
                return None
            kept = alive & (left[self.a] + np.where(alive, cost, NONE) + right[self.b] < self.bound)
            if limited:
                few, fewest = self.paths(np.where(alive, suppressed, NONE))
                if few[-1] > self.problem.limit:
                    return None
                kept &= few[self.a] + suppressed + fewest[self.b] <= self.problem.limit
            if not kept.any():
                return None
            if not limited or (kept == alive).all():
                return kept
            alive = kept

    def affordable(self, cost: Ints, suppressed: Ints, alive: NDArray[np.bool_]) -> bool:
        """Whether one partition is below the bound and within the limit: pairs (cost, suppressed), none worse in both."""
        right = self.paths(np.where(alive, cost, NONE))[1]
        into: list[list[tuple[int, int, int]]] = [[] for _ in range(self.length + 1)]
        for i in np.flatnonzero(alive):
            into[int(self.b[i])].append((int(self.a[i]), int(cost[i]), int(suppressed[i])))
        kept: list[list[tuple[int, int]]] = [[(0, 0)], *([] for _ in range(self.length))]
        for b in range(1, self.length + 1):
            found = sorted(
                (c + more, s + lost)
                for a, more, lost in into[b]
                for c, s in kept[a]
                if c + more + int(right[b]) < self.bound and s + lost <= self.problem.limit
            )
            fewest = self.problem.limit + 1
            for c, s in found:
                if s < fewest:
                    kept[b].append((c, s))
                    fewest = s
        return bool(kept[-1])

    # The rules.

    def closed(self, state: NDArray[np.int8]) -> bool:
        """Whether everything between head and head with tail costs the bound or more."""
        here = Bound(self, state)
        alive = self.live(here.cost, here.suppressed)
        if alive is None:
            return True
        if (state == OPEN).any() or self.problem.limit >= self.problem.total:
            return False
        return not self.affordable(here.cost, here.suppressed, alive)

    def useless(self, bound: Bound, alive: NDArray[np.bool_], cut: int) -> bool:
        """Whether every recoding below the bound costs no more without a cut."""
        p = self.problem
        cells, joins = p.metric == "cells", p.joins_are_kept
        broad = not cells and joins
        if p.metric == "squares" and p.limit > 0:
            broad = joins and p.k + 2 * (math.isqrt(max(self.bound - 1, 0)) + 1) <= p.total
        for _, n, left, right, bad in self.split(bound, cut, unsplit=cells):
            n1, n2 = self.within(left).sum(1), self.within(right).sum(1)
            few, many = np.minimum(n1, n2), np.maximum(n1, n2)
            if cells:
                useful = (n >= p.k) & (many >= p.k)
            elif broad:
                useful = few >= p.k
            elif p.metric == "squares" and joins:
                useful = (few > 0) & (many >= p.k) & ((few >= p.k) | (few + 2 * many > p.total))
            else:
                useful = (few > 0) & (many >= p.k)
            if (useful & ~bad & alive).any():
                return False
        return True

    def check(self, lines: Lines) -> None:
        """Raise `RefutedError` unless the lines prove the bound."""
        root = np.full(int(self.first[-1]), OPEN, np.int8)
        # A stack in place of recursion: a proof may be as deep as there are cuts.
        open_nodes = [self._node(root, lines)]
        while open_nodes:
            child = next(open_nodes[-1], None)
            if child is None:
                open_nodes.pop()
            else:
                open_nodes.append(self._node(child, lines))
        lines.finish()

    def _node(self, state: NDArray[np.int8], lines: Lines) -> Iterator[NDArray[np.int8]]:
        words = lines.next()
        if not words or whole(words[0]) != len(words) - 1:
            raise RefutedError("a node has another number of steps than it says")
        steps = [(whole(word[:-1]), word[-1]) for word in words[1:]]
        bound = Bound(self, state) if any(rule != "c" for _, rule in steps) else None
        alive = None if bound is None else self.live(bound.cost, bound.suppressed)
        for cut, rule in steps:
            if cut >= len(state) or state[cut] != OPEN:
                raise RefutedError(f"cut {cut} is not in the tail")
            if rule == "c":
                child = state.copy()
                child[cut] = IN
                state[cut] = OUT
                yield child
                continue
            assert bound is not None
            if rule not in "ub":
                raise RefutedError(f"there is no rule {rule!r}")
            # Without a live interval nothing in the node is below the bound.
            if alive is not None and rule == "u" and not self.useless(bound, alive, cut):
                raise RefutedError(f"cut {cut} is not useless")
            if alive is not None and rule == "b":
                bound = self._bounded(bound, state, cut)
            state[cut] = OUT
        if not self.closed(state):
            raise RefutedError("what is left of a node may cost less than the bound")

    def _bounded(self, bound: Bound, state: NDArray[np.int8], cut: int) -> Bound:
        """The bound of the node, as fresh as it took to show that the cut reaches the claim."""
        # A bound of a larger tail is lower, so it may serve; what it does not show is looked at again.
        if self.live(*bound.with_cut(cut)) is None:
            return bound
        if (bound.state != state).any():
            bound = Bound(self, state)
            if self.live(*bound.with_cut(cut)) is None:
                return bound
        child = state.copy()
        child[cut] = IN
        plain = Bound(self, child)
        if self.live(plain.cost, plain.suppressed) is not None:
            raise RefutedError(f"the bound with cut {cut} does not reach the claim")
        return bound


# ---- levels ----------------------------------------------------------------------------------------------------------


class LevelProof:
    """A proof that no choice of levels costs less than a bound: boxes that are halved until each is closed."""

    def __init__(self, problem: Problem, bound: int) -> None:
        self.problem, self.bound = problem, bound
        self.rows = problem.counts.sum(1)

    def groups(self, levels: Sequence[int]) -> Ints:
        """Per distinct row the number of its group."""
        key = np.zeros(len(self.rows), np.int64)
        for a, level in enumerate(levels):
            parts = self.problem.levels[a][level]
            key = key * (int(parts.max()) + 1) + parts[self.problem.codes[:, a]]
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        return key

    def sums(self, group: Ints, of_rows: Ints) -> Ints:
        found = np.zeros((int(group.max()) + 1, *of_rows.shape[1:]), np.int64)
        np.add.at(found, group, of_rows)
        return found

    def bad(self, group: Ints, *, exact: bool) -> NDArray[np.bool_]:
        """Per group whether neither it nor a part of it is released; with `exact`, whether it is not."""
        found = self.sums(group, self.rows) < self.problem.k
        for demand in self.problem.demands:
            counts = self.sums(group, demand.rows)
            found |= demand.hopeless(counts)
            if exact or self.problem.limit == 0:
                found |= ~demand.admits(counts)
        return np.asarray(found)

    def closed(self, low: Sequence[int], high: Sequence[int]) -> bool:
        """Whether no node of the box is admissible and below the bound."""
        p = self.problem
        top = self.groups(high)
        lost = self.bad(top, exact=list(low) == list(high))[top]
        if int(self.rows[lost].sum()) > p.limit:
            return True
        cost = p.suppressed_cost * int(self.rows[lost].sum())
        if p.metric == "cells":
            of_row = sum(p.units[a][low[a]][p.codes[:, a]] for a in range(len(low)))
            return cost + int((self.rows * of_row)[~lost].sum()) >= self.bound
        below = self.groups(low)
        kept = self.sums(below, np.where(lost[:, None], 0, p.counts))
        n = kept.sum(1)
        if p.metric == "squares":
            return cost + int((n * np.where(n > 0, np.maximum(n, p.k), 0)).sum()) >= self.bound
        return cost + int((n - kept.max(1)).sum()) >= self.bound

    def check(self, lines: Lines) -> None:
        """Raise `RefutedError` unless the lines prove the bound."""
        boxes = [(list(self.problem.low), list(self.problem.high))]
        while boxes:
            low, high = boxes.pop()
            words = lines.next()
            if words == ["x"]:
                if not self.closed(low, high):
                    raise RefutedError("a box may have levels that cost less than the bound")
                continue
            if len(words) != 2:
                raise RefutedError("a box is neither halved nor closed")
            a, middle = whole(words[0]), whole(words[1])
            if a >= len(low) or not low[a] <= middle < high[a]:
                raise RefutedError("a box is halved where it has no levels")
            boxes.append(([*low[:a], middle + 1, *low[a + 1 :]], high))
            boxes.append((low, [*high[:a], middle, *high[a + 1 :]]))
        lines.finish()


def check_tree(
    problem: Problem, axis: int | None, bound: int, lines: Sequence[str], progress: Progress | None = None
) -> tuple[int, str] | None:
    """`None` if the lines prove the bound, else the number of the line in its file and the reason."""
    reader = Lines(lines, progress=progress)
    proof = LevelProof(problem, bound) if problem.levels else CutProof(problem, axis, bound)
    try:
        proof.check(reader)
    except RefutedError as error:
        return reader.number, str(error)
    return None
