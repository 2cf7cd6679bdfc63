"""What `shoal.init` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class FirstPolicy:
    """A commented policy for a table, to start from.

    Parameters
    ----------
    text
        The policy, as TOML.
    path
        The file that it was written to; `None` if it was not.
    k
        The least size of a group that it states.
    roles
        The name of each role -> the columns that have it.
    decisions
        What a person should decide, in sentences. They are comments of the text, too.
    reading
        How the file was read, in one line, if that is not what everybody expects.
    """

    text: str
    path: Path | None
    k: int
    roles: Mapping[str, tuple[str, ...]]
    decisions: tuple[str, ...]
    reading: str | None = None

    def __str__(self) -> str:
        return self.text
