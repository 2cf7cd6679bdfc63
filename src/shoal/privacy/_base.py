"""What a privacy model is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from shoal.errors import InternalError, PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.number_text import is_finite
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._value_shares import ValueShares

_MOST_WHOLE = 2**62
"""The core counts in 64 bits."""


@dataclass(frozen=True, kw_only=True)
class PrivacyModel(ABC):
    """A demand on a release.

    Everything that Shoal knows of a model is in its class: its definition, its words for people, what it
    promises, how the core judges it. `shoal.testing.check_privacy_model` checks a class against its claims.

    The searches prune by `supersets_are_admitted` and `unions_are_admitted`. A model for which one of them
    does not hold is no less a model, but some algorithms will refuse it.
    """

    name: ClassVar[str]
    """What a policy calls it."""

    description: ClassVar[Description]
    """What people should know about it. The words for its parameters are in the metadata of the fields."""

    measures: ClassVar[str]
    """What its measured value is, in a line for a report."""

    unit: ClassVar[str]
    """The letter or word of its threshold, in which it measures."""

    looks_at: ClassVar[Literal["group", "release"]]

    lower_is_safer: ClassVar[bool] = False
    """Whether a smaller measured value is the safer one."""

    compares_with_table: ClassVar[bool] = False
    """Whether groups are compared with the whole table: other rows change what is measured."""

    @property
    @abstractmethod
    def supersets_are_admitted(self) -> bool:
        """Whether every superset of an admitted group is admitted."""

    @property
    def unions_are_admitted(self) -> bool:
        """Whether a union of admitted groups is admitted. Weaker: it follows from the first."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values it counts."""
        return ()

    @property
    def person_columns(self) -> tuple[str, ...]:
        """Those of its columns that identify persons; the others are sensitive."""
        return ()

    needs_population: ClassVar[bool] = False
    """Whether it depends on how many people of the population are like a row."""

    @property
    def forbids_suppression(self) -> bool:
        """Whether a suppressed row would break the demand by itself."""
        return False

    @property
    @abstractmethod
    def demand(self) -> str:
        """What is demanded, in words for a report."""

    @property
    def label(self) -> str:
        """What distinguishes it from another model of its name in the same policy."""
        return self.demand

    @classmethod
    def weakest(cls, *, entity: str | None, population: bool) -> Self | None:  # noqa: ARG003
        """A model that every table meets: what it measures, an audit reports where nothing is demanded.

        `None`: the audit then reports nothing for it. Models of sensitive values have `undemanded` instead.

        Parameters
        ----------
        entity
            The column that identifies persons, if there is one.
        population
            Whether it is known how many people of the population are like a row.
        """
        return None

    def check(self, people: People) -> None:  # noqa: B027  most models are defined on any table
        """Raise `PolicyError` if the model is not defined on a table."""

    def defines(self, shortcut: str) -> bool:
        """Whether its own class defines a property or method, such as `core_rule`.

        Code that uses one in place of `admits` checks this first: a subclass that defines other groups as
        admitted would inherit a shortcut that is wrong for it.
        """
        return shortcut in vars(type(self))

    def worst(self, values: Collection[float]) -> float | None:
        """Of values that were measured the least safe; `None` if there are none."""
        return (max if self.lower_is_safer else min)(values, default=None)


class GroupModel(PrivacyModel):
    """A predicate on a group. A release satisfies it when each of its groups is admitted."""

    looks_at = "group"

    @property
    def least_rows(self) -> int:
        """The fewest rows of an admitted group, as far as it is known."""
        return 1

    @property
    def size_alone(self) -> bool:
        """Whether it admits every group of at least `least_rows` rows."""
        return False

    @property
    def distinct_demand(self) -> tuple[str, int] | None:
        """A column and the least number of its different values in a group, if that is all it demands."""
        return None

    def core_rule(self, column: SensitiveColumn | None) -> CoreRule:  # noqa: ARG002
        """How the compiled core judges a group; it must admit what `admits` admits.

        A model without a rule leaves this method as it is: searches of the core refuse it, and those that run
        on the definitions take it. A subclass does not inherit a rule, because it may define something else.

        Parameters
        ----------
        column
            The first of its `columns`; `None` if it has none.
        """
        raise InternalError(f"the core has no rule for {self.name!r}")

    @abstractmethod
    def measure(self, group: Group, people: People) -> float:
        """What the model measures on one group, in the unit of its own threshold."""

    @abstractmethod
    def admits(self, group: Group, people: People) -> bool:
        """Whether the group may be released."""

    def judge(self, group: Group, people: People) -> tuple[float, bool]:
        """What the model measures, and whether the group may be released."""
        return self.measure(group, people), self.admits(group, people)

    def may_admit_part(self, group: Group, people: People) -> bool:
        """Whether some part of the group might be admitted; where that is hard to say, yes.

        With every group for which it is false, it is false for all parts of it: a search may give them up.
        """
        return self.admits(group, people) if self.supersets_are_admitted else True


class ReleaseModel(PrivacyModel):
    """A predicate on all groups of a release together."""

    looks_at = "release"

    largest_hold_first: ClassVar[bool] = False
    """Whether of any groups the largest alone hold if as many others do, and one of all their rows if any do.

    Then the smallest are those to give up, where fewest rows are to go.
    """

    @property
    def supersets_are_admitted(self) -> bool:
        return False

    def core_rule(self) -> CoreRule:
        """How the compiled core judges a release; as that of a `GroupModel`."""
        raise InternalError(f"the core has no rule for {self.name!r}")

    @abstractmethod
    def measure(self, sizes: Sequence[int]) -> float:
        """What the model measures on groups of these sizes."""

    @abstractmethod
    def holds(self, sizes: Sequence[int]) -> bool:
        """Whether groups of these sizes may be released together."""


