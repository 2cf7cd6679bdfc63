"""The version of the installed package."""

from __future__ import annotations


def version() -> str:
    """As the package's metadata say; "unknown" when Shoal runs from a folder that was never installed."""
    # Imported here: reading metadata takes longer than importing Shoal.
    from importlib import metadata

    try:
        return metadata.version("shoal")
    except metadata.PackageNotFoundError:
        return "unknown"
