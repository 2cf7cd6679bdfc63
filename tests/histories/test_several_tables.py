"""Several linked tables: who hides among whom across all of them, and what happens to keys."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms.histories import HISTORY_ALGORITHMS
from shoal.api.anonymize_tables import read_tables_policy
from shoal.auditor.tables.measured import measured_tables
from shoal.auditor.tables.written_table import WrittenTable
from shoal.cost import GeneralLoss
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.hierarchy.with_hierarchies import with_hierarchies
from shoal.model.history.histories import Histories
from shoal.model.history.placement import Placement
from shoal.model.history.problem import HistoryProblem
from shoal.model.history.promise import Promise
from shoal.model.policy.budget import Budget
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.linked_columns import LinkedColumns
from shoal.pipeline.tables.prepared import prepare
from shoal.pipeline.tables.recoded import recode_tables
from shoal.pipeline.tables.search import least_persons
from shoal.treatments import SecretKey
from tests.cli.command import shoal as command

Row = dict[str, str]
Tables = dict[str, list[Row]]

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")

POLICY = """
[tables.patients]
path = "patients.csv"
key = "patient"
[tables.patients.attributes.born]
role = "quasi-identifier"
[tables.patients.attributes.tag]
role = "other"
[tables.stays]
path = "stays.csv"
key = "stay"
parent = "patients"
[tables.stays.attributes.month]
role = "quasi-identifier"
[tables.stays.attributes.ward]
role = "quasi-identifier"
[tables.stays.attributes.tag]
role = "other"
[tables.drugs]
path = "drugs.csv"
parent = "stays"
[tables.drugs.attributes.drug]
role = "quasi-identifier"
[tables.drugs.attributes.tag]
role = "other"
[privacy]
k = 2
[release]
path = "release"
"""
QUASI = {"patients": ["born"], "stays": ["month", "ward"], "drugs": ["drug"]}


def drawn(seed: int, persons: int = 8) -> Tables:
    """Patients with stays and drugs; each row has a tag of its own, by which it is found again."""
    draw = random.Random(seed)
    tables: Tables = {"patients": [], "stays": [], "drugs": []}
    for person in range(persons):
        born = str(1950 + draw.randrange(4))
        tables["patients"].append({"patient": f"p{person}", "born": born, "tag": f"t{person}"})
        for _ in range(draw.randrange(3)):
            stay = f"s{len(tables['stays'])}"
            cells = {"month": str(1 + draw.randrange(3)), "ward": draw.choice("xyz")}
            tables["stays"].append({"stay": stay, "patient": f"p{person}", **cells, "tag": f"t{stay}"})
            for _ in range(draw.randrange(3)):
                tag = f"d{len(tables['drugs'])}"
                cells = {"drug": draw.choice("ab")}
                tables["drugs"].append({"stay": stay, "patient": f"p{person}", **cells, "tag": tag})
    return tables


def written(folder: Path, tables: Mapping[str, Sequence[Row]], policy: str = POLICY) -> Path:
    """The tables as files, and their policy."""
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return folder / "policy.toml"


def read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trees(tables: Mapping[str, Sequence[Row]]) -> Counter[Any]:
    """The plain definition: a person is their cells, and the multiset of what their stays are."""
    drugs, stays = defaultdict(list), defaultdict(list)
    for row in tables["drugs"]:
        drugs[row["stay"]].append(row["drug"])
    for row in tables["stays"]:
        stays[row["patient"]].append((row["month"], row["ward"], tuple(sorted(drugs[row["stay"]]))))
    return Counter((row["born"], tuple(sorted(stays[row["patient"]]))) for row in tables["patients"])


def covers(label: str, value: str) -> bool:
    """Whether a label is true of a value."""
    if label in ("*", value):
        return True
    parts = [part.strip() for part in label[1:-1].split(",")]
    if label.startswith("["):
        return int(parts[0]) <= int(value) <= int(parts[1])
    return label.startswith("{") and value in parts


@pytest.mark.parametrize("seed", range(5))
def test_every_released_person_is_like_k_across_all_tables(tmp_path: Path, seed: int) -> None:
    """A plain reader of the written files finds k equal trees, keys that lead somewhere, and true cells."""
    source = drawn(seed, 9)
    release = shoal.anonymize_tables(written(tmp_path, source))
    found = {name: read(path) for name, path in release.paths.items()}
    sizes = trees(found)
    assert min(sizes.values()) >= 2
    assert release.measured.smallest == min(sizes.values())
    assert release.measured.persons == len(found["patients"]) == release.manifest.released_persons
    keys = [row["patient"] for row in found["patients"]]
    stays = {row["stay"]: row["patient"] for row in found["stays"]}
    assert len(set(keys)) == len(keys)
    assert len(stays) == len(found["stays"])
    assert set(stays.values()) <= set(keys)
    assert all(stays[row["stay"]] == row["patient"] for row in found["drugs"])
    for name, columns in QUASI.items():
        origin = {row["tag"]: row for row in source[name]}
        assert len(found[name]) + release.manifest.tables[name]["suppressed"] == len(source[name])
        for row in found[name]:
            assert all(covers(row[column], origin[row["tag"]][column]) for column in columns)


def test_links_are_those_of_the_source_under_other_names(tmp_path: Path) -> None:
    """A row belongs to the released row of its own parent; no key of the source is left."""
    source = drawn(3, 12)
    release = shoal.anonymize_tables(written(tmp_path, source))
    found = {name: read(path) for name, path in release.paths.items()}
    patient_of = {row["patient"]: row["tag"] for row in found["patients"]}
    old = {row["tag"]: row["patient"] for row in source["stays"]}
    assert all(patient_of[row["patient"]] == f"t{old[row['tag']][1:]}" for row in found["stays"])
    stay_of = {row["stay"]: row["tag"] for row in found["stays"]}
    before = {row["tag"]: f"t{row['stay']}" for row in source["drugs"]}
    assert all(stay_of[row["stay"]] == before[row["tag"]] for row in found["drugs"])
    keys = {
        row[column]
        for name in found
        for row in source[name]
        for column in ("patient", "stay")
        if column in row
    }
    assert not keys & {cell for rows in found.values() for row in rows for cell in row.values()}


def test_the_same_key_gives_the_same_pseudonyms_and_a_fresh_one_others(tmp_path: Path) -> None:
    """Two releases cannot be joined by their keys, unless the user gives a secret."""
    policy, secret = written(tmp_path, drawn(1)), tmp_path / "secret"
    secret.write_text("0123456789abcdef" * 2)
    made = [
        shoal.anonymize_tables(policy, path=tmp_path / f"r{at}", key_file=secret if at < 2 else None)
        for at in range(3)
    ]
    names = [{row["patient"] for row in read(each.paths["patients"])} for each in made]
    assert names[0] == names[1]
    assert not names[0] & names[2]


@st.composite
def forests(draw: st.DrawFn) -> Tables:
    """Small forests of any kind, with broken keys among them."""
    tables: Tables = {"patients": [], "stays": [], "drugs": []}
    for person in range(draw(st.integers(1, 5))):
        tables["patients"].append({"patient": f"p{person}", "born": draw(st.sampled_from("12"))})
    for stay in range(draw(st.integers(0, 6))):
        patient = f"p{draw(st.integers(0, len(tables['patients']) - 1))}"
        cells = {"month": draw(st.sampled_from("12")), "ward": "x"}
        tables["stays"].append({"stay": f"s{stay}", "patient": patient, **cells})
    for _ in range(draw(st.integers(0, 6)) if tables["stays"] else 0):
        above = f"s{draw(st.integers(0, len(tables['stays']) - 1))}"
        tables["drugs"].append({"stay": above, "drug": draw(st.sampled_from("ab"))})
    return tables


def coded(rows: Sequence[Row], columns: LinkedColumns) -> WrittenTable:
    names = columns.needed
    cells = [sorted({row[name] for row in rows}) for name in names]
    codes = [[texts.index(row[name]) for name, texts in zip(names, cells, strict=True)] for row in rows]
    return WrittenTable(
        columns=columns,
        cells=CodedCells(
            columns=tuple(names),
            cells=tuple(map(tuple, cells)),
            codes=np.array(codes, np.int32).reshape(len(rows), len(names)),
            counts=np.ones(len(rows), np.int64),
        ),
    )


COLUMNS = (
    LinkedColumns(name="patients", labels=("born",), key="patient"),
    LinkedColumns(
        name="stays", labels=("month", "ward"), key="stay", parent="patients", parent_key="patient"
    ),
    LinkedColumns(name="drugs", labels=("drug",), parent="stays", parent_key="stay"),
)


@given(forests())
@settings(max_examples=200, deadline=None)
def test_the_audit_counts_persons_as_the_definition_does(tables: Tables) -> None:
    """On any forest, the auditor's sizes are those of the plain trees."""
    measured = measured_tables([coded(tables[each.name], each) for each in COLUMNS], 2)
    sizes = trees(tables)
    assert measured.faults == ()
    assert (measured.persons, measured.groups) == (sizes.total(), len(sizes))
    assert measured.smallest == min(sizes.values())
    assert measured.alone == sum(size == 1 for size in sizes.values())
    assert measured.below == sum(size for size in sizes.values() if size < 2)


