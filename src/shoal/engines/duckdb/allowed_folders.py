"""Which folders DuckDB may touch: any, unless the environment names them.

A view in a database file can read any file of its reader, and any address on the network. A program that
opens databases for others, like the studio, sets `SHOAL_FOLDERS`; DuckDB itself then refuses everything else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "SHOAL_FOLDERS"
"""Folders, one per line: a name may contain the separator of a PATH. If not set, nothing is refused."""


def settings(own: Path) -> Iterator[tuple[str, str]]:
    """DuckDB's settings for it, in the order in which they must be set; none if nothing is refused.

    Parameters
    ----------
    own
        The session's own folder, which it may always use.
    """
    named = os.environ.get(VARIABLE)
    if named is None:
        return
    folders = [str(own), *(folder for folder in named.split("\n") if folder)]
    listed = ", ".join("'" + folder.replace("'", "''") + "'" for folder in folders)
    yield "allowed_directories", f"[{listed}]"
    yield "enable_external_access", "false"
