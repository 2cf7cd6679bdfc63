"""Why each column is not finer: every single finer step, by the definitions and not by the search.

A step is judged with all else unchanged. That two steps together might be possible is
not covered here; the prices of the constraints are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._giving_up import with_given_up
from shoal.errors import InternalError
from shoal.explanation.explanation import MOST_SIZES, ExplainedAttribute, FinerStep
from shoal.explanation.measures import losses_of
from shoal.explanation.reasons import Reasons
from shoal.formatting.numbers import counted
from shoal.model.recoding.divided_groups import divided_groups
from shoal.model.recoding.finer_steps import Finer, finer_steps
from shoal.model.recoding.groups import Groups, released_codes
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.mixed_recoding import MixedRecoding
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding, Recoding
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result
from shoal.model.table.merged_rows import settled

MOST_STEPS = 256
"""Most steps of one column that are examined; of more, some at even distances."""

_NOT_PUBLIC = "Sizes of groups below k are facts of the private table: do not publish this."


def explained_attributes(
    problem: Problem, result: Result
) -> tuple[Groups, tuple[ExplainedAttribute, ...], tuple[str, ...]]:
    """The groups of a release, its quasi-identifiers, and what must be known to read about them.

    Parameters
    ----------
    problem
        The problem, with every distinct row.
    result
        The answer that is released.
    """
    if result.recoding is None:
        raise InternalError("there is no recoding to explain")
    released = _Released(problem, result, result.recoding)
    every = range(len(problem.table.domains))
    if isinstance(result.recoding, DomainRecoding):
        explained = tuple(released.by_steps(attribute, result.recoding) for attribute in every)
    elif isinstance(result.recoding, LocalRecoding) and not result.recoding.wildcards:
        explained = tuple(released.by_groups(attribute, result.recoding) for attribute in every)
    else:
        explained = tuple(released.by_nothing(attribute) for attribute in every)
    notes = [_NOT_PUBLIC]
    if result.recoding.smallest_kept(problem.k) < problem.k and not result.recoding.wildcards:
        notes.append(
            f"Algorithm {result.algorithm!r} does not guarantee k, and this release has smaller groups."
        )
    if any(each.steps > len(each.finer) for each in explained):
        notes.append(f"Of columns with many values, {MOST_STEPS} finer steps at even distances were tried.")
    return released.groups, explained, tuple(notes)


@dataclass(frozen=True)
class _Released:
    """A release and its groups."""

    problem: Problem
    result: Result
    recoding: Recoding

    @cached_property
    def groups(self) -> Groups:
        groups = made_by(self.problem, self.recoding)
        if groups.suppressed != self.result.suppressed:
            raise InternalError("the recoding does not suppress the rows that its search reports")
        return groups

    @cached_property
    def losses(self) -> dict[str, float]:
        return losses_of(self.problem, self.recoding, self.groups)

    @cached_property
    def codes(self) -> tuple[frozenset[int], ...]:
        return released_codes(self.problem.table, self.groups, self.recoding)

    @cached_property
    def reasons(self) -> Reasons:
        return Reasons(problem=self.problem, result=self.result)

    def labels(self, attribute: int) -> int:
        """How many labels released rows have."""
        released = self.groups.kept & (self.groups.sizes > 0)
        return len(np.unique(self.groups.values[released, attribute]))

    def by_steps(self, attribute: int, recoding: DomainRecoding) -> ExplainedAttribute:
        """A column whose equal values are released alike."""
        domain = self.problem.table.domains[attribute]
        least = self.problem.levels[attribute][0] if self.problem.levels else 0
        steps = finer_steps(recoding, attribute, domain, least)
        finer = self._judged(attribute, recoding, _spread(steps))
        return ExplainedAttribute(
            name=domain.name,
            released=self._words(attribute, recoding),
            labels=self.labels(attribute),
            loss=self.losses.get(domain.name),
            steps=len(steps),
            finer=finer,
            words=self.reasons.of_steps(
                domain.name, finer, len(steps), kind=_kind(recoding, attribute), least_level=least
            ),
        )

    def _judged(
        self, attribute: int, recoding: DomainRecoding, steps: Sequence[Finer]
    ) -> tuple[FinerStep, ...]:
        if not steps:
            return ()
        problem, domain = self.problem, self.problem.table.domains[attribute]
        # Some costs count the rows of every value, which joined rows do not have.
        if not problem.cost.needs_source_counts:
            problem = replace(problem, table=settled(problem.table, recoding, attribute))
        before = made_by(problem, recoding)
        labels = recoding.labels(attribute, domain, self.codes[attribute])
        shown = np.unique(self.groups.values[self.groups.kept, attribute]).tolist()
        published: dict[int | None, str | None] = {number: labels[number] for number in shown}
        now = cost_of(problem, recoding, before)
        if now != self.result.cost:
            raise InternalError(f"the search reports {self.result.cost}, and its recoding costs {now}")
        return tuple(_step(problem, step, before, published.get(step.divided), now) for step in steps)

    def _words(self, attribute: int, recoding: DomainRecoding) -> str:
        domain, labels = self.problem.table.domains[attribute], counted(self.labels(attribute), "label")
        if isinstance(recoding, MixedRecoding):
            recoding, attribute = recoding.columns[attribute], 0
        if isinstance(recoding, LevelRecoding):
            return f"level {recoding.levels[attribute]} of {domain.hierarchy.height}; {labels}"
        if isinstance(recoding, CutRecoding):
            cuts = len(recoding.cuts[attribute])
            return f"{cuts:,} of {counted(len(domain) - 1, 'cut')}; {labels}"
        if isinstance(recoding, SubtreeRecoding):
            levels = sorted({level for level, _ in recoding.nodes[attribute]})
            which = f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
            return f"{which} of {domain.hierarchy.height}; {labels}"
        return labels

    def by_groups(self, attribute: int, recoding: LocalRecoding) -> ExplainedAttribute:
        """A column whose rows are recoded one by one."""
        problem = self.problem
        domain = problem.table.domains[attribute]
        divided = divided_groups(
            problem.table, recoding, self.groups, attribute, problem.k, problem.group_models
        )
        return ExplainedAttribute(
            name=domain.name,
            released=f"{counted(self.labels(attribute), 'label')}, group by group",
            labels=self.labels(attribute),
            loss=self.losses.get(domain.name),
            divided=divided,
            words=self.reasons.of_groups(domain.name, divided),
        )

    def by_nothing(self, attribute: int) -> ExplainedAttribute:
        """A column without finer steps to describe: its cells are wildcards, or centroids."""
        domain = self.problem.table.domains[attribute]
        sizes = self.groups.sizes[self.groups.kept & (self.groups.sizes > 0)]
        return ExplainedAttribute(
            name=domain.name,
            released=counted(self.labels(attribute), "value"),
            labels=self.labels(attribute),
            loss=self.losses.get(domain.name),
            words=self.reasons.of_nothing(
                domain.name, wildcards=self.recoding.wildcards, sizes=sizes.tolist()
            ),
        )


def _step(problem: Problem, finer: Finer, before: Groups, label: str | None, now: Cost) -> FinerStep:
    """What a finer step does; its groups are parts of the groups that are there now."""
    recoding, _ = with_given_up(problem, finer.recoding)
    groups = made_by(problem, recoding)
    parent = np.zeros(len(groups.sizes), np.int64)
    parent[groups.of_row] = before.of_row
    there = groups.sizes > 0
    parts = np.bincount(parent[there], minlength=len(before.kept))
    fallen = ~groups.kept & before.kept[parent] & there
    below = fallen & (groups.sizes < problem.k)
    refused = fallen & ~below
    cost = cost_of(problem, recoding, groups)
    return FinerStep(
        step=finer.name,
        label=label,
        groups_divided=int(((parts > 1) & before.kept).sum()),
        groups_below=int(below.sum()),
        rows_below=int(groups.sizes[below].sum()),
        groups_refused=int(refused.sum()),
        rows_refused=int(groups.sizes[refused].sum()),
        sizes=tuple(np.sort(groups.sizes[fallen])[:MOST_SIZES].tolist()),
        suppressed=groups.suppressed,
        allowed=admissible(problem, groups) and bool(groups.kept.any()),
        cost=cost,
        change=cost - now,
    )


def _kind(recoding: DomainRecoding, attribute: int) -> str:
    if isinstance(recoding, MixedRecoding):
        recoding = recoding.columns[attribute]
    return {CutRecoding: "cut", LevelRecoding: "level"}.get(type(recoding), "label")


def _spread(steps: Sequence[Finer]) -> Sequence[Finer]:
    """All steps, or so many of them at even distances."""
    if len(steps) <= MOST_STEPS:
        return steps
    stride = (len(steps) - 1) / (MOST_STEPS - 1)
    return [steps[place] for place in sorted({round(index * stride) for index in range(MOST_STEPS)})]
