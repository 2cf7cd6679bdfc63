"""A research subset by a condition: which rows it chooses, and what is released and demanded of them."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.sql.condition import parsed
from shoal.privacy import DeltaPresence, KMap
from tests.agreement.thoroughness import examples
from tests.cli import command

AGES = [17, 18, 19, None, 25, 40, 18]
TABLE = pandas.DataFrame(
    {
        "age": pandas.array(AGES, "Int64"),
        "country": ["DE", "DE", "AT", "DE", None, "CH", "DE"],
        "day": [datetime.date(2024, 1, at + 1) for at in range(7)],
        "member": [True, False, True, True, False, False, True],
        "marital-status": list("abcabca"),
    }
)
CONDITIONS = {
    "age >= 18 and country = 'DE'": [1, 6],
    "18 <= age": [1, 2, 4, 5, 6],
    "not (age >= 18)": [0],
    "age is null or age in (17, 40)": [0, 3, 5],
    "age between 18 and 19 and country <> 'DE'": [2],
    "country is not null and member = true": [0, 2, 3, 6],
    "day < '2024-01-03'": [0, 1],
    "\"marital-status\" = 'a' and not country = 'DE'": [],
    "age > -1.5 and age < 18.5": [0, 1, 6],
    "country > 'CH' and country <= 'DE'": [0, 1, 3, 6],
}


def chosen(table: object, condition: str) -> list[int]:
    """The positions of the rows that an engine chooses, told by their days."""
    with DuckDB() as engine:
        if not CONDITIONS.get(condition, [0]):
            with pytest.raises(shoal.PolicyError, match="no row of the source meets the condition"):
                engine.subset(table, condition)
            return []
        rows = engine.rows(engine.subset(table, condition), ["day"])
        return [int((rows.texts("day")[code] or "")[8:10]) - 1 for code in rows.column("day").tolist()]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_kind_of_table_chooses_the_same_rows(condition: str, tmp_path: Path) -> None:
    """pandas, polars, Arrow, CSV whose cells are text, Parquet, and a relation of DuckDB."""
    arrow = pyarrow.Table.from_pandas(TABLE)
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    TABLE.to_parquet(tmp_path / "t.parquet")
    csv_condition = condition.replace("= true", "= 'True'")
    for table in (TABLE, polars.from_arrow(arrow), arrow, tmp_path / "t.parquet", duckdb.from_arrow(arrow)):
        assert chosen(table, condition) == CONDITIONS[condition], type(table)
    assert chosen(tmp_path / "t.csv", csv_condition) == CONDITIONS[condition]


atoms = st.sampled_from(
    ["a = 1", "a <> 2", "a < 2", "b >= 1", "b is null", "a in (0, 2)", "b between 0 and 1", "2 > b"]
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join).map("({})".format),
        inner.map("not ({})".format),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(40), deadline=None)
@given(
    condition=conditions,
    rows=st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * 2), min_size=1, max_size=6),
)
def test_conditions_mean_what_they_mean_in_sql(condition: str, rows: list[tuple[int | None, ...]]) -> None:
    """Frames and tables of DuckDB choose the rows that DuckDB's own WHERE chooses."""
    held = pyarrow.table(
        {name: pyarrow.array([row[at] for row in rows], "int64") for at, name in enumerate("ab")}
    ).append_column("n", pyarrow.array(range(len(rows)), "int64"))
    expected = [row[0] for row in duckdb.sql(f"SELECT n FROM held WHERE {condition} ORDER BY n").fetchall()]
    for source in (held, duckdb.from_arrow(held)):
        with DuckDB() as engine:
            try:
                rows_read = engine.rows(engine.subset(source, condition), ["n"])
            except shoal.PolicyError:
                assert not expected
                continue
            found = [int(rows_read.texts("n")[code] or "") for code in rows_read.column("n").tolist()]
            assert found == expected


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("agee > 3", "names 'agee', which is no column"),
        ("age > (select 1)", "a subquery"),
        ("age in (select age from t)", "not allowed"),
        ("lower(country) = 'de'", "not allowed"),
        ("age + 1 > 3", "not allowed"),
        ("age", "not allowed"),
        ("age = country", "not allowed"),
        ("age = null", "write IS NULL"),
        ("age >", "no condition that can be read"),
        ("1 = 1; drop table t", "no condition that can be read|not allowed"),
        ("t.age > 3", "not allowed"),
        ("marital-status = 'a'", "double quotes"),
        ("country like 'D%'", "not allowed"),
    ],
)
def test_only_plain_conditions_are_read(condition: str, words: str) -> None:
    """No function, subquery, arithmetic or second statement; names that exist."""
    with pytest.raises(shoal.PolicyError, match=words):
        parsed(condition, list(TABLE.columns))


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("age = '18'", "write the number without quotes"),
        ("country = 5", "put the value in quotes"),
        ("member = 'yes'", "write true or false"),
        ("day > 2024", "write the date in quotes"),
        ("day > 'soon'", "write dates as in '2024-01-31'"),
    ],
)
def test_unlike_kinds_are_not_compared(condition: str, words: str, tmp_path: Path) -> None:
    """A text that sorts like a number would choose other rows than the user means."""
    TABLE.to_parquet(tmp_path / "t.parquet")
    for table in (TABLE, tmp_path / "t.parquet"):
        with DuckDB() as engine, pytest.raises(shoal.PolicyError, match=words):
            engine.subset(table, condition)
    if condition.startswith("country"):
        TABLE.to_csv(tmp_path / "t.csv", index=False)
        with DuckDB() as engine, pytest.raises(shoal.PolicyError, match=words):
            engine.subset(tmp_path / "t.csv", condition)


