"""What a release of linkable rows must not show besides its quasi-identifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.errors import PolicyError

ROWS = [
    ("a", "101", 1),
    ("b", "101", 1),
    ("c", "101", 1),
    ("a", "101", 2),
    ("a", "101", 3),
    ("b", "101", 3),
    ("c", "101", 3),
]
"""Person a has one more row than b and c, between the rows that all three have."""


def released(table: pd.DataFrame, **more: Any) -> shoal.Release:
    return shoal.anonymize(
        table, quasi_identifiers=["zip", "day"], k=3, entity="person", linkable=True, seconds=2, **more
    )


@pytest.fixture
def visits() -> pd.DataFrame:
    return pd.DataFrame(
        ROWS, columns=["person", "zip", "day"], index=[f"row {at}" for at in range(len(ROWS))]
    )


def test_the_index_does_not_show_which_rows_a_person_lost(visits: pd.DataFrame) -> None:
    """A gap in the old index would show that a person has one more row than the others."""
    release = released(visits)
    assert release.manifest.suppressed == 1
    assert list(release.data.index) == list(range(6))


def test_a_row_without_a_person_is_refused(visits: pd.DataFrame) -> None:
    """It would count as a person among k, though it may be a row of one of the others."""
    visits.iloc[0, 0] = None
    with pytest.raises(PolicyError, match=r"1 row\(s\) have no value in column 'person'"):
        released(visits)


def test_pseudonyms_do_not_keep_the_length_of_identifiers(visits: pd.DataFrame) -> None:
    """Of k persons who share a history one would be known by a longer number."""
    with pytest.raises(PolicyError, match="tell persons apart"):
        released(visits, treatments={"person": {"name": "pseudonym", "format": "same"}})


def test_several_tables_do_not_warn_that_rows_are_counted_for_persons(tmp_path: Path) -> None:
    """k counts persons across the tables, and there is no entity to name; strict would refuse them all."""
    policy = tmp_path / "policy.toml"
    policy.write_text(
        """
        tables.patients = { key = "patient", attributes.sex.role = "quasi-identifier" }
        tables.stays = { key = "stay", parent = "patients", attributes.ward.role = "quasi-identifier" }
        privacy.k = 2
        """
    )
    patients = pd.DataFrame({"patient": range(30), "sex": ["f", "m"] * 15})
    stays = pd.DataFrame({"stay": range(60), "patient": [*range(30), *range(30)], "ward": ["A"] * 60})
    release = shoal.anonymize_tables(policy, tables={"patients": patients, "stays": stays}, strict=True)
    assert release.warnings == ()


DIAGNOSES = [
    *((f"a{at}", zip_, "flu") for at in range(3) for zip_ in ("1", "2")),
    *((f"b{at}", zip_, "cold") for at in range(3) for zip_ in ("1", "3")),
    *((f"c{at}", zip_, "flu" if zip_ == "3" else "cold") for at in range(3) for zip_ in ("2", "3")),
]
"""In every zip there are both diagnoses; all three persons with zips 1 and 2 have the flu."""


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_models_look_at_persons_whose_rows_are_all_alike(tmp_path: Path, kind: str) -> None:
    """Whoever follows a person through the rows knows the diagnosis, though every row hides it."""
    table: Any = pd.DataFrame(DIAGNOSES, columns=["person", "zip", "diagnosis"])
    if kind == "csv":
        table.to_csv(tmp_path / "visits.csv", index=False)
        table = tmp_path / "visits.csv"
    asked: dict[str, Any] = {
        "quasi_identifiers": ["zip"],
        "sensitive": ["diagnosis"],
        "models": [{"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}],
        "k": 3,
        "entity": "person",
    }
    unlinked = shoal.audit(table, **{**asked, "entity": None})
    assert unlinked.meets
    linked = shoal.audit(table, **asked, linkable=True)
    assert not linked.meets
    verdict = next(each for each in linked.verdict.models if each.key == "distinct-l-diversity")
    assert (verdict.measured, verdict.holds) == (1, False)


def test_models_are_judged_by_whole_histories_where_some_rows_are_known() -> None:
    """They hold among all who have those rows if they hold among those with the same history."""
    table = pd.DataFrame(DIAGNOSES, columns=["person", "zip", "diagnosis"])
    model = {"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}
    audited = shoal.audit(
        table,
        quasi_identifiers=["zip"],
        sensitive=["diagnosis"],
        models=[model],
        k=3,
        entity="person",
        linkable=True,
        known_events=1,
    )
    assert not audited.meets
    assert audited.verdict.models[0].where.startswith("among persons with the same rows")


@pytest.mark.parametrize("order", ["keep", "shuffle"])
def test_a_release_by_a_model_holds_it_by_whole_histories(order: Any) -> None:
    """The audit of what was written agrees with the search about who cannot be distinguished."""
    rows = [
        (f"p{at}", zip_, ("flu", "cold", "cough")[at // 2 % 3])
        for at in range(12)
        for zip_ in ("12" if at % 2 else "13")
    ]
    model = {"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}
    release = shoal.anonymize(
        pd.DataFrame(rows, columns=["person", "zip", "diagnosis"]),
        quasi_identifiers=["zip"],
        sensitive=["diagnosis"],
        models=[model],
        k=3,
        entity="person",
        linkable=True,
        order=order,
        seconds=2,
    )
    assert release.manifest.audit["holds"]
    assert release.manifest.audit["distinct-l-diversity"] == 3


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
@pytest.mark.parametrize(
    ("known", "wrong", "warned"), [(1, 1, True), (1, 0, False), (1, 9, False), ("all", 1, False)]
)
def test_a_column_that_hardly_ever_changes_is_warned_of(known: Any, wrong: int, warned: bool) -> None:
    """One wrong row, and the column is no longer released once per person: who knows that finds fewer."""
    rows = [(f"p{at}", ("f", "m")[at % 2], day) for at in range(40) for day in (1, 2)]
    for at in range(wrong):
        rows[4 * at] = (*rows[4 * at][:1], "m", 1)
    table = pd.DataFrame(rows, columns=["person", "sex", "day"])
    release = shoal.anonymize(
        table,
        quasi_identifiers=["sex", "day"],
        k=3,
        entity="person",
        linkable=True,
        known_events=known,
        seconds=1,
    )
    codes = [each.code for each in release.warnings]
    assert ("rarely-changing" in codes) is warned


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
@pytest.mark.parametrize("column", ["person", "day"])
def test_an_index_that_repeats_a_column_is_not_released(visits: pd.DataFrame, column: str) -> None:
    """After `set_index(column, drop=False)` the index has the cells that the release must not show."""
    visits["day"] = range(len(visits))
    release = shoal.anonymize(
        visits.set_index(column, drop=False),
        quasi_identifiers=["zip", "day"],
        k=3,
        entity="person",
        seconds=1,
    )
    assert list(release.data.index) == list(range(len(release.data)))
    assert "person" not in release.data.columns


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_an_index_of_its_own_stays(visits: pd.DataFrame) -> None:
    """Where rows are not linkable, the labels of the rows are the user's."""
    release = shoal.anonymize(visits, quasi_identifiers=["zip", "day"], k=3, entity="person", seconds=1)
    assert set(release.data.index) <= set(visits.index)


def test_a_model_that_leaves_nobody_is_no_release(visits: pd.DataFrame) -> None:
    """All groups are refused, and that is said."""
    visits["diagnosis"] = "flu"
    model = {"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}
    with pytest.raises(shoal.InfeasibleError):
        released(visits, sensitive=["diagnosis"], models=[model], algorithm="person-groups")
