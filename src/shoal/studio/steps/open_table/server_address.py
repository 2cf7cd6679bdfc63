"""Where an address of PostgreSQL leads, for somebody who is to confirm it before anything connects there.

PostgreSQL's library divides addresses by rules of its own: `postgres://good#@evil/db` leads to evil, and
so does `postgres://u@evil:5432,x@good/db`. What could be divided in two ways is refused; of the rest, every
place that the library may connect to is told.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from shoal import PolicyError

_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:[^:/?#@,\[\]]*@)?(?P<hosts>[^/?#@]*)(?:/[^?#@]*)?(?:\?(?P<query>[^#@]+))?"
)
"""One @ at most, in front of the hosts, and no #: the library finds the same parts."""
_HOST = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+(?:%25[A-Za-z0-9._-]+)?\]|(?:[A-Za-z0-9._-]|%2[Ff])*)(?P<port>:[0-9]+)?"
)
_PLACES = re.compile(r"[A-Za-z0-9._:/%-]+(?:,[A-Za-z0-9._:/%-]+)*")
"""Names, numbers and folders of sockets, without a sign that looks like another one."""
_PLACE_KEYS = ("host", "hostaddr", "port", "service")
"""Keys by which the library connects elsewhere than the beginning of the address says."""
_OTHER_KEYS = frozenset(
    [
        "application_name",
        "channel_binding",
        "client_encoding",
        "connect_timeout",
        "dbname",
        "fallback_application_name",
        "gssdelegation",
        "gssencmode",
        "gsslib",
        "keepalives",
        "keepalives_count",
        "keepalives_idle",
        "keepalives_interval",
        "krbsrvname",
        "load_balance_hosts",
        "max_protocol_version",
        "min_protocol_version",
        "options",
        "passfile",
        "require_auth",
        "requirepeer",
        "ssl",
        "ssl_max_protocol_version",
        "ssl_min_protocol_version",
        "sslcert",
        "sslcertmode",
        "sslcompression",
        "sslcrl",
        "sslcrldir",
        "sslkey",
        "sslmode",
        "sslnegotiation",
        "sslrootcert",
        "sslsni",
        "target_session_attrs",
        "tcp_user_timeout",
        "user",
    ]
)
"""Keys that say nothing about the server. Unknown ones are refused: a later library may know them."""


def servers_of(url: str) -> list[str]:
    """Every place that connecting by this address may lead to; `PolicyError` if that is not certain.

    Parameters
    ----------
    url
        `postgres://...`, without a password.
    """
    match = _ADDRESS.fullmatch(url)
    hosts = [] if match is None else [_HOST.fullmatch(each) for each in match["hosts"].split(",")]
    if match is None or None in hosts or not url.isprintable():
        raise PolicyError(
            "it is not certain which server this address leads to, so nothing is connected to. Write "
            "postgres://user@host:port/database, and in the name of a user or a database %40 for @, %23 for "
            "# and %3A for a colon"
        )
    found = [(unquote(each["host"]), each["port"] or "") for each in hosts if each is not None]
    if len(found) > 1 and not all(host for host, _ in found):
        raise PolicyError("one of the hosts in the address of the database is empty; name it")
    stated = _stated(match["query"] or "")
    twice = [("host", any(host for host, _ in found)), ("port", any(port for _, port in found))]
    for key, is_there in twice:
        if is_there and key in stated:
            raise PolicyError(f"the address of the database states its {key} twice; leave one of them out")
    for key in ("hostaddr", "service"):  # the library goes by these, whatever host is stated
        if key not in stated and (usual := os.environ.get(f"PG{key.upper()}")):
            stated[key] = usual
    is_stated = not stated.keys().isdisjoint(("host", "hostaddr", "service"))
    unnamed = "" if is_stated else os.environ.get("PGHOST") or "this machine"
    named = [(host or unnamed) + port for host, port in found]
    return [*filter(None, named), *(f"{key} {stated[key]}" for key in _PLACE_KEYS if key in stated)]


def _stated(query: str) -> dict[str, str]:
    """What the keys of an address say about the server."""
    stated: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        key, value = (unquote(each) for each in pair.partition("=")[::2])
        if key in _OTHER_KEYS:
            continue
        if key not in _PLACE_KEYS:
            raise PolicyError(f"the studio takes no {key!r} in the address of a database; leave it out")
        if key in stated:
            raise PolicyError(f"the address of the database states its {key} twice; leave one of them out")
        if not _PLACES.fullmatch(value):
            raise PolicyError(f"the {key} in the address of the database is not written plainly; correct it")
        stated[key] = value
    return stated