def test_the_audit_names_broken_keys() -> None:
    """An orphan, a repeated key and a column that repeats another's key wrongly are each reported."""
    tables: Tables = {
        "patients": [{"patient": "p0", "born": "1"}, {"patient": "p0", "born": "1"}],
        "stays": [{"stay": "s0", "patient": "p9", "month": "1", "ward": "x"}],
        "drugs": [{"stay": "s0", "drug": "a", "patient": "p0"}],
    }
    repeating = replace(COLUMNS[2], repeats={"patient": "patients"})
    described = (*COLUMNS[:2], repeating)
    faults = measured_tables([coded(tables[each.name], each) for each in described], 2).faults
    assert len(faults) == 3
    assert "repeat a key" in faults[0]
    assert "no row of 'patients' has" in faults[1]
    assert "name another row of 'patients'" in faults[2]


@pytest.mark.parametrize("seed", range(4))
def test_persons_found_in_the_tables_are_those_of_the_definition(tmp_path: Path, seed: int) -> None:
    """Counting by numbers finds the distinct trees, how many persons have each, and rows after parents."""
    source = drawn(seed, 40)
    policy = read_tables_policy(written(tmp_path, source))
    with DuckDB() as engine:
        prepared = prepare(
            engine, policy, {each.name: each.source for each in policy.tables}, SecretKey.fresh()
        )
    histories = prepared.forest.histories
    sizes = trees(source)
    assert sorted(histories.counts.tolist()) == sorted(sizes.values())
    assert histories.rows == sum(map(len, source.values()))
    own = np.arange(len(histories.row_of)) - histories.first[histories.history_of]
    assert (histories.parent < own).all()
    for name, places in prepared.forest.place_of.items():
        number = prepared.forest.names.index(name)
        assert (histories.table_of[places] == number).all()


