"""The command line: one file per command."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Entry point of `shoal`."""
    # A command allocates much and drops little: the collector's usual pace takes a tenth of a short run.
    gc.set_threshold(100_000, 20, 100)
    try:
        # Imported here, so that Ctrl-C is answered from the first moment on.
        from shoal.cli.app import app

        app(prog_name="shoal")
    except KeyboardInterrupt:
        sys.exit(130)
