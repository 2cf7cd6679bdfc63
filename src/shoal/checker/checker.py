"""Checks a certificate of optimality from the raw table, the policy and the released file.

A certificate is a tree of decisions. This file recomputes every bound in it from the plain definitions, so
that whoever trusts these lines, Python and NumPy need not trust the search. It imports nothing of Shoal. It
answers `verified`, `refuted` with a line, or `cannot check` where the policy has something that it does not
know; it never guesses. The rules and their proofs: docs/proofs.md. It is one file, longer than others of the
package, because it is read as a whole by those who do not trust the rest:

    python checker.py RELEASE --policy POLICY --certificate FILE
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gzip
import hashlib
import itertools
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
COARSEST = 2**16  # units of a cell at least, where losses are rounded
CHUNK = 2**22  # numbers in memory at once, per array
OUT, OPEN, IN = 0, 1, 2  # a cut at a node: dropped, in the tail, in the head


class RefutedError(Exception):
    """The certificate does not prove its claim."""


class UncheckableError(Exception):
    """There is something that this checker does not know."""


# ---- what is claimed about ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Demand:
    """What a group must satisfy besides its size: l-diversity, `distinct` or `entropy`.

    `rows` has the rows per distinct row and sensitive value.
    """

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


# ---- cuts --------------------------------------------------------------------------------------------------


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
        self.groups, self.cells = (
            Pieces(proof.keys(state == IN), proof),
            Pieces(proof.keys(state != OUT), proof),
        )
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
        self.nested, self.lost = np.zeros_like(self.cost), self.suppressed
        self._sharp = proof.problem.metric != "cells"

    def live(self, added: tuple[Ints, Ints] | None = None) -> NDArray[np.bool_] | None:
        """The live intervals of the node, or of the one in which a cut adds to its bound."""
        cost, suppressed = added or (self.cost, self.suppressed)
        alive = self.p.live(np.maximum(cost, self.nested), np.maximum(suppressed, self.lost))
        if alive is None or self._sharp:
            return alive
        self._sharpen()
        return self.p.live(np.maximum(cost, self.nested), np.maximum(suppressed, self.lost))

    def _sharpen(self) -> None:
        """Cells: what all attributes save at most, each by its own best partition given the interval."""
        proof, p, self._sharp = self.p, self.p.problem, True
        if not proof.others:
            return
        rows = proof.within(proof.rows[:, 0].sum(0))
        value = p.row_units * rows
        share, rest = np.divmod(p.row_units - proof.axis_loss, len(proof.others))
        for a in range(len(proof.others)):
            gain, kept = self._savings(a, share + rest if a == 0 else share)
            value = value - gain
            self.lost = np.maximum(self.lost, np.where(gain < 0, NONE, rows - kept))
        self.nested = np.where(self.lost > p.limit, NONE, np.maximum(value, 0))

    def _savings(self, a: int, share: Ints) -> tuple[Ints, Ints]:
        """Per interval what an attribute saves at most, and the most rows it keeps; -1 where it cannot."""
        proof, p = self.p, self.p.problem
        state = self.state[proof.first[a] : proof.first[a + 1]]
        ends = [0, *(np.flatnonzero(state != OUT) + 1).tolist(), len(state) + 1]
        fixed = set((np.flatnonzero(state == IN) + 1).tolist())
        gain = [np.zeros(len(proof.a), np.int64)] + [np.full(len(proof.a), -1, np.int64) for _ in ends[1:]]
        most = [each.copy() for each in gain]
        for d in range(1, len(ends)):
            for c in range(d - 1, -1, -1):
                kept, rows = self._kept(a, ends[c], ends[d])
                allowed = (gain[c] >= 0) & (rows - kept <= p.limit)
                loss = int(p.losses[proof.others[a]][ends[c], ends[d] - 1])
                saved = gain[c] + kept * np.maximum(share - loss, 0)
                gain[d] = np.where(allowed, np.maximum(gain[d], saved), gain[d])
                most[d] = np.where(allowed, np.maximum(most[d], most[c] + kept), most[d])
                if ends[c] in fixed:
                    break
        return gain[-1], most[-1]

    def _kept(self, a: int, first: int, end: int) -> tuple[Ints, Ints]:
        """Rows of pieces of k rows in an interval of an attribute, and all; per interval of the axis."""
        proof = self.p
        chosen = np.flatnonzero((proof.columns[:, a] >= first) & (proof.columns[:, a] < end))
        kept, rows = np.zeros(len(proof.a), np.int64), np.zeros(len(proof.a), np.int64)
        groups, of_column = np.unique(self.groups.of_column[chosen], return_inverse=True)
        pieces = np.zeros((len(groups), proof.length + 1), np.int64)
        np.add.at(pieces, of_column.reshape(-1), proof.rows[chosen, 0])
        per = max(1, CHUNK // len(proof.a))
        for begin in range(0, len(groups), per):
            n = proof.within(pieces[begin : begin + per])
            whole_group = proof.within(self.groups.rows[groups[begin : begin + per]]).sum(1)
            exact = not (self.state == OPEN).any()
            bad = proof.bad(self.groups, groups[begin : begin + per], whole_group, exact=exact)
            kept += (n * ((n >= proof.problem.k) & ~bad)).sum(0)
            rows += n.sum(0)
        return kept, rows

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

    def _suppressed_cells(
        self, chunk: Ints, cut: int, left: Ints, right: Ints, bad: NDArray[np.bool_]
    ) -> Ints:
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
    """A proof that no set of cuts costs less than a bound; one attribute, the axis, is outside the tree.

    Cuts are numbered attribute after attribute, without the axis, if there is one: the cut at code c of
    attribute a is `first[a] + c - 1`.
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
        """Pieces of groups that no descendant releases; with an empty tail, that the head does not."""
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
        """The groups of the head whose interval a cut divides: rows, both sides, and what is bad."""
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
        """The intervals that a partition below the bound and within the limit can use, if any."""
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
        """Whether one partition is both below the bound and within the limit: a Pareto recurrence."""
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
        alive = here.live()
        if alive is None:
            return True
        if (state == OPEN).any() or self.problem.limit >= self.problem.total:
            return False
        return not self.affordable(here.cost, here.suppressed, alive)

    def useless(self, bound: Bound, alive: NDArray[np.bool_], cut: int) -> bool:
        """Whether every recoding below the bound costs no more without a cut."""
        p = self.problem
        cells, joins = p.metric == "cells", p.joins_are_kept
        # Where the head with the cut suppresses too much, no recoding with it has the interval.
        alive = alive & (bound.with_cut(cut)[1] <= p.limit)
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
        steps, rule = [], " "
        for word in words[1:]:
            # A step without a letter has the rule of the one before.
            if word[-1] not in "0123456789":
                word, rule = word[:-1], word[-1]
            steps.append((whole(word), rule))
        bound: Bound | None = None
        for cut, letter in steps:
            if cut >= len(state) or state[cut] != OPEN:
                raise RefutedError(f"cut {cut} is not in the tail")
            if letter == "c":
                child = state.copy()
                child[cut] = IN
                state[cut] = OUT
                yield child
                continue
            if bound is None:  # the head is another one, or this is the first step that looks at it
                bound = Bound(self, state)
                alive = bound.live()
            if letter not in ("u", "b", "o"):
                raise RefutedError("a step has a letter that is no rule")
            # Without a live interval nothing in the node is below the bound.
            if alive is not None and letter == "u" and not self.useless(bound, alive, cut):
                bound = Bound(self, state)  # fewer intervals may be live by now
                alive = bound.live()
                if alive is not None and not self.useless(bound, alive, cut):
                    raise RefutedError(f"cut {cut} is not useless")
            if alive is not None and letter == "b":
                bound = self._bounded(bound, state, cut)
            if letter == "o":
                self._needed(state, cut)
                state[cut], bound = IN, None
            else:
                state[cut] = OUT
        if not self.closed(state):
            raise RefutedError("what is left of a node may cost less than the bound")

    def _bounded(self, bound: Bound, state: NDArray[np.int8], cut: int) -> Bound:
        """The bound of the node, as fresh as it took to show that the cut reaches the claim."""
        # A bound of a larger tail is lower, so it may serve; what it does not show is looked at again.
        if bound.live(bound.with_cut(cut)) is None:
            return bound
        if (bound.state != state).any():
            bound = Bound(self, state)
            if bound.live(bound.with_cut(cut)) is None:
                return bound
        child = state.copy()
        child[cut] = IN
        if Bound(self, child).live() is not None:
            raise RefutedError(f"the bound with cut {cut} does not reach the claim")
        return bound

    def _needed(self, state: NDArray[np.int8], cut: int) -> None:
        """Without the cut everything reaches the claim, so it joins the head."""
        without = state.copy()
        without[cut] = OUT
        if Bound(self, without).live() is not None:
            raise RefutedError(f"the bound without cut {cut} does not reach the claim")


