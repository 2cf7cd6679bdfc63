"""Hierarchies: their files, what makes them broken, and whether their labels are true."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.datasets import (
    ADULT_LEVEL_QUASI_IDENTIFIERS,
    ADULT_ORDERS,
    adult_hierarchies,
    adult_hierarchy_path,
    adult_level_attributes,
    adult_path,
)
from shoal.engines.duckdb.engine import frequency_table
from shoal.errors import EngineError, PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.hierarchy.number_label import is_untrue

SIZES = Hierarchy((("S", "small", "*"), ("M", "small", "*"), ("L", "large", "*"), ("XL", "large", "*")))
DELIMITERS = (";", ",", "\t", "|")


def test_a_hierarchy_knows_its_levels() -> None:
    """Level 0 is the value itself; labels come in the order of their first value."""
    assert SIZES.height == 2
    assert SIZES.leaves == ("S", "M", "L", "XL")
    assert SIZES.level(1) == ("small", "small", "large", "large")
    assert SIZES.labels(1) == ("small", "large")
    assert SIZES.top == "*"
    with pytest.raises(PolicyError, match="the levels are 0 to 2"):
        SIZES.level(3)


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n\n", "\n  \n"])
def test_a_file_is_read_whatever_its_delimiter_and_line_ends(
    tmp_path: Path, delimiter: str, end: str
) -> None:
    """ARX's layout, with or without a byte order mark; blank lines at the end are none."""
    lines = [delimiter.join(row) for row in SIZES.rows]
    path = tmp_path / "size.csv"
    for mark in ("", "\ufeff"):
        path.write_bytes((mark + ("\r\n" if end == "\r\n" else "\n").join(lines) + end).encode())
        assert Hierarchy.read(path) == SIZES


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("20;[20, 24];[20, 29];*\n", ("20", "[20, 24]", "[20, 29]", "*")),
        ("a;{a, b, c, d};*\n", ("a", "{a, b, c, d}", "*")),
        ('x,"y;z"\nw,"y;z"\n', ("x", "y;z")),
        ("a|b, c|d\n", ("a", "b, c", "d")),
    ],
)
def test_signs_within_labels_are_not_taken_for_the_delimiter(text: str, row: tuple[str, ...]) -> None:
    """Labels have commas, so the other signs are tried first; what is quoted does not count."""
    assert Hierarchy.parse(text).rows[0] == row


cells = st.text(st.sampled_from("ab ;,|\t\"'\r\n{}[]*é"), max_size=4)


@given(st.lists(cells, min_size=1, max_size=5, unique=True), st.sampled_from(DELIMITERS))
def test_what_is_written_is_read_again(values: list[str], delimiter: str) -> None:
    """Whatever signs the values are made of."""
    hierarchy = Hierarchy(tuple((value, "all, of; them|all\t.", "*") for value in values))
    assert Hierarchy.parse(hierarchy.to_csv(delimiter)) == hierarchy
    assert Hierarchy.parse(hierarchy.to_csv(delimiter), delimiter) == hierarchy


