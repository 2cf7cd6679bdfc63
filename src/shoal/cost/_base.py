"""What a cost metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.model.frequency import FrequencyTable
from shoal.model.recoding import CutRecoding
from shoal.model.result import Cost


class CostMetric(ABC):
    """Loss of detail of a recoding as an exact number; lower is better.

    A metric must never charge a suppressed row less than any generalization of it: every bound and
    every pruning rule of the exact searches rests on that.
    """

    name: ClassVar[str]

    def check(self, table: FrequencyTable) -> None:  # noqa: B027  most metrics are defined on any table
        """Raise `PolicyError` when the metric is not defined on this table."""

    @abstractmethod
    def of(self, table: FrequencyTable, recoding: CutRecoding, k: int) -> Cost:
        """Cost of the recoding when groups smaller than `k` are suppressed: the definition, row by row."""

    def scale(self, table: FrequencyTable) -> int:  # noqa: ARG002
        """The searches minimize `scale * cost`, which is an integer."""
        return 1


def groups_of(table: FrequencyTable, recoding: CutRecoding) -> dict[tuple[int, ...], list[int]]:
    """The groups that a recoding induces: interval numbers -> indices of their distinct rows."""
    maps = [recoding.interval_of(a, len(domain)) for a, domain in enumerate(table.domains)]
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, row in enumerate(table.codes):
        groups.setdefault(tuple(int(m[code]) for m, code in zip(maps, row, strict=True)), []).append(index)
    return groups
