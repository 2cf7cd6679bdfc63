"""When PostgreSQL fails, the old state stays, the error names the cause, and a second run succeeds."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.engines.postgres.engine import Postgres
from shoal.errors import EngineError
from shoal.model.table.table_source import TableSource
from tests.engines.postgres_server import READER, Database
from tests.engines.test_postgres import PEOPLE, TYPES, asked, by_postgres

SLOW = """
CREATE FUNCTION slowly(text) RETURNS text STABLE LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN $1; END $$;
CREATE VIEW slow AS SELECT *, slowly(name) AS later FROM people
"""
"""A view that is fast to count and slow to write: counting does not read a column that is kept on purpose."""
KEPT = {"other": ["later"]}


@pytest.fixture
def people(postgres: Database) -> Database:
    """A database with a source, and an old release of it."""
    postgres.store("people", PEOPLE, TYPES)
    by_postgres(postgres, "people", "released", **asked(k=4))
    postgres.execute(SLOW)
    return postgres


def state(database: Database) -> list[Any]:
    """Everything that anyone can see."""
    comment = "SELECT obj_description('released'::regclass, 'pg_class')"
    return [
        database.tables(),
        sorted(database.rows("SELECT * FROM released"), key=str),
        database.rows(comment),
    ]


def when_applying(
    database: Database, act: Callable[[int], object], statement: str = "CREATE TABLE %shoal_staged_%"
) -> threading.Thread:
    """Do something as soon as the server writes the release; it is told the process there."""

    def watch() -> None:
        with database.server.connected(database.name) as admin:
            while True:
                found = admin.execute(
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
                    "AND query LIKE %s AND state = 'active'",
                    (statement,),
                ).fetchone()
                if found is not None:
                    act(found[0])
                    return
                time.sleep(0.01)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_connection_that_drops_in_the_middle_of_apply_leaves_the_old_release(people: Database) -> None:
    """The server undoes everything, and says nothing of the rows."""
    before = state(people)
    watch = when_applying(people, lambda pid: people.server.terminate(pid))
    with pytest.raises(EngineError, match=r"release of public\.slow: the connection to the server was lost"):
        by_postgres(people, "slow", "released", **asked(**KEPT))
    watch.join()
    assert state(people) == before
    by_postgres(people, "people", "released", **asked())
    assert state(people) != before


def test_a_connection_that_drops_while_a_file_is_written_leaves_no_file(
    people: Database, tmp_path: Path
) -> None:
    """Nothing of the stream that has come is published."""
    target = tmp_path / "released.parquet"
    watch = when_applying(people, lambda pid: people.server.terminate(pid), "COPY (SELECT%later%")
    with pytest.raises(EngineError, match=r"release of public\.slow: the connection to the server was lost"):
        by_postgres(people, "slow", target, **asked(**KEPT))
    watch.join()
    assert list(tmp_path.iterdir()) == []
    by_postgres(people, "people", target, **asked())
    assert target.exists()


def test_ctrl_c_in_the_middle_of_apply_leaves_the_old_release(people: Database) -> None:
    """The statement is stopped at the server, and nothing is published."""
    before = state(people)
    watch = when_applying(people, lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        by_postgres(people, "slow", "released", **asked(**KEPT))
    watch.join()
    assert state(people) == before
    by_postgres(people, "people", "released", **asked())


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 4 MB."""
    folder = Path(tempfile.mkdtemp(prefix="shoal-disk-", dir="/tmp"))
    command = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=777", "shoal", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("only root can mount a small disk, and not in every container")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def test_a_full_disk_leaves_the_old_release(people: Database, small_disk: Path) -> None:
    """What was written until then is given back, and the cause is named."""
    place = small_disk / "tablespace"
    place.mkdir()
    people.server.own(place)
    long = "(SELECT string_agg(md5(name || i), '') FROM generate_series(1, 20000) AS i)"
    people.execute(f"CREATE VIEW wide AS SELECT *, {long} AS more FROM people")
    people.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
    people.execute(f"ALTER DATABASE {people.name} SET default_tablespace = small")
    before = state(people)
    with pytest.raises(EngineError, match=r"the release of public\.wide: the server's disk is full"):
        by_postgres(people, "wide", "released", **asked())
    assert state(people) == before
    people.execute(f"ALTER DATABASE {people.name} RESET default_tablespace")
    people.execute("DROP TABLESPACE small")  # which is empty again
    by_postgres(people, "wide", "released", **asked())
    assert state(people) != before


def test_too_little_room_for_temporary_files_is_named(postgres: Database) -> None:
    """The server's limit for what it spills is an error of its own."""
    postgres.execute(f"ALTER DATABASE {postgres.name} SET temp_file_limit = '1MB'")
    long = "SELECT repeat('x', 1000) || i AS t FROM generate_series(1, 100000) AS i ORDER BY 1 DESC OFFSET 0"
    with Postgres(postgres.url) as engine, pytest.raises(EngineError, match="temp_file_limit"):
        engine.session.fetched(f"SELECT count(*) FROM ({long}) AS s", "the source")