def test_one_table_has_the_histories_that_linkable_rows_have(tmp_path: Path) -> None:
    """Events with a column of persons are counted as the road of a single table counts them."""
    rows = drawn(5, 30)["stays"]
    text = """
[tables.stays]
path = "stays.csv"
person = "patient"
[tables.stays.attributes.stay]
role = "identifier"
[tables.stays.attributes.month]
role = "quasi-identifier"
[tables.stays.attributes.ward]
role = "quasi-identifier"
[privacy]
k = 2
"""
    policy = read_tables_policy(written(tmp_path, {"stays": rows}, text))
    with DuckDB() as engine:
        sources = {each.name: each.source for each in policy.tables}
        prepared = prepare(engine, policy, sources, SecretKey.fresh())
        table = prepared.tables[0].treated.table
        counted = prepared.tables[0].counted
        single = engine.histories(table, counted, "patient", ordered=False).histories
    ours = prepared.forest.histories

    def listed(histories: Any) -> list[Any]:
        parts = np.split(histories.row_of, histories.first[1:-1])
        return sorted(
            (part.tolist(), count) for part, count in zip(parts, histories.counts.tolist(), strict=True)
        )

    assert listed(ours) == listed(single)


def test_tables_without_a_table_of_persons(tmp_path: Path) -> None:
    """Two kinds of events of the same persons: k persons have the same events of both kinds."""
    draw = random.Random(9)
    events = {
        name: [{"who": f"p{draw.randrange(12)}", "what": draw.choice("ab")} for _ in range(30)]
        for name in ("visits", "claims")
    }
    text = "".join(
        f'[tables.{name}]\npath = "{name}.csv"\nperson = "who"\n'
        f'[tables.{name}.attributes.what]\nrole = "quasi-identifier"\n'
        for name in events
    )
    release = shoal.anonymize_tables(
        written(tmp_path, events, f"{text}[privacy]\nk = 3\n[release]\npath = 'out'")
    )
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, path in release.paths.items():
        for row in read(path):
            found[row["who"]].append((name, row["what"]))
    assert min(Counter(tuple(sorted(each)) for each in found.values()).values()) >= 3


