"""Where an address of PostgreSQL leads: told as its library reads it, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from shoal import PolicyError
from shoal.studio.folders import Folders
from shoal.studio.steps.open_table import database
from shoal.studio.steps.open_table.server_address import servers_of
from tests.agreement.thoroughness import examples

PIECES = [
    *(
        "good",
        "evil.example",
        "u",
        "db",
        "[::1]",
        "10.0.0.7",
        ":5432",
        ":",
        "@",
        "#",
        "/",
        "?",
        "&",
        ",",
        "%2C",
        "%40",
    ),
    *(
        "%2F",
        "%23",
        "%3F",
        "host=",
        "hostaddr=",
        "ho%73t=",
        "port=1",
        "service=",
        "sslmode=",
        "=",
        " ",
        "+",
        "ö",
    ),
]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://good#@evil.example/db",
        "postgresql://good/db#?host=evil.example",
        "postgresql://u@evil.example:5432,x@good/db",
        "postgresql://good?sslmode=@evil.example/db",
        "postgresql://good?@evil.example/db",
        "postgresql://u:p@evil.example,x@good/db",
        "postgresql://good%2Cevil.example/db",
        "postgresql://good,/db",
        "postgresql://good/db?host=evil.example",
        "postgresql:///db?host=good&ho%73t=evil.example",
        "postgresql:///db?hostaddr=10.0.0.7&hostaddr=10.0.0.8",
        "postgresql://good:1/db?port=2",
        "postgresql://good/db?servicefile=/tmp/elsewhere&service=x",
        "postgresql://good/db?oauth_issuer=https://evil.example",
        "postgresql://good/db?pass%77ord=secret",
        "postgresql://go\u043ed/db",
        "postgresql://good\n/db",
        "postgresql://good /db",
    ],
)
def test_an_uncertain_address_is_refused(tmp_path: Path, url: str) -> None:
    """By the form and by a policy, before anything connects, and without saying it again."""
    with pytest.raises(PolicyError) as refused:
        database.table_source(Folders((tmp_path,), tmp_path), url, "stays")
    assert "evil" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgres://ada@a.example:1,b.example:2/db", ["a.example:1", "b.example:2"]),
        ("postgres://%2Frun%2Fpostgresql/db?user=ada", ["/run/postgresql"]),
        ("postgres://[fe80::1%25eth0]:5432/db?sslmode=require", ["[fe80::1%eth0]:5432"]),
        ("postgres://ada%40home@db.example?port=5433", ["db.example", "port 5433"]),
        ("postgres:///db?service=stays", ["service stays"]),
        ("postgres://:5433", ["this machine:5433"]),
    ],
)
def test_every_place_is_told(url: str, told: list[str]) -> None:
    """Several hosts, folders of sockets, numbers, services: whoever confirms sees them all."""
    assert servers_of(url) == told


def test_the_environment_is_told_where_the_library_goes_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numeric address and its service win over a host, or fill in what is missing."""
    monkeypatch.setenv("PGHOST", "")
    assert servers_of("postgres:///db") == ["this machine"]
    monkeypatch.setenv("PGHOST", "mine")
    assert servers_of("postgres:///db") == ["mine"]
    monkeypatch.setenv("PGHOSTADDR", "10.0.0.9")
    assert servers_of("postgres://good/db") == ["good", "hostaddr 10.0.0.9"]


# Most addresses of such pieces are refused, by the studio or by libpq.
@given(st.lists(st.sampled_from(PIECES), max_size=9))
@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.filter_too_much])
def test_the_library_goes_nowhere_else(pieces: list[str]) -> None:
    """Of any address that is taken, each host, port and service that libpq finds is among what is told."""
    url = "postgresql://" + "".join(pieces)
    try:
        told, read = servers_of(url), conninfo_to_dict(url)
    except (PolicyError, psycopg.Error):
        reject()  # connects to nothing
    assert told
    assert all(told)
    words = set(re.split(r"[ ,]+", " ".join(told))) | {
        part
        for each in told
        for part in re.fullmatch(r"\[?(.*?)\]?(?::(\d+))?", each).groups("")  # type: ignore[union-attr]
    }
    for key in ("host", "hostaddr", "port", "service"):
        for value in filter(None, str(read.get(key) or "").split(",")):
            assert value in words, (key, value, told)
