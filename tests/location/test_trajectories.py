"""Trajectories: rows of persons at places and times, promised by whole histories or by known points."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

import pandas
import pytest

import shoal
from shoal.datasets import commuters

POINT = {
    "latitude": "latitude",
    "longitude": "longitude",
    "cells": "grid",
    "origin": (52.5, 13.4),
    "finest": 1000,
}


def released(known_events: int | str) -> tuple[shoal.Release, dict[str, list[tuple[str, str]]]]:
    """Commuters of one day with linkable rows, and the released points of each pseudonym."""
    frame = pandas.DataFrame(commuters(40, days=1, seed=3))
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["place", "time"],
        points={"place": POINT},
        slots={"time": ["hour", "part of day", "day"]},
        entity="person",
        linkable=True,
        known_events=known_events,
        order="shuffle",
        k=4,
        seconds=3,
    )
    points = defaultdict(list)
    for person, place, time in release.data[["person", "place", "time"]].itertuples(index=False):
        points[person].append((place, time))
    return release, points


def test_whole_trajectories_are_alike_in_k_persons() -> None:
    """Somebody who knows all points of a person finds k persons with these points."""
    release, points = released("all")
    alike = Counter(tuple(sorted(each)) for each in points.values())
    assert min(alike.values()) >= 4
    assert release.manifest.promise is not None
    assert release.manifest.promise["unit"] == "person"
    assert len(points) == 40
    assert {*points}.isdisjoint(map(str, range(1, 41)))


def test_two_known_points_are_those_of_k_persons() -> None:
    """Every two points that occur together occur in k trajectories, counted anew over all pairs."""
    release, points = released(2)
    of_pair: dict[Any, set[str]] = defaultdict(set)
    for person, each in points.items():
        for pair in combinations(sorted(each), 2):
            of_pair[pair].add(person)
        for point in each:
            of_pair[point].add(person)
    least = min(map(len, of_pair.values()))
    assert least >= 4
    assert release.manifest.audit["known-events(person, 2)"] == min(
        len(persons) for pair, persons in of_pair.items() if isinstance(pair[0], tuple)
    )


def test_the_report_speaks_of_persons() -> None:
    """And draws where they were."""
    release, _ = released(2)
    kept = shoal.report(release)
    assert "up to 2 known rows of a person are rows of at least 4 persons" in kept.html
    assert '<polygon class="cell"' in kept.html
    assert sum(cell["rows"] for cell in kept.facts["maps"][0]["cells"]) == sum(
        release.data["place"].str.contains("m")
    )


def test_commuters_are_the_same_for_the_same_seed() -> None:
    """Five positions a day around a city, in the order of time."""
    one, other = commuters(20, days=2, seed=7), commuters(20, days=2, seed=7)
    assert all((one[name] == other[name]).all() for name in one)
    assert (commuters(20, days=2, seed=8)["latitude"] != one["latitude"]).any()
    assert len(one["person"]) == 20 * 2 * 5
    assert sorted(one["time"].tolist()) == one["time"].tolist()
    assert abs(one["latitude"] - 52.5).max() < 1
    with pytest.raises(shoal.PolicyError, match="at least one person"):
        commuters(0)
