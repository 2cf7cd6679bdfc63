"""`shoal policy`: what editors need to complete a policy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import reported, say
from shoal.files.whole_file import write_text

policy = typer.Typer(
    name="policy",
    help="Write policies with an editor's help.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@policy.callback()
def _group() -> None:
    pass


@policy.command()
def schema(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file to write; standard output when absent.")
    ] = None,
) -> None:
    """Print the JSON schema of policy files, from which editors complete and check a policy.

    Put '#:schema policy.schema.json' into the first line of a policy, with the path of the file.
    """
    # Imported here: `shoal --help` does not wait for the algorithms.
    from shoal.api.policy_schema import policy_schema

    with reported():
        text = json.dumps(policy_schema(), indent=2) + "\n"
        if output is None:
            sys.stdout.write(text)
        else:
            write_text(output, text)
            say(f"{output}: the JSON schema of policy files")
