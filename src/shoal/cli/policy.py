"""`shoal policy`: what editors need to complete a policy, and policies from projects of ARX."""

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
    help="Write policies with an editor's help, or from a project of ARX.",
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


@policy.command("from-arx")
def from_arx(
    project: Annotated[Path, typer.Argument(help="The project's file (.deid).")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The folder to create, with the policy and its files.")
    ],
    source: Annotated[
        Path | None,
        typer.Option("--source", help="The table to release, in place of the one that the project holds."),
    ] = None,
) -> None:
    """Write the policy that a project of ARX states, with its hierarchies and its table.

    What could not be carried over is listed, and stands in the first lines of the policy.
    """
    from shoal.api.policy_from_arx import policy_from_arx

    with reported():
        made = policy_from_arx(project, output, source=source)
        for each in made.left_out:
            say(f"not carried over: {each}")
        say(f"{made.policy}: the policy, and {len(made.files)} more file(s) next to it")
