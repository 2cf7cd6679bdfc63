"""Servers for the tests of the engines, started when the first test asks for one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.engines.postgres_server import Database, MissingServerError, PostgresServer


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