# ---- levels ------------------------------------------------------------------------------------------------


class LevelProof:
    """A proof that no levels cost less than a bound: boxes that are halved until each is closed."""

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


# ---- files -------------------------------------------------------------------------------------------------

VERSION = 1
NAMES = {"discernibility": "squares", "classification": "minority", "general-loss": "cells", "ncp": "cells"}
MISSING = (
    " na n/a n.a. k.a. n.d. s.d. <na> #n/a #na nan nat null #null! (null) \\n none nil missing"
    " ? ?? . .. - -- --- \u2013 \u2014"
)
MARKERS = frozenset(MISSING.split(" "))  # what usually means "missing" among numbers and dates
KNOWN = {
    "source": "path delimiter missing",
    "privacy": "k models",
    "objective": "cost suppression consistent",
    "release": "path suppressed order ledger strict acknowledge companions",
    "attributes": "role type bin missing order hierarchy suppressed_top weight min_level max_level treatment "
    "linking tolerance identification acknowledge description",
}  # the keys of a policy that are heeded here, or do not matter


def read_text(path: Path) -> str:
    """A text file, packed or not."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return content.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UncheckableError(f"cannot read {path.name}: {error}") from None


def read_columns(path: Path, names: Sequence[str], delimiter: str | None = None) -> dict[str, list[str]]:
    """The columns of a CSV file that are needed."""
    if Path(path.name.removesuffix(".gz")).suffix not in (".csv", ".tsv", ".txt"):
        raise UncheckableError(f"{path.name} is no CSV file; write the table as CSV to check it")
    lines = read_text(path).splitlines(keepends=True)
    signs = [{"tab": "\t"}.get(delimiter, delimiter)] if delimiter else [",", ";", "\t", "|"]
    for sign in signs:
        header = next(csv.reader(lines[:1], delimiter=sign), [])
        if set(names) <= set(header):
            break
    else:
        raise UncheckableError(f"{path.name} lacks a column that is needed")
    rows = [row for row in csv.reader(lines[1:], delimiter=sign) if row]
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        raise UncheckableError(f"{path.name} is no table: its lines differ in their number of fields")
    return {name: [row[header.index(name)] for row in rows] for name in names}


def number_of(text: str) -> Fraction | None:
    """The number that a text is."""
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", text.strip(), re.ASCII):
        return None
    try:
        return Fraction(Decimal(text.strip()))
    except InvalidOperation:
        return None


def moment_of(text: str) -> datetime.datetime | None:
    """The date or moment that a text is."""
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo is None else None


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A quasi-identifier: its values in the order that is claimed, and how cells are read."""

    name: str
    kind: str
    values: Sequence[str | None]
    bin: Fraction | None
    stated: Mapping[str, Any]  # what the policy says
    markers: frozenset[str] | None
    rows: Sequence[Sequence[str]]  # of the policy's hierarchy file, leaf first

    def value(self, text: str | None) -> Any:
        """What makes two texts the same value."""
        if text is None or self.kind == "category":
            return text
        found: Any = number_of(text) if self.kind == "number" else moment_of(text)
        if found is None:
            raise UncheckableError(f"a cell of {self.name!r} is no plain {self.kind}")
        return found

    def is_missing(self, text: str) -> bool:
        if text == "" or (self.markers is not None and text.strip() in self.markers):
            return True
        if self.markers is not None:
            numbers = {number_of(each) for each in self.markers} - {None}
            return number_of(text) in numbers
        return self.kind != "category" and text.strip().casefold() in MARKERS

    def codes(self, cells: Sequence[str]) -> Ints:
        """The code of each raw cell."""
        index: dict[Any, int] = {self.value(text): code for code, text in enumerate(self.values)}
        if len(index) < len(self.values):
            raise RefutedError(f"the values of {self.name!r} are listed twice")
        found = {text: index.get(self._key(text, index), -1) for text in set(cells)}
        if min(found.values(), default=0) < 0:
            raise RefutedError(f"a value of {self.name!r} is not listed, or is read in another way")
        if set(found.values()) != set(range(len(self.values))):
            raise RefutedError(f"a value of {self.name!r} is listed that no row has")
        return np.array([found[text] for text in cells], np.int64)

    def _key(self, text: str, index: Mapping[Any, int]) -> Any:
        if self.is_missing(text) and not (text == "" and self.kind == "category" and None not in index):
            return None
        if self.kind == "category":
            return text if text in index else text.strip()
        value = self.value(text)
        return value if self.bin is None else math.floor(value / self.bin) * self.bin

    def check_order(self) -> None:
        """The order is the policy's, or that of numbers and dates; any other is part of the claim."""
        present = [self.value(text) for text in self.values if text is not None]
        if None in self.values[:-1]:
            raise RefutedError(f"the missing value of {self.name!r} is not the last")
        if isinstance(self.stated.get("order"), list):
            places = [self.value(str(each)) for each in self.stated["order"]]
            present = [places.index(each) if each in places else -1 for each in present]
        elif self.kind == "category":
            return
        if present != sorted(present):
            raise RefutedError(f"the values of {self.name!r} are not in the policy's order")

    def position(self, code: int) -> Fraction:
        value = self.value(self.values[code])
        if isinstance(value, Fraction):
            return value
        return Fraction((value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1))

    def places(self) -> list[int]:
        """Where the values are among the leaves of the policy's hierarchy."""
        leaves = {self.value(row[0]): place for place, row in enumerate(self.rows)}
        if None in self.values or any(self.value(each) not in leaves for each in self.values):
            raise UncheckableError(
                f"the hierarchy of {self.name!r} lacks a value; its losses are not known here"
            )
        return [leaves[self.value(each)] for each in self.values]

    def interval_loss(self, first: int, last: int, metric: str) -> Fraction:
        """What a cell loses in an interval of codes, 0 to 1."""
        if first == last:
            return Fraction(0)
        if self.rows:
            places = self.places()
            steps = last - first if self.kind == "category" else places[last] - places[first]
            return Fraction(steps, len(self.rows) - 1)
        if self.kind == "category" or metric == "ncp":
            return Fraction(last - first, len(self.values) - 1)
        if self.values[last] is None:
            return Fraction(1)
        end = len(self.values) - 1 - (self.values[-1] is None)
        return (self.position(last) - self.position(first)) / (self.position(end) - self.position(0))

    def level_losses(self, parts: Sequence[Sequence[int]], metric: str) -> list[list[Fraction]]:
        """Per level and code what a cell loses, 0 to 1."""
        return [
            [self._level_loss(parts, level, code, metric) for code in range(len(own))]
            for level, own in enumerate(parts)
        ]

    def _level_loss(self, parts: Sequence[Sequence[int]], level: int, code: int, metric: str) -> Fraction:
        members = [other for other, part in enumerate(parts[level]) if part == parts[level][code]]
        if self.rows:
            labels = {place: row[min(level, len(row) - 1)] for place, row in enumerate(self.rows)}
            below = [place for place in labels if labels[place] == labels[self.places()[code]]]
            if metric == "precision":
                return self._steps(level, code, parts)
            return Fraction(len(below) - 1, len(self.rows) - 1) if len(below) > 1 else Fraction(0)
        if metric == "precision":
            raise UncheckableError(f"the labels of {self.name!r} are built, and 'precision' counts by them")
        if self.kind == "category" or metric == "ncp":
            return Fraction(len(members) - 1, len(self.values) - 1) if len(members) > 1 else Fraction(0)
        return self.interval_loss(members[0], members[-1], metric)

    def _steps(self, level: int, code: int, parts: Sequence[Sequence[int]]) -> Fraction:
        row = self.rows[self.places()[code]]
        count = [sum(other[each] == row[each] for other in self.rows) for each in range(len(row))]
        least = level
        while least > 0 and (row[least], count[least]) == (row[least - 1], count[least - 1]):
            least -= 1
        return Fraction(least, max(1, len(parts) - 1))

    def check_levels(self, parts: Sequence[Sequence[int]]) -> None:
        """Levels are nested partitions, from the values on; those of a hierarchy file are its columns."""
        if list(parts[0]) != list(range(len(self.values))):
            raise RefutedError(f"level 0 of {self.name!r} is not its values")
        for lower, upper in itertools.pairwise(parts):
            if len(upper) != len(lower) or len(set(zip(lower, upper, strict=True))) != len(set(lower)):
                raise RefutedError(f"the levels of {self.name!r} are not nested")
        if not self.rows:
            return
        rows = [self.rows[place] for place in self.places()]
        if len(parts) != len(rows[0]) or "suppressed_top" in self.stated:
            raise UncheckableError(f"the levels of {self.name!r} are not the columns of its hierarchy file")
        for level, own in enumerate(parts):
            pairs = {(part, row[level]) for part, row in zip(own, rows, strict=True)}
            if not len(pairs) == len({part for part, _ in pairs}) == len({label for _, label in pairs}):
                raise UncheckableError(
                    f"the levels of {self.name!r} are not the columns of its hierarchy file"
                )


