"""Tables with missing markers and other forms of numbers and dates are released like their plain twins."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.cli.arguments import markers
from shoal.errors import PolicyError
from shoal.model.cells.missing_markers import suggested_codes
from shoal.model.cells.recognise import Stated, recognise

NAMES = ["age", "born", "income"]
Rows = list[list[str]]


def people(count: int = 24) -> Rows:
    """Ages, dates of birth and incomes, in plain form; some are missing."""
    rows = []
    for row in range(count):
        born = datetime.date(1950 + row % 5 * 9, 1 + row % 12, 1 + row % 28)
        income = f"{1000 + row % 7 * 250}.5"
        rows.append(["" if row % 6 == 0 else str(30 + row % 4), born.isoformat(), income if row % 5 else ""])
    return rows


def as_found(rows: Rows) -> Rows:
    """The same table as German Excel writes it, with two markers for what is missing."""
    found = []
    for at, (age, born, income) in enumerate(rows):
        day = datetime.date.fromisoformat(born).strftime("%d.%m.%Y")
        number = f"{float(income):,}".translate(str.maketrans(",.", ".,")) + " €" if income else ""
        marker = "NA" if at % 2 else "?"
        found.append([age or marker, day, number or "n/a"])
    return found


def write(path: Path, rows: Rows, names: list[str] = NAMES) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def release(path: Path, **asked: Any) -> tuple[str, shoal.Release]:
    made = shoal.anonymize(
        path, **{"quasi_identifiers": NAMES, "k": 3, "path": path.with_suffix(".out.csv"), "seed": 1, **asked}
    )
    return Path(str(made.path)).read_text(encoding="utf-8"), made


@pytest.mark.parametrize("asked", [{}, {"consistent": True}, {"algorithm": "lattice"}, {"k": 1}])
def test_a_table_in_other_forms_is_released_like_its_plain_twin(tmp_path: Path, asked: Any) -> None:
    """Byte by byte: labels are plain, markers are empty cells, and the cost is the same."""
    plain, other = people(), as_found(people())
    # An unchanged column keeps its spelling, 1000.5 as 1000.50; the twin's is that of the labels.
    one, expected = release(write(tmp_path / "plain.csv", plain), **asked)
    two, found = release(write(tmp_path / "found.csv", other), **asked)
    assert two == one
    assert (found.manifest.cost, found.manifest.recoding) == (
        expected.manifest.cost,
        expected.manifest.recoding,
    )


def test_two_markers_are_never_two_values_of_a_group(tmp_path: Path) -> None:
    """NA and ? are one missing value, also where nothing is generalized."""
    rows = [["30"]] * 2 + [["NA"], ["?"]]
    text, made = release(write(tmp_path / "a.csv", rows, ["age"]), quasi_identifiers=["age"], k=2)
    assert text.split() == ["age", "30", "30", '""', '""'] or text.splitlines() == ["age", "30", "30", "", ""]
    assert made.readings["age"].missing == {"?": 1, "NA": 1}


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_frames_are_read_like_files(tmp_path: Path, library: str) -> None:
    """The same readings and the same recoding."""
    rows = as_found(people())
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    frame: Any = {
        "pandas": lambda: pd.DataFrame(columns),
        "polars": lambda: pl.DataFrame(columns),
        "arrow": lambda: pl.DataFrame(columns).to_arrow(),
    }[library]()
    _, expected = release(write(tmp_path / "found.csv", rows))
    made = shoal.anonymize(frame, quasi_identifiers=NAMES, k=3, seed=1)
    assert made.manifest.recoding == expected.manifest.recoding
    assert made.readings == expected.readings


def test_the_audit_reads_the_original_as_the_search_did(tmp_path: Path) -> None:
    """Every cell is true, and the losses are those that the manifest has."""
    path = write(tmp_path / "found.csv", as_found(people()))
    _, made = release(path)
    audited = shoal.audit(made.path, quasi_identifiers=NAMES, k=3, original=path)
    compared = audited.comparison
    assert compared is not None
    assert compared.holds
    assert compared.losses["general-loss"] == pytest.approx(made.manifest.cost)


def test_the_audit_finds_an_untrue_cell_in_other_forms(tmp_path: Path) -> None:
    """A date that is not the original one is untrue, although both are written differently."""
    path = write(tmp_path / "a.csv", [["01.02.1980"], ["31.12.1990"]], ["born"])
    false = write(tmp_path / "b.csv", [["1980-02-01"], ["1990-12-30"]], ["born"])
    own = write(tmp_path / "c.csv", [["01.02.1980"], ["31.12.1990"]], ["born"])
    asked: dict[str, Any] = {"quasi_identifiers": ["born"], "k": 1, "original": path}
    assert shoal.audit(false, **asked).comparison.untrue_cells == 1  # type: ignore[union-attr]
    assert shoal.audit(own, **asked).comparison.holds  # type: ignore[union-attr]


def test_the_audit_asks_for_the_format_of_an_ambiguous_original(tmp_path: Path) -> None:
    """With the policy it reads the original as the release was made; the other way round cells are untrue."""
    path = write(tmp_path / "a.csv", [["01/02/1980"], ["03/04/1981"]], ["born"])
    _, made = release(path, quasi_identifiers=["born"], k=1, formats={"born": "MM/DD/YYYY"})
    with pytest.raises(PolicyError, match=r"'born' of the original can be read in 2 ways; state format = "):
        shoal.audit(made.path, quasi_identifiers=["born"], k=1, original=path)
    for format, untrue in (("MM/DD/YYYY", 0), ("DD/MM/YYYY", 2)):
        born = shoal.Attribute(name="born", role=shoal.Role.QUASI_IDENTIFIER, format=format)
        audited = shoal.audit(made.path, policy=shoal.Policy(attributes=(born,), k=1), original=path)
        assert audited.comparison is not None
        assert audited.comparison.untrue_cells == untrue


def test_attack_risk_and_utility_read_the_source_in_plain_form(tmp_path: Path) -> None:
    """They find what they find with the plain twin."""
    found = []
    for name, rows in (("plain", people()), ("found", as_found(people()))):
        path = write(tmp_path / f"{name}.csv", rows)
        _, made = release(path, consistent=True)
        attack = shoal.attack(made.path, quasi_identifiers=NAMES, external=path, attacks=["linkage"])
        risk = shoal.risk(made.path, quasi_identifiers=NAMES, population=path)
        raw = shoal.risk(path, quasi_identifiers=NAMES, population=path)
        utility = shoal.utility(made.path, original=path, quasi_identifiers=NAMES, models=False)
        found.append((attack.to_dict(), risk.to_dict(), raw.journalist, utility.to_dict()))
    assert found[0] == found[1]


def test_hierarchies_and_orders_may_be_spelled_as_in_the_file(tmp_path: Path) -> None:
    """01.02.1980 and 1.234,5 in a hierarchy or an order are the values of the column."""
    rows = [["01.02.1980", "1.234,5"], ["31.12.1990", "2,5"]] * 2
    path = write(tmp_path / "a.csv", rows, ["born", "income"])
    (tmp_path / "h.csv").write_text("31.12.1990;1990s;*\n01.02.1980;1980s;*\n", encoding="utf-8")
    text, made = release(
        path,
        quasi_identifiers=["born", "income"],
        k=2,
        hierarchies={"born": str(tmp_path / "h.csv")},
        orders={"income": ["2,5", "1.234,5"]},
        algorithm="lattice",
        levels={"born": (1, 1)},
    )
    assert text.splitlines()[1:3] == ["1980s,1234.5", "1990s,2.5"]
    audited = shoal.audit(
        made.path,
        quasi_identifiers=["born", "income"],
        k=2,
        original=path,
        hierarchies={"born": str(tmp_path / "h.csv")},
    )
    assert audited.comparison is not None
    assert audited.comparison.holds
    shown = shoal.column(path, "born", hierarchy=str(tmp_path / "h.csv"))
    again = shoal.column(path, "born").under(shoal.Hierarchy.read(tmp_path / "h.csv"))
    for column in (shown, again):
        assert [each.label for each in column.level(1)] == ["1980s", "1990s"]


def test_a_marker_that_the_hierarchy_has_is_a_value(tmp_path: Path) -> None:
    """Whoever wrote a line for NA meant it as a value."""
    path = write(tmp_path / "a.csv", [["1"], ["2"], ["NA"]], ["code"])
    hierarchy = shoal.Hierarchy((("1", "known", "*"), ("2", "known", "*"), ("NA", "unknown", "*")))
    text, _ = release(path, quasi_identifiers=["code"], k=1, hierarchies={"code": hierarchy})
    assert text.split() == ["code", "1", "2", "NA"]


def test_bins_take_numbers_in_other_forms(tmp_path: Path) -> None:
    """The bin of 1.234,5 is that of 1234.5."""
    path = write(tmp_path / "a.csv", [["1.234,5"], ["1.250,0"], ["NA"]], ["income"])
    text, _ = release(path, quasi_identifiers=["income"], k=1, bins={"income": 100})
    assert text.splitlines()[1:3] == ['"[1200, 1300)"', '"[1200, 1300)"']


def test_stated_markers_replace_the_usual_ones(tmp_path: Path) -> None:
    """For all columns or one; a number is a marker however it is written; an empty list is none."""
    path = write(tmp_path / "a.csv", [["NA", "5"], ["DE", "999.0"], ["x", "6"]], ["country", "score"])
    names = ["country", "score"]

    def readings(**asked: Any) -> dict[str, tuple[str, dict[str, int]]]:
        _, made = release(path, quasi_identifiers=names, k=1, **asked)
        return {name: (each.type, dict(each.missing)) for name, each in made.readings.items()}

    assert readings() == {"country": ("category", {}), "score": ("number", {})}
    assert readings(missing=["NA", "999"]) == {
        "country": ("category", {"NA": 1}),
        "score": ("number", {"999.0": 1}),
    }
    assert readings(missing={"country": ["x"]})["country"] == ("category", {"x": 1})
    numbers = write(tmp_path / "b.csv", [["1"], ["2"], ["NA"]], ["n"])
    _, made = release(numbers, quasi_identifiers=["n"], k=1, missing=[])
    assert made.readings["n"].type == "category"


def test_a_policy_file_states_markers_and_formats(tmp_path: Path) -> None:
    """A column's own list replaces that of [source]."""
    write(tmp_path / "a.csv", [["01/02/80", "NA"], ["x", "7"]], ["born", "code"])
    (tmp_path / "p.toml").write_text(
        '[source]\npath = "a.csv"\nmissing = ["x", "NA"]\n[privacy]\nk = 1\n[release]\npath = "out.csv"\n'
        '[attributes.born]\nrole = "quasi-identifier"\nformat = "MM/DD/YY from 1900"\n'
        '[attributes.code]\nrole = "quasi-identifier"\nmissing = []\n',
        encoding="utf-8",
    )
    made = shoal.anonymize(policy=shoal.read_policy(tmp_path / "p.toml"))
    assert Path(str(made.path)).read_text() == "born,code\n1980-01-02,NA\n,7\n"
    facts = json.loads((tmp_path / "out.csv.manifest.json").read_text())["reading"]["columns"]
    assert facts["born"] == {
        "type": "date",
        "format": "MM/DD/YY from 1900",
        "missing": {"x": 1},
        "decided": "stated",
    }


