"""What would leak in silence is said, by code and column, and never by a cell."""

from __future__ import annotations

import itertools
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import shoal
from shoal import datasets
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import AuditError, LeakWarning, PolicyError, ShoalWarning
from shoal.model.policy.policy_toml import parse_policy
from shoal.model.result.coded_warning import CODES, CodedWarning
from shoal.model.table.likely_role import likely_role
from shoal.model.table.looks import look_of

ROWS = 240
CANARY = "quokka"


def people(**more: Any) -> pandas.DataFrame:
    """Ages and ZIP codes, an illness and what else is given, in an order that no column follows."""
    draw = random.Random(1)
    return pandas.DataFrame(
        {
            "age": [20 + draw.randrange(60) for _ in range(ROWS)],
            "zip": [f"53{draw.randrange(5):03d}" for _ in range(ROWS)],
            "ill": [draw.choice(["flu", "cold", "gout"]) for _ in range(ROWS)],
            **more,
        }
    )


def warned(table: Any, **asked: Any) -> list[tuple[str, tuple[str, ...]]]:
    """The codes and columns of the warnings that a release of a table gives."""
    asked = {"quasi_identifiers": ["age", "zip"], "k": 3, "algorithm": "mondrian", **asked}
    with pytest.warns(ShoalWarning) if asked.pop("warns", True) else _quiet():
        found = shoal.anonymize(table, **asked)
    assert all(each.code in CODES for each in found.warnings)
    assert [dict(each) for each in found.manifest.warnings] == [each.to_dict() for each in found.warnings]
    return [(each.code, each.columns) for each in found.warnings]


class _quiet:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


def each(of: Any) -> list[Any]:
    return [of(row) for row in range(ROWS)]


@pytest.mark.parametrize(
    "name",
    ["name", "last", "LastName", "patient_name", "Nachname", "prénom", "apellidos", "e-mail", "Telefon",
     "IBAN", "ssn", "social security number", "insurance_no", "Versichertennummer", "codice fiscale"],
)  # fmt: skip
def test_a_column_whose_name_names_people_is_warned_of(name: str) -> None:
    """In English and in other languages, whatever its cells look like."""
    assert warned(people(**{name: each(lambda row: f"x{row % 7}")})) == [("direct-identifier", (name,))]


@pytest.mark.parametrize("name", ["drug_name", "last visit", "hospital name", "nombre_enfants", "score"])
def test_names_of_things_are_no_names_of_people(name: str) -> None:
    """A word that can be said of people is no alarm beside one that cannot."""
    assert likely_role(name, rows=ROWS, distinct=7)[0] is not shoal.Role.IDENTIFIER


def test_a_table_of_ten_rows_with_names_is_warned_of() -> None:
    """A name is one in a table of any size."""
    few = people(name=each(lambda row: f"x{row}")).head(10)
    assert warned(few, k=1) == [("direct-identifier", ("name",))]


LOOKS = {
    "mail addresses": lambda row: f"p{row % 90}@example.org",
    "phone numbers": lambda row: f"+49 171 {1234567 + 37 * (row % 90)}",
    "social security numbers": lambda row: f"123-45-{1000 + row % 90}",
    "account or card numbers": lambda row: _iban(row % 90),
    "insurance or tax numbers": lambda row: _dni(row % 90),
    "names of people": lambda row: f"Anna{chr(97 + row // 26)} Berg{chr(97 + row % 26)}",
}


def _iban(number: int) -> str:
    account = f"{10**17 + number}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def _dni(number: int) -> str:
    return f"{12345678 + number}{'TRWAGMYFPDXBNJZSQVHLCKE'[(12345678 + number) % 23]}"


@pytest.mark.parametrize("look", LOOKS)
def test_cells_that_look_like_identifiers_are_warned_of(look: str) -> None:
    """By their shape and their check digits, whatever the column is called."""
    table = people(c=each(LOOKS[look]))
    assert warned(table) == [("direct-identifier", ("c",))]
    with pytest.warns(ShoalWarning, match=look):
        shoal.anonymize(table, quasi_identifiers=["age"], k=3, other=["zip"], algorithm="mondrian")


