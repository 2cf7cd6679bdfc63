"""Algorithms by the name they have in a policy."""

from __future__ import annotations

from shoal.algorithms._base import Algorithm
from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms.cells.cells import Cells
from shoal.algorithms.cells.levels_and_cells import LevelsAndCells
from shoal.algorithms.cells.mu_argus import MuArgus
from shoal.algorithms.cuts._cuts import costs_of_cuts
from shoal.algorithms.cuts.anneal import Anneal
from shoal.algorithms.cuts.bug import Bug
from shoal.algorithms.cuts.exact import Exact
from shoal.algorithms.cuts.exhaustive import Exhaustive
from shoal.algorithms.cuts.genetic import Genetic
from shoal.algorithms.cuts.hill_climb import HillClimb
from shoal.algorithms.cuts.k_optimize import KOptimize
from shoal.algorithms.cuts.subtree import Subtree
from shoal.algorithms.cuts.tds import Tds
from shoal.algorithms.levels.datafly import Datafly
from shoal.algorithms.levels.flash import Flash
from shoal.algorithms.levels.incognito import Incognito
from shoal.algorithms.levels.lattice import LatticeSearch
from shoal.algorithms.levels.mingen import MinGen
from shoal.algorithms.levels.ola import Ola
from shoal.algorithms.levels.samarati import Samarati
from shoal.algorithms.levels.suppress_columns import SuppressColumns
from shoal.algorithms.rows.forest import Forest
from shoal.algorithms.rows.k_member import KMember
from shoal.algorithms.rows.local import Local
from shoal.algorithms.rows.matching import Matching
from shoal.algorithms.rows.meyerson_williams import MeyersonWilliams
from shoal.algorithms.rows.microaggregate import Microaggregate
from shoal.algorithms.rows.mondrian import Mondrian
from shoal.algorithms.rows.suppress_rows import SuppressRows
from shoal.model.description import Description
from shoal.model.parameter import Parameter, parameter, parameters_of
from shoal.model.policy.budget import Budget, Progress, ProgressCallback
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.registry import Registry
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status

ALGORITHMS: Registry[type[Algorithm]] = Registry(
    "algorithm",
    "shoal.algorithms",
    {
        algorithm.name: algorithm
        for algorithm in (
            Exact,
            KOptimize,
            HillClimb,
            Exhaustive,
            Subtree,
            Genetic,
            Anneal,
            Tds,
            Bug,
            LatticeSearch,
            Local,
            KMember,
            Microaggregate,
            Mondrian,
            Cells,
            Forest,
            MeyersonWilliams,
            Matching,
            Incognito,
            Samarati,
            MinGen,
            Ola,
            Flash,
            Datafly,
            MuArgus,
            LevelsAndCells,
            SuppressColumns,
            SuppressRows,
        )
    },
    base=Algorithm,
)

DEFAULT = Exact.name
"""What "auto" means for cuts."""

DEFAULT_OF_LEVELS = LatticeSearch.name
"""What "auto" means where only levels will do."""

DEFAULT_OF_MODEL: dict[RecodingModel, str] = {
    RecodingModel.CG_: Local.name,
    RecodingModel.AG_CS: LevelsAndCells.name,
    RecodingModel.CS: Cells.name,
    RecodingModel.AS: SuppressColumns.name,
    RecodingModel.TS: SuppressRows.name,
}
"""What "auto" means where the policy names a recoding model; any other is as without one."""

__all__ = [
    "ALGORITHMS",
    "DEFAULT",
    "DEFAULT_OF_LEVELS",
    "DEFAULT_OF_MODEL",
    "Algorithm",
    "Budget",
    "Description",
    "Parameter",
    "Problem",
    "Progress",
    "ProgressCallback",
    "RecodingModel",
    "Result",
    "Status",
    "admissible",
    "cost_of",
    "costs_of_cuts",
    "made_by",
    "parameter",
    "parameters_of",
]