@pytest.mark.parametrize(
    ("cells", "formats"),
    [
        (["2,345", "6,789"], ('"1234,5"', '"1,234.5"')),
        (["01/02/1980", "03/04/1980"], ('"DD/MM/YYYY"', '"MM/DD/YYYY"')),
    ],
)
def test_an_ambiguous_column_is_asked_for(tmp_path: Path, cells: list[str], formats: tuple[str, ...]) -> None:
    """Both formats are named, and no cell; either of them, or type category, settles it."""
    path = write(tmp_path / "a.csv", [[cell] for cell in cells], ["x"])
    with pytest.raises(PolicyError, match="column 'x' can be read in 2 ways") as refused:
        release(path, quasi_identifiers=["x"], k=1)
    assert all(f"format = {each}" in str(refused.value) for each in formats)
    assert not any(cell in str(refused.value) for cell in cells)
    for format in formats:
        _, made = release(path, quasi_identifiers=["x"], k=1, formats={"x": format.strip('"')})
        assert made.readings["x"].decided == "stated"
    text, _ = release(path, quasi_identifiers=["x"], k=1, types={"x": "category"})
    assert list(csv.reader(text.splitlines()[1:])) == [[cell] for cell in cells]


def test_a_mixed_column_is_warned_of_with_its_first_rows(tmp_path: Path) -> None:
    """How many values, in which rows, and the ways out; never the cell."""
    rows = [[str(age)] for age in range(20, 40)]
    rows[3] = rows[7] = ["forty-one"]
    path = write(tmp_path / "a.csv", rows, ["age"])
    with pytest.warns(shoal.ShoalWarning):
        _, made = release(path, quasi_identifiers=["age"], k=2)
    (warning,) = [each for each in made.warnings if each.code == "mixed-column"]
    assert "most values of 'age' are numbers, but 1 distinct value(s) are not" in warning
    assert "2 row(s), the first are rows 4 and 8" in warning
    assert "forty" not in warning
    for table in (path, pl.read_csv(path, infer_schema_length=0)):
        words = shoal.inspect(table).columns[0].reading.words
        assert words == (
            "categories; mostly numbers, but 1 distinct value(s) are not: 2 row(s), "
            "the first are rows 4 and 8"
        )
    with pytest.raises(PolicyError, match=r"'age' is to be read as .*rows 4 and 8; .*missing = ") as refused:
        release(path, quasi_identifiers=["age"], k=2, types={"age": "number"})
    assert "forty" not in str(refused.value)
    for settled in ({"missing": ["forty-one"]}, {"types": {"age": "category"}}):
        _, made = release(path, quasi_identifiers=["age"], k=2, **settled)
        assert not made.warnings


