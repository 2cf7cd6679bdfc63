"""What a release holds: the recoding applied to every row, and everything else as it was."""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.files.private_folder import LOCK, PrivateFolder, remove_stale
from shoal.model.policy.policy_arguments import policy_of
from tests.agreement.thoroughness import examples
from tests.paper_setting import as_in_the_paper
from tests.unit.conftest import FILES, FRAMES, PEOPLE, Columns, load, store

small_cells = {
    "number": st.none() | st.integers(-2, 2),
    "text": st.none() | st.sampled_from(["a", "b", "*", "{a, b}", "missing", "x,y", 'q"q', "{*}"]),
}
tables = st.integers(1, 10).flatmap(
    lambda rows: st.fixed_dictionaries(
        {
            "number": st.lists(small_cells["number"], min_size=rows, max_size=rows),
            "text": st.lists(small_cells["text"], min_size=rows, max_size=rows),
            "kept": st.lists(st.sampled_from(["u", "v", "02", "1.50"]), min_size=rows, max_size=rows),
        }
    )
)


def by_a_plain_loop(columns: Columns, manifest: shoal.Manifest, *, masked: bool) -> list[tuple[Any, ...]]:
    """The release that the manifest's recoding means, row by row."""
    labels = {
        name: {value: interval["label"] for interval in intervals for value in interval["values"]}
        for name, intervals in manifest.recoding.items()
    }
    for name, intervals in manifest.recoding.items():
        if [interval["label"] for interval in intervals] == ["*"]:  # it names no value, and is true of all
            labels[name] = dict.fromkeys(columns[name], "*")
    rows = list(zip(*columns.values(), strict=True))
    # A value that the manifest does not have is one that only suppressed rows had.
    recoded = [
        (labels["number"][number], labels["text"][text])
        if number in labels["number"] and text in labels["text"]
        else None
        for number, text, _ in rows
    ]
    sizes = Counter(recoded)
    released = []
    for group, (_, _, kept) in zip(recoded, rows, strict=True):
        if group is not None and sizes[group] >= manifest.k:
            number, text = group
            released.append((number, text, kept))
        elif masked:
            released.append(("*", "*", None))
    return released


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
@settings(max_examples=examples(25), deadline=None)
@given(
    columns=tables, k=st.integers(1, 4), masked=st.booleans(), suppression=st.sampled_from([0, "unlimited"])
)
def test_release_is_the_recoding_applied_by_a_plain_loop(
    kind: str, columns: Columns, k: int, masked: bool, suppression: int | str
) -> None:
    """For every kind of source: the same rows, in the same order, with labels that never collide."""
    columns = {name: columns[name] for name in ("number", "text", "kept")}
    k = min(k, len(columns["kept"]))
    with tempfile.TemporaryDirectory() as folder:
        source = store(kind, columns, Path(folder))
        path = Path(folder) / f"release.{kind}" if kind in FILES else None
        release = shoal.anonymize(
            source,
            quasi_identifiers=["number", "text"],
            types={"number": "number", "text": "category"},
            k=k,
            suppression=suppression,
            suppressed="mask" if masked else "drop",
            path=path,
            algorithm="exhaustive",
        )
        released = load(path if path is not None else release.data)
    assert list(released) == ["number", "text", "kept"]
    as_text = [
        tuple(None if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row)
        for row in zip(*released.values(), strict=True)
    ]
    assert as_text == by_a_plain_loop(columns, release.manifest, masked=masked)
    assert release.verdict.holds


def release_of(source: Any, folder: Path, kind: str = "csv", **arguments: Any) -> Columns:
    """The released columns."""
    path = folder / f"release.{kind}"
    asked = {"quasi_identifiers": ["age"], "k": 2, "algorithm": "exhaustive", **arguments}
    release = shoal.anonymize(source, **as_in_the_paper(path=path if kind in FILES else None, **asked))
    return load(path if kind in FILES else release.data)


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
def test_every_kind_of_source_gives_the_same_release(kind: str, tmp_path: Path) -> None:
    """Recoded, dropped and kept columns are the same, in the source's order."""
    released = release_of(
        store(kind, PEOPLE, tmp_path), tmp_path, kind, quasi_identifiers=["age", "zip"], identifiers=["name"]
    )
    assert released == {
        "age": ["*"] * 6,
        "zip": ["{02138, 02139}"] * 3 + ["10001"] * 3,
        "pay": PEOPLE["pay"],
    }


