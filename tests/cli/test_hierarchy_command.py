"""`shoal hierarchy`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.datasets import adult_hierarchy_path
from shoal.model.hierarchy.hierarchy import Hierarchy
from tests.cli.command import shoal
from tests.cli.test_cli import folder as folder

STAYS = "age,zip,day\n30,02138,2024-01-30\n31,02139,2024-01-31\n35,02215,2024-02-01\n46,10001,2025-01-01\n"
SIZES = "S;small;*\nM;small;*\nL;large;*\n"


@pytest.fixture
def sizes(folder: Path) -> Path:
    """A folder with a table and a hierarchy."""
    (folder / "size.csv").write_text(SIZES)
    return folder


def test_show_has_a_line_per_level(sizes: Path) -> None:
    """For people on standard error, for programs on standard output."""
    run = shoal(sizes, "hierarchy", "show", "size.csv")
    assert run.returncode == 0, run.stderr
    assert [line.split()[:2] for line in run.stderr.splitlines()] == [
        ["level", "labels"],
        ["0", "3"],
        ["1", "2"],
        ["2", "1"],
    ]
    assert run.stdout == ""
    facts = json.loads(shoal(sizes, "hierarchy", "show", "size.csv", "--json").stdout)
    assert facts["height"] == 2
    assert facts["levels"][1] == {
        "level": 1,
        "labels": 2,
        "smallest": 1,
        "largest": 2,
        "sample": ["small", "large"],
    }


def test_show_draws_a_tree(sizes: Path) -> None:
    """From the top; a label that repeats the one above is drawn once."""
    (sizes / "size.csv").write_text("S;small;small;*\nL;large;big;*\n")
    run = shoal(sizes, "hierarchy", "show", "size.csv", "--tree")
    assert [line.strip(" ├└│─") for line in run.stderr.splitlines()] == [
        "*",
        "small",
        "S",
        "big",
        "large",
        "L",
    ]


def test_check_names_the_line_of_a_broken_file(folder: Path) -> None:
    """And leaves with the code of a mistake."""
    (folder / "zip.csv").write_text("02138;MA;*\n02139;MA;all\n")
    run = shoal(folder, "hierarchy", "check", "zip.csv")
    assert run.returncode == 2
    assert "the hierarchy zip.csv, line 2: 'MA' (level 1) is under 'all' here" in run.stderr
    assert shoal(folder, "hierarchy", "check", "absent.csv").returncode == 6


def test_check_warns_of_untrue_labels(folder: Path) -> None:
    """A warning by default, a refusal with --strict."""
    (folder / "age.csv").write_text("39;35-39;*\n40;35-39;*\n")
    run = shoal(folder, "hierarchy", "check", "age.csv")
    assert run.returncode == 0
    assert "age.csv, line 2: '40' is not in its label '35-39' (level 1)" in run.stderr
    assert "warning: 1 label(s) of 1 value(s) are untrue" in run.stderr
    assert shoal(folder, "hierarchy", "check", "age.csv", "--strict").returncode == 2


def test_check_counts_values_that_are_missing_and_names_them_only_when_asked(folder: Path) -> None:
    """The table is private; the first row tells where to look."""
    (folder / "zip.csv").write_text("02138;MA\n02139;MA\n")
    data = ("--data", "people.csv", "--column", "zip")
    run = shoal(folder, "hierarchy", "check", "zip.csv", *data)
    assert run.returncode == 2
    assert "1 distinct value(s) of column 'zip' are missing" in run.stderr
    assert "3 row(s), the first are rows 4, 5 and 6" in run.stderr
    assert "10001" not in run.stderr
    assert "'10001'" in shoal(folder, "hierarchy", "check", "zip.csv", *data, "--show-values").stderr
    (folder / "zip.csv").write_text("02138;US\n02139;US\n10001;US\n")
    run = shoal(folder, "hierarchy", "check", "zip.csv", *data)
    assert run.returncode == 0
    assert run.stderr == "zip.csv: 3 values, height 1, nested, top 'US'\n"


def test_build_prints_the_file_it_would_write(folder: Path) -> None:
    """Without flags it follows from the values."""
    run = shoal(folder, "hierarchy", "build", "people.csv", "--column", "zip")
    assert run.stdout == "02138;0213*;*\n02139;0213*;*\n10001;1000*;*\n"
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("flags", "first"),
    [
        (("age", "--widths", "5,10"), "30;[30, 34];[30, 39];*"),
        (("age", "--widths", "5", "--fan-outs", "2"), "30;[30, 34];[30, 39];*"),
        (("age", "--bottom", "32", "--top", "40.5"), "30;< 32;*"),
        (("age", "--fan-out", "2", "--no-suppressed-top"), "30;[30, 31];[30, 46]"),
        (("age", "--keep", "--delimiter", "tab"), "30\t*"),
        (("age", "--type", "category", "--prefixes", "1"), "30;3*;*"),
        (("zip", "--prefixes", "4,2"), "02138;0213*;02***;*"),
        (("zip", "--prefixes", "-1"), "02138;0213*;*"),
        (("zip", "--order", "10001,02215,02139,02138", "--fan-out", "2"), "10001;{10001, 02215};*"),
        (("zip", "--groups", "groups.toml"), "02138;near;*"),
        (("zip", "--groups", "groups.json"), "02138;near;*"),
        (("day", "--steps", "year,month"), "2024-01-30;2024-01;2024;*"),
    ],
)
def test_flags_say_how_to_build(folder: Path, flags: tuple[str, ...], first: str) -> None:
    """One way at a time; a level that joins nothing new is left out."""
    (folder / "stays.csv").write_text(STAYS)
    (folder / "groups.toml").write_text('near = ["02138", "02139", "02215"]\nfar = ["10001"]\n')
    (folder / "groups.json").write_text('{"near": ["02138", "02139", "02215"], "far": ["10001"]}')
    run = shoal(folder, "hierarchy", "build", "stays.csv", "--column", *flags)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == first


@pytest.mark.parametrize(
    ("flags", "lines", "words"),
    [
        (("risk",), ["low;low;*", "medium;{medium, high};*"], "recognised as levels from low to high"),
        (("risk", "--order", "data"), ["high;high;*", "low;{low, medium};*"], "ordered by frequency"),
        (("town",), ["a;a;{a, b};*", "b;b;{a, b};*"], "ordered by frequency"),
        (
            ("town", "--like", "town,risk"),
            ["a;a;{a, d};*", "d;d;{a, d};*"],
            "ordered by frequency, and likeness in risk",
        ),
    ],
)
def test_build_finds_an_order_and_says_why(
    folder: Path, flags: tuple[str, ...], lines: list[str], words: str
) -> None:
    """Recognised in the values, or from the data; alike in other columns only if they are named."""
    rows = ["a,low", "b,high", "c,high", "d,low"] * 8
    (folder / "towns.csv").write_text("\n".join(["town,risk", *rows, "a,medium", ""]))
    run = shoal(folder, "hierarchy", "build", "towns.csv", "--column", *flags)
    assert run.returncode == 0, run.stderr
    assert run.stderr == f"the values of '{flags[0]}' are {words}\n"
    assert run.stdout.splitlines()[:2] == lines


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("zipp",), "no column 'zipp'. Did you mean 'zip'?"),
        (("age", "--widths", "5,x"), "--widths takes numbers; given was 'x'"),
        (("age", "--widths", "5,7"), "do not nest"),
        (("age", "--fan-outs", "1.5"), "whole number"),
        (("zip", "--widths", "5"), "is of type 'category'"),
        (("age", "--steps", "week,month"), "weeks do not nest in a month"),
        (("zip", "--groups", "people.csv"), "neither TOML nor"),
        (("age", "--delimiter", "::"), "a delimiter is one character"),
        (("age", "--type", "nmber"), "there is no type 'nmber'"),
    ],
)
def test_build_refuses_with_a_reason(folder: Path, flags: tuple[str, ...], words: str) -> None:
    """A mistake of the user, and no traceback."""
    run = shoal(folder, "hierarchy", "build", "people.csv", "--column", *flags)
    assert run.returncode == 2
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_no_file_is_replaced_unasked(folder: Path) -> None:
    """Neither by build nor by export."""
    target = folder / "age.csv"
    target.write_text("mine")
    for command in (("build", "people.csv"), ("export", "adult")):
        run = shoal(folder, "hierarchy", *command, "--column", "age", "-o", "age.csv")
        assert run.returncode == 2
        assert "--force to replace it" in run.stderr
        assert target.read_text() == "mine"
    run = shoal(folder, "hierarchy", "build", "people.csv", "--column", "age", "-o", "age.csv", "--force")
    assert run.stderr == "age.csv: 4 values, height 2\n"
    assert run.stdout == ""
    assert Hierarchy.read(target).leaves == ("30", "31", "45", "46")


def test_export_writes_the_hierarchy_of_a_policy(sizes: Path) -> None:
    """The file that it names, with another delimiter if asked."""
    (sizes / "policy.toml").write_text(
        '[source]\npath = "people.csv"\n[privacy]\nk = 2\n'
        '[attributes.size]\nrole = "quasi-identifier"\nhierarchy = "size.csv"\n'
        '[attributes.age]\nrole = "quasi-identifier"\n'
    )
    run = shoal(sizes, "hierarchy", "export", "policy.toml", "--column", "size", "--delimiter", ",")
    assert run.stdout == SIZES.replace(";", ",")
    run = shoal(sizes, "hierarchy", "export", "policy.toml", "--column", "sise")
    assert run.returncode == 2
    assert "Did you mean 'size'?" in run.stderr


def test_export_knows_the_bundled_hierarchies(folder: Path) -> None:
    """`adult` stands for them."""
    run = shoal(folder, "hierarchy", "export", "adult", "--column", "race")
    assert run.stdout == adult_hierarchy_path("race").read_text()
    run = shoal(folder, "hierarchy", "export", "adult", "--column", "rase")
    assert run.returncode == 2
    assert "Did you mean 'race'?" in run.stderr


def test_a_built_hierarchy_can_be_used_at_once(folder: Path) -> None:
    """Build, check and release."""
    build = ("hierarchy", "build", "people.csv", "--column", "zip", "-o", "zip.csv")
    assert shoal(folder, *build).returncode == 0
    check = ("hierarchy", "check", "zip.csv", "--data", "people.csv", "--column", "zip")
    assert shoal(folder, *check).returncode == 0
    run = shoal(
        folder,
        "anonymize",
        "people.csv",
        "-q",
        "zip",
        "-k",
        "2",
        "--hierarchy",
        "zip=zip.csv",
        "-o",
        "out.csv",
    )
    assert run.returncode == 0, run.stderr


def test_groups_that_are_nested_without_end_are_no_traceback(folder: Path) -> None:
    """Neither the reader of JSON nor ours goes so deep."""
    (folder / "deep.json").write_text('{"a":' * 3000 + "1" + "}" * 3000)
    run = shoal(folder, "hierarchy", "build", "people.csv", "--column", "zip", "--groups", "deep.json")
    assert run.returncode == 2
    assert "nested too deep" in run.stderr
    assert "Traceback" not in run.stderr
