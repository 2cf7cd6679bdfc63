"""Runs `shoal` as a user does: a folder, arguments, two streams and an exit code.

In this process: to start Python and to import DuckDB takes longer than most commands. What needs a process of
its own, as Ctrl-C does, starts one by itself.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

import typer.main

from shoal.cli.app import app

COMMAND = typer.main.get_command(app)
"""Made once: to read the flags of all commands takes longer than most of them."""


def shoal(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """Run a command in a folder."""
    written = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(each, "utf-8", write_through=True) for each in written)
    with (
        chdir(folder),
        mock.patch.dict(os.environ, {"COLUMNS": "200"}),
        mock.patch.object(sys, "argv", ["shoal", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        try:
            COMMAND(prog_name="shoal")
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return CompletedProcess(list(arguments), code, *(each.getvalue().decode() for each in written))
