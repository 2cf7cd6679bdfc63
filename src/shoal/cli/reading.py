"""How a file was read, as a line for people."""

from __future__ import annotations

from typing import Any

from shoal.cli.console import say
from shoal.model.table.file_reading import FileReading
from shoal.model.table.file_source import file_of


def show_reading(reading: FileReading | None, source: Any) -> None:
    """Say how a file was read, unless it is UTF-8 with commas and a header.

    Parameters
    ----------
    reading
        How it was read; `None` for a source that is not a file.
    source
        The file.
    """
    path = file_of(source)
    if reading is not None and path is not None and reading.words is not None:
        say(f"{path.name}: {reading.words}")