def test_numbers_with_wrong_check_digits_are_no_account_numbers() -> None:
    """What only has the shape of an account or an insurance number is left alone."""
    assert look_of([_iban(1)[:-1] + "9"] * 20, share=0.1) is None
    assert look_of([f"{row * 7919 % 10**9:09d}" for row in range(1, 200)], share=1) is None


def test_dates_are_warned_of() -> None:
    """Days of birth and days on which something happened, by cells or by name; months and years are not."""
    born = each(lambda row: f"{1930 + 2 * (row % 35)}-03-1{row % 5}")
    seen = each(lambda row: f"2024-0{1 + row % 9}-1{row % 7}")
    month = each(lambda row: f"2024-0{1 + row % 9}")
    assert warned(people(b=born, c=seen, d=month)) == [("likely-quasi-identifier", ("b", "c"))]
    assert warned(people(dob=each(lambda row: row % 50))) == [("likely-quasi-identifier", ("dob",))]


def test_columns_that_others_may_know_are_warned_of_at_once() -> None:
    """One warning, however many there are."""
    table = people(sex=each(lambda row: "mf"[row % 2]), Geschlecht=each(lambda row: "wm"[row % 3 % 2]))
    assert warned(table) == [("likely-quasi-identifier", ("sex", "Geschlecht"))]


