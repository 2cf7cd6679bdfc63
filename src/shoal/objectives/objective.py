"""Objectives: properties with their indices, and losses; each with its better direction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

from shoal.cost import METRICS, CellMetric, CostMetric
from shoal.errors import PolicyError
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable
from shoal.objectives.dominance import Number
from shoal.objectives.indices import greatest, spread, worst_case
from shoal.objectives.properties import Property, distinct_values, group_size, value_count
from shoal.objectives.released import Released
from shoal.privacy import DistinctLDiversity, GroupModel

Better = Literal["higher", "lower"]
Index = Literal["worst", "sum"]


class Objective(ABC):
    """A number that a released table has, and that should be high, or low."""

    name: str
    better: Better

    def check(self, table: FrequencyTable) -> None:  # noqa: B027  most are defined on any table
        """Raise `PolicyError` when the objective is not defined on a table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns that it measures."""
        return ()

    @abstractmethod
    def of(self, released: Released) -> Number:
        """The number: the definition."""

    def demand(self, value: Number) -> GroupModel | None:  # noqa: ARG002
        """The model that a release with this value satisfies, if there is one: what an audit can measure."""
        return None


@dataclass(frozen=True)
class PropertyObjective(Objective):
    """An index of a property.

    Parameters
    ----------
    name
        Its name.
    property
        From a released table to a number for each of its entries.
    index
        "worst": the least released row counts, or the greatest where lower is better. "sum": all of them do.
    better
        Whether more of it is better.
    columns
        Sensitive columns that the property measures.
    """

    name: str
    property: Property
    index: Index = "worst"
    better: Better = "higher"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.index not in ("worst", "sum"):
            raise PolicyError(f'the index of {self.name!r} is "worst" or "sum"; it is {self.index!r}')
        if self.better not in ("higher", "lower"):
            raise PolicyError(f'{self.name!r} is better when "higher" or "lower"; it is {self.better!r}')

    def of(self, released: Released) -> Number:
        vector = self.property(released)
        if len(vector) != len(released.rows):
            raise PolicyError(
                f"property {self.name!r} must give a number for each of the {len(released.rows):,} entries; "
                f"it gives {len(vector):,}"
            )
        index = spread if self.index == "sum" else worst_case if self.better == "higher" else greatest
        return index(vector, released)

    def demand(self, value: Number) -> GroupModel | None:
        measured = self.property
        if not isinstance(measured, partial) or measured.func is not distinct_values or self.index != "worst":
            return None
        return (
            DistinctLDiversity(attribute=self.columns[0], l=int(value)) if self.better == "higher" else None
        )


def group_sizes(name: str = "k", index: Index = "worst") -> PropertyObjective:
    """k, the least rows of a released group; or with "sum", over all rows the size of their group."""
    return PropertyObjective(name, group_size, index)


def diversity(column: str, name: str = "l") -> PropertyObjective:
    """l: the least number of different sensitive values in a released group."""
    return PropertyObjective(name, partial(distinct_values, column=column), columns=(column,))


def value_counts(column: str, name: str = "spread-l") -> PropertyObjective:
    """The sum over rows of how many of their group share their sensitive value."""
    return PropertyObjective(name, partial(value_count, column=column), "sum", columns=(column,))


@dataclass(frozen=True)
class Loss(Objective):
    """What a release costs by a metric.

    Parameters
    ----------
    metric
        The metric.
    """

    metric: CostMetric
    better: Better = "lower"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The metric's."""
        return self.metric.name

    def check(self, table: FrequencyTable) -> None:
        self.metric.check(table)

    def of(self, released: Released) -> Number:
        return self.metric.of(released.table, released.recoding, released.k)

    def most(self, table: FrequencyTable) -> Number:
        """An upper bound: the top of every hierarchy, or everything suppressed."""
        top = LevelRecoding(tuple(domain.hierarchy.height for domain in table.domains))
        return max(self.metric.of(table, top, 1), self.metric.of(table, top, table.rows + 1))