def test_untouched_columns_come_out_as_they_went_in(people: Path, tmp_path: Path) -> None:
    """Leading zeros, trailing zeros and all other columns survive a CSV file."""
    released = release_of(people, tmp_path)
    assert {name: released[name] for name in ("name", "zip", "pay")} == {
        name: PEOPLE[name] for name in ("name", "zip", "pay")
    }
    assert list(released) == list(PEOPLE)


def test_a_column_that_loses_nothing_keeps_its_type(tmp_path: Path, sql: Any) -> None:
    """A Parquet column whose intervals are single values stays a column of numbers; others become text."""
    source = store(
        "parquet", {"age": [1, 1, 2, 2], "pay": [1.5, 2.5, 3.5, 4.5], "zip": [1, 1, 1, 2]}, tmp_path
    )
    path = tmp_path / "release.parquet"
    shoal.anonymize(
        source, quasi_identifiers=["age", "zip"], k=2, suppression=0, path=path, algorithm="exhaustive"
    )
    types = dict(row[:2] for row in sql(f"DESCRIBE SELECT * FROM '{path}'"))
    assert types == {"age": "BIGINT", "pay": "DOUBLE", "zip": "VARCHAR"}


def test_two_spellings_of_one_number_are_released_as_one(write: Any, tmp_path: Path) -> None:
    """Kept as they were, "1" and "1.0" would tell the rows of one group apart."""
    source = write("age,x\n1,a\n1.0,b\n2,c\n2,d\n")
    assert release_of(source, tmp_path, k=2, suppression=0)["age"] == ["1", "1", "2", "2"]


def test_one_zero_and_one_missing_value_are_released(tmp_path: Path, sql: Any) -> None:
    """0.0 and -0.0, NaN and NULL would tell the rows of one group apart."""
    source = tmp_path / "source.parquet"
    duckdb.sql(
        f"COPY (SELECT * FROM (VALUES (0.0::DOUBLE), (-0.0), ('nan'), (NULL)) t(age)) "
        f"TO '{source}' (FORMAT parquet)"
    )
    path = tmp_path / "release.parquet"
    shoal.anonymize(source, quasi_identifiers=["age"], k=2, suppression=0, path=path, algorithm="exhaustive")
    assert sql(f"SELECT CAST(age AS VARCHAR) FROM '{path}'") == [("0.0",), ("0.0",), (None,), (None,)]


def test_a_masked_row_carries_no_information(write: Any, tmp_path: Path) -> None:
    """Its quasi-identifiers read `*` and all its other cells are missing."""
    source = write("age,sex,illness\n1,f,flu\n1,f,cold\n9,m,rare\n")
    released = release_of(source, tmp_path, quasi_identifiers=["age", "sex"], suppressed="mask")
    rows = list(zip(*released.values(), strict=True))
    assert rows == [("1", "f", "flu"), ("1", "f", "cold"), ("*", "*", None)]


def test_a_literal_star_is_not_taken_for_a_suppressed_cell(write: Any, tmp_path: Path) -> None:
    """It is printed as the set of itself."""
    source = write("age\n*\n*\n1\n1\n")
    assert release_of(source, tmp_path, k=2, suppression=0)["age"] == ["{*}", "{*}", "1", "1"]


def test_missing_values_are_a_value_of_their_own(write: Any, tmp_path: Path) -> None:
    """Rows without an age are neither dropped nor put with others when they are many enough."""
    source = write("age,x\n1,a\n,b\n1,c\n,d\n")
    released = release_of(source, tmp_path, k=2, suppression=0)
    assert released == {"age": ["1", None, "1", None], "x": ["a", "b", "c", "d"]}


def test_quoted_empty_fields_are_missing_too(write: Any, tmp_path: Path) -> None:
    """A file that quotes every field still has numbers, and its missing cells are one value."""
    source = write('"age","x"\n"1","a"\n"","b"\n"1",""\n,"d"\n')
    released = release_of(source, tmp_path, k=2, suppression=0)
    assert released["age"] == ["1", None, "1", None]
    assert '"d"' not in (tmp_path / "release.csv").read_text()


def test_bins_are_released_as_intervals(write: Any, tmp_path: Path) -> None:
    """Numbers are put into bins first, below zero too."""
    source = write("age\n-1\n-5\n0\n4\n23\n24\n")
    assert release_of(source, tmp_path, k=2, suppression=0, bins={"age": 5})["age"] == [
        "[-5, -1]",
        "[-5, -1]",
        "[0, 4]",
        "[0, 4]",
        "[20, 24]",
        "[20, 24]",
    ]


