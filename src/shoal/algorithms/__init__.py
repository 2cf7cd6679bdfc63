"""Algorithms by the name they have in a policy."""

from __future__ import annotations

from shoal.algorithms._base import Algorithm
from shoal.algorithms._cuts import METRICS_OF_CUTS
from shoal.algorithms.anneal import Anneal
from shoal.algorithms.bug import Bug
from shoal.algorithms.cells import Cells
from shoal.algorithms.datafly import Datafly
from shoal.algorithms.exact import Exact
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.flash import Flash
from shoal.algorithms.forest import Forest
from shoal.algorithms.genetic import Genetic
from shoal.algorithms.hill_climb import HillClimb
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.k_member import KMember
from shoal.algorithms.k_optimize import KOptimize
from shoal.algorithms.lattice import LatticeSearch
from shoal.algorithms.levels_and_cells import LevelsAndCells
from shoal.algorithms.local import Local
from shoal.algorithms.matching import Matching
from shoal.algorithms.meyerson_williams import MeyersonWilliams
from shoal.algorithms.microaggregate import Microaggregate
from shoal.algorithms.mingen import MinGen
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.mu_argus import MuArgus
from shoal.algorithms.ola import Ola
from shoal.algorithms.samarati import Samarati
from shoal.algorithms.subtree import Subtree
from shoal.algorithms.suppress_columns import SuppressColumns
from shoal.algorithms.suppress_rows import SuppressRows
from shoal.algorithms.tds import Tds
from shoal.model.recoding_model import RecodingModel

ALGORITHMS: dict[str, type[Algorithm]] = {
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
}

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

__all__ = ["ALGORITHMS", "DEFAULT", "DEFAULT_OF_LEVELS", "DEFAULT_OF_MODEL", "METRICS_OF_CUTS", "Algorithm"]
