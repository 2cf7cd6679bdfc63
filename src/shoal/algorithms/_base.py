"""What an algorithm is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from shoal.errors import InternalError, PolicyError
from shoal.model.description import Description
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.distributed import DistributedRows
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.suggestion import suggestion

ONE_SET = "it knows one quasi-identifier, not several; use 'datafly', or leave out `sets`"
"""Why most algorithms cannot solve a problem with several sets."""


@dataclass(frozen=True, kw_only=True)
class Algorithm(ABC):
    """A way to solve a `Problem`.

    An algorithm holds no state between calls: two calls with the same arguments give the same result. Its
    fields are its options, which a policy states under [search]; the metadata of a field has its words.

    An answer is a claim. Before it is used, it is grouped and priced again by the definitions, and what was
    written is measured by the audit, which shares no code with any search. `shoal.testing.check_algorithm`
    checks an algorithm on small tables.
    """

    name: ClassVar[str]
    """What a policy calls it."""

    description: ClassVar[Description]
    """What people should know about it."""

    searches: ClassVar[str]
    """Among which recodings it looks, in the plural: what its proofs are about."""

    guarantee: ClassVar[Status]
    """The status that a run with an unlimited budget reaches."""

    recoding_models: ClassVar[tuple[RecodingModel, ...]] = (RecodingModel.AG_TS, RecodingModel.AG_)
    """The models of the taxonomy that its releases can be of."""

    needs_hierarchies: ClassVar[bool] = False
    """Whether it climbs hierarchies; those that the policy does not give are built then."""

    joins_neighbours: ClassVar[bool] = False
    """Whether the values below a label must be neighbours in the domain's order."""

    makes_centroids: ClassVar[bool] = False
    """Whether it replaces values by centroids of groups, so that cells are not truthful."""

    unverified: ClassVar[bool] = False
    """Whether it is known not to guarantee k, so that a policy may accept a release whose audit fails."""

    looks_at_nodes: ClassVar[bool] = False
    """Whether it looks at nodes one by one, so that an engine can count them where the rows are."""

    knows_sets: ClassVar[bool] = False
    """Whether it can solve problems with several sets of quasi-identifiers."""

    clock_share: ClassVar[float | None] = None
    """The share of its seconds after which it does something else, if there is one: two runs that a clock
    ended are then not alike."""

    takes_start: ClassVar[bool] = False
    """Whether `solve` takes a recoding to begin with, as `start`."""

    attribute_keys: ClassVar[tuple[str, ...]] = ()
    """What a policy says of columns to this algorithm alone."""

    @property
    def is_consistent(self) -> bool:
        """Whether equal values of a column are released alike in all rows that are not suppressed."""
        return any(model.is_consistent for model in self.recoding_models)

    @property
    def is_distributed(self) -> bool:
        """Whether the rows stay in the engine, whose workers search: `solve_distributed` runs then."""
        return False

    @property
    def may_be_distributed(self) -> bool:
        """Whether it can search where the rows are, if they are too many for this process and k is all."""
        return False

    @classmethod
    def of(cls, policy: Policy) -> Self:
        """The algorithm with the options that a policy states."""
        return cls.with_options(policy.options)

    @classmethod
    def with_options(cls, stated: Any) -> Self:
        """The algorithm with some options; `PolicyError` if it does not have them."""
        known = [field.name for field in fields(cls)]
        for name in stated:
            if name not in known:
                raise PolicyError(f"algorithm {cls.name!r} has no option {name!r}.{suggestion(name, known)}")
        return cls(**{name: _frozen(value) for name, value in stated.items()})

    def supports(self, problem: Problem) -> str | None:  # noqa: ARG002
        """Why this algorithm cannot solve the problem, as the end of a sentence; `None` if it can."""
        return None

    @abstractmethod
    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,
        seed: int = 0,
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        """Solve within the budget. Ctrl-C ends the search early with the best so far."""

    def solve_distributed(
        self,
        problem: Problem,  # noqa: ARG002
        rows: DistributedRows,  # noqa: ARG002
        budget: Budget,  # noqa: ARG002
        on_progress: ProgressCallback | None,  # noqa: ARG002
    ) -> Result:
        """Solve where the rows are; `problem` has the marginal counts of their columns alone."""
        raise InternalError(f"algorithm {self.name!r} does not search where the rows are")


def _frozen(value: object) -> object:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value
