"""The command line: one file per command."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of `shoal`."""
    try:
        # Imported here, so that Ctrl-C is answered from the first moment on.
        from shoal.cli.app import app

        app(prog_name="shoal")
    except KeyboardInterrupt:
        sys.exit(130)
