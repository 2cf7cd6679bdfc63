"""Mu-Argus: generalize until single values are common, then suppress cells of rare combinations.

Tests the combinations of two and three columns, so it does not guarantee k: a larger combination can be rare,
and so can a combination with a suppressed cell. Its audit can fail, and `accept_unverified` publishes it
anyway. With combinations = "all" it goes on until k is reached, and suppresses what models refuse.

Paper: Sweeney, IJUFKS 10(5), 2002, section 4.2 and Figures 11 to 15. Deviations: docs/algorithms/mu-argus.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._base import ONE_SET, Algorithm
from shoal.algorithms._definitions import made_by
from shoal.algorithms._rules import least_rows
from shoal.algorithms._watch import BudgetEnded, Watch
from shoal.algorithms.cells._labels import why_no_population
from shoal.algorithms.cells._rare import (
    Combination,
    cells_to_suppress,
    hidden,
    rare_combinations,
    without_refused,
)
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.attribute import Identification
from shoal.model.policy.budget import Budget, ProgressCallback
from shoal.model.policy.policy import Policy
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.recoding.groups import alike
from shoal.model.recoding.local_recoding import SUPPRESSED_CELL, LocalRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.result.searched_kind import LEVELS_AND_CELLS
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable

Combinations = Literal["paper", "program", "all"]
MOST_COLUMNS_OF_ALL = 10
"""All combinations of this many columns are 1,013."""

# Figure 12; the kinds of a combination in alphabetical order.
_ALWAYS = (
    *("identifying more most", "identifying most most", "most most most"),
    *("identifying more", "identifying most", "more most", "most most"),
)
_IF_SEVERAL_IDENTIFYING = ("more more most", "more most most", "more more")


@dataclass(frozen=True, kw_only=True)
class Outliers:
    """What the data holder knows when choosing a column to generalize: counts, and no values.

    Parameters
    ----------
    levels
        The level of each column.
    rows
        Per combination of columns, those rows whose values there occur fewer than k times.
    """

    levels: Mapping[str, int]
    rows: Mapping[tuple[str, ...], int]


@dataclass(frozen=True, kw_only=True)
class MuArgus(Algorithm):
    """Mu-Argus as Sweeney describes it.

    Parameters
    ----------
    combinations
        What is tested: "paper", all of two and three columns; "program", those of Figure 12; "all", those of
        any size, repeatedly until every released combination occurs k times.
    generalize
        Columns to generalize by one step each, in this order, after the automatic generalization.
    choose
        In Python: called for the next column after those, with the current outliers; `None` ends it.
    identification
        How identifying each quasi-identifier is; the policy's attributes say it.
    """

    name = "mu-argus"
    description = Description(
        title="mu-Argus",
        short="Levels and blank cells; does not guarantee k",
        meaning="Generalizes by hand-made steps and blanks cells of rare combinations. The release can "
        "break k.",
        when="Only to compare with mu-Argus.",
    )
    searches = LEVELS_AND_CELLS
    guarantee = Status.FEASIBLE
    recoding_models = (RecodingModel.AG_CS,)
    needs_hierarchies = True
    unverified = True
    attribute_keys = ("identification",)

    combinations: Combinations = field(
        default="paper",
        metadata=parameter(
            "Which columns are tested together",
            start="all",  # a form starts with the option that guarantees k, not with the paper's
            choices={
                "all": "all, which guarantees k",
                "paper": "as in the paper",
                "program": "as in the program",
            },
        ),
    )
    generalize: tuple[str, ...] = field(
        default=(),
        metadata=parameter("Columns to generalize by one level each, in this order", in_form=False),
    )
    choose: Callable[[Outliers], str | None] | None = None
    identification: tuple[Identification, ...] = ()

    def __post_init__(self) -> None:
        if self.combinations not in get_args(Combinations):
            raise PolicyError(
                f"[search]: combinations is one of {', '.join(get_args(Combinations))}; "
                f"it is {self.combinations!r}"
            )
        if not isinstance(self.generalize, tuple) or not all(isinstance(n, str) for n in self.generalize):
            raise PolicyError('[search]: generalize is a list of columns, like ["zip", "zip", "birth"]')
        if self.choose is not None and not callable(self.choose):
            raise PolicyError("[search]: choose is a function of Python; a policy file states `generalize`")

    @classmethod
    def of(cls, policy: Policy) -> Self:
        if "identification" in policy.options:
            raise PolicyError("[search]: identification belongs to each attribute, not to the search")
        identification = tuple(each.identification for each in policy.quasi_identifiers)
        return cls.with_options({**policy.options, "identification": identification})

    def supports(self, problem: Problem) -> str | None:
        domains = problem.table.domains
        if len(problem.sets) > 1:
            return ONE_SET
        if problem.cost.needs_levels == "column":
            return f"cost {problem.cost.name!r} is of a level per column, and it suppresses single cells"
        if self.combinations == "all" and len(domains) > MOST_COLUMNS_OF_ALL:
            return (
                f"it tests all combinations of at most {MOST_COLUMNS_OF_ALL} columns, not {len(domains)}; "
                'choose combinations = "paper"'
            )
        if problem.models and (why := self._why_not(problem)) is not None:
            return why
        names = [domain.name for domain in domains]
        for name in self.generalize:
            if name not in names:
                return f"generalize names {name!r}, which is not a quasi-identifier.{suggestion(name, names)}"
        return None

    def _why_not(self, problem: Problem) -> str | None:
        """Why it cannot promise the problem's models, as the end of a sentence; `None` if it can."""
        first = problem.models[0].name
        if self.combinations != "all":
            return (
                f"it tests some combinations of columns and does not even guarantee k, so it cannot promise "
                f"{first!r}; choose combinations = \"all\", or use 'lattice'"
            )
        return why_no_population(problem)

    def solve(
        self,
        problem: Problem,
        budget: Budget,
        *,
        threads: int = 1,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        on_progress: ProgressCallback | None = None,
    ) -> Result:
        watch = Watch(budget, on_progress)
        recoding, interrupted = None, False
        try:
            recoding = self._recoding(problem, watch)
        except (BudgetEnded, KeyboardInterrupt) as end:
            interrupted = isinstance(end, KeyboardInterrupt)
        if recoding is None:
            return Result(
                status=Status.UNKNOWN,
                algorithm=self.name,
                nodes=watch.nodes,
                seconds=watch.seconds,
                interrupted=interrupted,
            )
        return Result(
            status=Status.FEASIBLE,
            algorithm=self.name,
            recoding=recoding,
            cost=problem.cost.of(problem.table, recoding, problem.k, problem.group_models),
            suppressed=made_by(problem, recoding).suppressed,
            nodes=watch.nodes,
            seconds=watch.seconds,
        )

    def _recoding(self, problem: Problem, watch: Watch) -> LocalRecoding | None:
        """The recoding; `None` if it finds none that the models allow."""
        table, k = problem.table, min(least_rows(problem), problem.table.rows)
        unsaid: list[Identification] = ["identifying"] * len(table.domains)
        kinds = self.identification or unsaid
        tested = combinations_to_test(kinds, self.combinations)
        levels = list(automatic_levels(problem, kinds))
        turns = 0
        watch.look(len(tested))
        while (column := self._chosen(problem, levels, tested, turns)) is not None:
            levels[column] += 1
            turns += 1
            watch.look(len(tested))
        rare = rare_combinations(lifted(table, levels), table.counts, tested, k)
        cells = np.tile(np.array(levels, np.int64), (len(table.counts), 1))
        cells[cells_to_suppress(rare, tested, precedence(kinds))] = SUPPRESSED_CELL
        if self.combinations == "all":
            most = problem.most_suppressed
            cells = hidden(table, cells, k, most, precedence(kinds), lambda: watch.look(0))
            if problem.models:
                admitted = without_refused(problem, cells)
                if admitted is None:
                    return None
                cells = admitted
        return LocalRecoding.from_levels(table, cells, keeps_small_groups=self.combinations != "all")

    def _chosen(
        self, problem: Problem, levels: Sequence[int], tested: Sequence[Combination], turn: int
    ) -> int | None:
        """The column that the data holder generalizes next (steps 4 and 5); `None` when no more is needed."""
        names = [domain.name for domain in problem.table.domains]
        if turn < len(self.generalize):
            name: str | None = self.generalize[turn]
        else:
            name = None if self.choose is None else self.choose(outliers(problem, levels, tested))
        if name is None:
            return None
        if name not in names:
            raise PolicyError(f"mu-argus: there is no quasi-identifier {name!r}.{suggestion(name, names)}")
        column = names.index(name)
        if levels[column] == highest_levels(problem)[column]:
            raise PolicyError(
                f"mu-argus: column {name!r} cannot be generalized further, it is on its greatest level "
                f"({levels[column]}); leave it out of `generalize` once, or raise max_level"
            )
        return column


