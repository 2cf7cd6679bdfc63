"""The risk of persons who have several rows, and of households, against plain computations."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PolicyError
from tests.cli.command import shoal as command

ROWS = st.lists(
    st.tuples(st.sampled_from("pqrst"), st.integers(1, 2), st.integers(1, 2)), min_size=1, max_size=10
)
Row = tuple[str, int, int]


def table(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["who", "age", "zip"])


def by_person(rows: list[Row]) -> dict[str, list[tuple[int, int]]]:
    """The rows of each person, in their order."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for who, *row in rows:
        found[who].append((row[0], row[1]))
    return found


def risk(rows: list[Row], **asked: object) -> shoal.RiskReport:
    return shoal.risk(table(rows), quasi_identifiers=["age", "zip"], **asked)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_a_person_is_at_risk_by_the_row_that_is_worst_off(rows: list[Row]) -> None:
    """Where nobody links rows: 1 over the persons of the smallest of a person's groups."""
    report, histories = risk(rows, entity="who"), by_person(rows)
    persons = {
        row: sum(row in own for own in histories.values()) for own in histories.values() for row in own
    }
    risks = [max(1 / persons[row] for row in own) for own in histories.values()]
    assert report.prosecutor.highest == max(risks)
    assert report.prosecutor.average == pytest.approx(sum(risks) / len(risks))
    assert report.prosecutor.share_above == pytest.approx(sum(each > 0.2 for each in risks) / len(risks))
    assert report.persons is not None
    assert (report.persons.count, report.persons.alone) == (len(histories), sum(each == 1 for each in risks))
    assert report.marketer == report.prosecutor


@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_linkable_rows_put_a_person_at_the_risk_of_the_history(rows: list[Row]) -> None:
    """1 over the persons with the same sequence of rows; never less than where nobody links them."""
    report, histories = risk(rows, entity="who", linkable=True), by_person(rows)
    shared = Counter(tuple(own) for own in histories.values())
    risks = [1 / shared[tuple(own)] for own in histories.values()]
    assert report.prosecutor.average == pytest.approx(sum(risks) / len(risks))
    assert report.prosecutor.highest == max(risks)
    assert report.sizes.count == len(shared)
    assert report.prosecutor.average >= risk(rows, entity="who").prosecutor.average - 1e-12


@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_the_risk_of_a_household_is_that_of_finding_any_member(rows: list[Row]) -> None:
    """sdcMicro's hierarchical risk, what is expected of it, and households alone by size and members."""
    found, homes = risk(rows, household="who").household, by_person(rows)
    assert found is not None
    alike = Counter(row for own in homes.values() for row in own)
    risks = {home: 1 - prod(1 - 1 / alike[row] for row in own) for home, own in homes.items()}
    assert found.highest == pytest.approx(max(risks.values()))
    assert found.average == pytest.approx(sum(risks.values()) / len(risks))
    assert found.expected_households == pytest.approx(sum(risks.values()))
    assert found.expected_members == pytest.approx(
        sum(len(homes[home]) * each for home, each in risks.items())
    )
    assert found.naive_expected == pytest.approx(len(alike))
    sizes = Counter(len(own) for own in homes.values())
    members = Counter(tuple(sorted(own)) for own in homes.values())
    assert found.alone_by_size == sum(times == 1 for times in sizes.values())
    assert found.alone_by_composition == sum(times == 1 for times in members.values())
    assert sum(each.households for each in found.worst) == len(homes)
    assert found.worst[0].risk == pytest.approx(max(risks.values()))


def test_members_of_households_have_weights() -> None:
    """Members by themselves have the individual risk by survey weights, or that by the population's size."""
    rows = table([("p", 1, 1), ("p", 2, 2), ("q", 1, 1), ("q", 2, 2)]).assign(weight=[50, 50, 50, 50])
    weighed = shoal.risk(rows, quasi_identifiers=["age"], household="who", survey_weight="weight")
    assert weighed.household is not None
    assert weighed.individual is not None
    one = weighed.individual.average
    assert weighed.household.naive_average == pytest.approx(one)
    assert weighed.household.highest == pytest.approx(1 - (1 - one) ** 2)
    by_size = shoal.risk(rows, quasi_identifiers=["age"], household="who", population_size=200)
    assert by_size.household is not None
    assert by_size.household.highest == pytest.approx(weighed.household.highest)


def test_persons_are_sampled_from_persons() -> None:
    """The size of the population is compared with persons; rows may be more than people."""
    rows: list[Row] = [("p", 1, 1), ("p", 1, 2), ("p", 2, 1), ("q", 1, 1)]
    report = risk(rows, entity="who", population_size=3)
    assert report.journalist is not None
    assert report.journalist.highest < report.prosecutor.highest
    assert report.population is None
    assert "not estimated" in report.notes[-1]
    assert risk(rows, entity="who", linkable=True, population_size=3).population is not None
    with pytest.raises(PolicyError, match="only 1 people"):
        risk(rows, entity="who", population_size=1)


def test_the_command_counts_persons_and_households(tmp_path: Path) -> None:
    """By flags; and a demand says of whom it does not hold."""
    table([("p", 1, 1), ("p", 2, 2), ("q", 1, 1), ("r", 2, 2)]).to_csv(tmp_path / "t.csv", index=False)
    asked = ("risk", "t.csv", "-q", "age,zip")
    by_row = command(tmp_path, *asked, "--entity", "who").stderr
    assert "4 rows   3 persons   2 groups" in by_row
    assert "0 of 3 persons are alone by one of their rows" in by_row
    linked = command(tmp_path, *asked, "--entity", "who", "--linkable", "--above", "0")
    assert "3 of 3 persons are alone by their history" in linked.stderr
    assert "100 % of the persons have a prosecutor risk above" in linked.stderr
    assert linked.returncode == 5
    homes = command(tmp_path, *asked, "--household", "who").stderr
    assert "3 households of 4 members; alone by their size: 1, by their members: 3" in homes
    refused = command(tmp_path, *asked, "--linkable")
    assert (refused.returncode, "name the column that identifies persons" in refused.stderr) == (2, True)


def test_the_order_of_a_shuffled_release_puts_nobody_at_risk(tmp_path: Path) -> None:
    """Its manifest says that the order is random, so histories are compared without it."""
    source = tmp_path / "visits.csv"
    rows = [f"p{person},{ward}" for person in range(12) for ward in "AB"]
    source.write_text("\n".join(["person,ward", *rows]) + "\n", encoding="utf-8")
    release = tmp_path / "release.csv"
    shoal.anonymize(
        source,
        quasi_identifiers=["ward"],
        k=12,
        entity="person",
        linkable=True,
        order="shuffle",
        path=release,
        seconds=1,
    )
    risk = shoal.risk(release, quasi_identifiers=["ward"], entity="person", linkable=True)
    assert risk.prosecutor.highest == 1 / 12
