"""Labels of a hierarchy that are other names of a single value."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal


@pytest.mark.parametrize("label", ["{a, b}", "Trier", "c2"])
def test_another_name_of_one_value_is_not_read_as_the_value(label: str) -> None:
    """The list of a cell is unknown where the label does not say it, unless the hierarchy is given."""
    tree = shoal.Hierarchy((("c", label, "all"), ("d", "rest", "all"), ("e", "rest", "all")))
    frame = pd.DataFrame({"town": ["c", "c", "d", "e"]})
    made = shoal.anonymize(
        frame, quasi_identifiers=["town"], k=2, hierarchies={"town": tree}, algorithm="lattice"
    )
    assert made.data["town"].tolist() == [label, label, "rest", "rest"]
    assert made.manifest.columns["town"]["words"] == [label, "rest"]
    read = shoal.read(made, columns={"town": "list"}, hierarchies={"town": tree})
    assert [list(cell) for cell in read["town"]] == [["c"], ["c"], ["d", "e"], ["d", "e"]]


def test_another_number_for_one_number_has_no_bounds() -> None:
    """5 under the label 20 is not from 20 to 20; the release has no companions, and says so."""
    tree = shoal.Hierarchy((("5", "20", "*"), ("30", "30-31", "*"), ("31", "30-31", "*")))
    frame = pd.DataFrame({"age": [5, 5, 30, 31]})
    made = shoal.anonymize(
        frame,
        quasi_identifiers=["age"],
        k=2,
        hierarchies={"age": tree},
        algorithm="lattice",
        companions=True,
    )
    assert made.data.columns.tolist() == ["age"]
    assert "no companions" in " ".join(made.manifest.notes)