def combinations_to_test(kinds: Sequence[Identification], which: Combinations) -> list[Combination]:
    """The combinations of columns that are tested, each by its attributes.

    Parameters
    ----------
    kinds
        How identifying each attribute is. Those that are not are tested only in all combinations, which
        promise k for all quasi-identifiers.
    which
        As the option.
    """
    if which == "all":
        return _of_sizes(range(len(kinds)), range(2, len(kinds) + 1))
    tested = [attribute for attribute, kind in enumerate(kinds) if kind != "not"]
    every = _of_sizes(tested, (2, 3))
    if which == "paper":
        return every
    several = sum(kind == "identifying" for kind in kinds) > 1
    listed = {*_ALWAYS, *(_IF_SEVERAL_IDENTIFYING if several else ())}
    return [each for each in every if " ".join(sorted(kinds[attribute] for attribute in each)) in listed]


def _of_sizes(attributes: Sequence[int], sizes: Sequence[int]) -> list[Combination]:
    return [each for size in sizes for each in itertools.combinations(attributes, size)]


def precedence(kinds: Sequence[Identification]) -> list[int]:
    """The attributes, those that identify most first, then as the policy names them: how ties are broken."""
    order = get_args(Identification)
    return sorted(range(len(kinds)), key=lambda attribute: order.index(kinds[attribute]))