def test_an_explicit_order_decides_which_sets_exist(write: Any, tmp_path: Path) -> None:
    """Values of the order that are not in the data leave no trace."""
    source = write("size\nL\nS\nM\nL\nXL\n")
    released = release_of(
        source,
        tmp_path,
        quasi_identifiers=["size"],
        k=2,
        suppression=0,
        orders={"size": ["XS", "S", "M", "L", "XL"]},
    )
    assert released["size"] == ["{L, XL}", "{S, M}", "{S, M}", "{L, XL}", "{L, XL}"]


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_a_hierarchy_gives_order_and_names(write: Any, tmp_path: Path, delimiter: str) -> None:
    """A set that a label covers exactly is printed by the label; so is everything, which tells nothing."""
    lines = ["Rome;South;*", "Athens;South;*", "Oslo;North;*", "Turku;North;*"]
    hierarchy = write("\n".join(lines).replace(";", delimiter), "city.txt")
    source = write("city\nOslo\nRome\nTurku\nAthens\n")
    released = release_of(
        source, tmp_path, quasi_identifiers=["city"], k=2, suppression=0, hierarchies={"city": hierarchy}
    )
    assert released["city"] == ["North", "South", "North", "South"]
    one = release_of(source, tmp_path, quasi_identifiers=["city"], k=4, hierarchies={"city": hierarchy})
    assert set(one["city"]) == {"*"}


def test_dates_are_released_as_intervals(write: Any, tmp_path: Path) -> None:
    """ISO dates are found without being told."""
    source = write("day\n2024-01-31\n2024-02-01\n2024-03-01\n2024-03-01\n")
    assert release_of(source, tmp_path, quasi_identifiers=["day"], k=2, suppression=0)["day"] == [
        "[2024-01-31, 2024-02-01]",
        "[2024-01-31, 2024-02-01]",
        "2024-03-01",
        "2024-03-01",
    ]


@pytest.mark.parametrize(
    "content", ["age;x\n1;a,b\n1;c\n", "\ufeffage,x\n1,a\n1,c\n", "age,x\r\n1,a\r\n1,c\r\n"]
)
def test_common_dialects_of_csv_are_read(write: Any, tmp_path: Path, content: str) -> None:
    """Semicolons, byte order marks and the line ends of Windows."""
    source = write(content)
    shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive")
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == ("age;x" if ";" in content else "age,x")