def test_a_nearly_unique_column_is_warned_of_once() -> None:
    """It tells every other column, and that is not said of each."""
    assert warned(people(code=each(lambda row: 7 * row // 1))) == [("nearly-unique", ("code",))]
    some_alike = each(lambda row: row // 2 if row < 20 else row)
    assert warned(people(code=some_alike)) == [("nearly-unique", ("code",))]


def test_an_exact_copy_is_warned_of() -> None:
    """As data frames number columns of the same name."""
    table = people(priors_count=each(lambda row: row * 7919 % 13))
    table["priors_count.1"] = table["priors_count"]
    found = warned(table, quasi_identifiers=["age", "zip", "priors_count"])
    assert found == [("determines-quasi-identifier", ("priors_count.1", "priors_count"))]


def test_a_date_of_birth_beside_the_age_is_warned_of() -> None:
    """It is finer than what is recoded; several people share a day."""
    table = people()
    table["when"] = [f"{2020 - age}-03-{1 + row % 2:02d}" for row, age in enumerate(table["age"])]
    assert warned(table) == [("determines-quasi-identifier", ("when", "age"))]


def test_a_copy_with_a_few_errors_is_warned_of() -> None:
    """Nearly told is told."""
    table = people()
    table["again"] = [age if row % 20 else 99 for row, age in enumerate(table["age"])]
    assert warned(table) == [("determines-quasi-identifier", ("again", "age"))]


def test_a_coarser_copy_is_warned_of() -> None:
    """Who knows the age of a person knows the decade, and finds fewer rows than a group has."""
    table = people()
    table["decade"] = table["age"] // 10
    assert warned(table) == [("repeats-quasi-identifier", ("decade", "age"))]


def test_cells_that_contain_what_is_recoded_are_warned_of() -> None:
    """A note with the ZIP code in it, in some rows; so is one that contains a name which is dropped."""
    table = people(who=each(lambda row: f"{CANARY}{row}"))
    table["note"] = [
        f"lives in {code}, seen {row % 9}" if row % 3 else "seen" for row, code in enumerate(table["zip"])
    ]
    table["memo"] = [f"{who} called" if row % 2 else "none" for row, who in enumerate(table["who"])]
    found = warned(table, identifiers=["who"])
    assert found == [
        ("repeats-quasi-identifier", ("note", "zip")),
        ("repeats-quasi-identifier", ("memo", "who")),
    ]


def test_education_num_beside_education_is_warned_of_in_adult() -> None:
    """In the bundled table; its weights tell sex and race, too, for they were made by such cells."""
    asked = {"quasi_identifiers": ["age", "education", "sex", "race"], "k": 10, "algorithm": "mondrian"}
    with pytest.warns(ShoalWarning):
        found = shoal.anonymize(datasets.adult(), **asked)
    codes = {each.columns[0]: (each.code, each.columns[1:]) for each in found.warnings}
    assert codes["education-num"] == ("determines-quasi-identifier", ("education",))
    assert codes["fnlwgt"] == ("determines-quasi-identifier", ("sex", "race"))
    assert codes["workclass"][0] == "likely-quasi-identifier"
    assert "education-num" not in codes["workclass"][1]
    assert {"relationship", "capital-gain", "capital-loss", "hours-per-week", "income"}.isdisjoint(codes)


WORDED = {
    "barcode": "and nearly every row has a value of its own in it: anyone who knows a person's value can "
    "find that person's row",
    "copy": "and gives away 'age': rows with the same 'copy' always have the same 'age'",
    "decade": "and follows from 'age': anyone who knows a person's 'age' can work out 'decade' and look "
    "for it in the release",
    "last": "and seems to identify people: its name says 'last'",
    "note": "and some of its cells contain the same row's 'zip'",
    "sex": "and others may know it about a person",
}


def test_warnings_are_sentences_that_say_what_to_do() -> None:
    """What happens to the column, why that is a risk, and the three ways out."""
    table = people(
        barcode=each(lambda row: row * 7919 % 100_003),
        last=each(lambda row: f"x{row % 50}"),
        sex=each(lambda row: "fm"[row % 2]),
    )
    table["copy"], table["decade"] = table["age"], table["age"] // 10
    table["note"] = [f"lives in {code}" if row % 2 else "none" for row, code in enumerate(table["zip"])]
    with pytest.warns(LeakWarning):
        found = shoal.anonymize(table, quasi_identifiers=["age", "zip"], k=3, algorithm="mondrian")
    said = {each.columns[0]: each.replace("unchanged, ", "unchanged ") for each in found.warnings}
    ways = (
        "Drop it (role identifier), generalize it (role quasi-identifier), or keep it on purpose (role other)"
    )
    assert said == {name: f"{name!r} is released unchanged {words}. {ways}" for name, words in WORDED.items()}


def test_only_warnings_about_released_columns_are_leak_warnings(tmp_path: Path) -> None:
    """So that they can be filtered alone: labels that are untrue are another matter."""
    hierarchy = tmp_path / "age.csv"
    hierarchy.write_text("".join(f"{age};0-49;*\n" for age in range(20, 80)))
    asked = {"quasi_identifiers": ["age"], "k": 3, "algorithm": "lattice", "hierarchies": {"age": hierarchy}}
    with pytest.warns(ShoalWarning) as issued:
        shoal.anonymize(people(), **asked)
    assert [each.category for each in issued] == [ShoalWarning, LeakWarning]


def test_harmless_columns_raise_no_alarm() -> None:
    """An illness, a class, a constant, a missing column, a weight, a rare flag, numbers of few values."""
    draw = random.Random(2)
    table = people(
        label=each(lambda row: draw.choice("ab")),
        constant=each(lambda row: "here"),
        nothing=each(lambda row: None),
        rare=each(lambda row: row < 3),
        visits=each(lambda row: draw.randrange(30)),
        stands_for=each(lambda row: draw.random()),
        phone=each(lambda row: "yes" if row % 2 else "no"),
    )
    asked = {
        "survey_weight": "stands_for",
        "models": [{"name": "k-map", "k": 1}],
        "class_attribute": "label",
        "algorithm": "lattice",
    }
    assert warned(table, **asked, warns=False) == []
    assert warned(people().head(12), k=1, warns=False) == []


def test_a_quasi_identifier_that_is_nearly_constant_is_told_by_nothing() -> None:
    """What every column guesses right is no secret that one tells."""
    table = people(land=each(lambda row: "de" if row else "fr"))
    assert warned(table, quasi_identifiers=["age", "land"], other=["zip"], warns=False) == []


def test_a_role_that_is_stated_settles_it() -> None:
    """`other` settles all of a column; another role what its name suggests, and not that it is a copy."""
    table = people(name=each(lambda row: f"x{row}"))
    table["copy"] = table["age"]
    both = [("direct-identifier", ("name",)), ("determines-quasi-identifier", ("copy", "age"))]
    assert warned(table) == both
    assert warned(table, other=["name"]) == both[1:]
    assert warned(table, sensitive=["name"]) == both[1:]
    assert warned(table, sensitive=["copy"]) == both
    assert warned(table, identifiers=["name"], other=["copy"], warns=False) == []


def test_a_policy_acknowledges_by_role_and_by_code(tmp_path: Path) -> None:
    """`role = "other"` is on purpose; of a sensitive column single codes are acknowledged."""
    table = people()
    table["copy"] = table["age"]
    text = """
        [attributes.age]
        role = "quasi-identifier"
        [attributes.copy]
        role = "sensitive"
        {}
        [attributes.zip]
        role = "other"
        [privacy]
        k = 3
        [search]
        algorithm = "mondrian"
    """
    plain = parse_policy(text.format(""), tmp_path)
    settled = parse_policy(text.format('acknowledge = ["determines-quasi-identifier"]'), tmp_path)
    with pytest.warns(ShoalWarning, match="'copy'"):
        shoal.anonymize(table, plain)
    assert shoal.anonymize(table, settled).warnings == ()
    assert plain.digest != settled.digest


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ('[attributes.zip]\nacknowledge = ["nearly-unic"]', "nearly-unique"),
        ('[release]\nacknowledge = ["nearly-unique"]', "about a column"),
        ('[release]\nacknowledge = ["earlier"]', "no warning 'earlier'"),
    ],
)
def test_codes_that_do_not_exist_are_refused(where: str, message: str, tmp_path: Path) -> None:
    """A slip of the pen must not leave a warning unacknowledged, or acknowledge too much."""
    text = f'[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n{where}\n'
    with pytest.raises(PolicyError, match=message):
        parse_policy(text, tmp_path)


def test_strict_publishes_nothing(tmp_path: Path) -> None:
    """A warning is an error then, before the search; the error names codes and columns."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    people(name=each(lambda row: f"{CANARY}{row}")).to_csv(source, index=False)
    asked = {"quasi_identifiers": ["age", "zip"], "k": 3, "path": target, "strict": True}
    with pytest.raises(AuditError, match=r"direct-identifier \(name\)") as error:
        shoal.anonymize(source, **asked)
    assert sorted(tmp_path.iterdir()) == [source]
    assert [each.code for each in error.value.warnings] == ["direct-identifier"]
    shoal.anonymize(source, **asked, identifiers=["name"])
    assert target.exists()


def test_a_policy_can_be_strict(tmp_path: Path) -> None:
    """`strict = true` under [release], for those who run it by night."""
    text = '[attributes.age]\nrole = "quasi-identifier"\n[privacy]\nk = 2\n[release]\nstrict = true\n'
    policy = parse_policy(text, tmp_path)
    with pytest.raises(AuditError, match="likely-quasi-identifier"):
        shoal.anonymize(people(), policy)


def test_no_cell_is_in_a_warning(tmp_path: Path) -> None:
    """Neither in the release's warnings nor in its manifest, of any code."""
    table = people(
        name=each(lambda row: f"{CANARY} {row}"),
        contact=each(lambda row: f"{CANARY}{row}@example.org"),
        code=each(lambda row: f"{CANARY}-{row}"),
        city=each(lambda row: CANARY * (1 + row % 2)),
    )
    table["zip"] = [f"{CANARY}{code}" for code in table["zip"]]
    table["copy"], table["district"] = (
        table["zip"],
        [code[:-1] + str(int(code[-1]) // 2) for code in table["zip"]],
    )
    table["note"] = [f"at {code} {row % 5}" for row, code in enumerate(table["zip"])]
    source = tmp_path / "people.csv"
    table.to_csv(source, index=False)
    with pytest.warns(ShoalWarning):
        found = shoal.anonymize(
            source, quasi_identifiers=["age", "zip"], k=3, path=tmp_path / "r.csv", algorithm="mondrian"
        )
    assert {each.code for each in found.warnings} >= {
        "direct-identifier", "nearly-unique", "determines-quasi-identifier", "likely-quasi-identifier",
    }  # fmt: skip
    facts = json.loads((tmp_path / "r.csv.manifest.json").read_text())
    assert CANARY not in json.dumps(facts["warnings"]) + "".join(found.warnings)
    assert facts["warnings"] == [each.to_dict() for each in found.warnings]


def test_a_warning_is_a_text_with_a_code() -> None:
    """It prints and travels between processes as one."""
    warning = CodedWarning("look here", code="nearly-unique", columns=["a"])
    again = pickle.loads(pickle.dumps(warning))
    assert (again, again.code, again.columns) == ("look here", "nearly-unique", ("a",))
    assert again.to_dict() == {"code": "nearly-unique", "columns": ["a"], "message": "look here"}


def plain_agreement(table: pandas.DataFrame, given: str, told: str) -> float:
    """Of all pairs of rows that agree in one column, the share that agrees in the other."""
    pairs = list(itertools.combinations(zip(table[given], table[told], strict=True), 2))
    return float(np.mean([one[1] == other[1] for one, other in pairs if one[0] == other[0]]))


@pytest.mark.parametrize("seed", range(3))
def test_agreement_is_that_of_all_pairs_of_rows(seed: int) -> None:
    """What the engine counts by groups is what a loop over pairs finds."""
    draw = np.random.default_rng(seed)
    table = pandas.DataFrame({"a": draw.integers(0, 9, 80), "b": draw.integers(0, 3, 80)})
    table["b"] = np.where(draw.random(80) < 0.7, table["a"] % 3, table["b"])
    with DuckDB() as engine:
        found = engine.sample_table(table, len(table), ["a"], ["b"])
    for pair in (("a", "b"), ("b", "a")):
        assert found.agreements[pair].chance == pytest.approx(plain_agreement(table, *pair), abs=1e-4)


def test_a_sample_tells_what_all_rows_tell(tmp_path: Path) -> None:
    """Of 60,000 rows a sixth is looked at: agreement, distinct values, and rows that are all alike."""
    draw = np.random.default_rng(4)
    size = 60_000
    household = draw.integers(0, 15_000, size)
    age = np.where(draw.random(size) < 0.3, household % 70, draw.integers(0, 70, size))
    table = polars.DataFrame({"household": household, "age": age, "row": np.arange(size)})
    few = table.select((polars.col("age") % 5).alias("few"), (polars.col("age") % 2).alias("odd"))
    table.write_csv(tmp_path / "t.csv")
    few.write_csv(tmp_path / "few.csv")
    exact = _chance(household, age)
    with DuckDB() as engine:
        for source in (table, tmp_path / "t.csv"):
            found = engine.sample_table(source, size, ["household", "row"], ["age"])
            assert found.agreements["household", "age"].chance == pytest.approx(exact, abs=0.03)
            assert found.distinct["row"].share == 1
            assert found.distinct["household"].share < 0.9
        clumped = engine.sample_table(tmp_path / "few.csv", size, ["few"], ["odd"])
        assert sum(1 for _ in clumped.texts["few"]) == 10
        assert clumped.agreements["few", "odd"].chance == pytest.approx(
            _chance(few["few"].to_numpy(), few["odd"].to_numpy()), abs=1e-4
        )


def test_a_sample_makes_no_columns_tell_each_other(tmp_path: Path) -> None:
    """Rows are chosen by a hash of all cells, and yet two columns that know nothing of each other stay so."""
    draw = np.random.default_rng(5)
    size = 60_000
    table = {"code": draw.integers(0, 9_000, size), "sex": draw.integers(0, 2, size)}
    polars.DataFrame(table).write_csv(tmp_path / "t.csv")
    with DuckDB() as engine:
        found = engine.sample_table(tmp_path / "t.csv", size, ["code"], ["sex"])
    assert found.agreements["code", "sex"].strength == pytest.approx(0, abs=0.1)


def _chance(given: Any, told: Any) -> float:
    """The same by counting."""

    def pairs(numbers: Any) -> float:
        counts = np.unique(numbers, return_counts=True)[1]
        return float((counts * (counts - 1)).sum())

    return pairs(given * 1_000 + told) / pairs(given)