# ---- labels ------------------------------------------------------------------------------------------------


def members_of(label: str) -> list[str]:
    """The texts that a label in braces lists; values with commas and the like are quoted as JSON."""
    inner, found = label[1:-1], []
    while inner:
        quoted = re.match(r'"(?:[^"\\]|\\.)*"', inner)
        word = quoted.group() if quoted else inner.split(", ")[0]
        found.append(json.loads(word) if quoted else word)
        inner = inner[len(word) :].removeprefix(", ")
    return found


def holds(label: str, attribute: Attribute, codes: Sequence[int], *, whole_domain: bool) -> bool:
    """Whether a released label is true of the values that it stands for; codes are those of released rows."""
    texts = [attribute.values[code] for code in codes]
    known = [text for text in texts if text is not None]
    if not known:
        return label == ""
    if (label == "*" and whole_domain) or (len(texts) == 1 and label == texts[0]):
        return True
    if attribute.rows and all(label in attribute.rows[attribute.places()[code]] for code in codes):
        return True
    if attribute.kind == "category":
        return _set_holds(label, texts)
    if len(known) < len(texts):
        label = label.removesuffix(" or missing") if label.endswith(" or missing") else "?"
    return all(_range_holds(label, attribute, attribute.value(text)) for text in known)


def _set_holds(label: str, texts: Sequence[str | None]) -> bool:
    if label.startswith("{") and label.endswith("}"):
        listed = members_of(label)
        short = re.fullmatch(r"\.\.\. ([1-9][0-9]*) #[1-9][0-9]*", listed[-1])
        wanted = ["missing" if text is None else text for text in texts]
        return (
            listed[:-1] == wanted[:2] and int(short[1]) == len(wanted)
            if short
            else set(wanted) <= set(listed)
        )
    if label.endswith("*") and all(text is not None for text in texts):
        prefix = label.rstrip("*")
        return all(str(text).startswith(prefix) and len(str(text)) == len(label) for text in texts)
    return False


