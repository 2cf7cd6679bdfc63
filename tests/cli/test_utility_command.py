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


def test_slips_are_told_with_the_way_out(tmp_path: Path) -> None:
    """Exit 2 without columns, 6 without a file."""
    folder_with_tables(tmp_path)
    for code, words, arguments in (
        (2, "-q age,zip", ["release.csv", "--original", "original.csv"]),
        (6, "nowhere.csv", ["release.csv", "--original", "nowhere.csv", "-q", "age"]),
    ):
        found = shoal(tmp_path, "utility", *arguments)
        assert (found.returncode, words in found.stderr) == (code, True), found.stderr
