"""A release beside its original: true cells, pairs of rows, losses."""

from __future__ import annotations

import atexit
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.original.comparison import Comparison, comparison
from shoal.auditor.original.losses import CELL_METRICS
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from tests.agreement.thoroughness import examples

Rows = list[tuple[str | None, ...]]

ZIPS = Hierarchy(
    (
        ("94110", "9411*", "941**", "*"),
        ("94112", "9411*", "941**", "*"),
        ("94139", "9413*", "941**", "*"),
        ("94140", "9414*", "941**", "*"),
    )
)
PEOPLE = ("id", "age", "zip", "job", "illness")
ORIGINAL: Rows = [
    ("1", "21", "94110", "cook", "flu"),
    ("2", "25", "94112", "nurse", "cold"),
    ("3", "34", "94139", "cook", "flu"),
    ("4", "39", "94139", "clerk", None),
    ("5", None, "94140", "nurse", "flu"),
]
RELEASED: Rows = [
    ("1", "[21, 25]", "9411*", "{cook, nurse}", "flu"),
    ("2", "[21, 25]", "9411*", "{cook, nurse}", "cold"),
    ("3", "30-39", "94139", "{clerk, cook}", "flu"),
    ("4", "30-39", "94139", "{clerk, cook}", None),
    ("5", "[21, 39] or missing", "941**", "*", "flu"),
]


def policy(**more: Any) -> Policy:
    return policy_of(
        quasi_identifiers=["age", "zip", "job"],
        k=2,
        hierarchies={"zip": ZIPS},
        types={"age": "number"},
        **more,
    )


def frame(rows: Rows, names: tuple[str, ...] = PEOPLE) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def compared(
    released: Rows,
    original: Rows = ORIGINAL,
    names: tuple[str, ...] = PEOPLE,
    asked: Policy | None = None,
    key: str | None = None,
) -> Comparison:
    return comparison(_engine(), frame(released, names), frame(original, names), asked or policy(), key=key)


@cache
def _engine() -> DuckDB:
    """One for all tests: most of their time would go into opening it."""
    engine = DuckDB()
    atexit.register(engine.close)
    return engine


def changed(row: int, column: str, cell: str | None) -> Rows:
    """The release with one cell changed."""
    cells = list(RELEASED[row])
    cells[PEOPLE.index(column)] = cell
    return [tuple(cells) if number == row else each for number, each in enumerate(RELEASED)]


def test_a_true_release_holds_and_its_losses_are_those_of_the_definitions() -> None:
    """Widths, leaves, sets, levels and groups, counted by hand."""
    found = compared(RELEASED)
    assert found.holds
    assert found.failures == ()
    assert (found.matched_by, found.rows, found.dropped, found.untrue_cells) == ("position", 5, 0, 0)
    # By width 4/18 twice, 34 to 39 twice, and everything for a number joined with the missing one.
    age = (4 / 18 + 4 / 18 + 5 / 18 + 5 / 18 + 1) / 5
    # One of three further leaves twice, none twice, all.
    zips = (1 / 3 + 1 / 3 + 0 + 0 + 1) / 5
    job = (4 * 1 / 2 + 1) / 5
    assert found.per_attribute["age"]["general-loss"] == pytest.approx(age)
    assert found.per_attribute["zip"]["general-loss"] == pytest.approx(zips)
    assert found.per_attribute["job"]["general-loss"] == pytest.approx(job)
    assert found.losses["general-loss"] == pytest.approx((age + zips + job) / 3)
    assert found.per_attribute["age"]["ncp"] == pytest.approx((4 * 1 / 4 + 1) / 5)
    assert found.per_attribute["zip"]["precision"] == pytest.approx((1 / 3 + 1 / 3 + 2 / 3) / 5)
    assert found.per_attribute["age"]["precision"] is None
    assert found.losses["precision"] is None
    # Each of two values in a cell of two is a bit; of one row among five, log2(5).
    assert found.per_attribute["age"]["entropy"] == pytest.approx((4 + math.log2(5)) / 5)
    assert found.losses["discernibility"] == 4 + 4 + 1
    assert found.losses["average-group-size"] == pytest.approx(5 / 3)
    assert found.losses["groups"] == 2
    assert found.losses["suppressed-rows"] == 0
    assert found.losses["suppressed-cells"] == 3
    assert found.losses["classification"] is None


