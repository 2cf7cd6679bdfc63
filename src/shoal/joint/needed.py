"""The packages of the extra, asked for before anything else happens."""

from __future__ import annotations

import importlib.util

from shoal.errors import PolicyError


def check_packages(*packages: str) -> None:
    """Raise `PolicyError` with the way out if a package is not installed."""
    for package in packages or ("cryptography",):
        if importlib.util.find_spec(package) is None:
            raise PolicyError(
                f"a joint release needs {package}, which is not installed: pip install 'shoal[joint]'"
            )
