"""The rule of `auto`: which algorithms may run, in which order.

1. A recoding model that implies an algorithm gets it.
2. One recoding per column, if the policy says `consistent`, limits levels or names a recoding model with
   whole columns, and if a proof or SQL is requested: the least loss of `lattice`, `subtree` and `exact`, and
   of `hill-climb` where `exact` proves nothing.
3. Otherwise row by row: `local`.
4. What these cannot do falls to the next kind, and at last to any algorithm that can.

Decided here without a row; `auto_search` then asks each algorithm whether it supports the counted problem.
The rule in words, and what its bounds mean: docs/algorithms/auto.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.algorithms import ALGORITHMS, DEFAULT_OF_MODEL, Algorithm
from shoal.cost import METRICS, CellMetric
from shoal.cost.discernibility import Discernibility
from shoal.errors import PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.result.choice import ROW_BY_ROW
from shoal.pipeline.search_choice import check_search, limits_levels

COLUMNS = ("lattice", "subtree", "exact", "hill-climb")
"""The searches for one recoding per column, the quickest first; the last improves what is not proved."""

_NODE_BY_NODE = ("flash", "ola")
"""Where the rows stay in an engine, these come first among the others."""

_NOT_BY_ITSELF = ("exhaustive",)
"""For tests alone."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The algorithms that `auto` may use.

    Parameters
    ----------
    rows
        For a release row by row: the first that can runs.
    columns
        For one recoding per column: all that can run, and the least loss counts.
    others
        Where none of these can: the first that can runs.
    reason
        Why the first kind of them comes first.
    """

    rows: tuple[Algorithm, ...] = ()
    columns: tuple[Algorithm, ...] = ()
    others: tuple[Algorithm, ...] = ()
    reason: str

    @property
    def every(self) -> tuple[Algorithm, ...]:
        """All of them, in the order of preference."""
        return (*self.rows, *self.columns, *self.others)


def candidates_of(policy: Policy, *, per_column: str | None = None) -> Candidates:
    """What `auto` may use for a policy; `PolicyError` if no algorithm can do what it states.

    Parameters
    ----------
    policy
        The request; its algorithm is "auto".
    per_column
        Why the caller needs one recoding per column, if it does.
    """
    rule = _Rule(policy)
    implied = DEFAULT_OF_MODEL.get(policy.recoding_model) if policy.recoding_model is not None else None
    if implied is not None and policy.recoding_model is not None:
        found = Candidates(
            others=rule.able([implied, *rule.rest((implied,), consistent=False)]),
            reason=f"the recoding model {policy.recoding_model} implies it",
        )
    else:
        why = _why_columns(policy) or per_column
        rows = () if why is not None else rule.by_row()
        usual = f"{ROW_BY_ROW} loses less than one recoding per column"
        found = Candidates(
            rows=rows,
            columns=rule.able(COLUMNS),
            others=rule.able(rule.rest(("local", "mondrian", *COLUMNS), consistent=why is not None)),
            reason=why or (usual if rows else rule.why_not_by_row()),
        )
    if not found.every:
        raise rule.refusals[0]
    return found


def _why_columns(policy: Policy) -> str | None:
    """Why the policy needs one recoding per column, if it does."""
    if policy.consistent:
        return "the policy says consistent"
    if limits_levels(policy):
        return "the policy limits the levels of columns"
    if policy.recoding_model is not None:
        return f"the recoding model is {policy.recoding_model}"
    return None


class _Rule:
    """Algorithms with the options of a policy, and why some of them will not do."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.refusals: list[PolicyError] = []

    def able(self, names: Sequence[str]) -> tuple[Algorithm, ...]:
        """The algorithms of these names that can obey the policy, as far as that is known without rows."""
        made = [self._made(name) for name in names]
        return tuple(each for each in made if each is not None)

    def by_row(self) -> tuple[Algorithm, ...]:
        """The searches row by row that minimize the policy's cost, the best first."""
        if not issubclass(METRICS[self._policy.cost], (CellMetric, Discernibility)):
            return ()
        return self.able(("local", "mondrian"))

    def why_not_by_row(self) -> str:
        """Why there is no search row by row, where there is none."""
        policy = self._policy
        options = f" and has the options {', '.join(policy.options)}" if policy.options else ""
        return f"no search {ROW_BY_ROW} minimizes {policy.cost}{options}"

    def rest(self, names: Sequence[str], *, consistent: bool) -> list[str]:
        """All other algorithms that keep k and the truth; those of means only for a cost of means."""
        centroids = METRICS[self._policy.cost].of_centroids
        return [
            name
            for name in dict.fromkeys((*_NODE_BY_NODE, *ALGORITHMS))
            if name not in (*names, *_NOT_BY_ITSELF)
            and not ALGORITHMS[name].unverified
            and ALGORITHMS[name].makes_centroids == centroids
            and (not consistent or any(each.is_consistent for each in ALGORITHMS[name].recoding_models))
        ]

    def _made(self, name: str) -> Algorithm | None:
        try:
            algorithm = ALGORITHMS[name].of(self._policy)
            check_search(self._policy, algorithm)
        except PolicyError as refusal:
            self.refusals.append(refusal)
            return None
        return algorithm
