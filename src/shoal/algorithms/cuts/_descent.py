"""The way down of top-down specialization: which steps are allowed, what they score, and who wins a tie.

`tds` goes it on one table; two sites that hold different columns of the same people go it together, each
with the steps of its own columns. Both use these definitions, so that both come to the same recoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from shoal.algorithms._watch import Watch
from shoal.algorithms.cuts._specializations import Cuts, Step, Steps, plain, with_step


class MeasuredGroups(Protocol):
    """The groups of one recoding after the other; it begins with the one that joins everything."""

    @property
    def admissible(self) -> bool:
        """Whether the recoding may be released."""

    @property
    def smallest_kept(self) -> int:
        """The rows of the smallest group that is released."""

    def move_to(self, cuts: list[list[int]]) -> None:
        """Measure another recoding."""


@dataclass(frozen=True)
class Candidate:
    """A step that is allowed, and what it scores: gain per row that the smallest group loses.

    Parameters
    ----------
    score
        Exact, so that equal scores are equal everywhere.
    step
        The step.
    """

    score: Fraction
    step: Step


def beats(score: Fraction, attribute: int, other_score: Fraction, other_attribute: int) -> bool:
    """Whether one score comes before another: it is greater, or equal and of an earlier attribute."""
    return score > other_score or (score == other_score and attribute < other_attribute)


class Descent:
    """The way down.

    Parameters
    ----------
    steps
        The steps of the columns.
    sizes
        Per column the number of its values.
    groups
        What measures a recoding.
    watch
        Counts the recodings that are examined.
    rises
        Whether all below an inadmissible recoding is inadmissible too.
    """

    def __init__(
        self, steps: Steps, sizes: list[int], groups: MeasuredGroups, watch: Watch, *, rises: bool
    ) -> None:
        self.cuts: Cuts | None = None
        self.groups = groups
        self._steps, self._sizes, self._watch, self._rises = steps, sizes, watch, rises
        # Per interval of the recoding the steps that divide it, the greatest gain first.
        self._open: dict[tuple[int, int, int], list[Step]] = {}

    def begin(self) -> None:
        """Join everything; there are no cuts if that is not admissible."""
        self._watch.look()
        if not self.groups.admissible:
            return
        for attribute, size in enumerate(self._sizes):
            self._open[attribute, 0, size] = self._steps.down(attribute, 0, size)
        self.cuts = self._steps.coarsest

    def best(self) -> Candidate | None:
        """The allowed step of the greatest score, if any; ties go to the first attribute and code."""
        assert self.cuts is not None
        self.groups.move_to(plain(self.cuts))
        anonymity = self.groups.smallest_kept
        best: Candidate | None = None
        for interval in sorted(self._open):  # the order of ties
            step = self._allowed(self.cuts, interval)
            if step is None:
                continue
            score = Fraction(step.gain, max(1, anonymity - self.groups.smallest_kept))
            if best is None or score > best.score:
                best = Candidate(score, step)
        return best

    def take(self, step: Step) -> None:
        """Go down a step."""
        assert self.cuts is not None
        del self._open[step.attribute, step.first, step.end]
        for first, end in step.parts:
            self._open[step.attribute, first, end] = self._steps.down(step.attribute, first, end)
        self.cuts = with_step(self.cuts, step)

    def _allowed(self, cuts: Cuts, interval: tuple[int, int, int]) -> Step | None:
        """The step of most gain that keeps the release admissible; the groups stay as it leaves them."""
        refused = []
        for step in self._open[interval]:
            self._watch.look()
            self.groups.move_to(plain(with_step(cuts, step)))
            if self.groups.admissible:
                break
            refused.append(step)
        else:
            step = None
        if self._rises:  # what is refused here is refused below, too
            self._open[interval] = self._open[interval][len(refused) :]
        return step
