"""Cost metrics by the name they have in a policy."""

from __future__ import annotations

from shoal.cost._base import CostMetric
from shoal.cost.classification import Classification
from shoal.cost.discernibility import Discernibility
from shoal.cost.general_loss import GeneralLoss

METRICS: dict[str, type[CostMetric]] = {
    metric.name: metric for metric in (Discernibility, Classification, GeneralLoss)
}

__all__ = ["METRICS", "Classification", "CostMetric", "Discernibility", "GeneralLoss"]