def test_gzipped_sources_and_releases_work(tmp_path: Path) -> None:
    """By their names."""
    release = shoal.anonymize(
        shoal.datasets.adult_path(),
        quasi_identifiers=["sex", "race"],
        k=10,
        path=tmp_path / "r.csv.gz",
        algorithm="exhaustive",
    )
    assert (tmp_path / "r.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert release.manifest.rows == 30162


def test_signs_in_a_path_are_no_pattern(tmp_path: Path) -> None:
    """Brackets and stars in a folder's name are not expanded, and `year=2024` adds no column."""
    folder = tmp_path / "year=2024" / "a[b]*"
    folder.mkdir(parents=True)
    for kind in FILES:
        assert list(release_of(store(kind, PEOPLE, folder), folder, kind)) == list(PEOPLE)


def test_many_attributes_with_many_values_fit_the_keys_of_groups(write: Any, tmp_path: Path) -> None:
    """Group keys are split where their product would leave 64 bits."""
    from shoal.engines.sql.recoding import chunks_of

    chunks = chunks_of([1000] * 10)
    assert [len(chunk) for chunk in chunks] == [6, 4]
    assert all(stride * 1000 <= 2**62 for chunk in chunks for _, stride in chunk)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("threads", [1, 2])
def test_same_request_gives_the_same_bytes(kind: str, threads: int, tmp_path: Path) -> None:
    """Twice, and whatever the threads; row order is the source's."""
    source = tmp_path / f"source.{kind}"
    options = {"csv": "FORMAT csv", "tsv": "FORMAT csv, DELIMITER '\t'", "parquet": "FORMAT parquet"}[kind]
    duckdb.sql(f"COPY (SELECT i % 7 AS age, i AS id FROM range(300000) t(i)) TO '{source}' ({options})")
    written = []
    for run in range(2):
        path = tmp_path / f"release{run}.{kind}"
        shoal.anonymize(
            source,
            quasi_identifiers=["age"],
            k=2,
            path=path,
            threads=threads * (run + 1),
            algorithm="exhaustive",
        )
        written.append(path.read_bytes())
    assert written[0] == written[1]
    ids = [int(cell) for cell in load(path)["id"]]
    assert ids == list(range(300000))


def test_a_second_call_knows_nothing_of_the_first(people: Path, tmp_path: Path) -> None:
    """Neither in one process nor on one engine."""
    first = release_of(people, tmp_path)
    release_of(people, tmp_path, quasi_identifiers=["zip"], k=3)
    assert release_of(people, tmp_path) == first
    with shoal.DuckDB() as engine:
        assert release_of(people, tmp_path, engine=engine) == first
        release_of(people, tmp_path, quasi_identifiers=["zip"], engine=engine)
        assert release_of(people, tmp_path, engine=engine) == first


def test_an_engine_spills_within_its_limits_and_leaves_nothing(people: Path, tmp_path: Path) -> None:
    """The folder for spilling is private, and gone at the end."""
    spill = tmp_path / "spill"
    spill.mkdir()
    with shoal.DuckDB(memory="200MB", temp_directory=spill) as engine:
        release_of(people, tmp_path, engine=engine)
        (folder,) = spill.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
    assert list(spill.iterdir()) == []
    with pytest.raises(shoal.PolicyError, match="memory"):
        shoal.DuckDB(memory="lots")


def test_the_cost_of_a_class_counts_labels_and_missing_ones(write: Any, tmp_path: Path) -> None:
    """A missing class label is a label of its own."""
    source = write("age,pay\n1,low\n1,\n1,\n2,high\n2,high\n")
    release = shoal.anonymize(
        source,
        quasi_identifiers=["age"],
        class_attribute="pay",
        cost="classification",
        k=2,
        path=tmp_path / "r.csv",
        algorithm="exhaustive",
    )
    assert release.manifest.cost == 1


@pytest.mark.parametrize(
    ("cells", "bins", "released"),
    [
        (["9007199254740993.0", "9007199254740993"], {}, "9007199254740993"),
        (
            ["1152921504606846977", "1152921504606846978"],
            {"age": 5.0},
            "[1152921504606846975, 1152921504606846979]",
        ),
        (["9" * 5000, "9" * 400], {}, "{" + "9" * 400 + ", " + "9" * 5000 + "}"),
        (
            ["2024-01-01 00:00:00.0000001", "2024-01-01 00:00:00.0000002"],
            {},
            "{2024-01-01 00:00:00.0000001, 2024-01-01 00:00:00.0000002}",
        ),
    ],
)
def test_no_digit_is_lost_on_the_way(
    write: Any, tmp_path: Path, cells: list[str], bins: dict[str, float], released: str
) -> None:
    """Large numbers, their bins and fine moments are released true."""
    other = "2023-01-01 00:00:00.0000001" if "-" in cells[0] else "1"
    source = write("age,x\n" + "".join(f"{cell},a\n" for cell in [*cells, other, other]))
    assert release_of(source, tmp_path, k=2, suppression=0, bins=bins)["age"][:2] == [released] * 2


@pytest.mark.parametrize(
    ("cells", "other"),
    [
        ("INTERVAL '1 month', INTERVAL '30 days'", "INTERVAL '9 days'"),
        ("[0.0::DOUBLE], [-0.0::DOUBLE]", "[9.0]"),
    ],
)
def test_cells_that_the_engine_holds_for_equal_are_told_apart(
    cells: str, other: str, tmp_path: Path, sql: Any
) -> None:
    """A month and 30 days are equal to DuckDB; a reader of the file sees two values."""
    source, target = tmp_path / "s.parquet", tmp_path / "r.parquet"
    sql(f"COPY (SELECT unnest([{cells}, {other}, {other}]) AS age) TO '{source}' (FORMAT parquet)")
    release = shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    assert release.verdict.k == 2
    assert len(set(load(target)["age"])) == 2
    assert load(target)["age"][0].startswith("{")


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ('age,"b;c;d"', ","),
        ("age;b,c", ";"),
        ("age\tb|c|d|e", "\t"),
        ('"a""b;--",age', ","),
        ('age,"x\'); DROP TABLE t; --"', ","),
    ],
)
def test_signs_in_names_are_part_of_them(header: str, delimiter: str, write: Any, tmp_path: Path) -> None:
    """The delimiter is the one that fits the rows too, and no name is taken for SQL."""
    source = write(f"{header}\n1{delimiter}1\n1{delimiter}1\n")
    target = tmp_path / "release.csv"
    shoal.anonymize(source, quasi_identifiers=["age"], k=2, path=target, algorithm="exhaustive")
    first = (tmp_path / "release.csv").read_text().splitlines()[0]
    assert next(csv.reader([first], delimiter=delimiter)) == next(csv.reader([header], delimiter=delimiter))


