"""Cost metrics by the name they have in a policy."""

from __future__ import annotations

from shoal.cost._balanced import Balanced
from shoal.cost._base import CostMetric
from shoal.cost._cells import CellMetric, ShareMetric
from shoal.cost._level_price import LevelPrice
from shoal.cost.classification import Classification
from shoal.cost.discernibility import Discernibility
from shoal.cost.entropy import Entropy
from shoal.cost.general_loss import GeneralLoss
from shoal.cost.groups import AverageGroupSize, GroupCount
from shoal.cost.height import Height, RelativeHeight
from shoal.cost.ncp import Ncp
from shoal.cost.precision import Precision
from shoal.cost.sse import Sse
from shoal.cost.suppressed_cells import SuppressedCells
from shoal.cost.suppressed_rows import SuppressedRows
from shoal.model.description import Description
from shoal.model.registry import Registry

METRICS: Registry[type[CostMetric]] = Registry(
    "cost",
    "shoal.costs",
    {
        metric.name: metric
        for metric in (
            Discernibility,
            Classification,
            GeneralLoss,
            Ncp,
            Precision,
            Entropy,
            Height,
            RelativeHeight,
            GroupCount,
            AverageGroupSize,
            SuppressedRows,
            Sse,
            SuppressedCells,
        )
    },
    base=CostMetric,
)

__all__ = [
    "METRICS",
    "AverageGroupSize",
    "Balanced",
    "CellMetric",
    "Classification",
    "CostMetric",
    "Description",
    "Discernibility",
    "Entropy",
    "GeneralLoss",
    "GroupCount",
    "Height",
    "LevelPrice",
    "Ncp",
    "Precision",
    "RelativeHeight",
    "ShareMetric",
    "Sse",
    "SuppressedCells",
    "SuppressedRows",
]
