"""What a cost metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from shoal.model.frequency import FrequencyTable
from shoal.model.people import Demand
from shoal.model.recoding import Recoding
from shoal.model.result import Cost


class CostMetric(ABC):
    """Loss of detail of a recoding as an exact number; lower is better."""

    name: ClassVar[str]

    monotone: ClassVar[bool] = False
    """Whether generalizing further never costs less even where rows may be suppressed.

    Where they may not, every metric here is monotone.
    """

    of_centroids: ClassVar[bool] = False
    """Whether the metric is defined only where values are replaced by centroids."""

    def check(self, table: FrequencyTable) -> None:  # noqa: B027  most metrics are defined on any table
        """Raise `PolicyError` when the metric is not defined on this table."""

    @abstractmethod
    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> Cost:
        """Cost of the recoding: the definition, row by row.

        Parameters
        ----------
        table, recoding
            What is recoded, and how.
        k, models
            Groups that are smaller than k, or that one of the models does not admit, are suppressed.
        """

    def scale(self, table: FrequencyTable) -> int:  # noqa: ARG002
        """The searches minimize `scale * cost`, which is an integer."""
        return 1


def groups_of(table: FrequencyTable, recoding: Recoding) -> dict[tuple[int, ...], list[int]]:
    """The groups that a recoding induces on its refined table: released values -> indices of their lines."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, values in enumerate(recoding.released(table).tolist()):
        groups.setdefault(tuple(values), []).append(index)
    return groups


def judged(
    table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand]
) -> Iterator[tuple[tuple[int, ...], list[int], int, bool]]:
    """Per group its released values, its distinct rows, how many rows it has, and whether it is released."""
    table, least = recoding.refined(table), recoding.smallest_kept(k)
    for values, rows in groups_of(table, recoding).items():
        size = int(table.counts[rows].sum())
        released = size >= least and not recoding.suppresses(values)
        if released and models:
            group = table.group(rows)
            released = all(model.admits(group, table.people) for model in models)
        yield values, rows, size, released


def sizes_of(
    table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand]
) -> list[tuple[int, bool]]:
    """Per group its rows, and whether it is released."""
    return [(size, released) for _, _, size, released in judged(table, recoding, k, models)]
