"""A column that is joined throughout is printed as `*`, and nothing that is promised changes with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import shoal
from tests.agreement.thoroughness import examples

QUASI = ["age", "town"]
ALGORITHMS = ["exact", "lattice", "mondrian", "local", "k-member"]


def table_of(ages: list[Any], towns: list[Any]) -> pandas.DataFrame:
    return pandas.DataFrame({"age": ages, "town": towns})


@pytest.mark.parametrize("algorithm", ["exact", "lattice", "mondrian", "local"])
@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        ["a", "b", "c"],
        pandas.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]),
        [1.5, None, 2],
    ],
    ids=["numbers", "words", "dates", "missing"],
)
def test_a_column_joined_throughout_is_a_star(algorithm: str, values: Any) -> None:
    """Whatever its values are, and however rows are recoded."""
    frame = pandas.DataFrame({"q": list(values) * 2, "town": ["a"] * 3 + ["b"] * 3})
    settings: dict[str, Any] = {"quasi_identifiers": ["q", "town"], "k": 3, "algorithm": algorithm}
    release = shoal.anonymize(frame, suppression=0, cost="general-loss", **settings)
    assert list(release.data["q"]) == ["*"] * 6
    assert list(release.data["town"]) == ["a"] * 3 + ["b"] * 3
    assert release.verdict.k == 3
    if algorithm != "lattice":
        assert release.manifest.recoding["q"] == [{"label": "*", "values": []}]


def test_a_column_of_one_value_keeps_it() -> None:
    """Nothing is joined, and nothing is lost."""
    release = shoal.anonymize(
        table_of([7] * 4, list("aabb")), quasi_identifiers=QUASI, k=2, algorithm="exact"
    )
    assert list(release.data["age"]) == [7] * 4


def test_a_label_for_part_of_the_users_leaves_is_no_star(tmp_path: Path) -> None:
    """It reveals that nobody has the others, and loses less than everything."""
    (tmp_path / "town.csv").write_text("a;*\nb;*\nc;*\n")
    frame = table_of([1, 1, 2, 2], list("abab"))
    settings: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 2, "algorithm": "exact", "suppression": 0}
    settings |= {"cost": "general-loss", "hierarchies": {"town": tmp_path / "town.csv"}}
    release = shoal.anonymize(frame, **settings)
    assert list(release.data["town"]) == ["{a, b}"] * 4
    assert release.manifest.cost == 0.25
    assert release.columns[1].joined


def test_a_word_that_the_user_gave_the_top_is_kept(tmp_path: Path) -> None:
    """It says the same."""
    (tmp_path / "town.csv").write_text("a;anywhere\nb;anywhere\n")
    frame = table_of([1, 1, 2, 2], list("abab"))
    settings: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 2, "suppression": 0, "cost": "general-loss"}
    settings |= {"hierarchies": {"town": tmp_path / "town.csv"}, "algorithm": "exact"}
    assert list(shoal.anonymize(frame, **settings).data["town"]) == ["anywhere"] * 4


def test_if_released_rows_have_one_value_of_a_joined_column_it_is_printed() -> None:
    """The others were suppressed, so that it is true of every row."""
    release = shoal.anonymize(
        table_of([30, 30, 99], list("aab")), quasi_identifiers=QUASI, k=2, suppression=1, algorithm="exact"
    )
    assert list(release.data["age"]) == [30, 30]


def test_a_release_of_nothing_but_stars_counts_as_suppressed(tmp_path: Path) -> None:
    """No row can be found; the audit, the manifest and a later audit agree."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    table_of([1, 2, 3, 4], list("abcd")).to_csv(source, index=False)
    settings: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 4}
    release = shoal.anonymize(source, path=target, algorithm="exact", suppression=0, **settings)
    assert target.read_text() == "age,town\n" + "*,*\n" * 4
    assert (release.verdict.k, release.verdict.measured.suppressed) == (None, 4)
    facts = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert (facts["suppressed"], facts["groups"], facts["audit"]["holds"]) == (0, 0, True)
    audited = shoal.audit(target, original=source, **settings)
    assert audited.meets
    assert audited.comparison is not None
    assert audited.comparison.losses["general-loss"] == 1


def test_what_all_rows_reveal_is_still_judged() -> None:
    """Stars everywhere do not make sensitive values diverse."""
    frame = table_of([1, 2], list("ab")).assign(ill=["flu", "flu"])
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(
            frame,
            quasi_identifiers=QUASI,
            k=2,
            sensitive=["ill"],
            models=[{"name": "distinct-l-diversity", "attribute": "ill", "l": 2}],
            algorithm="exact",
            suppression=0,
        )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([1, 2, 5, None]), st.sampled_from(["a", "b", "c"])), min_size=2, max_size=7
    ),
    k=st.integers(2, 4),
    limit=st.sampled_from([0, 2, "unlimited"]),
)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_expected_is_what_the_audit_measures(
    algorithm: str, suppressed: Any, rows: list[tuple[Any, str]], k: int, limit: Any
) -> None:
    """Groups, rows of stars and k of a later reader are those of the run, whichever columns are joined."""
    frame = pandas.DataFrame(rows, columns=QUASI)
    settings: dict[str, Any] = {"quasi_identifiers": QUASI, "k": k, "algorithm": algorithm}
    try:
        release = shoal.anonymize(
            frame, cost="general-loss", suppression=limit, suppressed=suppressed, **settings
        )
    except (shoal.InfeasibleError, shoal.PolicyError):
        assume(False)
    cells = [tuple(row) for row in release.data[QUASI].astype(object).values.tolist()]
    stars = sum(row == ("*", "*") for row in cells)
    seen = pandas.Series([str(row) for row in cells if row != ("*", "*")]).value_counts()
    measured = release.verdict.measured
    assert (measured.rows, measured.suppressed, measured.groups) == (len(cells), stars, len(seen))
    assert release.verdict.k == (int(seen.min()) if len(seen) else None)
