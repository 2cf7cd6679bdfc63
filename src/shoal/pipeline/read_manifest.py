"""Reads the manifest that belongs to a release: the file next to it, or the comment on a table.

A missing manifest is not an error, and neither is a comment that people wrote. But one that cannot be read
is: treating it as missing would skip the check that it was written for.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal.model.result.manifest import manifest_path
from shoal.model.result.manifest_facts import (
    MOST_BYTES,
    ManifestError,
    begins_like_a_manifest,
    manifest_facts,
)


def manifest_next_to(release: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The manifest next to a file or folder; `None` if there is none, `ManifestError` if it cannot be read.

    Parameters
    ----------
    release
        The file or folder.
    """
    place = manifest_path(Path(release))
    if not os.path.lexists(place):
        return None
    if not place.is_file():  # reading a pipe would never end
        raise ManifestError("it is no file")
    try:
        with place.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ManifestError(f"it cannot be opened ({error.strerror})") from None
    return manifest_facts(content)


def manifest_in_comment(comment: str | None) -> dict[str, Any] | None:
    """The manifest that a comment on a table is; `None` if it is another comment.

    Parameters
    ----------
    comment
        The comment, if there is one.
    """
    if comment is None or not begins_like_a_manifest(comment):
        return None
    return manifest_facts(comment)
