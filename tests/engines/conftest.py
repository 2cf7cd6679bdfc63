"""Servers for the tests of the engines, started when the first test asks for one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.postgres_server import Database, MissingServerError, PostgresServer

HERE = Path(__file__).parent


# First: xdist reads the groups in this hook, too, and would else not see them when only this folder is run.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need Spark go to one process: each would start a Java of its own.

    Those that need a cluster come last. There is room for one session, and none is then opened twice.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if HERE in item.path.parents and ("spark" in item.name or {"spark", "sparks"} & fixtures):
            item.add_marker(pytest.mark.xdist_group("spark"))
    items.sort(key=lambda item: "cluster" in getattr(item, "fixturenames", ()))


def missing(reason: str) -> None:
    """Skip a test because a server is missing; where all must be there, fail."""
    if os.environ.get("SHOAL_REQUIRE_SERVERS"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server; one for each process that runs tests."""
    try:
        server = PostgresServer()
    except MissingServerError as error:
        missing(str(error))
    yield server
    server.stop()


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> Iterator[Database]:
    """An empty database."""
    with postgres_server.database() as database:
        yield database


@pytest.fixture(scope="module")
def postgres_for_all(postgres_server: PostgresServer) -> Iterator[Database]:
    """A database that the tests of a module share, and leave as they found it."""
    with postgres_server.database() as database:
        yield database
