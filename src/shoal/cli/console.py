"""The output of the commands: text for people on standard error, data for programs on standard output."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from shoal.errors import AuditError, EngineError, InternalError, ShoalError

INTERRUPTED = 130


def say(text: str) -> None:
    """A line for people."""
    print(text, file=sys.stderr, flush=True)


def print_json(facts: object) -> None:
    """Facts for programs."""
    sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def reported() -> Iterator[None]:
    """Turn an error into one message and its exit code, never into a traceback."""
    try:
        yield
    except ShoalError as error:
        for warning in error.warnings if isinstance(error, AuditError) else ():
            say(f"shoal: warning: {warning}")
        say(f"shoal: {error}")
        raise typer.Exit(error.exit_code) from None
    except InternalError as error:
        say(f"shoal: this is a bug in Shoal, please report it: {error}. Nothing was published")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        say("shoal: interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        why = error.strerror or "it gave no reason"
        say(f"shoal: the system refused a file or a folder: {why}. Nothing was published")
        raise typer.Exit(EngineError.exit_code) from None
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except Exception as error:
        if os.environ.get("SHOAL_TRACEBACK"):
            raise  # for a report of the bug; not by default, since it can quote cells
        place = traceback.extract_tb(error.__traceback__)[-1]
        say(
            f"shoal: this is a bug in Shoal, please report it: {type(error).__name__} in "
            f"{Path(place.filename).name}, line {place.lineno}. Nothing was published. SHOAL_TRACEBACK=1 "
            "shows more, which can have values of the table in it"
        )
        raise typer.Exit(1) from None