def highest_levels(problem: Problem) -> list[int]:
    """The greatest level of each attribute that is allowed."""
    return [
        problem.levels[attribute][1] if problem.levels else domain.hierarchy.height
        for attribute, domain in enumerate(problem.table.domains)
    ]


def automatic_levels(problem: Problem, kinds: Sequence[Identification]) -> list[int]:
    """Step 2: the least levels on which every value of an identifying attribute occurs k times."""
    table, levels = problem.table, []
    for attribute, (kind, most) in enumerate(zip(kinds, highest_levels(problem), strict=True)):
        level = problem.levels[attribute][0] if problem.levels else 0
        while kind != "not" and level < most and _rarest(table, attribute, level) < problem.k:
            level += 1
        levels.append(level)
    return levels


def _rarest(table: FrequencyTable, attribute: int, level: int) -> int:
    parts = np.array(table.domains[attribute].hierarchy.parts[level], np.int32)[table.codes[:, [attribute]]]
    return int(alike(parts, table.counts).min())


def lifted(table: FrequencyTable, levels: Sequence[int]) -> NDArray[np.int32]:
    """The distinct rows on a level per attribute, each cell by its part."""
    columns = [
        np.array(domain.hierarchy.parts[level], np.int32)[table.codes[:, attribute]]
        for attribute, (domain, level) in enumerate(zip(table.domains, levels, strict=True))
    ]
    return np.column_stack(columns)


def outliers(problem: Problem, levels: Sequence[int], tested: Sequence[Combination]) -> Outliers:
    """Step 3, as the data holder sees it."""
    table = problem.table
    names = [domain.name for domain in table.domains]
    rare = rare_combinations(lifted(table, levels), table.counts, tested, problem.k)
    rows = (table.counts @ rare).tolist()
    return Outliers(
        levels=dict(zip(names, levels, strict=True)),
        rows={
            tuple(names[attribute] for attribute in each): count
            for each, count in zip(tested, rows, strict=True)
            if count
        },
    )