@dataclass(frozen=True)
class ModelValue(Objective):
    """What a privacy model measures on the worst released group.

    Parameters
    ----------
    model
        The model; its own threshold is ignored.
    """

    model: GroupModel

    @property
    def name(self) -> str:  # type: ignore[override]
        """The model's."""
        return self.model.name

    @property
    def better(self) -> Better:  # type: ignore[override]
        """Lower, if that is safer."""
        return "lower" if self.model.lower_is_safer else "higher"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.model.columns

    def check(self, table: FrequencyTable) -> None:
        self.model.check(table.people)

    def of(self, released: Released) -> Number:
        rows: dict[int, list[int]] = {}
        for row, group in enumerate(released.groups.of_row.tolist()):
            if released.groups.kept[group]:
                rows.setdefault(group, []).append(row)
        people = released.table.people
        values = [self.model.measure(released.table.group(each), people) for each in rows.values()]
        worst = self.model.worst(values)
        assert worst is not None
        return worst


OF_GROUPS = ("k", "spread-k")
OF_VALUES = {"l": diversity, "spread-l": value_counts}
"""The paper's privacy objectives: on group sizes, and on a sensitive column."""


def objective_names() -> tuple[str, ...]:
    """All that have a name: those on groups and values, and the costs that cuts and levels have."""
    return (*OF_GROUPS, *OF_VALUES, *_costs())


def _costs() -> list[str]:
    return [name for name, metric in METRICS.items() if not metric.of_centroids]


def objectives_of(
    named: Sequence[str | Objective], sensitive: Sequence[str], weights: Sequence[Fraction] = ()
) -> tuple[Objective, ...]:
    """The requested objectives.

    Parameters
    ----------
    named
        Names, or custom objectives. `l:disease` names the sensitive column, if there are several.
    sensitive
        The sensitive columns.
    weights
        What a cell of each quasi-identifier weighs in means over cells; equal weights when empty.
    """
    if isinstance(named, str):
        raise PolicyError(f"objectives is a list; write objectives=[{named!r}]")
    objectives = tuple(
        each if isinstance(each, Objective) else _named(each, sensitive, weights) for each in named
    )
    names = [each.name for each in objectives]
    if not objectives:
        raise PolicyError(f"name at least one objective: {', '.join(objective_names())}")
    for name in names:
        if names.count(name) > 1:
            raise PolicyError(f"objective {name!r} is named twice")
    return objectives


def _named(given: object, sensitive: Sequence[str], weights: Sequence[Fraction]) -> Objective:
    if not isinstance(given, str):
        raise PolicyError(f"an objective is a name or an Objective; one is {given!r}")
    name, colon, column = given.partition(":")
    if name in _costs() and not colon:
        metric = METRICS[name]
        weighted = issubclass(metric, CellMetric) and any(weight != 1 for weight in weights)
        return Loss(metric(weights=tuple(weights)) if weighted else metric())  # type: ignore[call-arg]
    if name not in (*OF_GROUPS, *OF_VALUES):
        raise PolicyError(f"there is no objective {given!r}.{suggestion(name, objective_names())}")
    if name in OF_GROUPS:
        if colon:
            raise PolicyError(f"objective {name!r} measures no sensitive column; leave out {':' + column!r}")
        return group_sizes(name, "worst" if name == "k" else "sum")
    if colon and column not in sensitive:
        raise PolicyError(
            f"objective {given!r} names {column!r}, which is not a sensitive column."
            f"{suggestion(column, sensitive)}"
        )
    if not colon and len(sensitive) != 1:
        raise PolicyError(
            f"objective {name!r} needs a sensitive column: give one column the role 'sensitive'"
            if not sensitive
            else f"objective {name!r} can measure {', '.join(sensitive)}; say which, as in "
            f"{name + ':' + sensitive[0]!r}"
        )
    return OF_VALUES[name](column if colon else sensitive[0], given)
