"""Treated columns from source to release: what is written, what the audit says, and what stays secret."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from tests.cli.command import shoal as command

TREE = [("flu", "lung", "*"), ("asthma", "lung", "*"), ("hiv", "virus", "*"), ("cold", "lung", "*")]
KINDS: dict[str, tuple[str, str | dict[str, Any], str]] = {
    "dropped": ("note", "drop", ""),
    "masked": ("note", {"name": "mask", "pattern": "####**"}, "secret"),
    "coded": ("id", "pseudonym", "P001"),
    "lookalike": ("id", {"name": "pseudonym", "format": "same"}, "12"),
    "generalized": ("dx", {"name": "generalize", "level": 1}, "flu"),
    "topped": ("income", {"name": "top-code", "at": 60000}, "60001"),
    "bounded": ("income", {"name": "top-code", "at": 60000, "written": "bound"}, "60001"),
    "bottomed": ("visit", {"name": "bottom-code", "at": "2015-01-01"}, "1999-01-01"),
    "rounded": ("income", {"name": "round", "to": 1000}, "1001"),
    "truncated": ("visit", {"name": "truncate", "to": "quarter"}, "2024-05"),
    "shifted": ("visit", {"name": "shift", "days": 30, "by": "id"}, "2031-01-01"),
    "noisy": ("income", {"name": "noise", "scale": 500}, "99999999"),
    "swapped": ("income", {"name": "swap", "within": 10}, "123456"),
    "redrawn": ("dx", "pram", "plague"),
    "averaged": ("income", {"name": "microaggregate", "k": 4}, "777"),
}
"""Column -> the column that it copies, its treatment, and a cell that the treatment never writes."""
EVERY = {name: stated for name, (_, stated, _) in KINDS.items()}


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of people, several per person, with missing cells."""
    chance, path = random.Random(1), tmp_path_factory.mktemp("people") / "people.csv"
    rows = [
        {
            "row": str(row),
            "id": f"P{chance.randint(0, 25):03}",
            "age": "99" if row % 20 == 7 else chance.choice(["20", "21", "50", "51", "90"]),
            "income": "" if row % 13 == 5 else str(chance.randint(1000, 90_000)),
            "visit": "" if row % 17 == 3 else f"20{chance.randint(10, 24)}-{chance.randint(1, 12):02}-11",
            "dx": chance.choice(["flu", "asthma", "hiv", "cold"]),
            "note": f"note{row}",
        }
        for row in range(60)
    ]
    write(path, rows)
    return path


@pytest.fixture(scope="module")
def wide(people: Path) -> Path:
    """The same people with a column for each kind of treatment."""
    rows = [
        {name: row[name] for name in ("row", "id", "age")}
        | {name: row[copied] for name, (copied, _, _) in KINDS.items()}
        for row in read(people)
    ]
    write(people.with_name("wide.csv"), rows)
    people.with_name("dx.csv").write_text("".join(";".join(row) + "\n" for row in TREE))
    return people.with_name("wide.csv")


def policy(people: Path, path: Path | None, treat: dict[str, Any], **more: Any) -> Policy:
    """A policy with one quasi-identifier, of which a value is rare."""
    trees: dict[str, Any] = {"generalized": people.with_name("dx.csv")} if "generalized" in treat else {}
    asked = {"k": 5, "algorithm": "k-optimize", "suppression": "30%", **more}
    return policy_of(
        source=people if path is not None else None,
        quasi_identifiers=["age"],
        treatments=treat,
        hierarchies={**trees, **asked.pop("trees", {})},
        path=path,
        **asked,
    )


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("order", "suppressed"), [("keep", "drop"), ("keep", "mask"), ("shuffle", "drop")])
def test_every_treatment_passes_the_audit(wide: Path, tmp_path: Path, order: str, suppressed: str) -> None:
    """When it is released, and by anybody who has the original afterwards; `row` shows which row is which."""
    asked = policy(
        wide,
        tmp_path / "out.csv",
        EVERY,
        algorithm="lattice",
        trees={"age": {"*": [20, 21, 50, 51, 90, 99]}},
        levels={"age": (0, 0)},
        order=order,
        suppressed=suppressed,
    )
    release = shoal.anonymize(policy=asked)
    assert release.verdict.holds
    assert release.manifest.suppressed == 3
    key = "row" if order == "shuffle" else None
    found = shoal.audit(tmp_path / "out.csv", policy=asked, original=wide, key=key)
    assert (found.holds, found.failures) == (True, [])
    facts = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert {name: each["name"] for name, each in facts["treatments"].items()} == {
        name: stated if isinstance(stated, str) else stated["name"] for name, stated in EVERY.items()
    }
    assert (facts["order"], facts["truthful"], facts["truthful_recoding"]) == (order, False, True)