def _range_holds(label: str, attribute: Attribute, value: Any) -> bool:
    ends = re.fullmatch(r"\[(.+), (.+)([\])])", label)
    if ends:
        low, high = attribute.value(ends[1]), attribute.value(ends[2])
        return bool(low <= value and (value <= high if ends[3] == "]" else value < high))
    if label.startswith((">= ", "< ")):
        end = attribute.value(label.split(" ", 1)[1])
        return bool(value >= end if label[0] == ">" else value < end)
    read = number_of(label) if attribute.kind == "number" else moment_of(label)
    if read is None:
        raise UncheckableError(f"a label of {attribute.name!r} is of a kind that is not known here")
    return bool(read == value)


# ---- the claim ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CheckedCertificate:
    """What a check of a certificate found.

    Parameters
    ----------
    word
        "verified", "refuted" or "cannot check".
    reason, line
        Why it is not verified, and the line of the certificate at which it was refuted.
    bound, cost
        What nothing of its kind costs less than, and what the release costs, as the cost is reported.
    nodes
        The nodes of the proof.
    digests
        SHA-256 of the release, the certificate and the source that were read.
    """

    word: str
    reason: str = ""
    line: int | None = None
    bound: Fraction | None = None
    cost: Fraction | None = None
    nodes: int = 0
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        if self.word == "verified":
            known = [Fraction(each or 0) for each in (self.bound, self.cost)]
            shown = [f"{int(each):,}" if each.denominator == 1 else f"{float(each):.6f}" for each in known]
            return f"verified: nothing of this kind costs less than {shown[0]}; this release costs {shown[1]}"
        where = "" if self.line is None else f" at line {self.line}"
        return f"{self.word}{where}: {self.reason}"


