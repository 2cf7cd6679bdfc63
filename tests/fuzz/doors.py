"""Every way into Shoal: an instance goes in, what a user would be left with comes out.

Nothing is judged here. `Outcome` holds the release as plain rows, the manifest, all that was said, and what
lies in the folder afterwards.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pyarrow.parquet

import shoal
from tests.cli.command import shoal as command
from tests.fuzz.instance import Instance
from tests.fuzz.requests import arguments, flags, policy_text, write_hierarchies
from tests.fuzz.sources import (
    Rows,
    arrow_table,
    csv_bytes,
    pandas_frame,
    polars_frame,
    read_arrow,
    read_csv,
    read_frame,
    told_besides,
)
from tests.fuzz.values import CANARY

FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "arrow": arrow_table}
KEY = f"{CANARY}secretkey0123456789"
BYTES_BEFORE = b"what stood here before\n"


@dataclass
class Outcome:
    """What a user is left with.

    Parameters
    ----------
    columns, rows
        The release; `None` if there is none.
    manifest, written
        The manifest as a dictionary, and as the text that was written.
    error, message
        The name of the exception's class, and its words.
    exit_code
        Of a command; of an exception that a command would end with.
    said
        Warnings, and what a command printed.
    besides
        What a frame tells beside its cells.
    files
        What lies in the folder, sources aside.
    stood
        Whether a file that stood at the target before is there unchanged.
    structs
        Columns of structs, row by row without their labels; `rows` has the labels.
    """

    columns: list[str] | None = None
    rows: Rows | None = None
    manifest: dict[str, Any] | None = None
    written: str = ""
    error: str | None = None
    message: str = ""
    exit_code: int | None = None
    said: str = ""
    besides: str = ""
    files: set[str] = field(default_factory=set)
    stood: bool | None = None
    data: Any = None
    path: Path | None = None
    object: Any = None
    structs: dict[str, list[Any]] = field(default_factory=dict)


def is_text(door: str) -> bool:
    """Whether the door's table is a file of text, in which an empty cell is missing."""
    return door in ("csv", "policy", "command", "command-policy")


def has_key(instance: Instance) -> bool:
    """Whether the secret key is given, so that the same request gives the same release."""
    return bool(instance.request.get("seed", 0) % 2 == 0)


def run(instance: Instance, folder: Path, engine: shoal.DuckDB, **changed: Any) -> Outcome:
    """Take an instance through its door."""
    asked, outcome = instance.asking(**{"threads": 1, **changed}), Outcome()
    target = folder / ("release.parquet" if instance.door == "parquet" else "release.csv")
    before = instance.request["k"] == 2 and instance.door not in FRAMES and instance.door != "duckdb"
    if before:
        target.write_bytes(BYTES_BEFORE)
    inputs = _inputs(asked, folder)
    environment = {"SHOAL_KEY": KEY} if has_key(instance) else {}
    with mock.patch.dict(os.environ, environment), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            _through(asked, folder, engine, outcome, target)
        except Exception as error:
            outcome.error, outcome.message = type(error).__name__, str(error)
            outcome.exit_code = getattr(error, "exit_code", 1)
    outcome.said += "\n".join(str(each.message) for each in told)
    outcome.files = {path.name for path in folder.iterdir()} - inputs
    if before and target.exists() and target.read_bytes() == BYTES_BEFORE:
        outcome.stood = True
        outcome.files.discard(target.name)
    return outcome


def _inputs(instance: Instance, folder: Path) -> set[str]:
    """Write what the door reads; the names of the files."""
    door = instance.door
    if door == "parquet":
        pyarrow.parquet.write_table(arrow_table(instance.columns), folder / "people.parquet")
    elif door == "duckdb":
        with duckdb.connect(folder / "people.db") as connection:
            connection.register("given", arrow_table(instance.columns))
            connection.execute("CREATE TABLE people AS SELECT * FROM given")
    elif is_text(door):
        (folder / "people.csv").write_bytes(csv_bytes(instance.columns, instance.file))
        files = write_hierarchies(instance, folder)
        if "policy" in door:
            text = policy_text(instance, files, "people.csv", "release.csv")
            (folder / "policy.toml").write_text(text, "utf-8", newline="")
    return {path.name for path in folder.iterdir() if not path.name.startswith("release.")}


def _through(instance: Instance, folder: Path, engine: shoal.DuckDB, outcome: Outcome, target: Path) -> None:
    door = instance.door
    if door in FRAMES:
        asked = arguments(instance)
        asked.pop("threads")  # the engine has them
        release = shoal.anonymize(FRAMES[door](instance.columns), **asked, engine=engine)
        outcome.data, outcome.object = release.data, release.manifest
        outcome.columns, outcome.rows = read_frame(release.data)
        outcome.besides = told_besides(release.data)
        outcome.written = release.manifest.to_json()
    elif door in ("csv", "parquet"):
        asked = arguments(instance)
        asked.pop("threads")
        shoal.anonymize(folder / f"people.{door}", **asked, path=target, engine=engine, replace=True)
    elif door == "policy":
        shoal.anonymize(policy=folder / "policy.toml", replace=True)
    elif door == "duckdb":
        release = shoal.anonymize(
            f"duckdb:///{folder / 'people.db'}", table="people", **arguments(instance), path="released"
        )
        outcome.written = release.manifest.to_json()
        with duckdb.connect(folder / "people.db", read_only=True) as connection:
            outcome.columns, outcome.rows = read_arrow(
                connection.sql("SELECT * FROM released").to_arrow_table()
            )
    else:
        _by_command(instance, folder, outcome)
    if door not in FRAMES and door != "duckdb" and outcome.error is None:
        outcome.path = target
        outcome.columns, outcome.rows = (
            read_arrow(pyarrow.parquet.read_table(target))
            if door == "parquet"
            else read_csv(target, instance.file.get("delimiter", ","))
        )
        _take_labels(outcome)
        outcome.written = target.with_name(f"{target.name}.manifest.json").read_text("utf-8")
    if outcome.written:
        outcome.manifest = json.loads(outcome.written)


def _take_labels(outcome: Outcome) -> None:
    """Put the labels of structs into the rows, and the rest of each struct aside."""
    assert outcome.columns is not None
    assert outcome.rows is not None
    for place, name in enumerate(outcome.columns):
        cells = [row[place] for row in outcome.rows]
        if any(isinstance(cell, dict) for cell in cells):
            rest = [{key: part for key, part in (cell or {}).items() if key != "label"} for cell in cells]
            outcome.structs[name] = rest
            outcome.rows = [
                (*row[:place], (row[place] or {}).get("label"), *row[place + 1 :]) for row in outcome.rows
            ]


def _by_command(instance: Instance, folder: Path, outcome: Outcome) -> None:
    if instance.door == "command":
        said = ["people.csv", *flags(instance, write_hierarchies(instance, folder), "release.csv")]
    else:
        said = ["policy.toml"]
    ended = command(folder, "anonymize", *said, "--json", "--replace")
    outcome.exit_code, outcome.said = ended.returncode, ended.stderr
    accepted = ended.returncode == 5 and instance.request.get("accept_unverified")
    if ended.returncode != 0 and not (accepted and "manifest" in str(list(folder.iterdir()))):
        outcome.error, outcome.message = f"exit {ended.returncode}", ended.stderr
