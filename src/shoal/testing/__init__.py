"""Conformance checks that others can run on what they add to Shoal."""

from shoal.testing.algorithm import check_algorithm
from shoal.testing.cost_metric import check_cost_metric
from shoal.testing.engine import check_engine
from shoal.testing.privacy_model import check_privacy_model

__all__ = ["check_algorithm", "check_cost_metric", "check_engine", "check_privacy_model"]
