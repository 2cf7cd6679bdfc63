"""Hierarchy specifications of ARX (.ahs).

The files were made with a JDK and classes of ARX's names and fields, not by ARX; their README says how. The
rows expected here were worked out by hand from the rules in ARX's source.
"""

from __future__ import annotations

import random
from pathlib import Path

import pandas
import pytest

import shoal
from shoal.model.hierarchy.arx_specification import ArxSpecification
from shoal.model.hierarchy.arx_types import double_text
from shoal.model.hierarchy.java_stream import JavaObject, NoJavaStreamError, read_object
from tests.cli import command

FILES = Path(__file__).parent / "arx_specifications"

BUILT = {
    # From 0 in steps of 5; snapped below 10 and above 80, coded below 5 and from 90; joined by two, twice.
    "ages": [
        "3 | <5 | <5 | <5 | *",
        "5 | [5, 15[ | [5, 20[ | [5, 20[ | *",
        "14 | [5, 15[ | [5, 20[ | [5, 20[ | *",
        "15 | [15, 20[ | [5, 20[ | [5, 20[ | *",
        "20 | [20, 25[ | [20, 30[ | [20, 40[ | *",
        "33 | [30, 35[ | [30, 40[ | [20, 40[ | *",
        "74 | [70, 75[ | [70, 90[ | [60, 90[ | *",
        "79 | [75, 90[ | [70, 90[ | [60, 90[ | *",
        "89 | [75, 90[ | [70, 90[ | [60, 90[ | *",
        "90 | >=90 | >=90 | >=90 | *",
    ],
    "named": ["0 | minor | *", "17 | minor | *", "18 | adult | *", "65 | senior | *"],
    # Two intervals of unequal width, repeated together; ARX prints closed bounds by default.
    "doses": [
        "0 | [0.0, 0.5] | [0.0, 2.0] | *",
        "0.5 | [0.5, 2.0] | [0.0, 2.0] | *",
        "2.2 | [2.0, 2.5] | [2.0, 4.0] | *",
        "9999999 | [9999998.5, 1.0E7] | [9999998.0, 1.0E7] | *",
        "15000000 | >=1.0E7 | >=1.0E7 | *",
    ],
    "schools": [
        "none | {none, school} | *",
        "school | {none, school} | *",
        "trade | higher | *",
        "bachelor | higher | *",
        "master | higher | *",
    ],
    # Sorted as numbers, not as texts.
    "sizes": [
        "1 | [1, 2] | [1, 9] | *",
        "2 | [1, 2] | [1, 9] | *",
        "7 | [7, 9] | [1, 9] | *",
        "9 | [7, 9] | [1, 9] | *",
        "10 | [10, 100] | [10, 100] | *",
        "100 | [10, 100] | [10, 100] | *",
    ],
    "grades": ["low | {low, medium} | *", "medium | {low, medium} | *", "high | {high} | *"],
    "postcodes": [
        "1010 | 101* | 10** | 1*** | ****",
        "1020 | 102* | 10** | 1*** | ****",
        "99 | 99** | 99** | 9*** | ****",
    ],
    "spaced": ["123 | *23 | **3 | ***", "5 | * 5 | **5 | ***"],
    "visits": [
        "01.02.1985 | 02/1985 | 1985 | [1980, 1990[ | [1900, 2000[ | [1000, 2000[ | *",
        "28.02.1985 | 02/1985 | 1985 | [1980, 1990[ | [1900, 2000[ | [1000, 2000[ | *",
        "31.12.2001 | 12/2001 | 2001 | [2000, 2010[ | [2000, 2100[ | [2000, 3000[ | *",
    ],
    "months": ["2020-01-05 | 2020-01 | 2020 | *", "2021-01-01 | 2021-01 | 2021 | *"],
}


@pytest.mark.parametrize("name", BUILT)
def test_a_specification_builds_what_arx_builds(name: str) -> None:
    """The rows worked out by hand, in the order of the builder, whatever the order of the values."""
    rows = [tuple(line.split(" | ")) for line in BUILT[name]]
    values = [row[0] for row in rows]
    random.Random(1).shuffle(values)
    built = shoal.Hierarchy.from_arx(FILES / f"{name}.ahs", [*values, *values])
    assert list(built.rows) == rows
    assert not built.untrue()


