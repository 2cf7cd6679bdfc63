"""The engine's measure of histories agrees with a plain reader that shares no code with it."""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas
import pytest

from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.sql import known_events
from shoal.errors import PolicyError
from shoal.model.history.measured_histories import MeasuredEvents, MeasuredHistories

QUASI = ["ward", "month"]
EVENTS = (1, 2, 3)


@pytest.fixture
def engine() -> Iterator[DuckDB]:
    with DuckDB() as opened:
        yield opened


def plainly_measured(path: Path, quasi: Sequence[str], *, ordered: bool, k: int) -> MeasuredHistories:
    """The definitions, by Python's csv reader and counters."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    of_person: dict[str, list[tuple[str, ...]]] = {}
    for line in lines:
        of_person.setdefault(line["person"], []).append(tuple(line[name] for name in quasi))
    if not ordered:
        of_person = {person: sorted(rows) for person, rows in of_person.items()}
    rows_of = {person: {row for row in rows if set(row) != {"*"}} for person, rows in of_person.items()}
    by_row = Counter(row for rows in rows_of.values() for row in rows)
    by_history = Counter(tuple(rows) for rows in of_person.values())
    shared = [by_history[tuple(rows)] for rows in of_person.values()]
    return MeasuredHistories(
        k=k,
        ordered=ordered,
        persons=len(of_person),
        rows=len(lines),
        fewest_per_row=min(by_row.values(), default=None),
        persons_in_small_groups=sum(any(by_row[row] < k for row in rows) for rows in rows_of.values()),
        histories=len(by_history),
        fewest_per_history=min(shared, default=None),
        persons_alone=sum(each == 1 for each in shared),
        persons_below=sum(each < k for each in shared),
        sizes=tuple(sorted(Counter(by_history.values()).items())),
        known=tuple(plainly_known(list(of_person.values()), events, k) for events in EVENTS),
    )


def plainly_known(histories: Sequence[Sequence[tuple[str, ...]]], events: int, k: int) -> MeasuredEvents:
    """All combinations of all sizes, of every person."""
    parts = [
        {each for size in range(1, events + 1) for each in itertools.combinations(rows, size)}
        for rows in histories
    ]
    have = Counter(part for every in parts for part in every)
    return MeasuredEvents(
        events=events,
        fewest=min(have.values(), default=None),
        persons_below=sum(any(have[part] < k for part in every) for every in parts),
    )


def written(path: Path, seed: int) -> Path:
    """A random table of a few persons, whose cells need quotes, are missing, or read `*`."""
    chance = random.Random(seed)
    wards = ["A", "B", 'say "C"', "D, east", "", "*", "line\nbreak"][: chance.randint(1, 7)]
    months = ["1", "2", "01", "", "*"][: chance.randint(1, 5)]
    persons = [*(f"p{each}" for each in range(chance.randint(1, 9))), *[""] * chance.randint(0, 1)]
    most = chance.choice([1, 2, 4, 6])
    rows = [
        [person, chance.choice(wards), chance.choice(months), "x"]
        for person in persons
        for _ in range(chance.randint(1, most))
    ]
    if chance.random() < 0.5:
        # Copies of persons, so that some histories are shared.
        rows += [[row[0] + "b" if row[0] else "c", *row[1:]] for row in rows]
    chance.shuffle(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["person", *QUASI, "other"], *rows])
    return path


@pytest.mark.parametrize("start", range(0, 200, 25))
def test_measure_agrees_with_a_plain_reader(start: int, tmp_path: Path, engine: DuckDB) -> None:
    """On random tables all numbers are those of the definitions, with and without the order of rows."""
    for seed in range(start, start + 25):
        path = written(tmp_path / f"{seed}.csv", seed)
        ordered, k = seed % 2 == 0, 2 + seed // 2 % 2
        expected = plainly_measured(path, QUASI, ordered=ordered, k=k)
        found = engine.measure_histories(path, QUASI, "person", known_events=EVENTS, ordered=ordered, k=k)
        assert found == expected, f"seed {seed}"


def test_counting_in_parts_changes_nothing(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Combinations that are counted in many parts give the same numbers, and so do long histories."""
    monkeypatch.setattr(known_events, "AT_ONCE", 5)
    monkeypatch.setattr(known_events, "LONG", 2)
    for seed in range(300, 315):
        path = written(tmp_path / f"{seed}.csv", seed)
        expected = plainly_measured(path, QUASI, ordered=seed % 2 == 0, k=3)
        found = engine.measure_histories(
            path, QUASI, "person", known_events=EVENTS, ordered=seed % 2 == 0, k=3
        )
        assert found == expected, f"seed {seed}"


