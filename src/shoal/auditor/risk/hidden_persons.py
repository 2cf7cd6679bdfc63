"""Among how many persons each person is hidden, where persons have several rows.

If nobody can link the rows of a person, an attacker knows one of them at a time: a person is as well hidden
as by the row that is worst off. If rows can be linked, an attacker sees the whole history, and a person hides
among those who have the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.risk.attackers import By, Risk, risk_of
from shoal.auditor.risk.individual import expected_reciprocal
from shoal.model.history.measured_histories import MeasuredHistories
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measured_groups import MeasuredGroups


class Counts(Protocol):
    """What is needed from an engine."""

    def measure_people(
        self, source: Any, quasi_identifiers: Sequence[str], evidence: Evidence, known: Any = None
    ) -> MeasuredGroups: ...

    def measure_histories(
        self,
        source: Any,
        quasi_identifiers: Sequence[str],
        column: str,
        *,
        known_events: tuple[int, ...],
        ordered: bool,
        k: int,
    ) -> MeasuredHistories: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class HiddenPersons:
    """How many persons are hidden among how many; those with suppressed rows alone are not counted.

    Parameters
    ----------
    among, persons
        The numbers of persons among whom somebody is hidden, in increasing order, and how many persons are.
    sizes
        How many persons each group has, or each distinct history.
    entity
        The column that distinguishes them.
    linkable, ordered
        Whether rows of a person can be linked, and whether their order is known then.
    """

    among: NDArray[np.int64]
    persons: NDArray[np.int64]
    sizes: GroupSizes
    entity: str = ""
    linkable: bool = False
    ordered: bool = False

    @property
    def count(self) -> int:
        """All persons."""
        return int(self.persons.sum())

    @property
    def alone(self) -> int:
        """Persons whom somebody who knows one of their rows, or all linkable ones, finds for certain."""
        return int(self.persons[self.among == 1].sum())

    def prosecutor(self, threshold: float) -> Risk:
        """The attacker who knows that a person is in the table."""
        return self._risk(1 / self.among, threshold, None)

    def journalist(self, population: int, threshold: float) -> Risk:
        """The attacker who looks for anybody of a population of so many persons."""
        people = self.among.astype(np.float64) * (population / max(1, self.count))
        return self._risk(expected_reciprocal(self.among, people), threshold, population)

    def marketer(self, population: int | None, threshold: float) -> Risk:
        """The attacker who looks for everybody."""
        return self.prosecutor(threshold) if population is None else self.journalist(population, threshold)

    def _risk(self, values: NDArray[np.float64], threshold: float, population: int | None) -> Risk:
        by: By = "table" if population is None else "population size"
        return risk_of(np.ones(len(self.among), np.int64), values, self.persons, threshold, by)

    def notes(self, population: int | None) -> list[str]:
        """How persons are counted, in sentences; `population` is its size, if it is known."""
        if self.linkable:
            order = ", in the order of the table" if self.ordered else ""
            how = (
                f"rows of one person can be linked by {self.entity!r}: a person's risk is 1 over the "
                f"number of persons with the same rows{order}"
            )
        else:
            how = (
                f"persons are distinguished by {self.entity!r}, and nobody is thought to link their rows: a "
                "person's risk is the highest over their rows. Say linkable if readers see the column"
            )
        words = [f"{how}; statements about columns count rows"]
        if population is not None and self.count != self.sizes.rows:
            words.append(
                "how many people of the population are unique is not estimated, for persons have several rows"
            )
        return words

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "column": self.entity,
            "persons": self.count,
            "alone": self.alone,
            "linkable": self.linkable,
            "hidden_among": [
                [among, count]
                for among, count in zip(self.among.tolist(), self.persons.tolist(), strict=True)
            ],
        }

    def sentence(self, k: int | None = None) -> str:
        """How many persons are alone, in words; with k also how many are among fewer."""
        how = "by their history" if self.linkable else "by one of their rows"
        are = "is" if self.alone == 1 else "are"
        words = f"{self.alone:,} of {self.count:,} persons {are} alone {how}"
        if k is not None and k > 2:
            words += f", {int(self.persons[self.among < k].sum()):,} among fewer than {k:,}"
        return words


def hidden_persons(
    engine: Counts,
    source: Any,
    names: Sequence[str],
    entity: str | None,
    linked: Promise | None,
    suppressed: int,
) -> HiddenPersons | None:
    """Among how many persons each is hidden; `None` where rows are persons.

    Parameters
    ----------
    engine, source, names
        The table, and its quasi-identifiers.
    entity
        The column that distinguishes persons, if one can have several rows.
    linked
        By what the rows of one person can be linked, if they can.
    suppressed
        Rows that belong to no group.
    """
    if entity is None:
        return None
    if linked is None:
        return hidden_by_rows(engine, source, names, entity, suppressed)
    return hidden_by_history(engine, source, names, entity, suppressed, ordered=linked.ordered)


def hidden_by_rows(
    engine: Counts, source: Any, names: Sequence[str], entity: str, suppressed: int
) -> HiddenPersons:
    """Persons whose rows nobody can link: each is hidden as well as by the row that is worst off."""
    groups = engine.measure_people(source, names, Evidence(entities=(entity,)))
    of_entry, person = groups.of_entry, groups.codes[:, 0].astype(np.int64)
    if groups.stars is not None:
        visible = of_entry != groups.stars
        of_entry, person = of_entry[visible], person[visible]
    # Marks that read alike are one person, so that a group may have several entries of one.
    pairs = np.unique(np.column_stack([of_entry, person]), axis=0)
    size = np.bincount(pairs[:, 0], minlength=len(groups.rows))
    fewest = np.full(int(pairs[:, 1].max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(fewest, pairs[:, 1], size[pairs[:, 0]])
    among, persons = np.unique(fewest[fewest < np.iinfo(np.int64).max], return_counts=True)
    sizes, times = np.unique(size[size > 0], return_counts=True)
    return HiddenPersons(
        entity=entity,
        among=among,
        persons=persons.astype(np.int64),
        sizes=GroupSizes(sizes=sizes.astype(np.int64), groups=times.astype(np.int64), suppressed=suppressed),
    )


def hidden_by_history(
    engine: Counts, source: Any, names: Sequence[str], entity: str, suppressed: int, *, ordered: bool
) -> HiddenPersons:
    """Persons whose rows can be linked: each is hidden among those with the same history."""
    measured = engine.measure_histories(source, names, entity, known_events=(), ordered=ordered, k=1)
    pairs = np.array(measured.sizes, np.int64).reshape(-1, 2)
    sizes = GroupSizes(sizes=pairs[:, 0], groups=pairs[:, 1], suppressed=suppressed)
    return HiddenPersons(
        entity=entity,
        among=pairs[:, 0],
        persons=pairs[:, 0] * pairs[:, 1],
        sizes=sizes,
        linkable=True,
        ordered=ordered,
    )