def test_a_relative_path_is_no_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be called ~x.csv."""
    monkeypatch.chdir(tmp_path)
    Path("~x.csv").write_text("age\n1\n1\n")
    shoal.anonymize("~x.csv", quasi_identifiers=["age"], k=2, path="~r.csv", algorithm="exhaustive")
    assert (tmp_path / "~r.csv").read_text() == "age\n1\n1\n"


def test_nothing_tells_a_value_that_only_suppressed_rows_had(tmp_path: Path) -> None:
    """Neither the labels nor the manifest show the age of the one old person who was suppressed."""
    source = tmp_path / "people.csv"
    source.write_text("age,sex\n30,F\n30,F\n99,X\n")
    release = shoal.anonymize(
        source,
        cost="discernibility",
        algorithm="exact",
        quasi_identifiers=["age", "sex"],
        k=2,
        suppression=1,
        path=tmp_path / "release.csv",
    )
    assert release.manifest.suppressed == 1
    assert release.manifest.recoding == {
        "age": [{"label": "30", "values": [30]}],
        "sex": [{"label": "F", "values": ["F"]}],
    }
    assert (tmp_path / "release.csv").read_text() == "age,sex\n30,F\n30,F\n"


def test_parquet_bytes_do_not_depend_on_threads(tmp_path: Path) -> None:
    """Also when rows are dropped and several row groups are written."""
    source = tmp_path / "many.parquet"
    duckdb.sql(
        "COPY (SELECT hash(range) % 1000 AS age, range AS other FROM range(400000) "
        f"UNION ALL SELECT 1000, 0) TO '{source}'"
    )
    written = set()
    for threads in (1, 2, 4):
        target = tmp_path / f"release{threads}.parquet"
        shoal.anonymize(source, quasi_identifiers=["age"], k=300, path=target, threads=threads, nodes=1)
        written.add(target.read_bytes())
    assert len(written) == 1


def test_arguments_beside_a_policy_are_refused() -> None:
    """One that was silently ignored could leave an identifier in the release."""
    frame = pandas.DataFrame({"name": ["x", "y"], "age": [1, 1]})
    policy = policy_of(quasi_identifiers=["age"], k=2)
    with pytest.raises(shoal.PolicyError, match="identifiers, cost"):
        shoal.anonymize(frame, policy, identifiers=["name"], cost="general-loss")


def test_folders_of_killed_runs_are_removed_and_those_of_living_ones_are_not(tmp_path: Path) -> None:
    """A lock that can be had belongs to nobody."""
    killed = tmp_path / "shoal-killed"
    killed.mkdir()
    (killed / LOCK).touch()
    (killed / "spill").write_text("rows")
    living = PrivateFolder(tmp_path)
    assert not killed.exists()
    other = PrivateFolder(tmp_path)
    assert living.path.exists()
    living.remove()
    other.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither pipes of this kind nor owners")
def test_what_others_put_next_to_private_folders_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In /dev/shm anybody can: a pipe holds nobody up, a link creates and removes nothing."""
    piped, linked, link = (tmp_path / f"shoal-{name}" for name in ("piped", "linked", "link"))
    kept = tmp_path / "kept"
    for folder in (piped, linked, kept):
        folder.mkdir()
    os.mkfifo(piped / LOCK)
    (linked / LOCK).symlink_to(tmp_path / "created")
    (kept / LOCK).touch()
    link.symlink_to(kept)
    remove_stale(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"shoal-piped", "shoal-linked", "shoal-link", "kept"}
    assert (kept / LOCK).exists()
    of_another = tmp_path / "shoal-other"
    of_another.mkdir()
    (of_another / LOCK).touch()
    monkeypatch.setattr(os, "getuid", lambda: of_another.stat().st_uid + 1)
    remove_stale(tmp_path)
    assert of_another.exists()
    monkeypatch.undo()
    remove_stale(tmp_path)
    assert not of_another.exists()


def test_with_a_hierarchy_general_loss_counts_its_leaves_seen_or_not(write: Any, tmp_path: Path) -> None:
    """Of five leaves a and c are seen; the set of the two leaves one of four steps in each row."""
    source = write("letter\na\nc\n")
    hierarchy = tmp_path / "letter.csv"
    hierarchy.write_text("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\n")
    release = shoal.anonymize(
        source,
        consistent=True,
        quasi_identifiers=["letter"],
        hierarchies={"letter": hierarchy},
        k=2,
        cost="general-loss",
        suppression=0,
        path=tmp_path / "release.csv",
    )
    assert release.manifest.cost == 0.25
    by_level = shoal.anonymize(
        source,
        quasi_identifiers=["letter"],
        hierarchies={"letter": hierarchy},
        k=2,
        cost="general-loss",
        suppression=0,
        algorithm="lattice",
        path=tmp_path / "by-level.csv",
    )
    assert by_level.manifest.recoding == {"letter": {"level": 1}}
    assert by_level.manifest.cost == 0.5, "x also stands for b"
