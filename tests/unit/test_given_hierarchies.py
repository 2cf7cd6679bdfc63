"""What a given hierarchy means for losses and labels: its leaves count wherever they stand in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.model.hierarchy.hierarchy import Hierarchy

UNSORTED = Hierarchy((("3", "low", "*"), ("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")))


@pytest.mark.parametrize("algorithm", ["exact", "exhaustive", "subtree", "lattice"])
@pytest.mark.parametrize("cost", ["general-loss", "ncp"])
def test_an_interval_loses_the_leaves_between_its_ends_in_any_order_of_the_file(
    algorithm: str, cost: str
) -> None:
    """Leaves that do not increase once made losses negative, and a costly release optimal at 0."""
    frame = pd.DataFrame({"a": [1, 2, 2, 3, 3, 3]})
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["a"],
        k=3,
        cost=cost,
        hierarchies={"a": UNSORTED},
        algorithm=algorithm,
        suppression=0,
    )
    # [1, 2] and 3 by cuts: half of the rows lose one leaf of three. By nodes: all are `low`, and lose two.
    assert release.manifest.status == "optimal"
    assert release.manifest.cost == pytest.approx(1 / 6 if algorithm in ("exact", "exhaustive") else 2 / 3)


def test_dates_and_words_among_the_leaves_have_their_place() -> None:
    """Moments, dates and leaves that are none; only the days between the ends are lost."""
    days = ("2020-01-03", "2020-01-01", "unknown", "2020-01-02", "2020-01-01 12:00:00+02:00")
    frame = pd.DataFrame({"d": ["2020-01-01", "2020-01-03"]})
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["d"],
        k=2,
        cost="ncp",
        hierarchies={"d": Hierarchy(tuple((day, "*") for day in days))},
        algorithm="exact",
        suppression=0,
    )
    assert release.data["d"].tolist() == ["[2020-01-01, 2020-01-03]"] * 2
    assert release.manifest.cost == pytest.approx(3 / 4)


def test_two_values_on_one_leaf_are_refused() -> None:
    """Together they would lose more than the whole domain has."""
    frame = pd.DataFrame({"x": ["1", "1.0", "1.00", "2"] * 2})
    with pytest.raises(shoal.PolicyError, match="two values of column 'x' are one value in its hierarchy"):
        shoal.anonymize(
            frame,
            quasi_identifiers=["x"],
            k=4,
            cost="general-loss",
            types={"x": "category"},
            orders={"x": ["1", "1.0", "1.00", "2"]},
            hierarchies={"x": Hierarchy((("1", "*"), ("2", "*")))},
            algorithm="exact",
        )


@pytest.mark.parametrize(
    ("algorithm", "cost", "options"),
    [("subtree", "discernibility", {}), ("mingen", "precision", {"cells": True})],
)
def test_values_on_mixed_levels_are_never_printed_alike(
    algorithm: str, cost: str, options: dict[str, object]
) -> None:
    """`c` for a and b beside `c` for itself: the release would be untrue, and cost more than was said."""
    labels = (("a", "c", "*"), ("b", "c", "*"), ("c", "G", "*"), ("d", "G", "*"))
    asked = {"quasi_identifiers": ["x"], "k": 4, "cost": cost, "algorithm": algorithm, "options": options}
    frame = pd.DataFrame({"x": list("aabbccccdddd")})
    with pytest.raises(shoal.PolicyError, match="a label of the hierarchy of 'x' represents other values"):
        shoal.anonymize(frame, **asked, hierarchies={"x": Hierarchy(labels)})
    # A value that is repeated upward stands for itself on every level.
    repeated = (("a", "A", "*"), ("b", "A", "*"), ("c", "c", "*"), ("d", "d", "*"))
    release = shoal.anonymize(frame, **asked, hierarchies={"x": Hierarchy(repeated)})
    assert set(release.data["x"]) == {"A", "c", "d"}


def test_values_on_the_lowest_level_are_never_printed_alike() -> None:
    """A value `*` is printed in braces, and another value can be `{*}` itself."""
    frame = pd.DataFrame({"x": ["*", "*", "{*}", "{*}"]})
    labels = Hierarchy((("*", "all"), ("{*}", "all")))
    release = shoal.anonymize(
        frame,
        cost="discernibility",
        suppression="unlimited",
        quasi_identifiers=["x"],
        k=2,
        hierarchies={"x": labels},
        algorithm="lattice",
    )
    assert (release.manifest.cost, release.manifest.groups) == (8, 2)
    assert release.data["x"].nunique() == 2


def test_nothing_is_published_when_a_hierarchy_is_gone_before_its_labels_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error after the release has its name would say that there is none."""
    path, target = tmp_path / "x.csv", tmp_path / "release.csv"
    Hierarchy((("a", "*"), ("b", "*"))).write(path)
    counted = shoal.pipeline.draft.count

    def gone(*given: Any, **more: Any) -> object:
        answer = counted(*given, **more)
        path.unlink()
        return answer

    monkeypatch.setattr(shoal.pipeline.draft, "count", gone)
    with pytest.raises(shoal.EngineError, match="cannot read the hierarchy"):
        shoal.anonymize(
            pd.DataFrame({"x": ["a", "b"]}),
            quasi_identifiers=["x"],
            k=2,
            hierarchies={"x": path},
            algorithm="lattice",
            path=target,
        )
    assert not target.exists()


@pytest.mark.parametrize("value", ["*", "a"])
def test_a_hierarchy_of_a_single_value_is_raised_over_the_missing_one(value: str) -> None:
    """Also if that value is written like a suppressed cell."""
    release = shoal.anonymize(
        pd.DataFrame({"town": [value, None]}),
        quasi_identifiers=["town"],
        k=2,
        algorithm="lattice",
        hierarchies={"town": Hierarchy(((value,),))},
    )
    assert release.data["town"].tolist() == ["*", "*"]