def test_tables_do_not_share_an_order(tmp_path: Path) -> None:
    """With one order, rows that are next to each other in two sources would be in two releases, too."""
    rows = [{"who": f"p{at % 30}", "what": "a", "tag": f"t{at}"} for at in range(90)]
    text = "".join(
        f'[tables.{name}]\npath = "{name}.csv"\nperson = "who"\n[tables.{name}.attributes]\n'
        'what = { role = "quasi-identifier" }\ntag = { role = "other" }\n'
        for name in ("visits", "claims")
    )
    policy = written(tmp_path, {"visits": rows, "claims": rows}, f"{text}[privacy]\nk = 3\n")
    release = shoal.anonymize_tables(policy, path=tmp_path / "out")
    orders = [[row["tag"] for row in read(path)] for path in release.paths.values()]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_a_parent_of_stars_stays_with_its_children_and_goes_without(tmp_path: Path) -> None:
    """Rows that say nothing are not released, unless released rows belong to them."""
    source = drawn(2, 20)
    policy = read_tables_policy(written(tmp_path, source))
    with DuckDB() as engine:
        sources = {each.name: each.source for each in policy.tables}
        histories = prepare(engine, policy, sources, SecretKey.fresh()).forest.histories
    # All patients are released alike, and so are all stays: both read `*`. Drugs keep their names.
    place_of = np.where(histories.table_of == 2, 2 + histories.row_of, histories.table_of).astype(np.int64)
    recoded = recode_tables(histories, Placement(place_of=place_of))
    above = np.where(histories.parent < 0, -1, histories.parent + histories.first[histories.history_of])
    assert [bool(each.stars.all()) for each in recoded.tables] == [True, True, False]
    for row in range(len(histories.row_of)):
        below = np.flatnonzero(above == row)
        assert recoded.kept[row] == (histories.table_of[row] == 2 or bool(recoded.kept[below].any()))
    assert 0 < recoded.suppressed_of(0) < 20
    assert recoded.suppressed_of(2) == 0


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_answers_of_the_search_release_k_equal_persons(seed: int, k: int) -> None:
    """Whatever the persons are, those who are released have k equal trees, and each row its parent."""
    histories = _random_histories(np.random.default_rng(seed))
    assume(len(np.unique(histories.table_of)) == 3)  # a table without rows is refused where it is counted
    assume(histories.persons >= k)
    problem = HistoryProblem(
        histories=histories, promise=Promise(column="x"), k=k, costs=(GeneralLoss(),) * 3
    )
    result = HISTORY_ALGORITHMS["person-groups"]().solve(problem, Budget(nodes=200))
    assert result.placement is not None
    recoded = recode_tables(histories, result.placement)
    least = least_persons(recoded)
    assert least is None or least >= k
    above = np.where(histories.parent < 0, -1, histories.parent + histories.first[histories.history_of])
    assert recoded.kept[above[recoded.kept & (above >= 0)]].all()
    cost = float(recoded.cost(problem.costs))
    assert float(result.bound or 0) - 1e-9 <= cost <= float(result.cost or 0) + 1e-6


def _random_histories(draw: np.random.Generator) -> Histories:
    domain = Domain(name="x", kind="number", values=(1, 2, 3, 4))
    first, table_of, row_of, parent = [0], [], [], []
    for _ in range(int(draw.integers(2, 8))):
        rows = [(0, -1)] + [(1, 0)] * int(draw.integers(0, 4))
        rows += [
            (2, int(draw.integers(1, len(rows))))
            for _ in range(int(draw.integers(0, 4)) if len(rows) > 1 else 0)
        ]
        table_of += [each for each, _ in rows]
        parent += [each for _, each in rows]
        row_of += draw.integers(0, 4, len(rows)).tolist()
        first.append(len(row_of))
    counts = draw.integers(1, 4, len(first) - 1).astype(np.int64)
    persons = np.repeat(counts, np.diff(first))
    tables = tuple(
        with_hierarchies(
            FrequencyTable(
                domains=(domain,),
                codes=np.arange(4, dtype=np.int32)[:, None],
                counts=np.bincount(row_of, persons * (np.array(table_of) == number), 4).astype(np.int64),
            ),
            [shoal.Attribute(name="x", role=shoal.Role.QUASI_IDENTIFIER)],
        )
        for number in range(3)
    )
    return Histories(
        tables=tables,
        first=np.array(first, np.int64),
        table_of=np.array(table_of, np.int32),
        row_of=np.array(row_of, np.int32),
        parent=np.array(parent, np.int32),
        counts=counts,
    )