def test_a_file_is_written_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """A file that is there is replaced, through a link too."""
    path, link = tmp_path / "size.csv", tmp_path / "link.csv"
    path.write_text("old")
    link.symlink_to(path)
    SIZES.write(link)
    assert path.read_text() == "S;small;*\nM;small;*\nL;large;*\nXL;large;*\n"
    assert {each.name for each in tmp_path.iterdir()} == {"size.csv", "link.csv"}
    with pytest.raises(EngineError, match="cannot write"):
        SIZES.write(tmp_path / "absent" / "size.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a;x;*\nb;*\n", r"line 2: it has a different number of levels \(1\) than line 1 \(2\)"),
        ("a;*\nb;*\na;*\n", "line 3: the value 'a' is already in line 1"),
        ("a;x;1;*\nb;x;2;*\n", "line 2: 'x' .level 1. is under '2' here, but under '1' in line 1"),
        ("a;x\nb;y\n", "line 2: it ends in 'y', but line 1 in 'x'; .* add a last column"),
        ("a\nb\n", "single top: add a last column"),
        ("a;;*\n", "line 1: the label of level 1 is empty"),
        ("a;*\n\nb;*\n", "line 2: the line is blank"),
        ('a;*\n"b"c;*\n', "line 2: this is not CSV"),
        ('a;*\n"two\nlines";*\na;*\n', "line 4: the value 'a'"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    """The message names the file, the line and the way out."""
    path = tmp_path / "broken.csv"
    path.write_text(text)
    with pytest.raises(PolicyError, match=f"the hierarchy broken.csv.*{words}"):
        Hierarchy.read(path)


def test_rows_that_are_no_hierarchy_are_refused() -> None:
    """Those built by hand are checked as files are."""
    with pytest.raises(PolicyError, match="is empty"):
        Hierarchy(())
    with pytest.raises(PolicyError, match="all of them text"):
        Hierarchy(((1, "*"),))  # type: ignore[arg-type]
    assert Hierarchy([["a", "*"]]).rows == (("a", "*"),)  # type: ignore[arg-type]


def test_a_file_that_cannot_be_read_is_the_worlds_fault(tmp_path: Path) -> None:
    """An absent file and one that is not UTF-8."""
    with pytest.raises(EngineError, match="cannot read the hierarchy"):
        Hierarchy.read(tmp_path / "absent.csv")
    (tmp_path / "latin.csv").write_bytes("é;*".encode("latin-1"))
    with pytest.raises(PolicyError, match="is not UTF-8"):
        Hierarchy.read(tmp_path / "latin.csv")
    with pytest.raises(PolicyError, match="a delimiter is one character"):
        Hierarchy.parse("a;*", delimiter=";;")


def test_the_missing_value_may_be_a_leaf() -> None:
    """It is the empty text, and keeps its empty label below the top."""
    hierarchy = Hierarchy.parse("a;x;*\n;;*\n")
    assert hierarchy.leaves == ("a", "")
    assert Hierarchy.parse(hierarchy.to_csv()) == hierarchy


def test_a_number_is_found_however_it_is_written() -> None:
    """39, 39.0 and "39" are one leaf; 039 is a code and another."""
    ages = Hierarchy.parse("39;*\n40.5;*\nold;*\n")
    assert ages.find("39.0") == 0
    assert ages.missing_from([39, "39.0", 40.5, "40.50", "old"]) == ()
    assert ages.missing_from(["039", 41, 41, "41"]) == ("039", "41")


def test_untrue_labels_are_found() -> None:
    """A file made as one that is in wide use: upper ends of intervals are put one too low."""
    rows = [(str(age), f"{(age - 1) // 5 * 5}-{(age - 1) // 5 * 5 + 4}", "*") for age in range(1, 21)]
    hierarchy = Hierarchy(tuple(rows))
    assert [tuple(each) for each in hierarchy.untrue()] == [
        (5, "5", 1, "0-4"),
        (10, "10", 1, "5-9"),
        (15, "15", 1, "10-14"),
        (20, "20", 1, "15-19"),
    ]
    assert SIZES.untrue() == ()


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("35-39", "35", "40"),
        ("35 - 39", "39", "34"),
        ("-10--5", "-5", "5"),
        ("-10 to 5", "-10", "-11"),
        ("30..39", "39", "40"),
        ("[35, 39]", "39", "40"),
        ("[30, 40)", "39.9", "40"),
        ("(30, 40]", "40", "30"),
        ("[30, 40[", "30", "40"),
        ("]30, 40]", "40", "30"),
        ("[1.5, 3)", "1.5", "3"),
        ("<20", "19", "20"),
        ("< 20", "-3", "20"),
        ("<=20", "20", "21"),
        ("≤ 20", "20", "21"),
        (">80", "81", "80"),
        (">= 80", "80", "79"),
        ("80+", "80", "79"),
        ("{1, 3}", "3", "2"),
        ("[30, 40)", "[35, 39]", "[35, 40]"),
        ("[30, 40)", "[35, 40)", "[25, 35)"),
        (">= 80", "> 80", "< 80"),
    ],
)
def test_labels_that_read_as_numbers_are_understood(label: str, inside: str, outside: str) -> None:
    """As people and other programs write them; a value may be an interval itself."""
    assert not is_untrue(inside, label)
    assert is_untrue(outside, label)


