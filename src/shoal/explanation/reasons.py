"""The reason why a column is not finer, in plain words: not allowed, or allowed and too expensive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.explanation.explanation import FinerStep
from shoal.formatting.numbers import counted, number
from shoal.model.recoding.divided_groups import DividedGroups
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status


@dataclass(frozen=True, kw_only=True)
class Reasons:
    """Says why the columns of one release are as coarse as they are.

    Parameters
    ----------
    problem
        The problem.
    result
        What is released.
    """

    problem: Problem
    result: Result

    def of_steps(
        self, name: str, finer: Sequence[FinerStep], steps: int, *, kind: str, least_level: int = 0
    ) -> str:
        """The reason of a column with single finer steps.

        Parameters
        ----------
        name
            The column.
        finer, steps
            The steps that were examined, and how many there are.
        kind
            What a step is: "cut", "level" or "label".
        least_level
            The lowest level that the policy allows.
        """
        if not finer and kind == "level" and least_level:
            return f"{name} is on the lowest level that the policy allows: min_level = {least_level}."
        if not finer:
            return f"Nothing of {name} is finer than what is released."
        subject = _subject(name, kind, len(finer), steps)
        finer = [step for step in finer if not step.idle]
        if not finer:
            return f"{subject} would divide no released group: it would change nothing."
        cheaper = [step for step in finer if step.allowed and step.change < 0]
        if cheaper:
            return self._cheaper(subject, cheaper, finer)
        allowed = [step for step in finer if step.allowed]
        if not allowed:
            return self._not_allowed(subject, finer)
        free = [step for step in allowed if not step.rows_lost]
        if free:
            least = min(step.change for step in free)
            price = "would change the cost by nothing" if not least else f"would cost {number(least)} more"
            if len(free) < len(finer):
                subject = f"{len(free):,} of {len(finer):,} finer steps of {name}"
                price += "; the others cost more or are not allowed"
            return f"{subject} would put no row below k, but {price}."
        lost = min(step.rows_lost for step in allowed)
        dear = min(step.change for step in allowed)
        price = (
            f"suppressing them costs more than the {kind} gains (at least {number(dear)} more)"
            if dear
            else f"suppressing them costs as much as the {kind} gains"
        )
        forbidden = len(finer) - len(allowed)
        forbidden_words = (
            f" {forbidden:,} of {len(finer):,} steps are not allowed at all." if forbidden else ""
        )
        left = f"would leave at least {counted(lost, 'row')} in groups {self._small(allowed)}"
        return f"{subject} {left}, and {price}.{forbidden_words}"

    def _cheaper(self, subject: str, cheaper: Sequence[FinerStep], finer: Sequence[FinerStep]) -> str:
        best = min(cheaper, key=lambda step: (step.change, step.step))
        why = (
            "the search that proved the release optimal does not consider such recodings"
            if self.result.status is Status.OPTIMAL
            else "the search did not prove the release optimal, and a longer one may take it"
        )
        steps = f"{len(cheaper):,} of {len(finer):,} steps" if len(finer) > 1 else "the step"
        return (
            f"{subject} could be taken: {steps} would cost less, {best.step} {number(-best.change)}; {why}."
        )

    def _not_allowed(self, subject: str, finer: Sequence[FinerStep]) -> str:
        lost = min(step.rows_lost for step in finer)
        limit = self.problem.most_suppressed
        if all(step.suppressed > limit for step in finer):
            already = self.result.suppressed
            has = f", and {already:,} are already" if already else ""
            may = "none may be suppressed" if limit == 0 else f"{limit:,} may be suppressed"
            left = f"would leave at least {counted(lost, 'row')} in groups {self._small(finer)}"
            return f"{subject} {left}; {may}{has}."
        demands = " and ".join(
            model.demand
            for model in self.problem.models
            if model.looks_at == "release" or model.forbids_suppression
        )
        if demands:
            return f"{subject} would break what is demanded of the whole release: {demands}."
        return f"{subject} would leave no group of {self.problem.k} rows or more."

    def _small(self, finer: Sequence[FinerStep]) -> str:
        below = f"below {self.problem.k:,}"
        if not any(step.groups_refused for step in finer):
            return below
        if not any(step.groups_below for step in finer):
            return "that a privacy model refuses"
        return f"{below} or refused by a privacy model"

    def of_groups(self, name: str, divided: DividedGroups) -> str:
        """The reason of a column whose rows are recoded one by one."""
        k = self.problem.k
        reasons = [
            f"{count:,} {words}"
            for count, words in (
                (divided.single, "have one value of it"),
                (divided.small, f"have fewer than {2 * k:,} rows, so that a side would be below {k:,}"),
                (divided.lopsided, f"have more, and still a side of every division is below {k:,}"),
                (divided.refused, "have no division whose sides the privacy models admit"),
            )
            if count
        ]
        could = (
            f"{divided.divisible:,} could be divided by {name}"
            if divided.divisible
            else (f"none could be divided by {name}")
        )
        if divided.divisible:
            reasons.append(
                f"that {divided.divisible:,} were not is the algorithm's choice, or its recoding model's"
            )
        return f"Of {counted(divided.groups, 'group')}, {could}: {'; '.join(reasons)}."

    def of_nothing(self, name: str, *, wildcards: bool, sizes: Sequence[int]) -> str:
        """Why no single step of a column can be described."""
        if wildcards:
            return (
                f"Suppressed cells are read as wildcards: each row of {name} is hidden by rows that are like "
                "it, which belong to no group, so that no single finer step can be judged by groups."
            )
        k = self.problem.k
        large = sum(size >= 2 * k for size in sizes)
        return (
            f"Values of {name} are replaced by those of a group, so there is no finer label. Of "
            f"{counted(len(sizes), 'group')}, {large:,} have {2 * k:,} rows or more and could be "
            f"two; a part of any other would be below {k:,}."
        )


def _subject(name: str, kind: str, tried: int, steps: int) -> str:
    if kind == "level":
        return f"One level less of {name}"
    where = "anywhere" if tried == steps else f"at any of {tried:,} places tried"
    return f"One more cut of {name} {where}" if kind == "cut" else f"Any label of {name} in its parts"
