"""`shoal init`: a first policy that `shoal anonymize` takes as it is, for any table."""

from __future__ import annotations

import csv
import random
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as library
from shoal.datasets import adult
from shoal.model.policy.first.decisions import decisions
from shoal.model.policy.first.plan import plan
from shoal.model.policy.first.text import policy_text
from tests.cli.command import shoal

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK = ("--nodes", "40", "--seconds", "2")
"""The policy is used as it is; only the search is cut short."""


def written(folder: Path, name: str, rows: dict[str, list[Any]]) -> str:
    """A CSV file of columns; its name."""
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(rows)
        out.writerows(zip(*rows.values(), strict=True))
    return name


def stays(rows: int = 60) -> dict[str, list[Any]]:
    """Patients with two stays each, in several languages and with a note."""
    draw = random.Random(3)
    return {
        "PatID": [f"P{row // 2:03d}" for row in range(rows)],
        "Nachname": [
            draw.choice(["Berg", "Novak", "Ruiz", "Sato", "Lund", "Orr", "Ek"]) for _ in range(rows)
        ],
        "Geb.-Datum": [f"{1930 + draw.randrange(70)}-{1 + row % 12:02d}-11" for row in range(rows)],
        "Geschlecht": [draw.choice("wm") for _ in range(rows)],
        "PLZ": [draw.choice(["10115", "20095", "50667", "80331"]) for _ in range(rows)],
        "Diagnose": [draw.choice(["E11.9", "I10", "J45.0"]) for _ in range(rows)],
        "Befund, frei": [f"seen on day {row} because of pain in the left knee again" for row in range(rows)],
        "Telefon": [draw.choice(["ja", "nein"]) for _ in range(rows)],
        "Dauer": [draw.randrange(30) for _ in range(rows)],
    }


def ugly(rows: int = 40) -> dict[str, list[Any]]:
    """Column names that TOML must quote, a constant, an empty column, and no name that says anything."""
    draw = random.Random(6)
    return {
        'a "b" ] #': [draw.choice("xyz") for _ in range(rows)],
        "c.d = 1": [draw.randrange(9) for _ in range(rows)],
        "ü\u200b'": [draw.choice(["u", "v"]) for _ in range(rows)],
        "größe\t\\": ["same"] * rows,
        "empty": [""] * rows,
    }


TABLES = {
    "stays": lambda: pd.read_csv(EXAMPLES / "stays.csv", dtype=str).to_dict("list"),
    "adult": lambda: adult("pandas").head(300).to_dict("list"),
    "german": stays,
    "ugly": ugly,
    "unique": lambda: {"id": list(range(30)), "x": [f"{each * 7919 % 101}" for each in range(30)]},
    "two rows": lambda: {"age": [30, 40], "income": [1, 2]},
}


@pytest.mark.parametrize("name", TABLES)
def test_init_then_anonymize_succeeds_without_an_edit(name: str, tmp_path: Path) -> None:
    """Both commands end with 0, and the policy is what the schema and `read_policy` take."""
    table = written(tmp_path, "people.csv", TABLES[name]())
    made = shoal(tmp_path, "init", table)
    assert made.returncode == 0, made.stderr
    assert "next: shoal anonymize people.toml" in made.stderr
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), library.policy_schema())
    run = shoal(tmp_path, "anonymize", "people.toml", *QUICK)
    assert run.returncode == 0, run.stderr
    assert list(tmp_path.glob("people-k*.csv"))


def test_the_policy_says_what_was_found(tmp_path: Path) -> None:
    """Roles, types, the column that tells persons apart; notes are dropped, and yes/no is no phone number."""
    written(tmp_path, "people.csv", stays())
    made = library.init(tmp_path / "people.csv")
    policy = tomllib.loads(made.text)
    assert made.path is None
    assert made.roles["identifier"] == ("PatID", "Nachname", "Befund, frei")
    assert made.roles["quasi-identifier"] == ("Geb.-Datum", "Geschlecht", "PLZ")
    assert made.roles["sensitive"] == ("Diagnose",)
    assert policy["privacy"] == {"k": 2, "entity": "PatID"}
    assert policy["attributes"]["PLZ"] == {"role": "quasi-identifier", "type": "category", "order": "sorted"}
    assert "Telefon" not in policy["attributes"]  # open: stated, it would be kept on purpose
    assert "# [attributes.Dauer]\n# # " in made.text
    assert '#   { name = "distinct-l-diversity", attribute = "Diagnose", l = 3 },' in made.text
    assert not any(cell in made.text for cell in ("Novak", "10115", "left knee", "E11.9"))


def test_comments_in_the_policy_can_be_used(tmp_path: Path) -> None:
    """Uncommented as they are, models and open columns are valid."""
    written(tmp_path, "people.csv", stays())
    text = library.init(tmp_path / "people.csv", tmp_path / "people.toml").text
    head, _, rest = text.partition("[source]")
    free = rest.replace("\n# models = [", "\nmodels = [").replace("\n#   {", "\n{").replace("\n# ]", "\n]")
    free = free.replace("\n# [", "\n[").replace("\n# role", "\nrole")
    (tmp_path / "people.toml").write_text(head + "[source]" + free, encoding="utf-8")
    policy = library.read_policy(tmp_path / "people.toml")
    assert [each["attribute"] for each in policy.models] == ["Diagnose"]
    assert "Dauer" in [each.name for each in policy.attributes]


