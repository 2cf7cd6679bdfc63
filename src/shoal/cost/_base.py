"""What a cost metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.cost._level_price import LevelPrice
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.groups import Groups, groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.result import Cost
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.people import Demand


class CostMetric(ABC):
    """Loss of detail of a recoding as an exact number; lower is better.

    Everything that Shoal knows of a metric is in its class: its definition, its words for people, which
    searches can minimize it and how the core prices it. Every result is priced again by `of_groups` before it
    is used, so a price that contradicts the definition is an error and never a wrong cost.
    `shoal.testing.check_cost_metric` checks a class against its claims.
    """

    name: ClassVar[str]
    """What a policy calls it."""

    description: ClassVar[Description]
    """What people should know about it."""

    measures: ClassVar[str]
    """What it counts, in a line for a report."""

    is_share: ClassVar[bool] = False
    """Whether it runs from 0 to 1, so that people read it in per cent."""

    needs_class: ClassVar[bool] = False
    """Whether it needs a column with the role class."""

    needs_levels: ClassVar[Literal["column", "cell"] | None] = None
    """Whether it is defined only for a level per column, or for a level per cell."""

    needs_source_counts: ClassVar[bool] = True
    """Whether it depends on how often each value occurs in the source. Yes is the safe answer: no lets
    `shoal explain` price joined rows, which is faster."""

    of_cuts: ClassVar[Literal["squares", "minority", "cells"] | None] = None
    """How searches over cuts price it, if they can minimize it: by the squares of the sizes of groups, by the
    rows that do not have their group's majority label, or, for a `CellMetric`, by its `interval_units`."""

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

    def level_price(self, table: FrequencyTable) -> LevelPrice | None:  # noqa: ARG002
        """How searches over levels price it on a table whose columns all have hierarchies.

        `None`: they refuse the cost, and 'datafly', which prices only its answer, takes it.
        """
        return None

    def of_sizes(self, rows: int, sizes: Mapping[int, int]) -> Cost | None:  # noqa: ARG002
        """The cost of a release without suppressed rows, if it depends on the sizes of groups alone.

        Parameters
        ----------
        rows
            The rows of the table.
        sizes
            Per size how many groups have it.
        """
        return None

    def worth(self, table: FrequencyTable, recoding: Recoding, made: Groups) -> NDArray[np.int64]:  # noqa: ARG002
        """What it costs more to suppress each group than to release it, in units that order costs."""
        raise PolicyError(
            f"cost {self.name!r} does not say what a group is worth, so no search can choose which groups to "
            "give up for a limit on the average risk; choose another cost, or forbid suppression"
        )

    def scale(self, table: FrequencyTable) -> Cost:  # noqa: ARG002
        """The searches minimize `scale * cost`, which is an integer."""
        return 1
