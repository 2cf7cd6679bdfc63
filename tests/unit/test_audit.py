"""The audit: it measures what was written, and refuses what does not hold."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import shoal
from shoal.auditor import audit
from shoal.engines.duckdb.engine import DuckDB
from tests.unit.conftest import FILES, FRAMES, store

Write = Callable[..., Path]

GROUPS = {
    "age": ["1", "1", "1", "2", None, None, "*", "*"],
    "sex": ["f", "f", "f", "m", None, None, "*", "m"],
}


@pytest.mark.parametrize("kind", [*FILES, *FRAMES])
def test_the_smallest_group_is_measured(kind: str, tmp_path: Path) -> None:
    """Missing values make a group of their own, and rows of nothing but stars belong to none."""
    with DuckDB() as engine:
        verdict = audit(engine, store(kind, GROUPS, tmp_path), ["age", "sex"], 2)
    found = verdict.measured
    assert (found.rows, found.suppressed, found.groups, found.smallest) == (8, 1, 4, 1)
    assert (found.groups_below, found.rows_below) == (2, 2)
    assert verdict.k == 1
    assert not verdict.holds


def test_cells_that_a_reader_can_tell_apart_are_different() -> None:
    """Zeros with and without a sign in a file, NaN and null in a frame."""
    frame = polars.DataFrame({"age": [float("nan"), None]})
    with DuckDB() as engine:
        assert audit(engine, frame, ["age"], 2).k == 1


def test_a_column_that_is_not_there_is_named() -> None:
    """With the nearest that is."""
    with DuckDB() as engine, pytest.raises(shoal.PolicyError, match="Did you mean 'age'"):
        audit(engine, pandas.DataFrame({"age": [1]}), ["aeg"], 2)


def tampering(edit: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hand change the staged file between writing and audit."""
    honest = DuckDB.apply

    def dishonest(self: DuckDB, source: Any, counted: Any, application: Any, target: Path | None) -> Any:
        released = honest(self, source, counted, application, target)
        assert target is not None
        edit(target)
        return released

    monkeypatch.setattr(DuckDB, "apply", dishonest)


def lines(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            lambda rows: [*rows[:-1], rows[-1].replace("Fay", "Fay").replace("10001", "99999")],
            "smaller than k",
        ),
        (lambda rows: rows[:-1], "smaller than k"),
        (lambda rows: [*rows, rows[-1]], "rows"),
        (
            lambda rows: [
                rows[0],
                *(",".join([n, "*", "*", p]) for n, _, _, p in (r.rsplit(",", 3) for r in rows[1:])),
            ],
            "suppressed",
        ),
        (lambda rows: [row.replace("02139", "10001") for row in rows], "groups"),
        (lambda rows: rows[:1], "rows"),
    ],
    ids=["one cell", "a row less", "a row more", "all masked", "groups joined", "no rows"],
)
def test_a_tampered_release_is_refused_and_destroyed(
    edit: Callable[[list[str]], list[str]],
    words: str,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether k breaks or only what the search promised; nothing stays behind."""
    rows = [
        "Ann,1,02139,a",
        "Bob,1,02139,b",
        "Cid,1,02139,c",
        "Dee,1,10001,d",
        "Eve,1,10001,e",
        "Fay,1,10001,f",
    ]
    source = write("name,age,zip,pay\n" + "\n".join(rows) + "\n")
    target = tmp_path / "release.csv"
    tampering(lambda path: lines(path, edit), monkeypatch)
    with pytest.raises(shoal.AuditError, match=words):
        shoal.anonymize(
            source, quasi_identifiers=["age", "zip"], k=3, suppression=0, path=target, algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [source]


def test_a_tampered_release_leaves_the_old_one_alone(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old release and its manifest are still there, byte for byte."""
    target = tmp_path / "release.csv"
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2, "path": target, "algorithm": "exhaustive"}
    shoal.anonymize(people, **asked)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    tampering(lambda path: lines(path, lambda rows: rows[:-1]), monkeypatch)
    with pytest.raises(shoal.AuditError):
        shoal.anonymize(people, **asked)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_frame_that_does_not_hold_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is handed out is what was audited."""
    frame = pandas.DataFrame({"age": [1, 1, 2, 2]})
    monkeypatch.setattr(DuckDB, "apply", lambda *_: pandas.DataFrame({"age": [1, 1, 1, 2]}))
    with pytest.raises(shoal.AuditError, match="smaller than k = 2"):
        shoal.anonymize(frame, quasi_identifiers=["age"], k=2, algorithm="exhaustive")


def test_a_search_that_miscounts_is_a_bug_and_publishes_nothing(
    people: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """What the search says of its recoding is checked against the counts."""
    from dataclasses import replace

    from shoal.pipeline import solve

    honest = solve.search
    monkeypatch.setattr(solve, "search", lambda *a: replace(honest(*a), suppressed=1))
    with pytest.raises(shoal.InternalError, match="exhaustive says 1 rows are suppressed"):
        shoal.anonymize(
            people, quasi_identifiers=["age"], k=2, path=tmp_path / "r.csv", algorithm="exhaustive"
        )
    assert list(tmp_path.iterdir()) == [people]


def test_the_auditor_shares_nothing_with_the_search() -> None:
    """The room imports no algorithm, no core, no engine and no recoding."""
    room = Path(shoal.__file__).parent / "auditor"
    imported = {
        node.module or ""
        for path in room.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
    }
    ours = {name for name in imported if name.startswith("shoal")}
    assert {name.split(".")[1] for name in ours} == {"auditor", "errors", "formatting", "model", "privacy"}
    recodings = {name for name in ours if name.startswith("shoal.model.recoding")}
    assert not recodings
    measuring = Path(shoal.__file__).parent / "engines" / "sql" / "measuring.py"
    assert "recoding" not in measuring.read_text().split('"""', 2)[2]