def test_weights_weigh_columns() -> None:
    """A column of weight 2 counts twice, in means and in suppressed cells."""
    found = compared(RELEASED, asked=policy(weights={"job": 2}))
    parts = [found.per_attribute[name]["ncp"] for name in ("age", "zip", "job", "job")]
    assert found.losses["ncp"] == pytest.approx(sum(part for part in parts if part is not None) / 4)
    assert found.losses["suppressed-cells"] == 4


@pytest.mark.parametrize("weight", [2, 0.5, 1.5])
def test_weights_that_all_columns_have_count_in_suppressed_cells(weight: float) -> None:
    """Equal weights leave means as they are; three cells of weight 2 are six."""
    asked = policy(weights=dict.fromkeys(("age", "zip", "job"), weight))
    found = compared(RELEASED, asked=asked)
    assert found.losses["ncp"] == pytest.approx(compared(RELEASED).losses["ncp"])
    assert found.losses["suppressed-cells"] == 3 * weight


def test_missing_minority_classes_are_counted() -> None:
    """Classification counts rows without the majority class of their group, and suppressed rows."""
    asked = replace(policy(class_attribute="illness"), suppressed="mask")
    found = compared([*RELEASED[:4], ("5", "*", "*", "*", None)], asked=asked)
    assert found.holds
    assert found.losses["classification"] == 1 + 1 + 1
    assert found.losses["suppressed-rows"] == 1


def test_suppressed_rows_that_were_left_out_lose_everything() -> None:
    """Losses are means over the original's rows, and rows are found by their order."""
    found = compared([RELEASED[0], RELEASED[1], RELEASED[3]])
    assert found.holds
    assert (found.matched_by, found.dropped, found.losses["suppressed-rows"]) == ("order", 2, 2)
    assert found.losses["discernibility"] == 4 + 1 + 2 * 5
    assert found.per_attribute["zip"]["ncp"] == pytest.approx((1 / 3 + 1 / 3 + 0 + 2) / 5)


@pytest.mark.parametrize("key", [None, "id"])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("age", "[22, 29]"),
        ("age", "22"),
        ("age", "< 21"),
        ("age", None),
        ("zip", "9413*"),
        ("job", "{clerk, nurse}"),
        ("job", "clerk"),
        ("illness", "cold"),
        ("illness", None),
    ],
)
def test_an_untrue_cell_is_told_by_column_and_row(
    column: str, cell: str, short: bool, key: str | None
) -> None:
    """Whether rows are paired by position, by order or by a key."""
    released = changed(0, column, cell)
    found = compared(released[: 4 if short else 5], key=key)
    assert not found.holds
    assert [(each.column, each.cells, each.first_row) for each in found.untrue] == [(column, 1, 1)]
    assert any(repr(column) in each and "row 1" in each for each in found.failures)


def test_rows_that_were_moved_doubled_or_invented_are_caught() -> None:
    """By position, by order and by key."""
    moved = [*RELEASED[1:], RELEASED[0]]
    assert not compared(moved).holds
    assert compared(moved, key="id").holds
    short = [RELEASED[2], RELEASED[0], RELEASED[1]]
    assert (compared(short).unpaired, compared(short).first_unpaired) == (2, 2)
    doubled = [RELEASED[0], RELEASED[0], RELEASED[1], RELEASED[2]]
    assert compared(doubled).first_unpaired == 2
    with pytest.raises(PolicyError, match="1 of 4 rows have the key"):
        compared(doubled, key="id")
    longer = [*RELEASED[:2], ("6", "[21, 25]", "9411*", "*", "flu"), *RELEASED[2:]]
    assert (compared(longer).unpaired, compared(longer).first_unpaired) == (1, 3)
    by_key = compared(longer, key="id")
    assert (by_key.unpaired, by_key.first_unpaired, by_key.untrue) == (1, 3, ())


def test_untrue_labels_do_not_hide_which_row_is_which() -> None:
    """Kept cells pair the rows where labels are wrong in every row; the untrue column alone is told."""
    wrong = [(*row[:2], "94140", *row[3:]) for row in RELEASED[1:4]]
    found = compared(wrong)
    assert found.unpaired == 0
    assert [(each.column, each.cells, each.first_row) for each in found.untrue] == [("zip", 3, 1)]


