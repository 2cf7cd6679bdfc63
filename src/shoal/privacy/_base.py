"""What a privacy model is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal.errors import PolicyError
from shoal.model.table.number_text import is_finite
from shoal.model.table.people import Group, People, SensitiveColumn

SLACK = 1e-9
"""Values that are no whole numbers are compared with this slack: 1/3 and its float are one."""

_MOST_WHOLE = 2**62
"""The core counts in 64 bits."""


@dataclass(frozen=True, kw_only=True)
class PrivacyModel(ABC):
    """A demand on a release.

    The searches prune by the two facts below, so a model states each by itself; a model for which one of them
    does not hold is no less a model, but some algorithms will refuse it.
    """

    name: ClassVar[str]

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
    def needs_population(self) -> bool:
        """Whether it asks how many people of the population are like a row."""
        return False

    @property
    def forbids_suppression(self) -> bool:
        """Whether a suppressed row would break the demand by itself."""
        return False

    @property
    @abstractmethod
    def demand(self) -> str:
        """What is demanded, in words for a report."""

    def check(self, people: People) -> None:  # noqa: B027  most models are defined on any table
        """Raise `PolicyError` if the model is not defined on a table."""

    def worst(self, values: Collection[float]) -> float | None:
        """Of values that were measured the least safe; `None` if there are none."""
        return (max if self.lower_is_safer else min)(values, default=None)


class GroupModel(PrivacyModel):
    """A predicate on a group. A release satisfies it when each of its groups is admitted."""

    looks_at = "group"

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

    attribute: str
    joint: bool = False

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
