"""Several objectives at once: properties, indices, dominance, and the archive of the non-dominated."""

from __future__ import annotations

from shoal.objectives.archive import Archive, most_held
from shoal.objectives.dominance import (
    Box,
    Epsilon,
    Number,
    Quality,
    box_dominates,
    box_of,
    check_epsilons,
    dominates,
    non_dominated,
)
from shoal.objectives.indices import binary_spread, spread, worst_case
from shoal.objectives.objective import (
    Loss,
    ModelValue,
    Objective,
    PropertyObjective,
    diversity,
    group_sizes,
    objective_names,
    objectives_of,
    value_counts,
)
from shoal.objectives.performance import convergence_error, representation_ratio
from shoal.objectives.properties import distinct_values, group_size, value_count
from shoal.objectives.released import Released, least_kept

__all__ = [
    "Archive",
    "Box",
    "Epsilon",
    "Loss",
    "ModelValue",
    "Number",
    "Objective",
    "PropertyObjective",
    "Quality",
    "Released",
    "binary_spread",
    "box_dominates",
    "box_of",
    "check_epsilons",
    "convergence_error",
    "distinct_values",
    "diversity",
    "dominates",
    "group_size",
    "group_sizes",
    "least_kept",
    "most_held",
    "non_dominated",
    "objective_names",
    "objectives_of",
    "representation_ratio",
    "spread",
    "value_count",
    "value_counts",
    "worst_case",
]
