"""The secret key of a run: pseudonyms, noise and the order of rows come from it.

Each run has one of its own, in the memory of the studio alone. So what is made again of a run, for a ledger
or in a database, is what was reviewed; and two releases have nothing in common that would join them.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from typing import TypeVar

from shoal.treatments.secret_key import VARIABLE

T = TypeVar("T")


def new_key() -> str | None:
    """A key for a run; `None` if the studio was started with one, which holds for all of them."""
    return None if VARIABLE in os.environ else secrets.token_hex(32)


def with_key(key: str | None, function: Callable[..., T], *arguments: object, **named: object) -> T:
    """Call a function with a key. For a worker, which does one thing: the environment is the whole process's.

    Parameters
    ----------
    key
        The key of a run.
    function, arguments, named
        What to call.
    """
    if key is None:
        return function(*arguments, **named)
    os.environ.update(environment(key))
    try:
        return function(*arguments, **named)
    finally:
        del os.environ[VARIABLE]


def environment(key: str | None) -> Mapping[str, str]:
    """What a process must find in its environment to use a key."""
    return {} if key is None else {VARIABLE: key}