def _changed(policy: str, old: str, new: str) -> str:
    assert old in policy
    return policy.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('parent = "stays"', 'parent = "stay"', "no table 'stay'.*Did you mean 'stays'"),
        ('parent = "patients"', 'parent = "drugs"', "'drugs', which has no key"),
        ('parent = "patients"\n', "", "a row of one table is a person"),
        ('key = "patient"\n', 'key = "patient"\nparent = "stays"\n', "parents of each other"),
        ('key = "patient"\n', "", "has no key"),
        ("k = 2", 'k = 2\nknown_events = 2', "the only promise"),
        ("k = 2", 'k = 2\nentity = "patient"', "entity is for a single table"),
        ("[privacy]", '[source]\npath = "x.csv"\n[privacy]', r"\[source\] is for a single table"),
        ('drug]\nrole = "quasi-identifier"', "drug]", "at least one quasi"),
        ('parent = "stays"', 'parent = "stays"\nkind = "x"', "unknown key in .tables.drugs.: 'kind'"),
        ("[tables.stays.attributes.ward]", "[tables.stays.attributes.patient]", "links tables"),
        ('path = "release"', 'path = "release.csv"', "released to a folder"),
    ],
)  # fmt: skip
def test_policies_that_make_no_sense_are_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    """What is wrong with tables and keys is said, with the way out."""
    policy = written(tmp_path, drawn(0), _changed(POLICY, old, new))
    with pytest.raises(shoal.PolicyError, match=words):
        shoal.anonymize_tables(policy)
    assert not (tmp_path / "release").exists()


def _without_patient(tables: Tables) -> None:
    tables["patients"].pop(int(tables["stays"][0]["patient"][1:]))


def _repeated_key(tables: Tables) -> None:
    tables["stays"][1]["stay"] = tables["stays"][0]["stay"]


def _missing_key(tables: Tables) -> None:
    tables["drugs"][0]["stay"] = ""


