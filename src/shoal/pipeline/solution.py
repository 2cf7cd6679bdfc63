"""What a search answered, and what the definitions say about its recoding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from shoal.algorithms._priced_again import check_bound, check_numbers
from shoal.errors import InternalError
from shoal.model.recoding.distributed import DistributedRecoding
from shoal.model.recoding.groups import Groups, groups, released_codes
from shoal.model.recoding.recoding import Recoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result
from shoal.model.table.frequency_table import FrequencyTable
from shoal.pipeline.histories.plan import HistoryPlan
from shoal.pipeline.plan import Plan


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """A problem with its answer.

    Parameters
    ----------
    plan
        The policy, and the algorithm that searched.
    problem
        The problem; where an engine keeps the distinct rows, its table has the groups of the answer instead.
    searched
        The table that was searched.
    result
        The answer; it need not have a recoding.
    """

    plan: Plan | HistoryPlan
    problem: Problem
    searched: FrequencyTable
    result: Result

    @property
    def row_plan(self) -> Plan:
        """The plan of a search that looked at rows one by one."""
        if isinstance(self.plan, HistoryPlan):
            raise InternalError("a search over histories is taken for one over rows")
        return self.plan

    @cached_property
    def recoding(self) -> Recoding:
        """The recoding of an answer that has one."""
        if self.result.recoding is None:
            raise InternalError("a search that found no recoding is taken for one that did")
        return self.result.recoding

    @cached_property
    def groups(self) -> Groups:
        """The groups of the recoding, computed from the counts and not by the search."""
        if isinstance(self.recoding, DistributedRecoding):
            raise InternalError("distributed groups stay in the engine, and this needs them here")
        problem = self.problem
        return groups(problem.table, self.recoding, problem.k, problem.sets, problem.group_models)

    @cached_property
    def released_codes(self) -> tuple[frozenset[int], ...]:
        """Per attribute the codes that a manifest may name."""
        if isinstance(self.recoding, DistributedRecoding):
            return self.recoding.groups.released_codes
        return released_codes(self.problem.table, self.groups, self.recoding)

    def check(self) -> None:
        """Raise `InternalError` where the search claims what the definitions deny."""
        if self.result.recoding is None:
            return
        if isinstance(self.recoding, DistributedRecoding):
            check_bound(self.result)  # the engine holds its groups, and its cost is counted from them
        else:
            problem = replace(self.problem, table=self.searched)
            check_numbers(problem, self.result, self.recoding, self.groups)

    @property
    def releases_small_groups(self) -> bool:
        """Whether the algorithm is known not to guarantee k, and says so of this recoding."""
        k = self.plan.policy.k
        return not self.recoding.wildcards and self.recoding.smallest_kept(k) < k