def test_open_ranges_among_numbers_need_no_warning(tmp_path: Path) -> None:
    """90+ is in its place after 89."""
    path = write(tmp_path / "a.csv", [[str(age)] for age in range(80, 90)] + [["90+"]], ["age"])
    _, made = release(path, quasi_identifiers=["age"], k=1)
    assert not made.warnings


def test_sql_for_a_warehouse_refuses_other_forms(tmp_path: Path) -> None:
    """It would compare 1.234,5 with numbers."""
    path = write(tmp_path / "a.csv", [["1.234,5"]] * 3, ["income"])
    policy = shoal.Policy(
        source=path,
        attributes=(shoal.Attribute(name="income", role=shoal.Role.QUASI_IDENTIFIER),),
        k=2,
    )
    with pytest.raises(PolicyError, match=r"'income' cannot be recoded by SQL.*shoal anonymize"):
        shoal.recoding_sql(policy=policy)


def test_sensitive_columns_count_markers_as_one_missing_value(tmp_path: Path) -> None:
    """{NA, ?} are not two different incomes."""
    rows = [["1", "NA"], ["1", "?"], ["2", "1,5"], ["2", "2,5"]]
    path = write(tmp_path / "a.csv", rows, ["zip", "income"])
    asked: dict[str, Any] = {
        "quasi_identifiers": ["zip"],
        "sensitive": ["income"],
        "k": 2,
        "models": [{"name": "distinct-l-diversity", "attribute": "income", "l": 2}],
    }
    text, _ = release(path, **asked)
    assert text.splitlines()[1:3] == ["*,NA", "*,?"]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"formats": {"age": "YYYY"}}, "format is a number by example"),
        ({"formats": {"age": "DD.MM.YYYY"}, "types": {"age": "number"}}, "is the format of a date"),
        ({"missing": "NA"}, r'missing is a list of texts, like \["NA", "\?"\]'),
        ({"missing": {"sex": ["NA"]}}, "missing names 'sex', which is no quasi-identifier"),
    ],
)
def test_a_wrong_statement_is_refused(tmp_path: Path, stated: Any, message: str) -> None:
    """In a sentence with an example."""
    path = write(tmp_path / "a.csv", [["30"]], ["age"])
    with pytest.raises(PolicyError, match=message):
        release(path, quasi_identifiers=["age"], k=1, **stated)