def _other_patient(tables: Tables) -> None:
    tables["drugs"][0]["patient"] = next(
        row["patient"] for row in tables["patients"] if row["patient"] != tables["drugs"][0]["patient"]
    )


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            _without_patient,
            "'stays': .* row.s. have a value in column 'patient' that no row of 'patients' has",
        ),
        (_repeated_key, "'stays': 1 value.s. of its key 'stay' are in several rows, 2 in all"),
        (_missing_key, "'drugs': 1 row.s. have no value in column 'stay'"),
        (_other_patient, "'drugs': in 1 row.s. column 'patient' names another row of 'patients'"),
    ],
)
def test_keys_that_do_not_hold_are_counted_and_never_quoted(tmp_path: Path, spoil: Any, words: str) -> None:
    """Bad keys are named by table, column and number of rows; no value is shown."""
    tables = drawn(4, 10)
    spoil(tables)
    with pytest.raises(shoal.PolicyError, match=words) as raised:
        shoal.anonymize_tables(written(tmp_path, tables))
    assert not any(row["patient"] in str(raised.value).split() for row in tables["patients"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "drugs.csv",
        "patients.csv",
        "policy.toml",
        "stays.csv",
    ]


@pytest.mark.parametrize("failure", ["orphans", "killed"])
def test_a_release_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    """If a parent row is lost in writing, or the run is ended, the earlier release stays as it was."""
    policy = written(tmp_path, drawn(6, 12))
    first = shoal.anonymize_tables(policy)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    right = DuckDB.write_rows

    def wrong(self: DuckDB, source: Any, new: Any, rows: Any, dropped: Any, place: Any) -> Any:
        if place.name == "drugs.csv" and failure == "killed":
            raise KeyboardInterrupt
        lost = rows[1:] if place.name == "patients.csv" and failure == "orphans" else rows
        return right(self, source, new, lost, dropped, place)

    monkeypatch.setattr(DuckDB, "write_rows", wrong)
    with pytest.raises(shoal.AuditError if failure == "orphans" else KeyboardInterrupt):
        shoal.anonymize_tables(policy)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert shoal.audit_tables(first.path or "").meets


def test_a_folder_is_audited_by_its_policy_or_its_manifest(tmp_path: Path) -> None:
    """Both say the same of a release; a changed file is noticed, and a released original fails."""
    source = drawn(7, 16)
    policy = written(tmp_path, source)
    shoal.anonymize_tables(policy)
    by_policy = shoal.audit_tables(tmp_path / "release", policy=policy)
    by_manifest = shoal.audit_tables(tmp_path / "release")
    assert by_policy.meets
    assert by_policy.to_dict() == by_manifest.to_dict()
    assert "fewest persons" in by_policy._repr_html_()
    original = tmp_path / "original"
    original.mkdir()
    for name in source:
        (original / f"{name}.csv").write_bytes((tmp_path / f"{name}.csv").read_bytes())
        (tmp_path / "release" / f"{name}.csv").write_bytes((tmp_path / f"{name}.csv").read_bytes())
    told = shoal.audit_tables(original, policy=policy)
    sizes = trees(source)
    assert not told.meets
    assert told.measured.alone == sum(size == 1 for size in sizes.values())
    assert "not those that the manifest describes" in " ".join(
        shoal.audit_tables(tmp_path / "release").failures
    )
    with pytest.raises(shoal.PolicyError, match="no manifest of several tables"):
        shoal.audit_tables(original)


def test_data_frames_give_data_frames(tmp_path: Path) -> None:
    """Tables that are handed over are handed out, of the same kind and with the same keys throughout."""
    pandas = pytest.importorskip("pandas")
    source = drawn(8, 14)
    frames = {name: pandas.DataFrame(rows) for name, rows in source.items()}
    release = shoal.anonymize_tables(written(tmp_path, source), tables=frames)
    found = {name: frame.to_dict("records") for name, frame in release.data.items()}
    assert min(trees(found).values()) >= 2
    assert {row["stay"] for row in found["drugs"]} <= {row["stay"] for row in found["stays"]}
    assert release.path is None
    assert "k across the tables" in release._repr_html_()
    assert not (tmp_path / "release").exists()


def test_other_commands_say_that_they_take_one_table(tmp_path: Path) -> None:
    """A policy for several tables is not mistaken for one of a single table."""
    with pytest.raises(shoal.PolicyError, match="policy for several tables"):
        shoal.read_policy(written(tmp_path, drawn(0)))


def test_the_command_line_releases_and_audits(tmp_path: Path) -> None:
    """One command writes the folder, another measures it; a row that is gone afterwards fails with exit 5."""
    written(tmp_path, drawn(10, 16))
    made = command(tmp_path, "anonymize", "policy.toml", "--json", "--nodes", "100")
    assert made.returncode == 0, made.stderr
    facts = json.loads(made.stdout)
    assert facts == json.loads((tmp_path / "release.manifest.json").read_text(encoding="utf-8"))
    assert facts["audit"]["holds"]
    assert facts["audit"]["persons-sharing"] >= 2
    assert "share the same rows in all of them" in made.stderr
    for flags in ([], ["--policy", "policy.toml"]):
        held = command(tmp_path, "audit", "release", *flags)
        assert held.returncode == 0, held.stderr
        assert "keys hold" in held.stderr
    stays = (tmp_path / "release" / "stays.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "release" / "stays.csv").write_text("\n".join(stays[:-1]) + "\n", encoding="utf-8")
    failed = command(tmp_path, "audit", "release", "--policy", "policy.toml")
    assert failed.returncode == 5, failed.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("anonymize", "policy.toml", "--report", "page.html"), "leave out --report"),
        (("anonymize", "policy.toml", "--entity", "patient"), "leave out --entity"),
        (("anonymize", "policy.toml", "--ledger", "ledger.jsonl"), "ledger is for a single table"),
        (
            ("audit", "release", "--policy", "policy.toml", "--original", "x.csv"),
            "is for a single table",
        ),
        (("risk", "patients.csv", "--policy", "policy.toml"), "a policy for several tables"),
        (("explain", "policy.toml"), "a policy for several tables"),
    ],
)
def test_commands_refuse_what_is_for_one_table(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Nothing is dropped in silence."""
    written(tmp_path, drawn(0))
    refused = command(tmp_path, *arguments)
    assert refused.returncode == 2, refused.stderr
    assert words in refused.stderr
