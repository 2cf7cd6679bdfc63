"""A search that would take too much memory is refused before anything is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.engines.duckdb.engine import DuckDB
from shoal.engines.search_memory import SearchMemory

PEOPLE = pandas.DataFrame({"age": range(20, 60), "sex": ["f", "m"] * 20})
ASKED: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "k": 2}


def test_too_many_combinations_are_refused_with_their_number_and_what_helps() -> None:
    """40 combinations of two columns are 640 bytes, and a search takes 16 times as much."""
    with DuckDB(search_memory="10KB") as engine, pytest.raises(shoal.PolicyError) as refused:
        shoal.anonymize(PEOPLE, **ASKED, algorithm="exact", engine=engine)
    words = str(refused.value)
    assert "the data frame has 40 distinct combinations of values" in words
    assert "about 10,240 bytes of memory, and 10,000 bytes are allowed" in words
    assert "bins" in words
    assert "--search-memory" in words
    assert "'flash', 'incognito', 'ola' or 'samarati'" in words


def test_bins_join_combinations_until_they_fit() -> None:
    """What counts are the combinations of codes, not of cells."""
    with DuckDB(search_memory="10KB") as engine:
        released = shoal.anonymize(PEOPLE, **ASKED, bins={"age": 10}, engine=engine)
    assert released.verdict.holds


def test_a_limit_that_is_just_enough_allows_the_search() -> None:
    """The limit itself is allowed."""
    with DuckDB(search_memory="10240B") as engine:
        assert shoal.anonymize(PEOPLE, **ASKED, engine=engine).verdict.holds


@pytest.mark.parametrize(
    "more",
    [
        {"class_attribute": "sick"},
        {"sensitive": ["sick"], "models": [{"name": "distinct-l-diversity", "l": 2, "attribute": "sick"}]},
    ],
)
def test_what_only_distinct_rows_tell_is_not_asked_of_the_engine(more: dict[str, Any]) -> None:
    """Classes and privacy models look at more than the sizes of groups."""
    people = PEOPLE.assign(sick=["yes", "no"] * 20)
    with (
        DuckDB(search_memory="1KB") as engine,
        pytest.raises(shoal.PolicyError, match="distinct combinations"),
    ):
        shoal.anonymize(people, **ASKED, algorithm="samarati", **more, engine=engine)


def test_groups_that_are_too_many_are_refused() -> None:
    """The groups of a release are fetched, and they must fit as well."""
    with DuckDB(search_memory="50B") as engine, pytest.raises(shoal.PolicyError, match=r"forms .* groups"):
        shoal.anonymize(PEOPLE, **ASKED, algorithm="samarati", engine=engine)


@pytest.mark.parametrize(
    ("stated", "size"), [("1KB", 1000), ("2KiB", 2048), ("1.5 GB", 1_500_000_000), ("7B", 7)]
)
def test_sizes_are_read(stated: str, size: int) -> None:
    """Thousands, and with an i powers of two."""
    assert SearchMemory.of(stated).bytes == size


def test_a_size_that_is_none_is_refused() -> None:
    """A number alone could be anything."""
    with pytest.raises(shoal.PolicyError, match="search_memory must be a size"):
        DuckDB(search_memory="12")


def test_without_a_word_half_of_the_machine_is_allowed() -> None:
    """Enough for every table that is searched in memory today."""
    assert SearchMemory.of(None).bytes > 256_000_000


def test_the_command_line_has_the_limit(tmp_path: Path) -> None:
    """It is refused there as well, and nothing is written."""
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    PEOPLE.to_csv(source, index=False)
    command = [
        "anonymize",
        str(source),
        "-q",
        "age,sex",
        "-k",
        "2",
        "--algorithm",
        "exact",
        "-o",
        str(target),
    ]
    refused = CliRunner().invoke(app, [*command, "--search-memory", "1KB"])
    assert refused.exit_code != 0
    assert "people.csv has 40 distinct combinations" in " ".join(refused.output.split())
    assert not target.exists()
    assert CliRunner().invoke(app, command).exit_code == 0