def test_a_source_that_may_not_be_read_is_named(people: Database) -> None:
    """Before any work, with the right that is missing; granted, the same run succeeds."""
    people.execute(f"GRANT CREATE ON SCHEMA public TO {READER}")
    url = people.url_of(READER)
    with pytest.raises(EngineError, match="people: permission denied; the user needs SELECT"):
        by_postgres(people, "people", "another", connection=url, **asked())
    people.execute(f"GRANT SELECT ON people TO {READER}")
    by_postgres(people, "people", "another", connection=url, **asked())
    assert "public.another" in people.tables()


def test_a_schema_that_may_not_be_written_to_is_named(people: Database) -> None:
    """Before any work; granted, the same run succeeds."""
    people.execute(f"GRANT SELECT ON people TO {READER}")
    url, before = people.url_of(READER), state(people)
    with pytest.raises(EngineError, match="permission denied; the user needs CREATE on the schema public"):
        by_postgres(people, "people", "another", connection=url, **asked())
    with pytest.raises(EngineError, match="the schema nowhere does not exist"):
        by_postgres(people, "people", "nowhere.another", connection=url, **asked())
    assert state(people) == before
    people.execute(f"GRANT CREATE ON SCHEMA public TO {READER}")
    by_postgres(people, "people", "another", connection=url, **asked())


def test_the_release_of_another_user_is_not_replaced(people: Database) -> None:
    """Only its owner may drop a table."""
    people.execute(f"GRANT SELECT ON people TO {READER}; GRANT CREATE ON SCHEMA public TO {READER}")
    before = state(people)
    with pytest.raises(EngineError, match="another user owns the old release"):
        by_postgres(people, "people", "released", connection=people.url_of(READER), **asked())
    assert state(people) == before


def test_a_user_without_temporary_tables_is_told(people: Database) -> None:
    """They are needed, also for an audit."""
    people.execute(f"GRANT SELECT ON people TO {READER}; GRANT CREATE ON SCHEMA public TO {READER}")
    people.execute(f"REVOKE TEMPORARY ON DATABASE {people.name} FROM PUBLIC")
    with pytest.raises(EngineError, match="GRANT TEMPORARY ON DATABASE"):
        by_postgres(people, "people", "another", connection=people.url_of(READER), **asked())


def test_a_read_only_database_is_named(people: Database) -> None:
    """A default that an administrator set is not overridden."""
    people.execute(f"ALTER DATABASE {people.name} SET default_transaction_read_only = on")
    with pytest.raises(EngineError, match="is read-only"):
        by_postgres(people, "people", "another", **asked())


def test_a_table_that_came_meanwhile_is_not_dropped(people: Database) -> None:
    """What is dropped when the release is published is what was looked at before."""
    with Postgres(people.url) as engine:
        engine.open(TableSource(connection=people.url, table="people"))
        with engine.staging("released", {}) as staged:
            people.execute("DROP TABLE released; CREATE TABLE released AS SELECT 'theirs' AS whose")
            with pytest.raises(EngineError, match="somebody else has replaced it meanwhile"):
                staged.publish("{}")
        with engine.staging("another", {}) as staged:
            engine.session.run(f"CREATE TABLE {engine.session.rendered(staged.place)} (x int)", "a table")
            people.execute("CREATE TABLE another AS SELECT 'theirs' AS whose")
            with pytest.raises(EngineError, match="a table with that name already exists"):
                staged.publish("{}")
    assert people.rows("SELECT whose FROM released UNION ALL SELECT whose FROM another") == [("theirs",)] * 2


def test_a_locked_release_is_waited_for_as_long_as_the_server_says(people: Database) -> None:
    """A reader's transaction keeps the old release; with lock_timeout the run ends and says so."""
    people.execute(f"ALTER DATABASE {people.name} SET lock_timeout = '100ms'")
    with people.server.connected(people.name) as reader, reader.transaction():
        reader.execute("SELECT FROM released")
        with pytest.raises(EngineError, match="another transaction holds a lock"):
            by_postgres(people, "people", "released", **asked())
    by_postgres(people, "people", "released", **asked())


@pytest.mark.parametrize("secret", ["wrong-secret", "wr%40ng%20s%3Acret"])
def test_a_password_is_in_no_message(people: Database, secret: str) -> None:
    """Neither in the error nor in its traceback, as it is written or as it is meant."""
    url = people.server.url(people.name, password=secret)
    with pytest.raises(EngineError, match="the login failed") as caught:
        shoal.anonymize(url, table="people", path="another", **asked())
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    for text in (secret, "wr@ng s:cret", people.server.password):
        assert text not in told


def test_the_front_door_takes_a_url_and_a_table(people: Database) -> None:
    """And what it answers does not know the password."""
    made = shoal.anonymize(people.url, table="people", path="another", **asked())
    assert made.path == "another"
    assert "public.another" in people.tables()
    source = TableSource(connection=people.url, table="people")
    for text in (repr(made), repr(source), str(source), made.manifest.to_json(), str(source.described)):
        assert people.server.password not in text