@dataclass(frozen=True, kw_only=True)
class SensitiveModel(GroupModel):
    """A predicate on how the values of one sensitive column are spread in a group.

    Parameters
    ----------
    attribute
        The sensitive column.
    joint
        Whether those who know the other sensitive values of a person shall not learn this one either: the
        demand is then made of the rows with equal values of all other counted columns, group by group
        (Machanavajjhala et al. on several sensitive attributes: each in turn is the sensitive one, and the
        others are quasi-identifiers; the survey, section 6). State it for each column, for that definition
        is about all of them. A superset of an admitted group can then be refused: with l = 2 the rows
        (a, x), (b, x) are admitted, and with (a, y) they are not, because y tells a.
    """

    attribute: str = field(metadata=parameter("Sensitive column", "Whose values are protected."))
    joint: bool = field(
        default=False,
        metadata=parameter(
            "Also from those who know the other sensitive columns",
            "Demanded of the rows with equal values of all other sensitive columns: strong.",
            last=True,
        ),
    )

    def __post_init__(self) -> None:
        if not isinstance(self.attribute, str):
            raise PolicyError(f"{self.name}: attribute names a column; it is {self.attribute!r}")
        if not isinstance(self.joint, bool):
            raise PolicyError(f"{self.name}: joint is true or false; it is {self.joint!r}")

    grows: ClassVar[bool] = False
    """Whether further rows never take the model's value back, whatever they are."""

    @property
    def supersets_are_admitted(self) -> bool:
        return self.grows and not self.joint

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.attribute,)

    @property
    def label(self) -> str:
        return self.attribute

    @abstractmethod
    def most_belief(self, value: int, column: SensitiveColumn) -> float:
        """How much a reader of a group may believe in a value: what the model promises, from 0 to 1.

        The attacks measure against it. There is no default: a model that promises nothing returns 1.
        """

    @classmethod
    def undemanded(cls, values: ValueShares) -> Mapping[str | None, float | None]:  # noqa: ARG003
        """What it measures of a column where nothing is demanded, by what it depends on besides a threshold.

        `values.by_definition` measures any model; the arrays of `values` are faster. Without an entry, an
        audit reports nothing for it.

        Parameters
        ----------
        values
            The values of the column in all groups.

        Returns
        -------
        Per variant the strictest threshold at which the model holds, `None` if none does; the usual variant
        is `None`, too.
        """
        return {}

    @abstractmethod
    def value(self, histogram: Mapping[int, int], column: SensitiveColumn) -> float:
        """What the model measures.

        Parameters
        ----------
        histogram
            Rows per value, of the values that occur.
        column
            The values in the whole table.
        """

    @abstractmethod
    def accepts(self, value: float) -> bool:
        """Whether a measured value is safe."""

    def reaches(self, present: Collection[int], column: SensitiveColumn) -> bool:  # noqa: ARG002
        """Whether rows with no other values than these might be admitted; must not turn true with fewer."""
        return True

    def measure(self, group: Group, people: People) -> float:
        values = [self.value(each, people.column(self.attribute)) for each in self._parts(group, people)]
        worst = self.worst(values)
        return math.nan if worst is None else worst

    def admits(self, group: Group, people: People) -> bool:
        column = people.column(self.attribute)
        return all(self.accepts(self.value(each, column)) for each in self._parts(group, people))

    def judge(self, group: Group, people: People) -> tuple[float, bool]:
        column = people.column(self.attribute)
        values = [self.value(each, column) for each in self._parts(group, people)]
        worst = self.worst(values)
        return math.nan if worst is None else worst, all(self.accepts(value) for value in values)

    def may_admit_part(self, group: Group, people: People) -> bool:
        column = people.column(self.attribute)
        return any(self.reaches(each.keys(), column) for each in self._parts(group, people))

    def _parts(self, group: Group, people: People) -> list[dict[int, int]]:
        position = people.position(self.attribute)
        others = [index for index, each in enumerate(people.columns) if each.values and index != position]
        return list(group.histograms(position, others if self.joint else ()).values())


def at_least(name: str, what: str, value: Any, least: float, *, whole: bool = False) -> None:
    """Raise `PolicyError` unless a parameter is a number, or a whole one, of at least so much."""
    if not is_finite(value) or (whole and not isinstance(value, int)) or value < least:
        words = "a whole number" if whole else "a number"
        raise PolicyError(f"{name}: {what} must be {words} of at least {least:g}; it is {value!r}")
    if whole and value > _MOST_WHOLE:
        raise PolicyError(f"{name}: {what} must be at most 2^62; it is {value!r}")


def above(name: str, what: str, value: Any, bound: float) -> None:
    """Raise `PolicyError` unless a parameter is a number above a bound."""
    if not is_finite(value) or value <= bound:
        raise PolicyError(f"{name}: {what} must be a number above {bound:g}; it is {value!r}")


def between(name: str, what: str, value: Any, least: float, most: float) -> None:
    """Raise `PolicyError` unless a parameter is a number in a range."""
    if not is_finite(value) or not least <= value <= most:
        raise PolicyError(f"{name}: {what} must be a number from {least:g} to {most:g}; it is {value!r}")
