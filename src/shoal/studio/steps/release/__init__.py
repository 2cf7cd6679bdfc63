"""Release: a last look, sign, write, take along; and the same by the command line."""

from __future__ import annotations

from shoal.studio.steps.release.downloads import add_downloads
from shoal.studio.steps.release.page import build

__all__ = ["add_downloads", "build"]
