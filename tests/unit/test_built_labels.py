"""Labels that are built from the data are true, and tell nothing that the released rows do not."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import shoal
from shoal import Recipe
from tests.paper_setting import as_in_the_paper


def released(columns: dict[str, list[Any]], **asked: Any) -> shoal.Release:
    return shoal.anonymize(pd.DataFrame(columns), **as_in_the_paper(quasi_identifiers=list(columns), **asked))


@pytest.mark.parametrize("algorithm", ["lattice", "subtree", "exact"])
def test_a_top_that_is_not_suppressed_says_that_cells_were_missing(algorithm: str) -> None:
    """`[1, 3]` for a missing cell would be untrue."""
    release = released(
        {"age": [1, 2, 3, None], "town": ["p", "q", "r", None], "one": ["v", "v", "v", None]},
        k=4,
        hierarchies=dict.fromkeys(("age", "town", "one"), Recipe(suppressed=False)),
        algorithm=algorithm,
        suppression=0,
    )
    assert set(release.data["age"]) == {"[1, 3] or missing"}
    assert set(release.data["town"]) == {"{p, q, r, missing}"}
    assert set(release.data["one"]) == {"{v, missing}"}


def test_ends_of_built_intervals_are_values_that_released_rows_have() -> None:
    """`[1, 96]` would tell that a row, which was suppressed, has 97."""
    release = released(
        {"age": [1, 1, 1, 2, 2, 2, 97, 100, 100, 100], "town": list("xxxxxxzyyy")},
        k=3,
        hierarchies={"age": Recipe(fan_out=2), "town": Recipe(keep=True)},
        levels={"age": (1, 1), "town": (0, 0)},
        algorithm="lattice",
    )
    assert release.manifest.suppressed == 1
    assert set(release.data["age"]) == {"[1, 2]", "100"}


@pytest.mark.parametrize(
    ("algorithm", "cost", "options"),
    [
        ("exact", "general-loss", {}),
        ("subtree", "general-loss", {}),
        ("mingen", "precision", {"cells": True}),
    ],
)
def test_a_built_set_does_not_name_a_value_that_only_suppressed_rows_had(
    algorithm: str, cost: str, options: dict[str, object]
) -> None:
    """Neither in the release nor in the manifest."""
    release = released(
        {"town": ["a", "b", "c", "rare", "z", "z", "z"], "age": [1, 1, 1, 90, 1, 1, 1]},
        k=3,
        cost=cost,
        orders={"town": ["a", "rare", "b", "c", "z"]},
        hierarchies={"town": Recipe(fan_outs=(4,)), "age": Recipe(keep=True)},
        algorithm=algorithm,
        options=options,
    )
    assert release.manifest.suppressed == 1
    assert set(release.data["town"]) == {"{a, b, c}", "z"}
    assert "rare" not in release.manifest.to_json()


def test_a_value_that_reads_like_a_set_stays_another_one() -> None:
    """Also when the other values of its set are not released, so that it is printed by itself."""
    release = released(
        {"town": ["a", "b", "{a, b}", "{a, b}", "rare"], "age": [1, 1, 1, 1, 90]},
        k=2,
        orders={"town": ["a", "b", "{a, b}", "rare"]},
        hierarchies={"town": Recipe(fan_outs=(2,)), "age": Recipe(keep=True)},
        levels={"town": (1, 1), "age": (0, 0)},
        algorithm="lattice",
    )
    assert release.data["town"].tolist() == ['{"a", "b"}'] * 2 + ['{"{a, b}"}'] * 2


def test_a_manifest_names_no_value_that_is_released_as_a_suppressed_cell() -> None:
    """A hierarchy's top tells nothing, and the manifest beside it must not tell more."""
    release = released(
        {"town": ["a", "b", "c", "d"], "age": [1, 1, 2, 2]},
        k=2,
        hierarchies={"town": Recipe(keep=True), "age": Recipe(keep=True)},
        algorithm="subtree",
    )
    assert release.manifest.recoding["town"] == [{"label": "*", "values": []}]
