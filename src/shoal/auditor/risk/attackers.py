"""What three attackers can expect: the prosecutor, the journalist and the marketer.

The prosecutor looks for somebody who is known to be in the table, and guesses among the f rows
of her group. The journalist looks for anybody, and must guess among the F people of the population who
match. The marketer wants as many as possible, and does not mind errors.

Definitions: El Emam, Guide to the De-Identification of Personal Health Information, 2013, chapter 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.risk.individual import expected_reciprocal
from shoal.model.table.group_sizes import GroupSizes

By = Literal["table", "population", "survey weights", "population size"]
SLACK = 1e-12
"""A share like 1/3 and its float count as equal."""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """What an attacker can expect.

    Parameters
    ----------
    highest
        The greatest probability to be right about a row.
    average
        The mean over the rows. Of the journalist the greater of two: over the rows, and over the people of
        the population who match some row.
    share_above
        The share of rows with a probability above the threshold.
    expected
        Rows that are expected to be guessed right, if all are tried.
    by
        What is known about the population.
    """

    highest: float
    average: float
    share_above: float
    expected: float
    by: By = "table"

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "highest": self.highest,
            "average": self.average,
            "share_above": self.share_above,
            "expected": self.expected,
            "by": self.by,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleOfGroups:
    """How many people of the population match the rows of each group.

    Parameters
    ----------
    rows, people
        Per group its rows, and the people.
    times
        How many groups there are of each kind.
    by
        How that is known.
    fewer
        Groups with fewer people in the population than rows in the table, which is impossible: rows are
        people. The people are then the rows.
    """

    rows: NDArray[np.int64]
    people: NDArray[np.float64]
    times: NDArray[np.int64]
    by: By
    fewer: int = 0


def people_of(rows: NDArray[np.int64], people: NDArray[np.float64], by: By) -> PeopleOfGroups:
    """The people of each group, corrected where they are impossible; equal groups are combined.

    They are sorted, too: sums of floats must not depend on the order in which an engine finds groups.
    """
    known = np.maximum(people, rows)
    order = np.lexsort((known, rows))
    pairs = np.column_stack([rows[order].astype(np.float64), known[order]])
    first = np.flatnonzero(np.r_[True, (np.diff(pairs, axis=0) != 0).any(axis=1)][: len(rows)])
    return PeopleOfGroups(
        rows=rows[order][first],
        people=known[order][first],
        times=np.diff(np.r_[first, len(rows)]),
        by=by,
        fewer=int((people < rows - SLACK).sum()),
    )


def people_by_size(sizes: GroupSizes, population: int) -> PeopleOfGroups:
    """What follows from the size of the population alone: each row represents equally many people."""
    return PeopleOfGroups(
        rows=sizes.sizes,
        people=sizes.sizes.astype(np.float64) * (population / max(1, sizes.rows)),
        times=sizes.groups,
        by="population size",
    )


def prosecutor(sizes: GroupSizes, threshold: float) -> Risk:
    """The attacker who knows that a person is in the table."""
    return risk_of(sizes.sizes, 1 / sizes.sizes, sizes.groups, threshold, "table")


def journalist(known: PeopleOfGroups, threshold: float) -> Risk:
    """The attacker who looks for anybody of the population.

    With the size of the population alone the people of a group are not known; the result is the expectation
    of 1 / F, given f rows of a simple random sample, as in `individual`.
    """
    risk = risk_of(known.rows, _reciprocals(known), known.times, threshold, known.by)
    people = float((known.times * known.people).sum())
    if known.by == "population size" or people == 0:
        return risk
    over_people = float(known.times.sum()) / people
    return Risk(
        highest=risk.highest,
        average=max(risk.average, over_people),
        share_above=risk.share_above,
        expected=risk.expected,
        by=known.by,
    )


def marketer(sizes: GroupSizes, known: PeopleOfGroups | None, threshold: float) -> Risk:
    """The attacker who links all rows at once: with the population if it is known, else with the table."""
    if known is None:
        return prosecutor(sizes, threshold)
    return risk_of(known.rows, _reciprocals(known), known.times, threshold, known.by)


def individual(known: PeopleOfGroups, threshold: float) -> Risk:
    """The expectation of 1 / F by survey weights, as mu-Argus reports it."""
    values = expected_reciprocal(known.rows, known.people)
    return risk_of(known.rows, values, known.times, threshold, known.by)


def _reciprocals(known: PeopleOfGroups) -> NDArray[np.float64]:
    if known.by == "population size":
        return expected_reciprocal(known.rows, known.people)
    return 1 / known.people


def risk_of(
    rows: NDArray[np.int64],
    values: NDArray[np.float64],
    times: NDArray[np.int64],
    threshold: float,
    by: By,
) -> Risk:
    """What an attacker can expect, from the risk of each kind of row or person.

    Parameters
    ----------
    rows, values, times
        For each kind of group its rows, the risk of each of them, and how many such groups there are.
    threshold
        The risk above which rows are counted.
    by
        What is known about the population.
    """
    of_kind = rows * times
    every = int(of_kind.sum())
    expected = float((of_kind * values).sum())
    return Risk(
        highest=float(values.max(initial=0.0)),
        average=expected / every if every else 0.0,
        share_above=float(of_kind[values > threshold + SLACK].sum()) / every if every else 0.0,
        expected=expected,
        by=by,
    )