def test_a_masked_row_tells_nothing_and_so_nothing_untrue() -> None:
    """Its quasi-identifiers read `*` and its other cells are empty; one that is filled must be true."""
    masked: tuple[str | None, ...] = (None, "*", "*", "*", None)
    for key in (None, "id"):
        assert compared([RELEASED[0], masked, *RELEASED[2:]], key=key).holds
    filled = (None, "*", "*", "*", "flu")
    assert [each.column for each in compared([RELEASED[0], filled, *RELEASED[2:]]).untrue] == ["illness"]


def test_a_word_that_nobody_knows_is_unreadable() -> None:
    """It is neither true nor untrue; the losses of its column are not known."""
    found = compared(changed(2, "zip", "Mission"))
    assert not found.holds
    assert [(each.column, each.cells) for each in found.unreadable] == [("zip", 1)]
    assert found.untrue == ()
    assert found.losses["ncp"] is None
    assert found.per_attribute["age"]["ncp"] is not None
    assert "give its hierarchy" in found.failures[0]


def test_a_column_that_the_release_has_not_loses_everything() -> None:
    """Nobody learns anything of it; a new column is told, and not checked."""
    with DuckDB() as engine:
        released = frame(RELEASED).drop("job").with_columns(pl.lit("x").alias("new"))
        found = comparison(engine, released, frame(ORIGINAL), policy())
    assert found.holds
    assert (found.absent, found.added) == (("job",), ("new",))
    assert found.per_attribute["job"]["ncp"] == 1


def test_bins_are_the_values_that_losses_are_counted_in() -> None:
    """A cell of one bin loses nothing, as in the search."""
    asked = policy_of(quasi_identifiers=["age"], k=2, bins={"age": 10})
    found = compared(
        [("[20, 29]",), ("[20, 29]",), ("[30, 49]",)], [("21",), ("25",), ("39",)], ("age",), asked
    )
    assert found.losses["general-loss"] == 0
    found = compared(
        [("[20, 29]",), ("[20, 39]",), ("[30, 49]",)], [("21",), ("25",), ("44",)], ("age",), asked
    )
    assert found.holds
    assert found.losses["general-loss"] == 0