@pytest.mark.parametrize(
    "cells", [["1", "2", "3", "2-", "3-"], ["1", "2", "(3)"], ["1 €", "2 $"], ["5 %", "7"]]
)
def test_what_could_mean_something_else_is_no_number(cells: list[str]) -> None:
    """A grade, an uncertain number, two currencies, a share among counts."""
    assert recognise(cells, Stated()).kind == "category"


def test_flags_state_markers_for_all_columns_or_by_column() -> None:
    """One flag may list several, and be repeated."""
    assert markers(["NA,?", "-"]) == ["NA", "?", "-"]
    assert markers(["age=NA,999", "zip=x", "age=?"]) == {"age": ["NA", "999", "?"], "zip": ["x"]}
    with pytest.raises(PolicyError, match="but not both"):
        markers(["NA", "age=999"])


def test_inspect_counts_markers_exactly_in_large_columns(tmp_path: Path) -> None:
    """The form is judged by some values, and says so; each marker is counted in all rows."""
    rows = [[f"{row},5"] for row in range(12_000)] + [["NA"]] * 7 + [["?"]] * 2
    path = write(tmp_path / "a.csv", [*rows, ["about 5"]], ["n"])
    found = shoal.inspect(write(tmp_path / "b.csv", rows, ["n"])).columns[0]
    assert (found.kind, found.reading.format, found.reading.sampled) == ("number", "1234,5", 10_000)
    assert (found.missing, found.reading.missing) == (9, {"?": 2, "NA": 7})
    attribute = shoal.Attribute(
        name="n", role=shoal.Role.QUASI_IDENTIFIER, missing=("about 5", "NA", "?", "absent")
    )
    stated = shoal.inspect(path, shoal.Policy(attributes=(attribute,), k=2)).columns[0]
    assert stated.reading.missing == {"?": 2, "NA": 7, "about 5": 1}


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        ([18, 40, 90, 999], (999,)),
        ([0, 5, 90, -9], (-9,)),
        ([-20, -9, 5], ()),
        ([1, 2, 3, 99], (99,)),
        ([18, 95, 99], ()),
        ([500, 999, 20_000], ()),
        ([1, 2, 3, 99, 999], (999, 99)),
    ],
)
def test_codes_far_from_all_other_numbers_are_suggested(numbers: list[int], codes: tuple[int, ...]) -> None:
    """And never more than suggested."""
    assert suggested_codes(numbers) == codes
    assert recognise([str(each) for each in numbers], Stated()).values == numbers


def test_inspect_suggests_what_it_does_not_decide(tmp_path: Path) -> None:
    """Codes, words among categories, dates of digits, points that may mark thousands."""
    rows = [
        ["30", "NA", "19800201", "1.234"],
        ["31", "DE", "19811231", "5.678"],
        ["32", "DE", "19900101", "9.012"],
        ["999", "FR", "19900102", "3.456"],
    ]
    found = shoal.inspect(write(tmp_path / "a.csv", rows, ["age", "country", "born", "income"]))
    said = {each.name: each.reading.suggestions for each in found.columns}
    assert said["age"] == (
        '999 occurs in 1 row(s), far from the others: state missing = ["999"] if it means missing',
    )
    assert said["country"] == ('NA occurs in 1 row(s): state missing = ["NA"] if it means missing',)
    assert 'format = "YYYYMMDD"' in said["born"][0]
    assert 'format = "1.234,5"' in said["income"][0]