def test_a_changed_cell_is_found_afterwards(wide: Path, tmp_path: Path) -> None:
    """One cell of each column, although the manifest has the digest of the changed file."""
    path, manifest = tmp_path / "out.csv", tmp_path / "out.csv.manifest.json"
    asked = policy(wide, path, EVERY)
    shoal.anonymize(policy=asked)
    _change_all(path)
    facts = json.loads(manifest.read_text())
    facts["release_digest"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(facts))
    found = shoal.audit(path, policy=asked, original=wide)
    assert found.manifest is not None
    assert {*found.manifest.untreated} == {*KINDS} - {"dropped"}
    assert len(found.failures) == 1
    assert found.failures[0].startswith(
        "columns are not treated as the manifest out.csv.manifest.json says: "
    )
    alone = shoal.audit(path, policy=asked).manifest
    assert alone is not None
    assert {"masked", "coded", "topped", "bounded", "rounded", "truncated"} <= {*alone.untreated}


def test_a_changed_cell_is_refused_before_publication(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The written bytes are measured; nothing is published, and each column is named."""
    _tamper(monkeypatch, _change_all)
    with pytest.raises(AuditError, match="Nothing was published") as error:
        shoal.anonymize(policy=policy(wide, tmp_path / "out.csv", EVERY))
    assert all(f"column {name!r}" in str(error.value) for name in KINDS if name != "dropped")
    assert not list(tmp_path.iterdir())


def test_a_dropped_column_that_was_written_is_refused(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The columns of the written file are read, not those that were to be written."""

    def add(place: Path) -> None:
        rows = read(place)
        write(place, [{**row, "note": "x"} for row in rows])

    _tamper(monkeypatch, add)
    with pytest.raises(AuditError, match="Nothing was published"):
        shoal.anonymize(policy=policy(people, tmp_path / "out.csv", {"note": "drop"}))


def test_two_rows_that_exchange_their_cells_are_found(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each cell alone is a right one; it is not that of its row, also where rows are shuffled."""

    def exchange(place: Path) -> None:
        rows = read(place)
        one, two = 0, next(at for at, row in enumerate(rows) if row["income"] != rows[0]["income"])
        rows[one]["income"], rows[two]["income"] = rows[two]["income"], rows[one]["income"]
        write(place, rows)

    _tamper(monkeypatch, exchange)
    for order in ("keep", "shuffle"):
        asked = policy(people, tmp_path / "out.csv", {"income": {"name": "round", "to": 100}}, order=order)
        with pytest.raises(AuditError, match=r"2 cell\(s\) of the treated column 'income'"):
            shoal.anonymize(policy=asked)


def _tamper(monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]) -> None:
    """Change what the engine writes before the audit reads it."""
    written = DuckDB.apply

    def apply(self: DuckDB, source: Any, counted: Any, application: Any, place: Any = None) -> Any:
        result = written(self, source, counted, application, place)
        change(place)
        return result

    monkeypatch.setattr(DuckDB, "apply", apply)


def _change_all(path: Path) -> None:
    """Write one wrong cell into each treated column."""
    rows = read(path)
    for name, (_, _, wrong) in KINDS.items():
        if name != "dropped":
            next(row for row in rows if row[name])[name] = wrong
    write(path, rows)


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Rows as a file."""
    with path.open("w", newline="") as file:
        lines = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_and_files_are_treated_alike(people: Path, tmp_path: Path, library: str) -> None:
    """The same key gives the same cells, in the same order, whatever holds the table."""
    import pandas as pd

    (tmp_path / "key").write_text("a key that both releases share")
    asked = {
        "id": "pseudonym",
        "income": {"name": "noise", "scale": 50},
        "visit": {"name": "shift", "by": "id"},
        "dx": "pram",
        "note": "drop",
    }
    shoal.anonymize(
        policy=policy(people, tmp_path / "out.csv", asked, order="shuffle"), key_file=tmp_path / "key"
    )
    frame: Any = pd.read_csv(people, dtype={"income": "Int64"})
    if library == "polars":
        import polars as pl

        frame = pl.from_pandas(frame)
    elif library == "pyarrow":
        import pyarrow as pa

        frame = pa.Table.from_pandas(frame, preserve_index=False)
    made = shoal.anonymize(
        frame, policy=policy(people, None, asked, order="shuffle"), key_file=tmp_path / "key"
    )
    assert type(made.data).__module__.startswith(library)
    data = made.data if library == "pandas" else made.data.to_pandas()
    rows = [
        {name: "" if pd.isna(cell) else str(cell).removesuffix(".0") for name, cell in row.items()}
        for row in data.to_dict("records")
    ]
    assert rows == read(tmp_path / "out.csv")


def test_types_of_frames_stay_where_cells_still_have_them(people: Path) -> None:
    """Rounded whole numbers are whole numbers, and shifted dates are dates."""
    import pandas as pd

    frame = pd.read_csv(people, parse_dates=["visit"], usecols=["id", "age", "row", "visit", "dx"])
    asked = {"row": {"name": "round", "to": 10}, "visit": {"name": "shift", "by": "id"}, "dx": "pram"}
    made = shoal.anonymize(frame, policy=policy(people, None, asked))
    before, after = frame.dtypes, made.data.dtypes
    assert [after[name] for name in asked] == [before[name] for name in asked]


def test_parquet_keeps_numbers_and_dates(people: Path, tmp_path: Path) -> None:
    """A typed file has typed columns where the new cells allow it, and text for labels."""
    import polars as pl

    frame = pl.read_csv(people, try_parse_dates=True)
    frame.write_parquet(tmp_path / "people.parquet")
    asked = {
        "row": {"name": "round", "to": 10},
        "visit": {"name": "shift", "by": "id"},
        "income": {"name": "top-code", "at": 60000},
        "dx": {"name": "pram", "keep": 0.5},
    }
    stated = policy(tmp_path / "people.parquet", tmp_path / "out.parquet", asked)
    shoal.anonymize(policy=stated)
    made = pl.read_parquet(tmp_path / "out.parquet")
    assert (made["row"].dtype, made["visit"].dtype, made["income"].dtype) == (pl.Int64, pl.Date, pl.String)
    assert shoal.audit(tmp_path / "out.parquet", policy=stated, original=tmp_path / "people.parquet").holds


def test_the_same_key_gives_the_same_bytes_and_a_fresh_one_others(people: Path, tmp_path: Path) -> None:
    """A release can be made again by whoever has the key, and by nobody else."""
    key = tmp_path / "key"
    key.write_text("0f" * 32)
    asked = {"id": "pseudonym", "income": {"name": "noise", "scale": 50}, "dx": "pram"}
    written = []
    for name, file in (("one", key), ("two", key), ("three", None)):
        path = tmp_path / f"{name}.csv"
        made = shoal.anonymize(policy=policy(people, path, asked, order="shuffle"), key_file=file)
        assert made.manifest.treatments["id"]["key"] == ("fresh" if file is None else "given")
        written.append(path.read_bytes())
    assert written[0] == written[1] != written[2]


def test_the_key_is_in_no_output(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither in the release nor its manifest, the ledger, the report or a message; nor does a key's hash."""
    key = b"correct horse battery staple"
    monkeypatch.setenv("SHOAL_KEY", key.decode())
    asked = {
        "id": "pseudonym",
        "income": {"name": "noise", "scale": 50},
        "visit": {"name": "shift", "by": "id"},
    }
    stated = policy(people, tmp_path / "out.csv", asked, order="shuffle", ledger=tmp_path / "ledger.jsonl")
    made = shoal.anonymize(policy=stated)
    assert made.manifest.treatments["id"]["key"] == "given"
    outputs = [path.read_bytes() for path in tmp_path.iterdir()]
    outputs += [repr(made).encode(), made.manifest.to_json().encode(), "".join(capsys.readouterr()).encode()]
    for secret in (
        key,
        hashlib.sha256(key).hexdigest().encode(),
        hashlib.sha256(b"shoal key\0" + key).hexdigest().encode(),
    ):
        assert not any(secret in each for each in outputs)


def test_a_short_or_absent_key_is_refused(people: Path, tmp_path: Path) -> None:
    """A key that can be guessed protects nobody."""
    stated = policy(people, tmp_path / "out.csv", {"id": "pseudonym"})
    (tmp_path / "key").write_text("abc\n")
    with pytest.raises(PolicyError, match=r"fewer than 16 bytes.*openssl rand"):
        shoal.anonymize(policy=stated, key_file=tmp_path / "key")
    with pytest.raises(shoal.EngineError, match="cannot read the key file nowhere"):
        shoal.anonymize(policy=stated, key_file=tmp_path / "nowhere")


def test_models_are_measured_on_what_is_written(people: Path, tmp_path: Path) -> None:
    """Rounded to one value, a sensitive column has one value per group: two are refused."""
    asked = {"income": {"name": "round", "to": 1_000_000}}
    models = [{"name": "distinct-l-diversity", "attribute": "income", "l": 3}]
    more = {"sensitive": ["income"], "models": models, "suppression": 0}
    assert shoal.anonymize(policy=policy(people, tmp_path / "one.csv", {}, **more)).verdict.holds
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(policy=policy(people, tmp_path / "two.csv", asked, **more))
    (run,) = shoal.compare(people, policy(people, None, asked, **more), algorithms=["exhaustive"])
    assert run.status == "infeasible"
    noisy = {"income": {"name": "noise", "scale": 5}}
    with pytest.raises(PolicyError, match="'noise' makes its cells untrue"):
        shoal.anonymize(policy=policy(people, tmp_path / "three.csv", noisy, **more))


def test_the_column_of_persons_is_dropped_and_not_treated(people: Path, tmp_path: Path) -> None:
    """By default nobody can link rows by it; a treatment would leave it there, so it needs `linkable`."""
    dropped = shoal.anonymize(policy=policy(people, tmp_path / "out.csv", {}, entity="id"))
    assert "id" not in (tmp_path / "out.csv").read_text().splitlines()[0].split(",")
    assert dropped.manifest.treatments["id"] == {"name": "drop", "truthful": True}
    assert any("'id', which distinguishes persons, was dropped" in note for note in dropped.manifest.notes)
    named = shoal.anonymize(
        policy=policy(people, tmp_path / "named.csv", {}, entity="id", identifiers=["id"])
    )
    assert not any("distinguishes persons" in note for note in named.manifest.notes)
    for treatment in ("pseudonym", {"name": "mask", "pattern": "#**"}):
        with pytest.raises(PolicyError, match=r"would stay in the release.* say linkable = true"):
            policy(people, tmp_path / "out.csv", {"id": treatment}, entity="id")
    masked = {"id": {"name": "mask", "pattern": "#**"}}
    with pytest.raises(PolicyError, match="its treatment must be 'pseudonym', not 'mask'"):
        policy(people, tmp_path / "out.csv", masked, entity="id", linkable=True)
    with pytest.raises(PolicyError, match="is sensitive, which is kept, and identifies persons"):
        policy(people, tmp_path / "out.csv", {}, entity="id", sensitive=["id"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"treatments": {"age": "pseudonym"}}, "a quasi-identifier is recoded by the search"),
        ({"treatments": {"dx": "pram"}, "class_attribute": "dx"}, "the cost counts the labels of the class"),
        ({"treatments": {"id": "pseudonym"}, "identifiers": ["id"]}, "an identifier is dropped"),
        ({"treatments": {"dx": "drop"}, "sensitive": ["dx"]}, "a sensitive column is released"),
        ({"treatments": {"visit": "shift"}}, "name the column that identifies the person"),
        ({"treatments": {"dx": {"name": "generalize", "level": 1}}}, "give the column a hierarchy"),
        ({"treatments": {"dx": 5}}, 'a treatment is a name like "pseudonym"'),
        ({"treatments": {"nobody": "pseudonym"}}, "the source has no column 'nobody'"),
        ({"order": "random"}, "'keep' or 'shuffle'"),
    ],
)
def test_what_does_not_fit_together_is_refused(people: Path, tmp_path: Path, more: Any, message: str) -> None:
    """Before a row is read where that is possible, with the way out."""
    with pytest.raises(PolicyError, match=message):
        shoal.anonymize(people, quasi_identifiers=["age"], k=5, path=tmp_path / "out.csv", **more)
    assert not (tmp_path / "out.csv").exists()


def test_a_table_of_duckdb_is_treated_like_a_file(people: Path, tmp_path: Path) -> None:
    """In a database or a file next to it; the same key gives the same cells in the same order."""
    (tmp_path / "key").write_text("a key that all releases share")
    with duckdb.connect(str(tmp_path / "people.db")) as connection:
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{people}', all_varchar = true)")
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age"],
        "k": 5,
        "algorithm": "k-optimize",
        "treatments": {
            "id": "pseudonym",
            "income": {"name": "noise", "scale": 9},
            "visit": {"name": "shift", "by": "id"},
            "note": "drop",
        },
        "order": "shuffle",
        "key_file": tmp_path / "key",
    }
    shoal.anonymize(people, path=tmp_path / "out.csv", **asked)
    url = f"duckdb:///{tmp_path / 'people.db'}"
    shoal.anonymize(url, table="people", path=tmp_path / "of_table.csv", **asked)
    shoal.anonymize(url, table="people", path="released", **asked)
    assert (tmp_path / "of_table.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    with duckdb.connect(str(tmp_path / "people.db")) as connection:
        cursor = connection.execute("FROM released")
        names = [each[0] for each in cursor.description]
        rows = [dict(zip(names, (cell or "" for cell in row), strict=True)) for row in cursor.fetchall()]
    assert rows == read(tmp_path / "out.csv")


def test_folders_and_sql_refuse_treatments_but_drop_columns(people: Path, tmp_path: Path) -> None:
    """A treatment that would silently not happen is the worst kind."""
    (tmp_path / "people").mkdir()
    duckdb.sql(f"COPY (FROM read_csv('{people}')) TO '{tmp_path}/people/one.parquet' (FORMAT parquet)")
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 5, "algorithm": "k-optimize"}
    with pytest.raises(PolicyError, match=r"the treatment of 'id' .* a folder of Parquet files"):
        shoal.anonymize(tmp_path / "people", treatments={"id": "pseudonym"}, path=tmp_path / "out", **asked)
    with pytest.raises(PolicyError, match=r'order = "shuffle" .* a folder of Parquet files'):
        shoal.anonymize(tmp_path / "people", order="shuffle", path=tmp_path / "out", **asked)
    shoal.anonymize(tmp_path / "people", treatments={"note": "drop"}, path=tmp_path / "out", **asked)
    assert "note" not in duckdb.sql(f"FROM read_parquet('{tmp_path}/out/*.parquet')").columns
    with pytest.raises(PolicyError, match="SQL cannot carry out the treatment of 'id'"):
        shoal.recoding_sql(people, policy(people, tmp_path / "out.csv", {"id": "pseudonym"}))