@pytest.mark.parametrize("seed", range(20))
def test_intervals_that_repeat_are_those_of_their_definition(seed: int) -> None:
    """Width w from a, joined by two and by two again: v is in the w, 2w and 4w that its quotient says."""
    chance = random.Random(seed)
    low, width = chance.randrange(-20, 20), chance.randrange(1, 9)
    ends = low - 40 * width, low + 40 * width
    specification = ArxSpecification.read(FILES / "ages.ahs")
    fields = specification.builder.fields
    (interval,) = (each for each in fields["intervals"].written if isinstance(each, JavaObject))
    interval.fields.update(min=low, max=low + width)
    for side, end in zip(("lowerRange", "upperRange"), ends, strict=True):
        fields[side].fields.update(repeatBound=end, snapBound=end, labelBound=end)
    numbers = sorted(chance.sample(range(*ends), min(60, ends[1] - ends[0])))
    starts = [[low + (number - low) // (width * by) * width * by for by in (1, 2, 4)] for number in numbers]
    expected = [
        (
            str(number),
            *(f"[{start}, {start + width * by}[" for start, by in zip(row, (1, 2, 4), strict=True)),
            "*",
        )
        for number, row in zip(numbers, starts, strict=True)
    ]
    assert list(specification.build(map(str, numbers)).rows) == expected


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("ages", ["5", "130"], "outside 0 to 120"),
        ("ages", ["5", "x"], "not a whole number"),
        ("excluded", ["0", "5"], "are not true"),
        ("pattern", ["1", "2"], "by the pattern '#,##0'"),
        ("schools", ["none", "kindergarten"], "not in its order"),
        ("given-order", ["a", "b"], "keeps the order in which ARX met"),
        ("common-prefix", ["a", "b"], "function CommonPrefix"),
        ("numbers-from-left", ["1", "22"], "behind 'x'"),
        ("padded", ["1", "22"], "fills short values with '0'"),
        ("visits", ["1985-02-01"], "not a date in its pattern"),
        ("priority", ["a"], "a HierarchyBuilderPriorityBased"),
        ("no-builder", ["a"], "ArrayDeque"),
    ],
)
def test_what_cannot_be_said_exactly_is_refused(name: str, values: list[str], words: str) -> None:
    """With the reason, the way out, and no value of the table."""
    with pytest.raises(shoal.PolicyError, match=words) as refused:
        shoal.Hierarchy.from_arx(FILES / f"{name}.ahs", values)
    assert "export the hierarchy as CSV in ARX" in str(refused.value)
    assert not any(value in str(refused.value) for value in ("130", "kindergarten", "1985"))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("granularities", ["WEEK_YEAR"], "WEEK_YEAR depend on the machine"),
        ("granularities", ["QUARTER_YEAR"], "QUARTER_YEAR depend on the machine"),
        ("bottomCoding", JavaObject("java.util.Date", 0), "codes early or late dates"),
        ("timeZone", JavaObject("java.util.SimpleTimeZone", 0, {"ID": "Asia/Tokyo"}), "another time zone"),
    ],
)
def test_dates_that_depend_on_the_machine_are_refused(field: str, value: object, words: str) -> None:
    """ARX prints them by the locale or zone of the computer that it runs on."""
    specification = ArxSpecification.read(FILES / "visits.ahs")
    specification.builder.fields[field] = value
    with pytest.raises(shoal.PolicyError, match=words):
        specification.build(["01.02.1985", "02.02.1985"])


def test_levels_that_do_not_nest_are_refused_without_values() -> None:
    """Months above years: one year would be under two labels."""
    specification = ArxSpecification.read(FILES / "visits.ahs")
    specification.builder.fields["granularities"] = ["YEAR", "MONTH_YEAR"]
    with pytest.raises(shoal.PolicyError, match="do not nest") as refused:
        specification.build(["01.02.1985", "01.03.1985"])
    assert "1985" not in str(refused.value)


