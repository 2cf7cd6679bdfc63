"""The commands of `shoal`, gathered."""

from __future__ import annotations

from typing import Annotated, Any

import typer
import typer.core
import typer.main

from shoal.cli.anonymize import anonymize
from shoal.cli.attack import attack
from shoal.cli.audit import audit
from shoal.cli.channel import channel
from shoal.cli.check import check
from shoal.cli.cloak import cloak
from shoal.cli.codebook import codebook
from shoal.cli.collect import collect
from shoal.cli.compare import compare
from shoal.cli.console import say
from shoal.cli.demo import demo
from shoal.cli.explain import explain
from shoal.cli.front import front
from shoal.cli.hierarchy import hierarchy
from shoal.cli.init import init
from shoal.cli.inspect import inspect
from shoal.cli.joint import joint
from shoal.cli.ledger import ledger
from shoal.cli.map import map_cells
from shoal.cli.policy import policy
from shoal.cli.report import report
from shoal.cli.risk import risk
from shoal.cli.sql import sql
from shoal.cli.studio import studio
from shoal.cli.utility import utility
from shoal.errors import PolicyError
from shoal.model.registry import Registry
from shoal.model.table.half_character import has_half_character
from shoal.model.version import version

COMMANDS: Registry[Any] = Registry(
    "command",
    "shoal.commands",
    {
        "init": init,
        "anonymize": anonymize,
        "audit": audit,
        "check": check,
        "report": report,
        "attack": attack,
        "inspect": inspect,
        "risk": risk,
        "front": front,
        "compare": compare,
        "explain": explain,
        "sql": sql,
        "utility": utility,
        "codebook": codebook,
        "cloak": cloak,
        "map": map_cells,
        "hierarchy": hierarchy,
        "ledger": ledger,
        "joint": joint,
        "policy": policy,
        "collect": collect,
        "channel": channel,
        "studio": studio,
        "demo": demo,
    },
)
"""Each command by its name: a function, or a `typer.Typer` with commands of its own."""


class Commands(typer.core.TyperGroup):
    """The commands, none of which takes an empty word, or one that is no text.

    An empty value is a variable of a script that was not set: taken for absent, it would undo a demand.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args:
            name, sign, value = word.partition("=")
            if not word.strip() or (name.startswith("--") and sign and not value.strip()):
                what = f"{name} is given and empty" if sign else "an argument is empty"
                say(f"shoal: {what}; leave it out, or say what is meant")
                raise typer.Exit(PolicyError.exit_code)
            if has_half_character(word):
                say("shoal: an argument is no text in UTF-8; rename the file or column, or write it in UTF-8")
                raise typer.Exit(PolicyError.exit_code)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS.built_in, *super().list_commands(ctx), *_outside()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command, built only now: the flags of all commands take longer than most of them run."""
        if cmd_name not in COMMANDS.built_in and cmd_name not in _outside():
            return super().get_command(ctx, cmd_name)
        try:
            found = COMMANDS[cmd_name]
        except PolicyError as error:
            say(f"shoal: {error}")
            raise typer.Exit(PolicyError.exit_code) from None
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(found)
            command = typer.main.get_command(alone)
        command.name = cmd_name
        return command


def _outside() -> tuple[str, ...]:
    try:
        return COMMANDS.outside
    except PolicyError as error:
        say(f"shoal: {error}")
        raise typer.Exit(PolicyError.exit_code) from None


app = typer.Typer(
    name="shoal",
    cls=Commands,
    help="Release tables in which every row hides among at least k - 1 others, at the least loss of detail.",
    epilog="Exit codes: 0 done, 2 usage or policy, 3 infeasible, 4 not proved optimal, 5 audit failed, "
    "6 files or engine, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("version")
def print_version() -> None:
    """Print the version."""
    typer.echo(f"shoal {version()}")


def _print_and_leave(requested: bool) -> None:
    if requested:
        print_version()
        raise typer.Exit


@app.callback()
def shoal(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_and_leave, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
