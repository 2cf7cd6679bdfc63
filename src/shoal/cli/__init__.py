"""The command line: one file per command."""

from __future__ import annotations


def main() -> None:
    """Entry point of `shoal`."""
    # Imported here, so that `import shoal.cli` stays cheap for those who only look for the entry point.
    from shoal.cli.app import app

    app(prog_name="shoal")
