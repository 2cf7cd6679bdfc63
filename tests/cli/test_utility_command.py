"""`shoal utility` as a user runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.cli.command import shoal

ROWS = [(20 + row % 30, ("cook", "nurse")[row % 2], 100 * (row % 30), "ab"[row % 2]) for row in range(90)]


def folder_with_tables(folder: Path) -> None:
    """Ages become tens."""
    for name in ("original", "release"):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(["age", "job", "pay", "class"])
            for age, *rest in ROWS:
                tens = age // 10 * 10
                lines.writerow([age if name == "original" else f"[{tens}, {tens + 9}]", *rest])


def test_utility_is_told_in_words_and_in_figures(tmp_path: Path) -> None:
    """Words go to standard error and figures to standard output."""
    folder_with_tables(tmp_path)
    found = shoal(
        tmp_path,
        *("utility", "release.csv", "--original", "original.csv", "-q", "age,job"),
        *("--class", "class", "--target", "pay", "--queries", "20", "--json"),
    )
    assert found.returncode == 0, found.stderr
    facts = json.loads(found.stdout)
    assert facts["queries"]["tried"] == 20
    assert facts["classifier"]["released"] > facts["classifier"]["baseline"]
    assert facts["regressor"]["target"] == "pay"
    assert [each["name"] for each in facts["columns"]] == ["age", "job", "pay", "class"]
    assert "class, trained on released rows: accuracy" in found.stderr
    assert "20 random queries: median error" in found.stderr
    assert "table of age by job in coarse cells: the cell of 0 % of the rows is left open" in found.stderr


def test_means_have_bounds_and_can_be_weighted(tmp_path: Path) -> None:
    """By a column that both tables have; here by pay, which rises with age."""
    folder_with_tables(tmp_path)
    stated = ("utility", "release.csv", "--original", "original.csv", "-q", "age,job", "--queries", "0")
    found = shoal(tmp_path, *stated)
    assert "age: mean 34.5 (from 30 to 39), of the original 34.5" in found.stderr
    assert "age: mean" not in shoal(tmp_path, *stated, "--weight", "pay").stderr
    facts = json.loads(shoal(tmp_path, *stated, "--weight", "pay", "--json").stdout)
    (age,) = (each for each in facts["summaries"] if each["column"] == "age")
    truth = sum(row[0] * row[2] for row in ROWS) / sum(row[2] for row in ROWS)
    assert abs(age["figures"][0]["original"] - truth) < 1e-9
    assert age["figures"][0]["lowest"] <= truth <= age["figures"][0]["highest"]
    assert facts["weight"] == "pay"
    for weight, words in (
        ("payy", "Did you mean 'pay'"),
        ("age", "is a quasi-identifier"),
        ("class", "numbers"),
    ):
        refused = shoal(tmp_path, *stated, "--weight", weight)
        assert (refused.returncode, words in refused.stderr) == (2, True), refused.stderr


def test_slips_are_told_with_the_way_out(tmp_path: Path) -> None:
    """Exit 2 without columns, 6 without a file."""
    folder_with_tables(tmp_path)
    for code, words, arguments in (
        (2, "-q age,zip", ["release.csv", "--original", "original.csv"]),
        (6, "nowhere.csv", ["release.csv", "--original", "nowhere.csv", "-q", "age"]),
    ):
        found = shoal(tmp_path, "utility", *arguments)
        assert (found.returncode, words in found.stderr) == (code, True), found.stderr
