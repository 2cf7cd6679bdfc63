"""The sum of squared errors of microaggregation: what differs within groups over what differs in the table.

A share from 0 to 1, the mean over quasi-identifiers; an exact fraction of the values as they are, before a
centroid is printed as the nearest double, day or microsecond. Of categories with an order it is absolute
differences of ranks, of other categories changed cells: always what the centroid makes least.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.cost._base import CostMetric
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.centroid_recoding import CentroidRecoding
from shoal.model.recoding.groups import Groups
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class Sse(CostMetric):
    """Share of the values' spread that lies within groups."""

    name = "sse"
    description = Description(
        title="Squared error",
        short="Means close to the values",
        meaning="How much values differ within their groups, over how much they differ in the table.",
        when="With microaggregation alone, which replaces numbers by the means of their groups.",
    )
    measures = "how much of the spread of values is lost, from 0 to 1"
    is_share = True
    of_centroids = True

    def of_groups(
        self,
        table: FrequencyTable,  # noqa: ARG002
        recoding: Recoding,
        made: Groups,  # noqa: ARG002  no centroid is suppressed
    ) -> Fraction:
        if not isinstance(recoding, CentroidRecoding):
            raise PolicyError(
                "cost 'sse' is defined for values that are replaced by centroids; use algorithm "
                "'microaggregate', or choose cost 'ncp' or 'general-loss'"
            )
        return recoding.spread
