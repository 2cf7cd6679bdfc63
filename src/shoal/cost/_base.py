"""What a cost metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import Demand


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
    def of_groups(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> Cost:
        """Cost of the groups that a recoding makes of a table: the definition.

        Every result is priced by it before anybody sees it, whatever the search says.
        """

    def of(self, table: FrequencyTable, recoding: Recoding, k: int, models: Sequence[Demand] = ()) -> Cost:
        """Cost of a recoding.

        Parameters
        ----------
        table, recoding
            What is recoded, and how.
        k, models
            Groups that are smaller than k, or that one of the models does not admit, are suppressed.
        """
        return self.of_groups(table, recoding, groups(table, recoding, k, models=models))

    def scale(self, table: FrequencyTable) -> Cost:  # noqa: ARG002
        """The searches minimize `scale * cost`, which is an integer."""
        return 1