Person = tuple[int, str, bool]


def released(frame: pandas.DataFrame, **asked: Any) -> shoal.Release | None:
    """The release; `None` if there can be none."""
    try:
        return shoal.anonymize(frame, **asked)
    except shoal.InfeasibleError:
        return None


@settings(max_examples=examples(40), deadline=None)
@given(
    people=st.lists(
        st.tuples(st.integers(20, 25), st.sampled_from("mf"), st.booleans()), min_size=4, max_size=20
    ).filter(lambda people: sum(each[2] for each in people) >= 2),
    k=st.integers(1, 2),
    model=st.sampled_from([None, KMap(k=4), DeltaPresence(most=0.6)]),
)
def test_the_subset_is_released_and_the_table_is_the_population(
    people: list[Person], k: int, model: KMap | DeltaPresence | None
) -> None:
    """As a release of the chosen rows with the whole table given as the population."""
    frame = pandas.DataFrame(people, columns=["age", "sex", "in"])
    part = frame[frame["in"]].reset_index(drop=True)
    asked = {
        "quasi_identifiers": ["age", "sex"],
        "k": k,
        "models": [] if model is None else [model],
        "algorithm": "lattice",
        "suppression": "unlimited",
        "other": ["in"],
    }
    population = {} if model is None else {"population": frame}
    release = released(frame, subset='"in" = true', **asked)
    expected = released(part, **asked, **population)
    if release is None or expected is None:
        assert release is expected
        return
    assert release.data.reset_index(drop=True).equals(expected.data.reset_index(drop=True))
    assert release.manifest.rows == len(part)
    assert release.manifest.cost == expected.manifest.cost
    assert release.manifest.audit == expected.manifest.audit
    assert set(release.data["in"]) <= {True}


def test_a_file_is_released_by_flag_and_by_policy(tmp_path: Path) -> None:
    """The digest of the source is that of the whole file; the condition is part of the policy's."""
    lines = [f"{20 + at % 4},{'DE' if at % 3 else 'AT'}" for at in range(30)]
    (tmp_path / "t.csv").write_text("age,country\n" + "\n".join(lines) + "\n")
    (tmp_path / "p.toml").write_text(
        '[source]\npath = "t.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[privacy]\nk = 2\nsubset = "country = \'AT\'"\nmodels = [{ name = "k-map", k = 5 }]\n'
        '[search]\nalgorithm = "lattice"\n[release]\npath = "r.csv"\n'
    )
    done = command.shoal(tmp_path, "anonymize", "p.toml")
    assert done.returncode == 0, done.stderr
    released = pandas.read_csv(tmp_path / "r.csv")
    assert len(released) == 10
    assert set(released["country"]) == {"AT"}
    manifest = (tmp_path / "r.csv.manifest.json").read_text()
    assert "research subset" in manifest
    assert "country = 'AT'" not in manifest
    by_flag = command.shoal(
        tmp_path, "anonymize", "t.csv", "-q", "age", "-k", "2", "--subset", "age >= 22", "-o", "f.csv"
    )
    assert by_flag.returncode == 0, by_flag.stderr
    assert len(pandas.read_csv(tmp_path / "f.csv")) == sum(20 + at % 4 >= 22 for at in range(30))
    audited = command.shoal(tmp_path, "audit", "r.csv", "--policy", "p.toml", "--original", "t.csv")
    assert "the policy releases a subset" in audited.stderr
    assert Counter(released["country"])["AT"] == 10


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"population": TABLE}, "leave out population and survey_weight"),
        ({"subset": " "}, "subset is a condition as text"),
        ({"subset": "age > 1000"}, "no row of the source meets the condition"),
    ],
)
def test_what_does_not_fit_together_is_refused(more: dict[str, object], words: str) -> None:
    """Before anything is searched."""
    asked = {"quasi_identifiers": ["age"], "k": 1, "subset": "age > 3", **more}
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.anonymize(TABLE, **asked)  # type: ignore[arg-type]


def test_explanations_and_sql_refuse_a_subset() -> None:
    """They would use all rows."""
    policy = shoal.Policy(
        attributes=(shoal.Attribute(name="age", role=shoal.Role.QUASI_IDENTIFIER),), k=2, subset="age > 17"
    )
    for door in (shoal.explain, shoal.recoding_sql):
        with pytest.raises(shoal.PolicyError, match="the policy releases a subset"):
            door(TABLE[["age"]], policy=policy)  # type: ignore[operator]