@pytest.mark.parametrize(
    ("names", "asked", "key", "words"),
    [
        (("a", "b"), ["c"], None, "the original has no column 'c'"),
        (("a", "b"), ["a"], "c", "the release has no column 'c' to be the key"),
        (("a", "b"), ["a"], "a", "name another key"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    names: tuple[str, ...], asked: list[str], key: str | None, words: str
) -> None:
    """With the way out."""
    with pytest.raises(PolicyError, match=words):
        compared([("1", "2")], [("1", "2")], names, policy_of(quasi_identifiers=asked, k=1), key)


def test_an_empty_release_is_true_and_an_empty_original_is_refused() -> None:
    """Nothing that is said is untrue, and everything is lost; beside nothing there is nothing to say."""
    found = compared([])
    assert found.holds
    assert (found.dropped, found.losses["ncp"], found.losses["suppressed-rows"]) == (5, 1, 5)
    with pytest.raises(PolicyError, match="the original has no rows"):
        compared(RELEASED, [])


def test_a_row_without_its_key_has_no_original() -> None:
    """It was dropped, or somebody else's: the other rows are paired all the same."""
    found = compared(changed(1, "id", None), key="id")
    assert (found.unpaired, found.first_unpaired, found.holds) == (1, 2, False)


@pytest.mark.parametrize("number", ["2024010121212", "2024-01-01x12:12"])
def test_numbers_that_python_takes_for_moments_are_told_apart(number: str) -> None:
    """A kept cell is true if it is the value, and not if both read as some moment."""
    names, asked = ("age", "account"), policy_of(quasi_identifiers=["age"], k=1)
    originals: Rows = [("20", "2024010111212"), ("21", "2024-01-01 12:12")]
    found = compared([("20", number), ("21", number)], originals, names, asked)
    assert [(each.column, each.cells) for each in found.untrue] == [("account", 2)]


@pytest.mark.parametrize(
    ("cell", "holds"),
    [("2024-05-01 12:00:00", True), ("2024-05-01T12:00", True), ("2024-05-01T12:00:01", False)],
)
def test_a_moment_is_true_however_it_is_spelled(cell: str, holds: bool) -> None:
    """A frame and a file write one moment in two ways, also of a quasi-identifier."""
    asked = policy_of(quasi_identifiers=["stay"], k=1)
    found = compared([(cell,)], [("2024-05-01T12:00:00",)], ("stay",), asked)
    assert found.holds is holds


def test_rows_without_order_are_paired_by_a_key() -> None:
    """The engine refuses to read them one by one; a key needs distinct rows alone."""

    class Unordered(DuckDB):
        def rows(self, source: object, columns: object) -> object:  # type: ignore[override]
            raise PolicyError("the rows have no order; name a column that tells them apart")

    with Unordered() as engine:
        with pytest.raises(PolicyError, match="name a column"):
            comparison(engine, frame(RELEASED), frame(ORIGINAL), policy())
        found = comparison(engine, frame(changed(0, "age", "22")), frame(ORIGINAL), policy(), key="id")
    assert [(each.column, each.first_row) for each in found.untrue] == [("age", None)]


CELLS = ("a", "b", "c", None, "{a, b}", "{b, c, missing}", "*", "low", "high")
WORDS = Hierarchy((("a", "low", "*"), ("b", "low", "*"), ("c", "high", "*"), ("d", "high", "*")))
MEANS: dict[str | None, set[str | None]] = {
    **{word: {word} for word in ("a", "b", "c", "d", None)},
    "{a, b}": {"a", "b"},
    "{b, c, missing}": {"b", "c", None},
    "low": {"a", "b"},
    "high": {"c", "d"},
    "*": {"a", "b", "c", "d", None},
}


def true(released: tuple[str | None, ...], original: tuple[str | None, ...]) -> bool:
    return all(value in MEANS[cell] for cell, value in zip(released, original, strict=True))


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from("ab")), min_size=1, max_size=7
    ),
    st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from("ab")), min_size=1, max_size=6),
)
def test_rows_are_paired_exactly_when_some_pairing_in_order_exists(original: Rows, released: Rows) -> None:
    """As trying every choice of original rows finds it; and shares are those of a plain reader."""
    asked = policy_of(quasi_identifiers=["x"], k=1, hierarchies={"x": WORDS})
    found = compared(released, original, ("x", "kept"), asked)

    def tells(row: tuple[str | None, ...], other: tuple[str | None, ...]) -> bool:
        return row[1] == other[1] and true(row[:1], other[:1])

    possible = any(
        all(tells(row, original[place]) for row, place in zip(released, places, strict=True))
        for places in combinations(range(len(original)), len(released))
    )
    assert found.holds == possible
    total = 4 + any(row[0] is None for row in original)
    lost = sum(
        Fraction(1)
        if row[0] == "*"
        else Fraction(max(0, len(MEANS[row[0]] - (set() if total == 5 else {None})) - 1), total - 1)
        for row in released
    )
    left_out = max(0, len(original) - len(released))
    share = found.losses["ncp"]
    assert share == pytest.approx(float((lost + left_out) / len(original)))


