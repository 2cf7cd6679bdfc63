"""The case that asked for promises about people: nobody is left alone by the rows that can be linked.

Of 5,912 persons with 20,190 rows, thousands were alone by the sequence of their released quasi-identifiers,
although every row hid among those of five persons. Counted by a plain reader of the written file.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.histories.stand_in import PERSONS, QUASI_IDENTIFIERS, ROWS, write_panel

K = 5


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("panel") / "panel.csv"
    write_panel(path)
    return path


def sequences(path: Path, person: str) -> Counter[tuple[tuple[str, ...], ...]]:
    """How many persons have each sequence of quasi-identifiers."""
    with path.open(newline="", encoding="utf-8") as file:
        persons: dict[str, list[tuple[str, ...]]] = {}
        for row in csv.DictReader(file):
            persons.setdefault(row[person], []).append(tuple(row[name] for name in QUASI_IDENTIFIERS))
    return Counter(map(tuple, persons.values()))


def among_few(shared: Counter[Any]) -> int:
    """How many persons are among fewer than k by their sequence."""
    return sum(persons for persons in shared.values() if persons < K)


def test_the_stand_in_has_the_shape_of_the_panel(panel: Path) -> None:
    """As many rows and persons, and most of them alone."""
    shared = sequences(panel, "person")
    assert shared.total() == PERSONS
    assert sum(len(sequence) * persons for sequence, persons in shared.items()) == ROWS
    assert sum(persons == 1 for persons in shared.values()) > PERSONS / 2


def test_rows_that_hide_among_five_persons_leave_people_alone(panel: Path, tmp_path: Path) -> None:
    """What was measured: the person column is dropped by default, because whoever kept it would tell."""
    head, *rows = panel.read_text("utf-8").splitlines()
    copied = [f"copy,{head}", *(f"{row.partition(',')[0]},{row}" for row in rows)]
    (tmp_path / "panel.csv").write_text("\n".join(copied), "utf-8")
    with pytest.warns(shoal.ShoalWarning, match="follow each other"):
        _release_rows(tmp_path)
    assert among_few(sequences(tmp_path / "release.csv", "copy")) > PERSONS / 2


def _release_rows(folder: Path) -> None:
    shoal.anonymize(
        folder / "panel.csv",
        quasi_identifiers=QUASI_IDENTIFIERS,
        entity="person",
        k=K,
        seconds=2,
        path=folder / "release.csv",
        progress=False,
    )


@pytest.mark.parametrize("consistent", [False, True], ids=["row by row", "consistent"])
def test_linkable_rows_leave_nobody_alone(panel: Path, tmp_path: Path, *, consistent: bool) -> None:
    """Nobody is alone, and nobody among fewer than k; most rows are still there."""
    released = tmp_path / "release.csv"
    shoal.anonymize(
        panel,
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive=["expenses"],
        entity="person",
        linkable=True,
        k=K,
        consistent=consistent,
        seconds=3,
        path=released,
        progress=False,
    )
    shared = sequences(released, "person")
    assert among_few(shared) == 0
    assert sum(len(sequence) * persons for sequence, persons in shared.items()) > ROWS / 2