def test_one_person_with_very_many_rows_is_no_trouble(engine: DuckDB) -> None:
    """Equal rows in succession are looked at only as often as rows are known."""
    rows = 20_000
    frame = pandas.DataFrame({"person": ["p"] * rows + ["q"] * 3, "ward": ["A"] * (rows + 2) + ["B"]})
    for ordered in (False, True):
        found = engine.measure_histories(frame, ["ward"], "person", known_events=(2,), ordered=ordered, k=2)
        # B is a row of q alone; of p's rows two are known at most, and q has as many.
        assert found.known == (MeasuredEvents(events=2, fewest=1, persons_below=1),)


def test_the_order_of_a_large_file_is_kept(tmp_path: Path, engine: DuckDB) -> None:
    """Many threads read a file, and sequences are still those of the file."""
    rows = range(600_000)
    frame = pandas.DataFrame(
        {"person": [each % 1000 for each in rows], "ward": [each // 1000 for each in rows]}
    )
    path = tmp_path / "large.parquet"
    frame.to_parquet(path, row_group_size=10_000)
    found = engine.measure_histories(path, ["ward"], "person", known_events=(), ordered=True, k=5)
    assert (found.persons, found.histories, found.fewest_per_history) == (1000, 1, 1000)


def test_files_and_frames_are_measured_alike(tmp_path: Path, engine: DuckDB) -> None:
    """A Parquet file and a data frame give the numbers of the CSV file."""
    for seed in range(400, 405):
        path = written(tmp_path / f"{seed}.csv", seed)
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False).replace("", None)
        parquet = tmp_path / f"{seed}.parquet"
        frame.to_parquet(parquet)
        expected = plainly_measured(path, QUASI, ordered=True, k=2)
        for source in (frame, parquet):
            found = engine.measure_histories(source, QUASI, "person", known_events=EVENTS, ordered=True, k=2)
            assert found == expected, f"seed {seed}"


def test_missing_and_empty_marks_are_one_person(tmp_path: Path, engine: DuckDB) -> None:
    """Rows without a mark are rows of one person, whether the mark is empty or missing."""
    path = tmp_path / "marks.csv"
    path.write_text('person,ward\n,A\n"",B\nx,A\n', encoding="utf-8")
    found = engine.measure_histories(path, ["ward"], "person", known_events=(), ordered=False, k=2)
    assert (found.persons, found.histories, found.persons_alone) == (2, 2, 2)
    frame = pandas.DataFrame({"person": [None, "", "x"], "ward": ["A", "B", "A"]})
    assert engine.measure_histories(frame, ["ward"], "person", known_events=(), ordered=False, k=2) == found


def test_too_many_combinations_are_not_counted(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the limit the number of combinations is reported in place of a measure."""
    monkeypatch.setattr(known_events, "MOST_COMBINATIONS", 40)
    path = tmp_path / "many.csv"
    lines = [f"{person},{row}" for person in "ab" for row in range(6)]
    path.write_text("\n".join(["person,ward", *lines]), encoding="utf-8")
    found = engine.measure_histories(path, ["ward"], "person", known_events=(1, 3), ordered=False, k=2)
    # Two persons share the one history, and are counted as one.
    assert found.known == (
        MeasuredEvents(events=1, fewest=2),
        MeasuredEvents(events=3, too_many=6 + 15 + 20),
    )


def test_tables_in_other_databases_are_refused(engine: DuckDB, tmp_path: Path) -> None:
    """Only DuckDB measures histories; the refusal says what to do."""
    path = written(tmp_path / "t.csv", 1)

    class Elsewhere:
        session, about = object(), "stays"

    from shoal.engines.sql.measuring_histories import histories_measured

    with pytest.raises(PolicyError, match=r"write the table to a file"):
        histories_measured(Elsewhere(), QUASI, "person", known_events=(), ordered=False, k=2)  # type: ignore[arg-type]
    assert path.exists()
