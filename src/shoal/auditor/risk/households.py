"""Risk of households: members who are released together are found together.

An attacker who finds one member knows the household, and so all of its members. With r_i the risk of
member i by itself, a household is found with probability 1 - prod(1 - r_i), which is also the risk of each of
its members: sdcMicro's hierarchical risk. What a household reveals as a whole, its size and the combination
of its members, is counted next to it.

Definitions: Templ, Statistical Disclosure Control for Microdata, 2017, and sdcMicro's measure_risk. It starts
there from the risks of single members that survey weights give, and so does it here, if there are weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.risk.attackers import SLACK, By
from shoal.auditor.risk.individual import expected_reciprocal
from shoal.auditor.risk.population import Population
from shoal.errors import PolicyError
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import PARTS_OF_A_PERSON

MOST_SHOWN = 10
"""Kinds of households that are listed, the worst first."""


class CountsMembers(Protocol):
    """What is needed from an engine."""

    def measure_people(
        self, source: Any, quasi_identifiers: Sequence[str], evidence: Evidence, known: Any = None
    ) -> MeasuredGroups: ...


@dataclass(frozen=True, kw_only=True)
class KindOfHousehold:
    """Households that are equally large and equally at risk. No cell is in it.

    Parameters
    ----------
    members
        How many members each has.
    naive
        The highest risk of a member by itself.
    risk
        The risk of the household, and of each of its members.
    households
        How many there are.
    """

    members: int
    naive: float
    risk: float
    households: int

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "members": self.members,
            "naive": self.naive,
            "risk": self.risk,
            "households": self.households,
        }


@dataclass(frozen=True, kw_only=True)
class HouseholdRisk:
    """The hierarchical risk of a table whose rows are members of households.

    Parameters
    ----------
    column
        The column that identifies households.
    households, members
        How many households there are, and how many members. Rows that read `*` throughout are none.
    naive_average, naive_expected
        The mean risk of a member by itself, and how many members are expected to be found one by one.
    highest, average
        The highest risk of a household, and the mean over households.
    average_of_members
        The mean over members of the risk of their household.
    expected_households, expected_members
        How many households are expected to be found, and how many members they have.
    share_above, threshold
        The share of households with a risk above the threshold.
    alone_by_size, alone_by_composition
        Households whose number of members no other household has; and those whose members, as a multiset of
        their quasi-identifiers, no other household has.
    worst
        The kinds of households with the highest risk.
    by
        What the risks of single members are known from.
    """

    column: str
    households: int
    members: int
    naive_average: float
    naive_expected: float
    highest: float
    average: float
    average_of_members: float
    expected_households: float
    expected_members: float
    share_above: float
    threshold: float
    alone_by_size: int
    alone_by_composition: int
    worst: tuple[KindOfHousehold, ...] = ()
    by: By = "table"

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "column": self.column,
            "households": self.households,
            "members": self.members,
            "naive": {"average": self.naive_average, "expected": self.naive_expected},
            "highest": self.highest,
            "average": self.average,
            "average_of_members": self.average_of_members,
            "expected_households": self.expected_households,
            "expected_members": self.expected_members,
            "share_above": self.share_above,
            "threshold": self.threshold,
            "alone_by_size": self.alone_by_size,
            "alone_by_composition": self.alone_by_composition,
            "worst": [each.to_dict() for each in self.worst],
            "by": self.by,
        }

    def lines(self) -> Iterator[str]:
        """For people, line by line."""
        yield (
            f"households   {self.households:,} households of {self.members:,} members; alone by their size: "
            f"{self.alone_by_size:,}, by their members: {self.alone_by_composition:,}"
        )
        yield (
            f"households   highest {100 * self.highest:.4g} %   average {100 * self.average:.4g} %   above "
            f"{100 * self.threshold:.4g} %: {100 * self.share_above:.4g} % of the households"
        )
        yield (
            f"households   expected to be found: {self.expected_households:,.1f} households with "
            f"{self.expected_members:,.1f} members; one by one it would be {self.naive_expected:,.1f} members"
        )


def households_of(
    engine: CountsMembers,
    source: Any,
    names: Sequence[str],
    linked: Promise | None,
    threshold: float,
    known: Population,
    size: int | None,
) -> HouseholdRisk | None:
    """The risk of whole households, if rows are their members; as `household_risk`."""
    if linked is None or linked.unit != "household":
        return None
    return household_risk(
        engine,
        source,
        names,
        linked.column,
        threshold=threshold,
        survey_weight=known.survey_weight,
        population=size if known.cells is None else None,
    )


def household_risk(
    engine: CountsMembers,
    source: Any,
    names: Sequence[str],
    column: str,
    *,
    threshold: float,
    survey_weight: str | None = None,
    population: int | None = None,
) -> HouseholdRisk:
    """Measure the hierarchical risk.

    Parameters
    ----------
    engine, source, names
        The table, and its quasi-identifiers.
    column
        The column that identifies households; rows without a household are one.
    threshold
        The risk above which households are counted.
    survey_weight, population
        What is known of the population: a column of weights, or its size.
    """
    groups = engine.measure_people(source, names, Evidence(entities=(column,), survey_weight=survey_weight))
    entries = _Entries.of(groups)
    if not len(entries.group):
        raise PolicyError(f"no row has a quasi-identifier, so no household of column {column!r} can be found")
    risks, by = _of_groups(groups, int(entries.count.sum()), population)
    members = np.bincount(entries.household, entries.count).astype(np.int64)
    of_entry = risks[entries.group]
    with np.errstate(divide="ignore"):  # a risk of 1 finds the household for certain
        hidden = entries.count * np.log1p(-of_entry)
    found = -np.expm1(np.bincount(entries.household, hidden, len(members)))
    naive = np.zeros(len(members))
    np.maximum.at(naive, entries.household, of_entry)
    every = int(members.sum())
    one_by_one = float((entries.count * of_entry).sum())
    return HouseholdRisk(
        column=column,
        households=len(members),
        members=every,
        naive_average=one_by_one / every,
        naive_expected=one_by_one,
        highest=float(found.max()),
        average=float(found.mean()),
        average_of_members=float((members * found).sum()) / every,
        expected_households=float(found.sum()),
        expected_members=float((members * found).sum()),
        share_above=float((found > threshold + SLACK).mean()),
        threshold=threshold,
        alone_by_size=int((np.bincount(members) == 1).sum()),
        alone_by_composition=entries.alone(),
        worst=_worst(members, naive, found),
        by=by,
    )


@dataclass(frozen=True, eq=False)
class _Entries:
    """Which household has how many members in which group; sorted by household, then by group."""

    household: NDArray[np.int64]
    group: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, groups: MeasuredGroups) -> _Entries:
        group, mark, count = groups.of_entry, groups.codes[:, 0], groups.counts
        if groups.stars is not None:
            visible = group != groups.stars
            group, mark, count = group[visible], mark[visible], count[visible]
        # Marks that read alike are one household, so that it may have several entries in a group.
        pairs, place = np.unique(np.column_stack([mark, group]).astype(np.int64), axis=0, return_inverse=True)
        counts = np.bincount(place.reshape(-1), count, len(pairs)).astype(np.int64)
        household = np.unique(pairs[:, 0], return_inverse=True)[1].reshape(-1).astype(np.int64)
        return cls(household, pairs[:, 1], counts)

    def alone(self) -> int:
        """Households whose members no other household has."""
        first = np.flatnonzero(np.r_[True, np.diff(self.household) != 0, True])
        lines = np.column_stack([self.group, self.count])
        seen: dict[bytes, int] = {}
        for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            members = lines[begin:end].tobytes()
            seen[members] = seen.get(members, 0) + 1
        return sum(times == 1 for times in seen.values())


def _of_groups(
    groups: MeasuredGroups, members: int, population: int | None
) -> tuple[NDArray[np.float64], By]:
    """The risk of a row of each group by itself."""
    rows = np.maximum(groups.rows, 1)
    if groups.population is not None:
        people = np.maximum(groups.population / PARTS_OF_A_PERSON, rows)
        return expected_reciprocal(rows, people), "survey weights"
    if population is not None:
        return expected_reciprocal(rows, rows * (population / members)), "population size"
    return 1 / rows, "table"


def _worst(
    members: NDArray[np.int64], naive: NDArray[np.float64], found: NDArray[np.float64]
) -> tuple[KindOfHousehold, ...]:
    """The worst kinds, without a mark of a household: only counts and risks."""
    kinds, times = np.unique(np.column_stack([-found, -naive, members]), axis=0, return_counts=True)
    return tuple(
        KindOfHousehold(members=int(size), naive=-float(alone), risk=-float(risk), households=int(count))
        for (risk, alone, size), count in zip(kinds[:MOST_SHOWN].tolist(), times.tolist(), strict=False)
    )