NUMBERS: dict[str | None, set[str | None]] = {
    "[1, 4]": {"1", "2", "4"},
    "2-4": {"2", "4"},
    "[2, 9)": {"2", "4"},
    ">= 4": {"4", "9"},
    "<2": {"1"},
    "{1, 9}": {"1", "9"},
    "[1, 2] or missing": {"1", "2", None},
    "4": {"4"},
    "*": {"1", "2", "4", "9", None},
    None: {None},
}
CODES: dict[str | None, set[str | None]] = {
    "9*": {"901", "902", "981"},
    "90*": {"901", "902"},
    "9**": {"901", "902", "981"},
    "981": {"981"},
    "{901, 981}": {"901", "981"},
    "*": {"901", "902", "981", None},
    None: {None},
}


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(
        st.tuples(
            *(
                st.sampled_from(values)
                for values in (["1", "2", "4", "9", None], ["901", "902", "981", None])
            ),
            *(st.sampled_from(list(labels)) for labels in (NUMBERS, CODES)),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_intervals_prefixes_and_sets_are_read_as_a_plain_reader_does(rows: Rows) -> None:
    """Untrue cells and where the first is, widths and values lost, on any mixture of labels."""
    asked = policy_of(quasi_identifiers=["n", "code"], k=1, types={"n": "number", "code": "category"})
    found = compared([row[2:] for row in rows], [row[:2] for row in rows], ("n", "code"), asked)
    for place, (name, means) in enumerate((("n", NUMBERS), ("code", CODES))):
        column = [row[place] for row in rows]
        wrong = [at for at, row in enumerate(rows, 1) if row[place] not in means[row[place + 2]]]
        told = [(each.cells, each.first_row) for each in found.untrue if each.column == name]
        assert told == ([(len(wrong), wrong[0])] if wrong else [])
        present = set(column)
        silent = [row[2] == row[3] == "*" for row in rows]
        lost = 0.0
        for row, masked in zip(rows, silent, strict=True):
            covered = means[row[place + 2]] & present
            lost += 1 if masked else max(0, len(covered) - 1) / max(1, len(present) - 1)
        assert found.per_attribute[name]["ncp"] == pytest.approx(lost / len(rows))
    known = [int(row[0]) for row in rows if row[0] is not None]
    lost = 0.0
    for row in rows:
        covered = NUMBERS[row[2]] & {row[0] for row in rows}
        numbers = [int(each) for each in covered if each is not None]
        if row[2] == row[3] == "*" or (None in covered and numbers):
            lost += 1
        elif len(numbers) > 1:
            lost += (max(numbers) - min(numbers)) / (max(known) - min(known))
    assert found.per_attribute["n"]["general-loss"] == pytest.approx(lost / len(rows))


@pytest.mark.parametrize(
    ("algorithm", "cost", "hierarchies"),
    [
        ("hill-climb", "general-loss", False),
        ("mondrian", "ncp", False),
        ("local", "general-loss", False),
        ("lattice", "ncp", True),
        ("lattice", "precision", True),
        ("lattice", "entropy", True),
        ("lattice", "discernibility", True),
        ("lattice", "average-group-size", True),
        ("lattice", "suppressed-rows", True),
        ("subtree", "general-loss", True),
        ("cells", "suppressed-cells", True),
        ("k-optimize", "classification", False),
    ],
)
def test_losses_equal_the_costs_that_shoal_reports(algorithm: str, cost: str, hierarchies: bool) -> None:
    """From the cells alone, on a release with numbers, words, missing values and suppressed rows."""
    zips, jobs = ZIPS.leaves, ("cook", "nurse", "clerk")
    rows: Rows = [
        (str(20 + 3 * (n * 7 % 11)) if n % 9 else None, zips[n * 5 % 4], jobs[n * n % 3], "xyy"[n % 3])
        for n in range(60)
    ]
    names = ("age", "zip", "job", "label")
    steps = Hierarchy(tuple((str(20 + 3 * each), "low" if each < 5 else "high", "*") for each in range(12)))
    source = frame(rows, names)
    asked = policy_of(
        quasi_identifiers=["age", "zip", "job"],
        k=3,
        class_attribute="label",
        types={"age": "number"},
        hierarchies={
            "zip": ZIPS,
            **({"age": steps, "job": {"*": ["cook", "nurse", "clerk"]}} if hierarchies else {}),
        },
        weights={"age": 4, "zip": 2, "job": 2} if cost in CELL_METRICS else None,
        algorithm=algorithm,
        cost=cost,
    )
    release = shoal.anonymize(source, asked)
    with DuckDB() as engine:
        found = comparison(engine, release.data, source, asked)
    assert found.holds, found.failures
    assert release.result.cost is not None
    assert found.losses[cost] == pytest.approx(float(release.result.cost), abs=1e-5)


def test_means_are_told_as_untrue() -> None:
    """A release of centroids says so in its manifest, and the comparison points there."""
    source = frame([(str(each * each),) for each in range(12)], ("age",))
    asked = policy_of(quasi_identifiers=["age"], k=3, algorithm="microaggregate", cost="sse")
    release = shoal.anonymize(source, asked)
    with DuckDB() as engine:
        found = comparison(engine, release.data, source, asked)
    assert not found.holds
    assert "truthful = false" in found.failures[-1]