class Claim:
    """A certificate next to the policy and the tables that it speaks of."""

    def __init__(self, release: Path, policy: Mapping[str, Any], folder: Path, certificate: Path) -> None:
        self.policy, self.folder, self.release = policy, folder, release
        text = read_text(certificate)
        first, _, rest = text.partition("\n")
        try:
            self.header: dict[str, Any] = json.loads(first)
        except ValueError:
            raise UncheckableError("the file is no certificate") from None
        if not isinstance(self.header, dict) or self.header.get("certificate") != VERSION:
            raise UncheckableError(f"the file is no certificate of version {VERSION}")
        self.lines = rest.splitlines()
        if not self.lines or self.lines[-1] != f"nodes {len(self.lines) - 1}":
            raise RefutedError("the last line does not tell the number of nodes: the file is not complete")
        self.lines.pop()
        self._check_keys()

    def _check_keys(self) -> None:
        """What is not known is not checked."""
        for table, keys in KNOWN.items():
            stated = self.policy.get(table, {})
            columns = stated.values() if table == "attributes" else [stated]
            for key in sorted({key for column in columns for key in column} - set(keys.split())):
                raise UncheckableError(f"the policy states {key!r} under [{table}], which is not known here")
        if self.policy.get("tables"):
            raise UncheckableError("the policy is one of several tables")
        if self.policy.get("release", {}).get("order", "keep") != "keep":
            raise UncheckableError("the rows are shuffled, so released rows cannot be told from each other")
        self.cost_metric = self.policy.get("objective", {}).get("cost", "general-loss")
        self.metric = NAMES.get(self.cost_metric, "cells" if self.cost_metric == "precision" else "")
        if not self.metric or (self.cost_metric == "precision" and self.header["kind"] != "levels"):
            raise UncheckableError(f"the cost {self.cost_metric!r} is not known here")
        for name, said in (("cost_metric", self.cost_metric), ("k", self.policy.get("privacy", {}).get("k"))):
            if self.header.get(name) != said:
                raise RefutedError(f"certificate and policy differ in {name}")

    def _attribute(self, listed: Mapping[str, Any]) -> Attribute:
        stated = self.policy.get("attributes", {}).get(listed["name"], {})
        markers = stated.get("missing", self.policy.get("source", {}).get("missing"))
        bins = stated.get("bin")
        if stated.get("type", listed["type"]) != listed["type"]:
            raise RefutedError(f"the type of {listed['name']!r} is not the policy's")
        rows: list[list[str]] = []
        if isinstance(stated.get("hierarchy"), str):
            text = read_text(self.folder / stated["hierarchy"])
            sign = next((sign for sign in ";,\t|" if sign in text.partition("\n")[0]), ";")
            rows = [row for row in csv.reader(text.splitlines(), delimiter=sign) if row]
        found = Attribute(
            name=listed["name"],
            kind=listed["type"],
            values=listed["values"],
            bin=None if bins is None else Fraction(str(bins)),
            stated=stated,
            markers=None if markers is None else frozenset(str(each).strip() for each in markers),
            rows=rows,
        )
        found.check_order()
        return found

    def load(self, source: Path | None) -> None:
        """Read the raw table, and everything that the policy says about it."""
        stated = self.policy.get("attributes", {})
        names = [each["name"] for each in self.header["attributes"]]
        wanted = [name for name, each in stated.items() if each.get("role") == "quasi-identifier"]
        if sorted(names) != sorted(wanted):
            raise RefutedError("the certificate speaks of other quasi-identifiers than the policy")
        self.models = self.policy.get("privacy", {}).get("models", [])
        label = [name for name, each in stated.items() if each.get("role") == "class"]
        looked_at = [each["attribute"] for each in self.models if "attribute" in each]
        needed = label if self.metric == "minority" else []
        for name in {*looked_at, *needed}:
            if "treatment" in stated.get(name, {}):
                raise UncheckableError(f"column {name!r} is treated before it is counted")
        path = source or self.folder / self.policy["source"]["path"]
        self.source_path = path
        raw = read_columns(
            path, list({*names, *looked_at, *needed}), self.policy.get("source", {}).get("delimiter")
        )
        self.attributes = [self._attribute(each) for each in self.header["attributes"]]
        self.codes = np.column_stack([each.codes(raw[each.name]) for each in self.attributes])
        self.rows = len(self.codes)
        self.labels = _coded(raw[label[0]]) if needed else np.zeros(self.rows, np.int64)
        self.sensitive = [_coded(raw[name]) for name in looked_at]
        self.limit = self._limit(self.policy.get("objective", {}).get("suppression", 0))
        if self.limit != self.header["limit"] or self.rows != self.header["rows"]:
            raise RefutedError("certificate and table differ in their rows, or in how many may be suppressed")

    def _limit(self, stated: Any) -> int:
        if stated == "unlimited":
            return self.rows
        if isinstance(stated, str):
            return math.floor(Fraction(stated.removesuffix("%").strip()) / 100 * self.rows)
        return min(int(stated), self.rows)

    def problem(self) -> Problem:
        """What the proof is about."""
        distinct, of_row = np.unique(self.codes, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        k, demands, at = int(self.header["k"]), list[Demand](), 0
        for model in self.models:
            if model["name"] == "k-anonymity" and set(model) <= {"name", "k"}:
                k = max(k, int(model["k"]))
                continue
            if model["name"] not in LDIVERSITY or set(model) - {"name", "attribute", "l"}:
                raise UncheckableError(f"the privacy model {model['name']!r} is not known here")
            demands.append(
                Demand(LDIVERSITY[model["name"]], float(model["l"]), _counted(of_row, self.sensitive[at]))
            )
            k, at = max(k, math.ceil(float(model["l"]) * (1 - SLACK))), at + 1
        self.units, weights = self._units()
        cells = self.metric == "cells"
        self.levels = [
            [list(map(int, own)) for own in each.get("levels", ())] for each in self.header["attributes"]
        ]
        losses, units = list[Ints](), list[Ints]()
        for attribute, parts, weight in zip(self.attributes, self.levels, weights, strict=True):
            if self.header["kind"] == "levels":
                attribute.check_levels(parts)
                if cells:
                    units.append(_floors(attribute.level_losses(parts, self.cost_metric), self.units, weight))
            elif cells:
                codes = range(len(attribute.values))
                matrix = [
                    [attribute.interval_loss(min(i, j), j, self.cost_metric) for j in codes] for i in codes
                ]
                losses.append(_floors(matrix, self.units, weight))
        return Problem(
            metric=self.metric,
            k=k,
            limit=self.limit,
            sizes=[len(each.values) for each in self.attributes],
            codes=distinct.astype(np.int64),
            counts=_counted(of_row, self.labels),
            demands=demands,
            losses=losses,
            row_units=self.units * sum(weights),
            units=units,
            **self._box(),
        )

    def _units(self) -> tuple[int, list[int]]:
        stated = [Fraction(str(each.stated.get("weight", 1))) for each in self.attributes]
        common = math.lcm(*(each.denominator for each in stated))
        whole_weights = [int(each * common) for each in stated]
        divisor = math.gcd(*whole_weights)
        return int(self.header["units"] or 1), [each // divisor for each in whole_weights]

    def _box(self) -> dict[str, Any]:
        if self.header["kind"] != "levels":
            return {}
        heights = [len(each) - 1 for each in self.levels]
        low = [int(each.stated.get("min_level", 0)) for each in self.attributes]
        high = [
            int(each.stated.get("max_level", height))
            for each, height in zip(self.attributes, heights, strict=True)
        ]
        if any(not 0 <= a <= b <= height for a, b, height in zip(low, high, heights, strict=True)):
            raise UncheckableError("the policy allows levels that the hierarchies lack")
        return {"levels": [np.array(each, np.int64) for each in self.levels], "low": low, "high": high}

    def parts(self, attribute: int) -> Ints:
        """The part of each code under the recoding that the certificate states."""
        stated = self.header["recoding"][attribute]
        size = len(self.attributes[attribute].values)
        if self.header["kind"] == "levels":
            return np.array(self.levels[attribute][stated], np.int64)
        if any(not 0 < cut < size for cut in stated):
            raise RefutedError("the recoding has a cut outside a domain")
        return np.searchsorted(np.sort(np.array(stated, np.int64)), np.arange(size), side="right")

    def cost(self, problem: Problem) -> int:
        """What the release costs; `RefutedError` unless its rows are the recoding of the raw rows."""
        parts = [self.parts(a) for a in range(len(self.attributes))]
        released = np.column_stack([own[self.codes[:, a]] for a, own in enumerate(parts)])
        values, group = np.unique(released, axis=0, return_inverse=True)
        group = group.reshape(-1)
        size = np.bincount(group)
        kept = size >= problem.k
        for demand, column in zip(problem.demands, self.sensitive, strict=True):
            kept &= demand.admits(_counted(group, column))
        self._check_release(parts, kept[group])
        suppressed = int(size[~kept].sum())
        if suppressed > problem.limit:
            raise RefutedError("the release suppresses more rows than the policy allows")
        total = problem.suppressed_cost * suppressed
        if problem.metric == "squares":
            return total + int((size[kept] ** 2).sum())
        if problem.metric == "minority":
            labels = _counted(group, self.labels)
            return total + int((labels.sum(1) - labels.max(1))[kept].sum())
        of_group = np.zeros(len(size), np.int64)
        for a, own in enumerate(parts):
            of_part = np.zeros(int(own.max()) + 1, np.int64)
            for part in range(len(of_part)):
                codes = np.flatnonzero(own == part)
                if self.header["kind"] == "levels":
                    of_part[part] = problem.units[a][self.header["recoding"][a]][codes[0]]
                else:
                    of_part[part] = problem.losses[a][codes[0], codes[-1]]
            of_group += of_part[values[:, a]]
        return total + int((of_group * size)[kept].sum())

    def _check_release(self, parts: Sequence[Ints], kept: NDArray[np.bool_]) -> None:
        """The released rows are the kept rows in their order, and each cell is true."""
        names = [each.name for each in self.attributes]
        cells = read_columns(self.release, names)
        rows = len(cells[names[0]])
        masked = self.policy.get("release", {}).get("suppressed", "drop") == "mask"
        if rows != (self.rows if masked else int(kept.sum())):
            raise RefutedError("the release has another number of rows than its recoding keeps")
        chosen = np.flatnonzero(kept) if masked else np.arange(rows)
        for name in names if masked else ():
            if any(cells[name][row] not in ("*", "") for row in np.flatnonzero(~kept)):
                raise RefutedError("a suppressed row is not masked")
        for attribute, own, codes in zip(self.attributes, parts, self.codes.T, strict=True):
            labels = [cells[attribute.name][row] for row in chosen]
            pairs = set(zip(labels, own[codes[kept]].tolist(), strict=True))
            if not len(pairs) == len({label for label, _ in pairs}) == len({part for _, part in pairs}):
                raise RefutedError(f"the labels of {attribute.name!r} are not those of the recoding")
            present = set(codes[kept].tolist())
            for label, part in pairs:
                members = np.flatnonzero(own == part).tolist()
                released = [code for code in members if code in present]
                if not holds(label, attribute, released, whole_domain=len(members) == len(attribute.values)):
                    raise RefutedError(
                        f"a label of {attribute.name!r} does not hold a value that it stands for"
                    )

    def shown(self, units: int, problem: Problem) -> Fraction:
        """Units as the cost is reported."""
        return Fraction(units, problem.row_units * self.rows) if self.metric == "cells" else Fraction(units)


LDIVERSITY = {"distinct-l-diversity": "distinct", "entropy-l-diversity": "entropy"}


def _coded(texts: Sequence[str]) -> Ints:
    return (
        np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)[1]
        .reshape(-1)
        .astype(np.int64)
    )


def _counted(of_row: Ints, values: Ints) -> Ints:
    found = np.zeros((int(of_row.max()) + 1, int(values.max()) + 1), np.int64)
    np.add.at(found, (of_row, values), 1)
    return found


def _floors(losses: Sequence[Sequence[Fraction]], units: int, weight: int) -> Ints:
    """Losses in whole units, rounded down; a grid so coarse that it matters is no measure."""
    if units < COARSEST and any((loss * units).denominator > 1 for row in losses for loss in row):
        raise RefutedError("the units of a cell are too coarse for its losses")
    return np.array([[math.floor(loss * units) * weight for loss in row] for row in losses], np.int64)


Tree = Callable[[Problem, "int | None", int, Sequence[str], "Progress | None"], "tuple[int, str] | None"]


def check(
    release: Path,
    policy: Path | Mapping[str, Any],
    certificate: Path,
    *,
    folder: Path | None = None,
    source: Path | None = None,
    tree: Tree = check_tree,
    progress: Progress | None = None,
) -> CheckedCertificate:
    """Check a certificate; `tree` can be another checker of the lines, with the same verdicts."""
    try:
        stated = policy if isinstance(policy, Mapping) else tomllib.loads(read_text(policy))
        where = folder or (Path() if isinstance(policy, Mapping) else policy.parent)
        claim = Claim(release, stated, where, certificate)
        claim.load(source)
        problem = claim.problem()
        bound, said = int(claim.header["bound"]), int(claim.header["cost"])
        cost = claim.cost(problem)
        if cost != said or bound > cost:
            raise RefutedError(
                f"the release costs {cost:,} units, and the certificate says {said:,} and {bound:,}"
            )
        names = [each.name for each in claim.attributes]
        axis = None if claim.header["axis"] is None else names.index(claim.header["axis"])
        failed = tree(problem, axis, bound, claim.lines, progress)
    except RefutedError as error:
        return CheckedCertificate(word="refuted", reason=str(error), line=1)
    except UncheckableError as error:
        return CheckedCertificate(word="cannot check", reason=str(error))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, tomllib.TOMLDecodeError) as error:
        return CheckedCertificate(
            word="cannot check", reason=f"policy or certificate is malformed ({type(error).__name__})"
        )
    if failed is not None:
        return CheckedCertificate(word="refuted", line=failed[0], reason=failed[1])
    files = {"release": release, "certificate": certificate, "source": claim.source_path}
    return CheckedCertificate(
        word="verified",
        bound=claim.shown(bound, problem),
        cost=claim.shown(cost, problem),
        nodes=len(claim.lines),
        digests={name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
    )


EXIT_CODES = {"verified": 0, "refuted": 5, "cannot check": 4}


def main() -> int:
    """The command line of this file."""
    parser = argparse.ArgumentParser(description="Check a certificate of optimality.")
    parser.add_argument("release", type=Path)
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--certificate", type=Path, required=True)
    parser.add_argument("--source", type=Path, help="the raw table, if not where the policy says")
    given = parser.parse_args()
    verdict = check(given.release, given.policy, given.certificate, source=given.source)
    print(verdict.words)
    return EXIT_CODES[verdict.word]


if __name__ == "__main__":
    sys.exit(main())
