"""The frequency table: all the data that a search ever sees.

Distinct rows of codes, how often each occurs, and how its rows spread over the class labels and the sensitive
values. A billion rows and a thousand rows with the same distinct combinations are the same problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.table.domain import Domain
from shoal.model.table.people import PARTS_OF_A_PERSON, Group, People, SensitiveColumn


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """How the rows of each distinct row spread over the values of the columns that privacy models read.

    Parameters
    ----------
    columns
        The columns: sensitive ones, and the one that identifies persons.
    combinations
        Distinct combinations of their codes, one line each: the facts.
    first
        The entries of distinct row r are those from `first[r]` up to `first[r + 1]`.
    of_entry, counts
        For each entry its fact, and how many rows have it.
    """

    columns: tuple[SensitiveColumn, ...]
    combinations: NDArray[np.int32]
    first: NDArray[np.int64]
    of_entry: NDArray[np.int32]
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.combinations.shape[1:] != (len(self.columns),):
            raise InternalError("facts and their columns do not match")
        if len(self.of_entry) != len(self.counts) or int(self.first[-1]) != len(self.counts):
            raise InternalError("facts and their counts do not match")


@dataclass(frozen=True, kw_only=True, eq=False)
class FrequencyTable:
    """Distinct coded rows with their counts.

    Parameters
    ----------
    domains
        One ordered domain per quasi-identifier, in the order of the columns of `codes`.
    codes
        Distinct rows, one column per quasi-identifier; `codes[r, a]` indexes `domains[a].values`.
    counts
        How many rows of the source are equal to each distinct row; 0 for one that only the population has.
    labels
        The class labels, if a class attribute was named.
    label_counts
        One column per class label; sums over the columns are `counts`.
    facts
        The sensitive values of the rows, if privacy models read them.
    population
        For each distinct row the number of people of the population that it represents, in millionths; `None`
        if no model needs it.
    """

    domains: tuple[Domain, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    labels: tuple[str, ...] = ()
    label_counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    facts: Facts | None = None
    population: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.counts), len(self.domains)):
            raise InternalError("codes, counts and domains of a frequency table do not match")
        if self.labels and self.label_counts.shape != (len(self.counts), len(self.labels)):
            raise InternalError("class labels and their counts do not match")
        if self.facts is not None and len(self.facts.first) != len(self.counts) + 1:
            raise InternalError("sensitive values and distinct rows do not match")
        if self.population is not None and len(self.population) != len(self.counts):
            raise InternalError("the population and the distinct rows do not match")

    @cached_property
    def rows(self) -> int:
        """Rows of the source."""
        return int(self.counts.sum())

    @cached_property
    def sizes(self) -> NDArray[np.int32]:
        """Number of values of each domain."""
        return np.array([len(domain) for domain in self.domains], dtype=np.int32)

    def margin(self, attribute: int) -> NDArray[np.int64]:
        """Rows of the source by their value of an attribute."""
        size = len(self.domains[attribute])
        return np.bincount(self.codes[:, attribute], self.counts, size).astype(np.int64)

    @cached_property
    def people(self) -> People:
        """The table as privacy models see it."""
        return People(
            columns=() if self.facts is None else self.facts.columns, population=self.population is not None
        )

    def group(self, rows: Iterable[int]) -> Group:
        """The group that some distinct rows form, as privacy models see it."""
        rows = list(rows)
        counted: dict[tuple[int, ...], int] = {}
        if self.facts is not None:
            for row in rows:
                for entry in range(self.facts.first[row], self.facts.first[row + 1]):
                    fact = tuple(self.facts.combinations[self.facts.of_entry[entry]].tolist())
                    counted[fact] = counted.get(fact, 0) + int(self.facts.counts[entry])
        people = 0 if self.population is None else int(self.population[rows].sum())
        return Group(
            rows=int(self.counts[rows].sum()), facts=counted, population=Fraction(people, PARTS_OF_A_PERSON)
        )