@pytest.mark.parametrize("label", ["*", "adult", "20", "021**", "2020s", "1-2-3"])
def test_of_words_nothing_is_said(label: str) -> None:
    """A word can be true or not; a bare number may be the beginning of a code."""
    assert not is_untrue("40", label)


def test_the_suppressed_top_can_be_switched() -> None:
    """It is added once, and removed only if a single label stands below it."""
    plain = Hierarchy.parse("1;[1, 2]\n2;[1, 2]\n")
    starred = plain.with_suppressed_top()
    assert starred.rows == (("1", "[1, 2]", "*"), ("2", "[1, 2]", "*"))
    assert starred.with_suppressed_top() == starred
    assert starred.without_suppressed_top() == plain
    assert plain.without_suppressed_top() == plain
    with pytest.raises(PolicyError, match="2 labels are below it"):
        SIZES.without_suppressed_top()


def test_nested_dictionaries_are_a_hierarchy() -> None:
    """In a short branch the value is repeated upward from the bottom."""
    tree = {"*": {"school": {"low": ["1st", "2nd"], "high": ["3rd"]}, "none": ["0"]}}
    assert Hierarchy.from_dict(tree).rows == (
        ("1st", "low", "school", "*"),
        ("2nd", "low", "school", "*"),
        ("3rd", "high", "school", "*"),
        ("0", "0", "none", "*"),
    )
    assert Hierarchy.from_dict({"*": {2: [datetime.date(2024, 1, 1), True]}}).leaves == ("2024-01-01", "true")


def test_the_labels_of_each_value_are_a_hierarchy() -> None:
    """As a list of levels or a single label."""
    assert Hierarchy.from_dict({"a": ["x", "*"], "b": ("x", "*")}).rows == (("a", "x", "*"), ("b", "x", "*"))
    assert Hierarchy.from_dict({1: "*", 2.0: "*"}).leaves == ("1", "2")
    with pytest.raises(PolicyError, match="2 tops; put them under one"):
        Hierarchy.from_dict({"a": {"x": ["1"]}, "b": {"y": ["2"]}})
    with pytest.raises(PolicyError, match="has no values"):
        Hierarchy.from_dict({"*": []})
    with pytest.raises(PolicyError, match="a list of values"):
        Hierarchy.from_dict({"*": [None]})


def test_adult_has_a_hierarchy_for_each_quasi_identifier() -> None:
    """Their heights make a lattice of 17,920 nodes; every level joins something, and all labels are true."""
    hierarchies = adult_hierarchies()
    nodes = 1
    for name in ADULT_LEVEL_QUASI_IDENTIFIERS:
        nodes *= hierarchies[name].height + 1
    assert nodes == 17920
    assert [hierarchies[name].height for name in ADULT_LEVEL_QUASI_IDENTIFIERS] == [6, 3, 3, 3, 1, 1, 4, 1]
    for name, hierarchy in hierarchies.items():
        sizes = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
        assert sizes == sorted(set(sizes), reverse=True), f"a level of {name} joins nothing"
        assert hierarchy.untrue() == ()
        assert hierarchy.leaves == ADULT_ORDERS.get(name, hierarchy.leaves)
    assert hierarchies["age"].leaves == tuple(str(age) for age in range(17, 91))


def test_the_labels_of_adult_cover_neighbours() -> None:
    """So a label is an interval of the order."""
    for hierarchy in adult_hierarchies().values():
        for level in range(hierarchy.height + 1):
            changes = [
                a != b for a, b in zip(hierarchy.level(level), hierarchy.level(level)[1:], strict=False)
            ]
            assert sum(changes) + 1 == len(hierarchy.labels(level))


def test_the_hierarchies_of_adult_have_every_value_of_the_table() -> None:
    """Counting would refuse one that lacks a value."""
    table = frequency_table(adult_path(), adult_level_attributes())
    assert table.rows == 30162
    with pytest.raises(PolicyError, match="Did you mean 'race'"):
        adult_hierarchy_path("rase")
