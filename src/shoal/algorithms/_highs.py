"""Linear and integer programs by HiGHS: one thread, so that the same program has the same answer."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core

MISSING = "it needs highspy, which is not installed: pip install 'shoal[cells]'"
SECONDS_BETWEEN_LOOKS = 0.05
EVER = 1e9


def why_missing() -> str | None:
    """Why no program can be solved, as the end of a sentence; `None` if they can."""
    return None if importlib.util.find_spec("highspy") else MISSING


@dataclass(eq=False)
class Clock:
    """When the programs of one search must end, and whether Ctrl-C has ended them."""

    seconds: float | None = None
    started: float = field(default_factory=_core.now)
    interrupted: bool = False

    @property
    def elapsed(self) -> float:
        """Wall time since the search began."""
        return _core.now() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return EVER if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    @property
    def ended(self) -> bool:
        """Whether no more may be solved."""
        return self.interrupted or self.left <= 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Columns:
    """Columns of a program, sparse: those of column c are the entries from `first[c]` up to `first[c + 1]`.

    A column has one entry per row at most: HiGHS does not come back from one that has two.
    """

    cost: NDArray[np.float64]
    upper: NDArray[np.float64]
    first: NDArray[np.int64]
    row: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    """What HiGHS says of a program.

    `values` is empty where no solution was found; `infeasible` is said only if that is proved.
    """

    values: NDArray[np.float64]
    duals: NDArray[np.float64]
    objective: float
    bound: float
    optimal: bool
    infeasible: bool
    nodes: int


class Program:
    """A program to minimize; columns are at least 0.

    Parameters
    ----------
    low, high
        Of each row; infinite for none.
    columns
        The columns to begin with.
    integer
        Which of them must be whole, if any.
    """

    def __init__(
        self,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        columns: Columns,
        integer: NDArray[np.bool_] | None = None,
    ) -> None:
        highspy: Any = importlib.import_module("highspy")
        self._highs = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            self._highs.setOptionValue(name, value)
        self._highs.HandleUserInterrupt = True
        self._whole = integer is not None
        program: Any = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(columns.cost), len(low)
        program.col_cost_, program.col_upper_ = columns.cost, columns.upper
        program.col_lower_ = np.zeros(len(columns.cost))
        program.row_lower_, program.row_upper_ = low, high
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = columns.first.astype(np.int32)
        program.a_matrix_.index_ = columns.row.astype(np.int32)
        program.a_matrix_.value_ = columns.value
        if integer is not None:
            kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
            program.integrality_ = [kinds[int(each)] for each in integer]
            self._highs.setOptionValue("mip_abs_gap", 0.5)  # costs are whole numbers
        self._highs.passModel(program)

    def add(self, columns: Columns) -> None:
        """Add columns."""
        many = len(columns.cost)
        self._highs.addCols(
            many,
            columns.cost,
            np.zeros(many),
            columns.upper,
            len(columns.row),
            columns.first[:-1].astype(np.int32),
            columns.row.astype(np.int32),
            columns.value,
        )

    def solve(self, clock: Clock, *, nodes: int | None = None, gap: float = 0.0) -> Solved:
        """Solve until the clock ends it, in at most so many nodes, up to a relative gap."""
        highspy: Any = importlib.import_module("highspy")
        highs = self._highs
        # HiGHS counts the time of all runs of a program together.
        highs.setOptionValue("time_limit", highs.getRunTime() + clock.left)
        if self._whole:
            highs.setOptionValue("mip_rel_gap", gap)
            if nodes is not None:
                highs.setOptionValue("mip_max_nodes", nodes)
        self._run(clock)
        status, info = highs.getModelStatus(), highs.getInfo()
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        solution = highs.getSolution()
        optimal = status == highspy.HighsModelStatus.kOptimal
        bound = float(info.mip_dual_bound) if self._whole else float(info.objective_function_value)
        return Solved(
            values=np.array(solution.col_value if found else [], np.float64),
            duals=np.array(solution.row_dual if optimal and not self._whole else [], np.float64),
            objective=float(info.objective_function_value),
            bound=bound if self._whole or optimal else -np.inf,
            optimal=optimal,
            infeasible=status == highspy.HighsModelStatus.kInfeasible,
            nodes=max(0, int(info.mip_node_count)) if self._whole else 0,
        )

    def _run(self, clock: Clock) -> None:
        """Run on a thread of HiGHS's, so that Ctrl-C is heard."""
        self._highs.startSolve()
        done = False
        while not done:
            try:
                done = self._highs.wait(SECONDS_BETWEEN_LOOKS)[0]
            except KeyboardInterrupt:
                clock.interrupted = True
                self._highs.cancelSolve()