def test_a_policy_file_and_flags_state_the_same(people: Path, tmp_path: Path) -> None:
    """[attributes.X] treatment, treatments= and --treat have one digest."""
    from shoal.cli.policy_flags import policy_arguments

    (tmp_path / "policy.toml").write_text(
        '[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.income]\ntreatment = { name = "top-code", at = 90, written = "bound" }\n'
        '[attributes.visit]\ntreatment = { name = "bottom-code", at = 2015-01-01 }\n'
        '[attributes.dx]\ntreatment = "pram"\n[privacy]\nk = 5\n[release]\norder = "shuffle"\n'
    )
    by_file = shoal.read_policy(tmp_path / "policy.toml")
    flags = policy_arguments(
        {"treatments": ["income=top-code:90,written=bound", "visit=bottom-code:2015-01-01", "dx=pram"]}
    )
    by_flags = policy_of(quasi_identifiers=["age"], k=5, order="shuffle", **flags)
    assert by_file.digest == by_flags.digest
    assert by_file.treatments == by_flags.treatments


def test_free_text_is_warned_of_even_where_it_is_kept_on_purpose(tmp_path: Path) -> None:
    """Role other does not settle it; dropping it or an explicit yes does."""
    words = ["seen", "by", "doctor", "smith", "together", "with", "wife", "and", "son", "on", "ward"]
    lines = [f"{20 + row % 4},{' '.join(words[row % 5 :])} {row}" for row in range(60)]
    (tmp_path / "notes.csv").write_text("age,note\n" + "\n".join(lines) + "\n")

    def codes(**more: Any) -> list[str]:
        asked = {"quasi_identifiers": ["age"], "k": 5, "path": tmp_path / "out.csv", **more}
        return [each.code for each in shoal.anonymize(tmp_path / "notes.csv", **asked).warnings]

    assert codes() == ["free-text"]
    assert codes(other=["note"]) == ["free-text"]
    assert codes(treatments={"note": "drop"}) == []


