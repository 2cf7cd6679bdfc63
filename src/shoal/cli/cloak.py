"""`shoal cloak`: replaces places in location requests by boxes, and attacks what comes of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments
from shoal.cli import cloak_flags as flags
from shoal.cli.cloak_service import make_identity, serve
from shoal.cli.console import print_json, reported, say
from shoal.errors import AuditError, PolicyError
from shoal.formatting.numbers import number

if TYPE_CHECKING:
    from shoal.location.cloaking.attacks._base import CheckResult

_EVERY = 20_000

cloak = typer.Typer(
    name="cloak",
    help="Replace user and place of location requests by a pseudonym and a box in which k users are.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

cloak.command()(serve)
cloak.command("identity")(make_identity)


@cloak.command()
@flags.with_settings
def replay(
    file: flags.File,
    algorithm: flags.Algorithm = "hilbert",
    seed: Annotated[int, typer.Option("--seed", help="Makes the pseudonyms.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the answers, a line of JSON each."),
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Do not measure effective and historical k, which takes longest.")
    ] = False,
    as_json: flags.AsJson = False,
    quiet: flags.Quiet = False,
    **stated: Any,
) -> None:
    """Answer recorded requests as `serve` would, and measure what that costs and gives.

    The same recording and seed give the same answers.
    """
    with reported():
        # Imported here: `shoal --help` and a mistyped flag should not wait for it.
        from shoal.files.whole_file import write_text
        from shoal.location.cloaking.metrics import lines
        from shoal.location.cloaking.recording import read_messages
        from shoal.location.cloaking.replay import replay as run

        settings = flags.settings_of(flags.Stated(**stated), seed)
        if output is not None and output.exists() and output.resolve() == file.resolve():
            raise PolicyError(f"{output} is the recording itself; choose another name")
        with _progress(quiet) as seen:
            replayed = run(read_messages(file), algorithm, settings, measure=not fast, on_progress=seen)
        if output is not None:
            write_text(output, "".join(json.dumps(each.to_dict()) + "\n" for each in replayed.answers))
        if as_json:
            print_json({"algorithm": algorithm, **replayed.metrics})
        if not quiet:
            for line in lines(replayed.metrics):
                say(line)
        flags.warn(algorithm, replayed.metrics["below_k"])


@cloak.command()
@flags.with_settings
def attack(
    file: flags.File,
    algorithm: flags.Algorithm = "hilbert",
    checks: Annotated[
        list[str] | None,
        typer.Option(
            "--check",
            metavar="NAMES",
            help="effective-k, centre, sampling, intersection, speed; all by default, speed with --speed.",
        ),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="The maximal speed, in coordinates per second.")
    ] = None,
    as_json: flags.AsJson = False,
    quiet: flags.Quiet = False,
    **stated: Any,
) -> None:
    """Attack the cloaks of recorded requests; exit 5 if an issuer hides among fewer than k users."""
    with reported():
        from shoal.location.cloaking.attacks import checks_of
        from shoal.location.cloaking.recording import read_messages
        from shoal.location.cloaking.replay import replay as run

        settings = flags.settings_of(flags.Stated(**stated), 0)
        chosen = checks_of(arguments.names(checks) if checks else (), speed)
        with _progress(quiet) as seen:
            replayed = run(
                read_messages(file), algorithm, settings, checks=chosen, measure=False, on_progress=seen
            )
        if not replayed.metrics["cloaked"]:
            raise PolicyError(f"{file}: no request was cloaked, so there is nothing to attack")
        failed = [result for result in replayed.checks if not result.holds]
        if as_json:
            facts = [result.to_dict() for result in replayed.checks]
            print_json({"algorithm": algorithm, "holds": not failed, "checks": facts})
        if not quiet:
            for line in _table(replayed.checks):
                say(line)
        if failed:
            raise AuditError("k does not withstand: " + ", ".join(result.name for result in failed))


@cloak.command()
def algorithms(as_json: flags.AsJson = False) -> None:
    """List the ways of cloaking: what each promises, and the counter-example where k users are not enough."""
    with reported():
        from shoal.location.cloaking import CLOAKERS

        if as_json:
            facts = [
                {"name": n, "promise": each.promise, "warning": each.warning} for n, each in CLOAKERS.items()
            ]
            print_json({"algorithms": facts})
            return
        for name, each in CLOAKERS.items():
            typer.echo(f"{name}: {each.promise}")
            if each.warning:
                typer.echo(f"    beware: {each.warning}")


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """A line on a terminal that counts messages."""
    if quiet or not sys.stderr.isatty():
        yield None
        return

    def show(count: int) -> None:
        if count % _EVERY == 0:
            print(f"\r{count:,} messages", end="", file=sys.stderr, flush=True)

    yield show
    print("\r\033[K", end="", file=sys.stderr, flush=True)


def _outcome(result: CheckResult) -> str:
    if not result.tried:
        return "nothing to try"
    return "holds" if result.holds else "FAILS"


def _table(results: tuple[CheckResult, ...]) -> list[str]:
    rows = [("check", "tried", "below k", "least", "")]
    rows += [
        (
            each.name,
            f"{each.tried:,}",
            number(each.failed),
            number(each.least),
            _outcome(each),
        )
        for each in results
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    aligned = [
        "  ".join(
            cell.rjust(width) if 0 < place < 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [*aligned, *(f"{each.name}: {each.words}" for each in results)]
