"""The taxonomy's models: named in a policy, checked by the audit on the cells that were written."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.auditor import model_failure
from shoal.engines.duckdb.engine import DuckDB, frequency_table
from shoal.errors import PolicyError
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.label_reader import LabelReader
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.recoding_model import RecodingModel
from shoal.model.table.domain import Domain
from shoal.model.table.short_labels import MOST_LISTED, is_short, listed
from tests.paper_setting import as_in_the_paper

ZIPS = Hierarchy.from_dict({"*": {"021": ["02138", "02139"], "100": ["10001"]}})
QUASI = [
    Attribute(name="age", role=Role.QUASI_IDENTIFIER, type="number"),
    Attribute(name="zip", role=Role.QUASI_IDENTIFIER, type="category", hierarchy=ZIPS),
]
SOURCE = pd.DataFrame({"age": [20, 20, 30, 30], "zip": ["02138", "02139", "02139", "10001"]})

RELEASES: dict[str, tuple[dict[str, list[Any]], set[str]]] = {
    "as it was": ({"age": [20, 20, 30, 30], "zip": ["02138", "02139", "02139", "10001"]}, set(RecodingModel)),
    "one level": (
        {"age": [20, 20, 30, 30], "zip": ["021", "021", "021", "100"]},
        {"AG_TS", "AG_CS", "AG_", "CG_"},
    ),
    "two levels, apart": (
        {"age": [20, 20, 30, 30], "zip": ["021", "021", "021", "10001"]},
        {"AG_TS", "AG_CS", "AG_", "CG_"},
    ),
    "two levels of one value": (
        {"age": [20, 20, 30, 30], "zip": ["021", "021", "02139", "10001"]},
        {"CG_"},
    ),
    "a cell": ({"age": [20, 20, 30, 30], "zip": ["02138", "02139", "*", "*"]}, {"AG_CS", "CG_", "_CS"}),
    "a column": (
        {"age": [20, 20, 30, 30], "zip": ["*", "*", "*", "*"]},
        {"AG_TS", "AG_CS", "AG_", "CG_", "_AS", "_CS"},
    ),
    "a row that is dropped": ({"age": [20, 20, 30], "zip": ["02138", "02139", "02139"]}, {"AG_TS", "_TS"}),
    "a row that is masked": (
        {"age": ["20", "20", "30", "*"], "zip": ["02138", "02139", "02139", "*"]},
        {"AG_TS", "_TS", "AG_CS", "CG_", "_CS"},
    ),
    "everything": (
        {"age": ["*", "*", "*", "*"], "zip": ["*", "*", "*", "*"]},
        set(RecodingModel),
    ),
    "an interval": (
        {"age": ["[20, 30]"] * 4, "zip": ["02138", "02139", "02139", "10001"]},
        {"AG_TS", "AG_CS", "AG_", "CG_"},
    ),
    "intervals that overlap": (
        {"age": ["[20, 30]", "20", "30", "[20, 30]"], "zip": ["02138", "02139", "02139", "10001"]},
        {"CG_"},
    ),
    "a value that is nowhere": ({"age": [20, 20, 30, 31], "zip": ["021", "021", "021", "100"]}, set()),
}


@pytest.mark.parametrize("kind", ["frame", "csv"])
@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_of_exactly_the_models_that_its_cells_show(name: str, kind: str, tmp_path: Path) -> None:
    """Judged by what was written, against the domains of the source."""
    cells, models = RELEASES[name]
    written: Any = pd.DataFrame(cells)
    if kind == "csv":
        written.to_csv(tmp_path / "release.csv", index=False)
        written = tmp_path / "release.csv"
    domains = frequency_table(SOURCE, QUASI).domains
    with DuckDB() as engine:
        words = engine.written_columns(written, domains)
        measured = engine.measure(written, ["age", "zip"], 1)
    found = {each.value for each in RecodingModel if model_failure(each, words, measured, 4) is None}
    assert found == {str(each) for each in models}


def test_a_release_that_is_not_of_the_model_is_not_published(tmp_path: Path, monkeypatch: Any) -> None:
    """A search that gave the wrong kind of recoding is caught by the audit."""
    from shoal.algorithms.rows.local import Local

    monkeypatch.setattr(Local, "recoding_models", tuple(RecodingModel))
    source = tmp_path / "people.csv"
    pd.DataFrame({"zip": ["02138", "02138", "02139", "10001"]}).to_csv(source, index=False)
    with pytest.raises(shoal.AuditError, match=r"not of the model AG_: column 'zip' releases one value in"):
        shoal.anonymize(
            source,
            quasi_identifiers=["zip"],
            k=2,
            hierarchies={"zip": {"any": ["02138", "02139", "10001"]}},
            types={"zip": "category"},
            recoding_model="AG_",
            cost="ncp",
            algorithm="local",
            path=tmp_path / "release.csv",
        )
    assert list(tmp_path.iterdir()) == [source]


def test_a_model_names_its_default_algorithm_and_cost() -> None:
    """Cells one by one are local recoding, priced cell by cell."""
    release = shoal.anonymize(SOURCE, quasi_identifiers=["age", "zip"], k=2, recoding_model="CG_")
    assert (release.manifest.algorithm, release.manifest.cost_metric) == ("local", "ncp")
    assert release.manifest.model == "CG_"


def test_every_row_is_released_where_the_model_says_so() -> None:
    """AG_ is AG_TS without suppressed rows, whatever the default limit."""
    with_rows = shoal.anonymize(
        SOURCE, quasi_identifiers=["age", "zip"], k=2, recoding_model="AG_", suppression="unlimited"
    )
    assert with_rows.manifest.suppressed == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"recoding_model": "AG_X"}, "there is no recoding model 'AG_X'. Did you mean 'AG_'"),
        ({"recoding_model": "AG_", "suppression": 2}, "AG_ releases every row"),
        ({"recoding_model": "_TS", "algorithm": "exact"}, "'exact' makes no release of the model _TS"),
    ],
)
def test_what_a_model_cannot_be_is_said(asked: dict[str, Any], message: str) -> None:
    """With the names that exist, or the way out."""
    with pytest.raises(PolicyError, match=message):
        shoal.anonymize(SOURCE, **as_in_the_paper(quasi_identifiers=["age", "zip"], k=2, **asked))


def numbers(values: list[Any], **more: Any) -> Domain:
    """A domain of numbers."""
    return Domain(name="n", kind="number", values=tuple(values), **more)


DOMAINS = [
    numbers([1, 2, 3, 10]),
    numbers([1.5, 2, 2.25, None]),
    numbers([0, 5, 15], bin=5),
    numbers([0, 1, 2, None], bin=1),
    numbers([0.5, 1.0, 2.0], bin=0.5, integral=False),
    Domain(name="d", kind="date", values=(datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), None)),
    Domain(name="c", kind="category", values=("a", "b, c", "{a}", '"', "*", "missing", "", None)),
    Domain(
        name="t",
        kind="category",
        values=("x", "y", "z"),
        tree=tree_of([("x", "xy", "*"), ("y", "xy", "*"), ("z", "Z", "*")], range(3), "xyz", missing=False),
    ),
]


@given(domain=st.sampled_from(DOMAINS), data=st.data())
def test_a_label_is_read_as_the_values_that_it_was_made_of(domain: Domain, data: st.DataObject) -> None:
    """Intervals, sets, bins and the missing value, whatever the values look like."""
    codes = data.draw(st.sets(st.integers(0, len(domain) - 1), min_size=1).map(sorted))
    if domain.kind != "category":
        known = [code for code in codes if domain.values[code] is not None]
        codes = ([*range(known[0], known[-1] + 1)] if known else []) + codes[len(known) :]
    others = [[code] for code in range(len(domain))]
    label = domain.span_labels([codes, *others])[0]
    if label is not None and is_short(label):  # only a manifest lists its values
        assert len(codes) > MOST_LISTED
        assert LabelReader(domain).codes(label) is None
        members = [None if domain.values[code] is None else domain.text(code) for code in codes]
        label = listed(members, "missing")
    assert LabelReader(domain).codes(label) == tuple(codes)


def test_a_strange_label_is_read_as_nothing() -> None:
    """Neither a value nor a node, an interval or a set of values."""
    for label in ("11", "[1, 11]", "[2, 1]", "{1, 2}", "[", "", "x or missing"):
        assert LabelReader(DOMAINS[0]).codes(label) is None
    for label in ("d", "{a, d}", '{"}', '{"a" "b, c"}', "{}"):
        assert LabelReader(DOMAINS[6]).codes(label) is None


def test_a_set_that_reads_like_a_value_is_quoted() -> None:
    """`{a, b}` would be the fourth value to every reader, the audit among them."""
    release = shoal.anonymize(
        pd.DataFrame({"q": ["a", "b", "c", "{a, b}"]}),
        quasi_identifiers=["q"],
        types={"q": "category"},
        orders={"q": ["a", "b", "c", "{a, b}"]},
        k=2,
        recoding_model="AG_",
    )
    assert release.data["q"].tolist() == ['{"a", "b"}'] * 2 + ['{"c", "{a, b}"}'] * 2


def test_an_empty_text_in_a_csv_is_a_value_that_the_audit_knows(tmp_path: Path) -> None:
    """It prints like a missing value; where nothing is missing it is no strange cell."""
    release = shoal.anonymize(
        pd.DataFrame({"q": ["", "", "a", "a"], "z": [1, 2, 1, 2]}),
        quasi_identifiers=["q", "z"],
        types={"q": "category"},
        k=2,
        recoding_model="_CS",
        path=tmp_path / "release.csv",
    )
    assert release.verdict.holds
    assert (tmp_path / "release.csv").exists()
