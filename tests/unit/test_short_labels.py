"""Short labels of large sets: how they are printed, numbered, quoted, listed and read."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.model.recoding.local_recoding import LocalRecoding, Span
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.result.listed_sets import listed_sets
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.domain import Domain
from shoal.model.table.short_labels import MOST_LISTED, is_short

LETTERS = "abcdefghijklmnop"


def domain_of(values: Any) -> Domain:
    return Domain(name="q", kind="category", values=tuple(values))


def people(path: Path) -> Path:
    """Sixteen letters, each with a city, so that groups of eight letters remain."""
    rows = [(letter, "north" if number < 8 else "south", number) for number, letter in enumerate(LETTERS)]
    path.write_text("q,city,n\n" + "".join(f"{q},{city},{n}\n" for q, city, n in rows * 2))
    return path


def released(tmp_path: Path, **asked: Any) -> tuple[Path, list[dict[str, str]]]:
    target = tmp_path / "release.csv"
    settings: dict[str, Any] = {"quasi_identifiers": ["q", "city"], "k": 16, "suppression": 0}
    settings |= {"cost": "general-loss", "algorithm": "exact", **asked}
    shoal.anonymize(people(tmp_path / "people.csv"), path=target, **settings)
    with target.open() as file:
        return target, list(csv.DictReader(file))


def test_a_set_of_a_handful_is_listed_and_a_larger_one_is_short() -> None:
    """The first two values, how many there are, and the number of the set."""
    domain = domain_of(LETTERS)
    assert domain.labels((0, 5)) == ("{a, b, c, d, e}", "{f, g, ... 11 #1}")
    assert domain.labels((0, 6)) == ("{a, b, ... 6 #1}", "{g, h, ... 10 #2}")


def test_sets_are_numbered_by_their_codes_whatever_the_order_of_the_spans() -> None:
    """So that equal releases have equal labels."""
    domain = domain_of(LETTERS)
    spans = [(0, 1, 2, 3, 4, 6), (0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)]
    labels = domain.span_labels(spans)
    assert labels == ("{a, b, ... 6 #2}", "{a, b, ... 6 #1}", "{b, c, ... 6 #3}")
    assert domain.span_labels(spans[::-1]) == labels[::-1]


@given(
    sets=st.lists(
        st.sets(st.integers(0, 15), min_size=1).map(lambda each: tuple(sorted(each))), min_size=1, unique=True
    ),
    released=st.none() | st.sets(st.integers(0, 15), min_size=1),
)
def test_labels_of_different_sets_differ(sets: list[tuple[int, ...]], released: set[int] | None) -> None:
    """Two sets are printed alike if and only if the same values of them are released."""
    domain = domain_of([*LETTERS[:14], "... 6 #1", "{a, b, ... 6 #1}"])
    labels = domain.span_labels(sets, released)
    shown = [tuple(code for code in codes if released is None or code in released) for codes in sets]
    pairs = {label: codes for label, codes in zip(labels, shown, strict=True) if codes}
    assert len(pairs) == len({codes for codes in shown if codes})
    for label, codes in pairs.items():
        assert label is not None
        assert is_short(label) == (len(codes) > MOST_LISTED)


def test_a_value_that_reads_like_a_short_label_is_quoted() -> None:
    """As a cell, and as the last member of a set."""
    domain = domain_of(["a", "b", "... 6 #1", "{a, b, ... 6 #1}"])
    assert domain.label(3, 3) == '{"{a, b, ... 6 #1}"}'
    assert domain.label(0, 2) == '{a, b, "... 6 #1"}'
    assert not is_short(domain.label(0, 2) or "")


def test_a_label_of_the_users_is_not_used_twice() -> None:
    """A number whose label the column already has is left out."""
    domain = domain_of(LETTERS)
    assert domain.printed.numbered(["{a, b, ... 6 #1}", (0, 1, 2, 3, 4, 5)])[1] == "{a, b, ... 6 #2}"


def test_the_missing_value_counts_and_is_listed() -> None:
    """It is one of the values, and the manifest lists it as null."""
    domain = Domain(name="q", kind="category", values=(*"abcdef", None))
    assert domain.label(0, 6) == "{a, b, c, d, e, f, missing}"
    recoding = CutRecoding(((1,),))
    (_, entry) = recoding.describe([domain])["q"]  # type: ignore[misc]
    assert entry == {"label": "{b, c, ... 6 #1}", "values": [*"bcdef", None]}
    meaning = CellReader(sets=listed_sets({"recoding": {"q": [entry]}})["q"]).meaning("{b, c, ... 6 #1}")
    assert (meaning.covers("f"), meaning.covers(None), meaning.covers("a")) == (True, True, False)


def test_without_its_manifest_a_short_label_is_a_word() -> None:
    """It covers nothing: no value is guessed from its beginning."""
    meaning = CellReader().meaning("{a, b, ... 12 #7}")
    assert not any(map(meaning.covers, ["a", "b", "... 12 #7"]))


def test_values_of_suppressed_rows_are_in_no_short_label() -> None:
    """Neither counted nor listed."""
    domain = domain_of(LETTERS)
    recoding = LocalRecoding(values=None, nodes=((Span(tuple(range(8))), Span((9, 10))),))  # type: ignore[arg-type]
    assert recoding.labels(0, domain, set(range(1, 11))) == ("{b, c, ... 7 #1}", "{j, k}")


@pytest.mark.parametrize("algorithm", ["exact", "mondrian", "local"])
def test_the_audit_reads_short_labels_by_the_manifest(tmp_path: Path, algorithm: str) -> None:
    """Every cell is true of the original and loses what the search says."""
    target, rows = released(tmp_path, algorithm=algorithm, **({"seconds": 5} if algorithm == "local" else {}))
    assert {row["q"] for row in rows} == {"{a, b, ... 8 #1}", "{i, j, ... 8 #2}"}
    asked = {"quasi_identifiers": ["q", "city"], "k": 16}
    original = tmp_path / "people.csv"
    audited = shoal.audit(target, original=original, **asked)
    assert audited.meets
    assert audited.comparison is not None
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert audited.comparison.losses["general-loss"] == pytest.approx(manifest["cost"])
    assert manifest["notes"][-1].startswith("In 'q' large sets have short labels")


def test_without_the_manifest_k_is_measured_and_truth_is_not(tmp_path: Path) -> None:
    """The audit says what it cannot read, and how to give it."""
    target, _ = released(tmp_path)
    (tmp_path / "release.csv.manifest.json").unlink()
    audited = shoal.audit(target, original=tmp_path / "people.csv", quasi_identifiers=["q", "city"], k=16)
    assert audited.k == 16
    assert not audited.meets
    assert "32 cell(s) of 'q' cannot be read" in audited.failures[0]
    assert "the manifest" in audited.failures[0]


def test_attacks_risk_and_utility_read_short_labels(tmp_path: Path) -> None:
    """A person of the original matches the sixteen rows of her group, and a count is off by its spread."""
    target, _ = released(tmp_path)
    original = tmp_path / "people.csv"
    asked: dict[str, Any] = {"quasi_identifiers": ["q", "city"]}
    attacked = shoal.attack(target, external=original, attacks=["linkage"], k=16, **asked)
    (linkage,) = attacked.results
    assert linkage.rate == 1 / 16
    report = shoal.risk(target, population=original, **asked)
    assert report.journalist is not None
    assert report.journalist.highest == 1 / 16
    useful = shoal.utility(target, original=original, models=False, **asked)
    assert {column.name for column in useful.columns} >= {"q", "city"}


def test_numbers_of_two_releases_are_read_by_their_own_manifests(tmp_path: Path) -> None:
    """The same label means other values in an earlier release."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first, _ = released(tmp_path / "one")
    second, rows = released(tmp_path / "two", orders={"q": list(reversed(LETTERS))})
    assert {row["q"] for row in rows} == {"{p, o, ... 8 #1}", "{h, g, ... 8 #2}"}
    attacked = shoal.attack(
        second,
        earlier=[first],
        original=tmp_path / "two" / "people.csv",
        quasi_identifiers=["q", "city"],
        k=16,
        attacks=["composition"],
    )
    assert attacked.results[0].rate == 0


def test_a_frame_that_was_released_here_is_read_like_a_file() -> None:
    """Its manifest is remembered as long as it lives; of a copy it is not known."""
    table = pandas.DataFrame({"q": list(LETTERS) * 2, "city": (["north"] * 8 + ["south"] * 8) * 2})
    asked: dict[str, Any] = {"quasi_identifiers": ["q", "city"], "k": 16}
    release = shoal.anonymize(table, algorithm="exact", suppression=0, cost="general-loss", **asked)
    assert shoal.audit(release.data, original=table, **asked).meets
    assert not shoal.audit(release.data.copy(), original=table, **asked).meets