def test_a_class_that_no_specification_has_is_refused_by_its_name(tmp_path: Path) -> None:
    """Nothing of it is read, let alone run."""
    content = (FILES / "ages.ahs").read_bytes().replace(b"java.util.ArrayList", b"evil.code.Gadgetry1")
    (tmp_path / "x.ahs").write_bytes(content)
    with pytest.raises(shoal.PolicyError, match=r"the class evil\.code\.Gadgetry1"):
        shoal.Hierarchy.from_arx(tmp_path / "x.ahs", ["5"])


@pytest.mark.parametrize("name", ["ages", "schools", "postcodes"])
def test_damaged_files_give_a_sentence(name: str, tmp_path: Path) -> None:
    """Cut off anywhere, or with any byte changed: a hierarchy or a sentence, never anything else."""
    whole, path, chance = (FILES / f"{name}.ahs").read_bytes(), tmp_path / "x.ahs", random.Random(7)
    values = [line.split(" | ")[0] for line in BUILT[name]]
    cut = [whole[:size] for size in range(0, len(whole), 13)]
    changed = [
        whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :]
        for place in range(4, len(whole), 5)
    ]
    messages = []
    for content in (*cut, *changed):
        path.write_bytes(content)
        try:
            shoal.Hierarchy.from_arx(path, values)
        except shoal.PolicyError as error:
            messages.append(str(error))
    assert len(messages) >= len(cut)
    assert not any("\n" in message for message in messages)


def test_depth_and_size_of_a_stream_are_bounded() -> None:
    """A stream of nested arrays, and an array that claims more than there is."""
    described = b"\x72\x00\x13[Ljava.lang.Object;" + bytes(8) + b"\x02\x00\x00\x78\x70"
    nested = b"\xac\xed\x00\x05" + (b"\x75" + described + b"\x00\x00\x00\x01") * 5000
    with pytest.raises(NoJavaStreamError, match="too deep"):
        read_object(nested, lambda name: True)
    claimed = b"\xac\xed\x00\x05\x75" + described + b"\x7f\xff\xff\xff\x70"
    with pytest.raises(NoJavaStreamError, match="damaged"):
        read_object(claimed, lambda name: True)
    with pytest.raises(NoJavaStreamError, match="does not begin"):
        read_object(b"20;[20, 29];*", lambda name: True)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((0.0, "0.0"), (5.0, "5.0"), (-0.25, "-0.25"), (0.001, "0.001"), (9999999.5, "9999999.5")),
        *((1e7, "1.0E7"), (1.5e-4, "1.5E-4"), (-123456789.0, "-1.23456789E8"), (1e22, "1.0E22")),
    ],
)
def test_decimals_are_printed_as_java_prints_them(number: float, text: str) -> None:
    """By the documentation of Double.toString."""
    assert double_text(number) == text


def test_the_command_builds_over_a_table_and_a_release_uses_it(tmp_path: Path) -> None:
    """The file that it writes is a hierarchy like any other; missing cells are left out of it."""
    table = (
        "age,visit\n20,01.02.1985\n21,28.02.1985\n33,31.12.2001\n34,30.12.2001\n,31.12.2001\n,30.12.2001\n"
    )
    (tmp_path / "p.csv").write_text(table)
    for column, name in (("age", "ages"), ("visit", "visits")):
        flags = ("--column", column, "--arx", str(FILES / f"{name}.ahs"), "-o", f"{column}.csv")
        done = command.shoal(tmp_path, "hierarchy", "build", "p.csv", *flags)
        assert done.returncode == 0, done.stderr
    assert shoal.Hierarchy.read(tmp_path / "age.csv").leaves == ("20", "21", "33", "34")
    hierarchies = {name: shoal.Hierarchy.read(tmp_path / f"{name}.csv") for name in ("age", "visit")}
    shoal.anonymize(
        tmp_path / "p.csv",
        quasi_identifiers=["age", "visit"],
        k=2,
        hierarchies=hierarchies,
        algorithm="lattice",
        path=tmp_path / "out.csv",
    )
    released = pandas.read_csv(tmp_path / "out.csv", dtype=str)
    assert set(released["visit"]) == {"02/1985", "12/2001"}
    assert "[20, 25[" in set(released["age"])
    mixed = command.shoal(
        tmp_path, *("hierarchy", "build", "p.csv", "--column", "age"), "--arx", "a.ahs", "--keep"
    )
    assert mixed.returncode == 2
    assert "--arx states all levels" in mixed.stderr
