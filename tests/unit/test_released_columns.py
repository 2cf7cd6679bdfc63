"""The table of what became of each column: its figures, its examples, and what it must not print."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import shoal
from shoal.formatting.columns import LONGEST, as_text
from shoal.model.result.released_column import ReleasedColumn

STAYS = pandas.DataFrame(
    {
        "age": [21, 22, 22, 24, 61, 62, 62, 64],
        "sex": list("fmfmfmfm"),
        "town": ["a"] * 4 + ["b"] * 4,
    }
)
QUASI = ["age", "sex", "town"]


def released(algorithm: str = "exact", **asked: Any) -> dict[str, ReleasedColumn]:
    settings: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 4, "suppression": 0, "cost": "general-loss"}
    release = shoal.anonymize(STAYS, **{**settings, **asked}, algorithm=algorithm)
    columns = {column.name: column for column in release.columns}
    assert release.manifest.cost == pytest.approx(
        sum(each.loss or 0 for each in release.columns) / len(QUASI)
    )
    return columns


@pytest.mark.parametrize("algorithm", ["exact", "mondrian", "local"])
def test_each_column_has_its_loss_its_counts_and_an_example(algorithm: str) -> None:
    """The losses are those that the cost is the mean of."""
    columns = released(algorithm)
    assert (columns["age"].values, columns["age"].labels) == (6, 2)
    assert columns["age"].label in ("[21, 24]", "[61, 64]")
    assert columns["age"].value in ("21", "22", "24")
    assert columns["sex"] == ReleasedColumn(
        name="sex", loss=1.0, values=2, labels=1, value=None, label="*", joined=True
    )
    assert (columns["town"].loss, columns["town"].value, columns["town"].joined) == (0, "a", False)


def test_an_example_is_a_value_that_the_manifest_publishes() -> None:
    """Of an interval that is recoded row by row, one of its ends, although others are more frequent."""
    assert released("exact")["age"].value == "22"
    assert released("mondrian")["age"].value in ("21", "24")


def test_levels_of_a_built_hierarchy_publish_no_value() -> None:
    """The manifest names the level alone."""
    columns = released("lattice", hierarchies={"age": shoal.Recipe(widths=(20,))})
    assert (columns["age"].value, columns["age"].label) == (None, "[20, 39]")
    assert columns["town"].value == "a"


def test_a_suppressed_row_loses_everything() -> None:
    """In every column."""
    settings: dict[str, Any] = {"quasi_identifiers": ["q"], "k": 2, "suppression": 1, "cost": "ncp"}
    release = shoal.anonymize(pandas.DataFrame({"q": [1, 1, 2, 2, 9]}), algorithm="exact", **settings)
    assert [column.loss for column in release.columns] == [0.2]
    assert release.columns[0].labels == 2


def test_the_table_is_aligned_and_warns_of_columns_that_say_nothing() -> None:
    """In text, and in a notebook."""
    release = shoal.anonymize(
        STAYS, quasi_identifiers=QUASI, k=4, suppression=0, cost="general-loss", algorithm="exact"
    )
    assert as_text(release.columns) == [
        "column   loss  values  labels  example  released as",
        "age       7 %       6       2  22       [21, 24]",
        "sex     100 %       2       1  -        *",
        "town      0 %       2       2  a        a",
        "one label for all rows, so the column says nothing any more: sex",
    ]
    assert str(release).endswith("\n".join(as_text(release.columns)))
    assert "<td>[21, 24]</td>" in release._repr_html_()


def test_hostile_cells_stay_in_their_line() -> None:
    """No sign moves a cursor or makes an element, and long cells are cut."""
    column = ReleasedColumn(
        name="a\x1b[2J\n<b>", loss=None, values=9, labels=2, value="x" * 99, label="<script>", joined=False
    )
    lines = as_text([column])
    assert len(lines) == 2
    assert "\x1b" not in lines[1]
    assert "x" * (LONGEST + 1) not in lines[1]