@pytest.mark.parametrize("order", ["keep", "shuffle"])
def test_a_report_takes_treated_columns_for_what_they_are(people: Path, tmp_path: Path, order: str) -> None:
    """No cell of them is called untrue; the truth of shuffled rows is not measured, and that is said."""
    asked = {"income": {"name": "noise", "scale": 50}, "id": "pseudonym", "note": "drop"}
    stated = policy(people, tmp_path / "out.csv", asked, order=order, identifiers=["row"])
    shoal.anonymize(policy=stated)
    page = shoal.report(tmp_path / "out.csv", policy=stated, original=people)
    assert page.holds
    why = {part["what"]: part["why"] for part in page.facts["not_measured"]}
    assert ("were shuffled" in why.get("truth of the cells", "")) == (order == "shuffle")


def test_the_command_line_treats_columns(people: Path, tmp_path: Path) -> None:
    """Flags for treatments, the key and the order; a wrong treatment is one sentence and exit code 2."""
    (tmp_path / "key").write_text("a key of the command line")
    flags = ["-q", "age", "-k", "5", "--seconds", "1", "--treat", "income=round:1000", "--treat", "note=drop"]
    keyed = ["--treat", "id=pseudonym", "--key-file", "key", "--row-order", "shuffle", "--json"]
    done = command(tmp_path, "anonymize", str(people), *flags, *keyed, "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["treatments"]["id"]["key"] == "given"
    assert "note" not in read(tmp_path / "out.csv")[0]
    refused = command(tmp_path, "anonymize", str(people), *flags, "--treat", "id=hash")
    assert refused.returncode == 2
    assert "the treatment 'hash' is refused" in refused.stderr


def test_a_shuffled_release_is_not_paired_by_position(people: Path, tmp_path: Path) -> None:
    """The comparison needs a key, and says so; utility is measured without pairs."""
    stated = policy(people, tmp_path / "out.csv", {}, order="shuffle", identifiers=["row"], suppression=0)
    shoal.anonymize(policy=stated)
    assert [row["note"] for row in read(tmp_path / "out.csv")] != [row["note"] for row in read(people)]
    with pytest.raises(PolicyError, match=r"were shuffled.*name a column that both have"):
        shoal.audit(tmp_path / "out.csv", policy=stated, original=people)
    assert shoal.audit(tmp_path / "out.csv", policy=stated, original=people, key="note").holds
    measured = shoal.utility(tmp_path / "out.csv", original=people, policy=stated, models=False)
    assert measured.matched_by is None