def test_a_policy_is_never_lost(tmp_path: Path) -> None:
    """One that exists stays, but for --force; a table that cannot be read leaves no file."""
    table = written(tmp_path, "people.csv", stays())
    (tmp_path / "people.toml").write_text("mine")
    refused = shoal(tmp_path, "init", table)
    assert (refused.returncode, (tmp_path / "people.toml").read_text()) == (2, "mine")
    assert "--force" in refused.stderr
    assert shoal(tmp_path, "init", table, "--force").returncode == 0
    assert (tmp_path / "people.toml").read_text().startswith("# Written by")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 cut")
    assert shoal(tmp_path, "init", "cut.parquet").returncode == 6
    assert shoal(tmp_path, "init", table, "-o", "people.csv", "--force").returncode == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cut.parquet", "people.csv", "people.toml"]


def test_k_and_places_are_taken(tmp_path: Path) -> None:
    """-k, -o in another folder with paths that lead back, and --stdout without a file."""
    (tmp_path / "policies").mkdir()
    table = written(tmp_path, "people.csv", stays())
    assert shoal(tmp_path, "init", table, "-k", "3", "-o", "policies/first.toml").returncode == 0
    stated = tomllib.loads((tmp_path / "policies/first.toml").read_text(encoding="utf-8"))
    assert (stated["source"]["path"], stated["privacy"]["k"]) == ("../people.csv", 3)
    assert stated["release"]["path"] == "../people-k3.csv"
    assert shoal(tmp_path, "anonymize", "policies/first.toml", *QUICK).returncode == 0
    printed = shoal(tmp_path, "init", table, "--stdout")
    assert tomllib.loads(printed.stdout)["source"]["path"] == "people.csv"
    assert not (tmp_path / "people.toml").exists()
    for wrong in (["-k", "0"], ["-k", "31"], ["--stdout", "-o", "x.toml"], ["-o", "x.csv"]):
        assert shoal(tmp_path, "init", table, *wrong).returncode == 2


def test_a_table_of_one_row_is_refused(tmp_path: Path) -> None:
    """Nobody can hide in it."""
    run = shoal(tmp_path, "init", written(tmp_path, "one.csv", {"age": [1]}))
    assert (run.returncode, "one row" in run.stderr) == (2, True)


def test_a_data_frame_gets_a_policy_without_a_source() -> None:
    """The same policy is then given to `anonymize` with the frame."""
    frame = pd.DataFrame(stays())
    made = library.init(frame)
    assert "source" not in tomllib.loads(made.text)
    assert str(made) == made.text


def test_a_table_of_a_database_is_named_without_its_password(tmp_path: Path) -> None:
    """The policy names the connection and the table, and is used at once."""
    import duckdb

    with duckdb.connect(str(tmp_path / "clinic.db")) as database:
        database.execute("CREATE TABLE people AS SELECT range % 7 AS age, range % 3 AS wage FROM range(60)")
    assert shoal(tmp_path, "init", "duckdb:///clinic.db", "--table", "people").returncode == 0
    stated = tomllib.loads((tmp_path / "people.toml").read_text(encoding="utf-8"))
    assert stated["source"] == {"connection": "duckdb:///clinic.db", "table": "people"}
    assert stated["release"]["path"] == "people_k5"
    assert shoal(tmp_path, "anonymize", "people.toml", *QUICK).returncode == 0


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name.strip() and "\x00" not in name)


@settings(max_examples=15, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower), st.integers(0, 10**6))
def test_any_names_of_columns_give_a_policy_that_is_read(names: list[str], seed: int) -> None:
    """Control signs, quotes and brackets of a name end neither a key nor a comment."""
    draw = random.Random(seed)
    table = pd.DataFrame({name: [draw.randrange(4) for _ in range(30)] for name in names})
    stated = tomllib.loads(library.init(table).text)
    assert {*stated["attributes"]} <= {*names}
    assert any(each["role"] == "quasi-identifier" for each in stated["attributes"].values())


def test_a_column_that_can_be_read_in_two_ways_is_text_until_somebody_decides() -> None:
    """A day read as a month would be untrue in the release; both ways are there as comments."""
    frame = pd.DataFrame({"visit": [f"0{1 + row % 9}/0{1 + row % 7}/2024" for row in range(60)]})
    found = library.inspect(frame)
    reading = SimpleNamespace(
        ambiguous=("DD/MM/YYYY", "MM/DD/YYYY"),
        format=None,
        missing={},
        mostly=None,
        others=0,
        suggestions=("'999' may mean missing.",),
    )
    object.__setattr__(found.columns[0], "reading", reading)  # as an inspection finds it
    planned = plan(found)
    text = policy_text(planned, decisions=decisions(planned), source={})
    assert tomllib.loads(text)["attributes"]["visit"]["type"] == "category"
    assert '# format = "DD/MM/YYYY"' in text
    assert [sentence for sentence in decisions(planned) if "several ways" in sentence or "'999'" in sentence]


def test_hierarchy_files_next_to_the_table_are_used_if_they_fit(tmp_path: Path) -> None:
    """Under the names of ARX's examples, or in a folder; one that lacks a value is named and left out."""
    rows = {"age": [row % 9 for row in range(60)], "sex": ["fm"[row % 2] for row in range(60)]}
    table = written(tmp_path, "people.csv", {**rows, "zip": [f"0{row % 5}" for row in range(60)]})
    (tmp_path / "people_hierarchy_age.csv").write_text("".join(f"{age};0-8;*\n" for age in range(9)))
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies/zip.csv").write_text("00;*\n")
    made = shoal(tmp_path, "init", table)
    stated = tomllib.loads((tmp_path / "people.toml").read_text(encoding="utf-8"))["attributes"]
    assert stated["age"]["hierarchy"] == "people_hierarchy_age.csv"
    assert "hierarchy" not in stated["zip"]
    assert "hierarchies/zip.csv is next to the table and does not fit 'zip'" in made.stderr
    assert shoal(tmp_path, "anonymize", "people.toml", *QUICK).returncode == 0
