"""`shoal.codebook`: the data dictionary of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.api._door import door
from shoal.model.result.manifest import Manifest
from shoal.pipeline.codebook import codebook_of
from shoal.pipeline.read_back.opened import opened_release
from shoal.reports.codebook import Codebook, check_codebook_path

__all__ = ["Codebook", "check_codebook_path", "codebook"]


@door
def codebook(release: Any, *, manifest: Manifest | str | Path | None = None) -> Codebook:
    """Describe a release for those who work with it: what each column means, its cells, and how to read it.

    Parameters
    ----------
    release
        A `Release`, the path of its file, or a data frame with its `manifest`.
    manifest
        The manifest, or its file; the one next to the release when absent.

    Examples
    --------
    >>> print(shoal.codebook("release.csv"))
    """
    return codebook_of(opened_release(release, manifest))
