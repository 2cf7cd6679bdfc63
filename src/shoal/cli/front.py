"""`shoal front`: a policy in; the front of possible releases out, and on request one of them released."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import arguments, flags
from shoal.cli.console import INTERRUPTED, reported, say
from shoal.cli.front_table import examined, show_front
from shoal.cli.policy_file import overridden, policy_of_file
from shoal.errors import NotProvedError, PolicyError
from shoal.model.policy.front_request import FrontRequest
from shoal.model.policy.policy import Policy
from shoal.model.table.table_source import release_place

if TYPE_CHECKING:
    from shoal.pipeline.front.front import Front
    from shoal.pipeline.front.point import FrontPoint


def front(
    source: Annotated[Path, typer.Argument(metavar="POLICY", help="A policy (.toml).")],
    objectives: Annotated[
        list[str] | None,
        typer.Option(
            "--objectives",
            metavar="NAMES",
            help="What to weigh, separated by commas: k, l, spread-k, spread-l, or any cost; in place of "
            "those under \\[front].",
        ),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            "--risk",
            metavar="SHARE",
            help="The greatest risk, 1 / k, of the suggested point: 0.2, 0.09 (the default), 0.05; "
            "in place of that under \\[front].",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the points to this .csv or .json file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with an interactive scatter to this file.")
    ] = None,
    pick: Annotated[
        str | None,
        typer.Option(
            "--pick",
            metavar="POINT",
            help="Release a point to the path under \\[release]: by its number, or 'suggested' or 'knee'.",
        ),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="PLACE", help="Where --pick releases to, in place of \\[release]."),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", help="Over levels: exact, pbg-ea, or auto (the default).")
    ] = None,
    seconds: flags.Seconds = None,
    nodes: flags.Nodes = None,
    threads: flags.Threads = None,
    seed: flags.Seed = None,
    require_optimal: Annotated[
        bool,
        typer.Option("--require-optimal", help="Write nothing unless the front is proved complete (exit 4)."),
    ] = False,
    memory: flags.Memory = None,
    search_memory: flags.SearchMemory = None,
    temp_directory: flags.TempDirectory = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the front on standard output; with --pick, the manifest."),
    ] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Weigh several objectives: the releases among which none is better in everything.

    Nothing is released unless --pick names a point; its k must then be at least the policy's.
    """
    with reported():
        policy = _policy(source, objectives, risk, algorithm)
        if output is not None and output.suffix.lower() not in (".csv", ".json"):
            raise PolicyError(f"--output is a .csv or a .json file; given was {output.name!r}")
        if release is not None:
            policy = _released_to(policy, release, pick)
        if pick is not None and policy.release is None:
            raise PolicyError(
                f"{source.name}: --pick releases a point; choose its path with --release, or write "
                'path = "..." under [release]'
            )
        _check_written(policy, source, output, html)
        stated = {"seconds": seconds, "nodes": nodes, "threads": threads, "seed": seed}
        # A front has no single gap.
        policy = overridden(replace(policy, budget=replace(policy.budget, gap=None)), stated)
        _run(
            policy,
            output=output,
            html=html,
            pick=pick,
            memory=memory,
            search_memory=search_memory,
            temp_directory=temp_directory,
            require_optimal=require_optimal,
            as_json=as_json,
            quiet=quiet,
        )


def _policy(path: Path, objectives: list[str] | None, risk: float | None, algorithm: str | None) -> Policy:
    if path.suffix.lower() != ".toml":
        raise PolicyError(f"shoal front takes a policy (.toml); given was {path.name!r}")
    policy = policy_of_file(path)
    request = policy.front or FrontRequest()
    if objectives:
        named = tuple(arguments.names(objectives))
        if named != request.objectives:  # epsilons belong to objectives
            request = replace(request, objectives=named, epsilons=None)
    if risk is not None:
        request = replace(request, risk=risk)
    if algorithm is not None:
        request = replace(request, algorithm=algorithm)
    return replace(policy, front=request)


def _released_to(policy: Policy, place: str, pick: str | None) -> Policy:
    if pick is None:
        raise PolicyError("--release is the path for the point of --pick; name a point with --pick")
    return replace(policy, release=release_place(place, policy.source))


def _run(
    policy: Policy,
    *,
    output: Path | None,
    html: Path | None,
    pick: str | None,
    memory: str | None,
    search_memory: str | None,
    temp_directory: Path | None,
    require_optimal: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    # Imported here: `shoal --help` and a mistyped flag should not wait for DuckDB.
    from shoal.api.front import front as front_of
    from shoal.cli.progress import ProgressLine
    from shoal.engines.connection import engine_for

    engine = engine_for(
        policy.source,
        memory=memory,
        threads=policy.threads,
        temp_directory=temp_directory,
        search_memory=search_memory,
    )
    with engine:
        with ProgressLine(quiet=quiet) as progress:
            front = front_of(policy=policy, engine=engine, on_progress=progress)
        if require_optimal and not front.exact:
            raise NotProvedError(
                f"a complete front was required but not proved: other {front.kind} may belong to it, for "
                f"only {examined(front)} were examined. Nothing was written; allow more seconds or nodes"
            )
        if not quiet:
            show_front(front)
        _write(front, output, html, quiet=quiet)
        if pick is not None and not front.interrupted:
            _release(front, _picked(front, pick), engine, as_json=as_json, quiet=quiet)
        elif as_json:
            sys.stdout.write(front.to_json())
    if front.interrupted:
        say("shoal: the search was interrupted; the front is what was found so far, and nothing was released")
        raise typer.Exit(INTERRUPTED)


def _write(front: Front, output: Path | None, html: Path | None, *, quiet: bool) -> None:
    written = []
    if output is not None:
        (front.to_json if output.suffix.lower() == ".json" else front.to_csv)(output)
        written.append(f"{output}: {len(front)} points")
    if html is not None:
        front.plot().save(html)
        written.append(f"{html}: open it in a browser")
    for line in written if not quiet else ():
        say(line)


def _check_written(policy: Policy, file: Path, output: Path | None, html: Path | None) -> None:
    """Raise, before any work is done, if a file to write is one that is read, or the same as another one."""
    from shoal.engines.staging import check_no_input
    from shoal.model.result.manifest import manifest_path
    from shoal.pipeline.source import inputs_of

    read = {**inputs_of(policy, policy.source), "the policy": file}
    if isinstance(policy.release, Path):
        read |= {"the release": policy.release, "the release's manifest": manifest_path(policy.release)}
    for path in (output, html):
        if path is not None:
            check_no_input(path, read, "front")
            read["the table of points"] = path


def _picked(front: Front, pick: str) -> FrontPoint:
    if pick not in ("suggested", "knee") and not pick.isdecimal():
        raise PolicyError(f"--pick takes the number of a point, 'suggested' or 'knee'; given was {pick!r}")
    return front.allowed(int(pick) if pick.isdecimal() else pick)


def _release(front: Front, point: FrontPoint, engine: object, *, as_json: bool, quiet: bool) -> None:
    from shoal.cli.columns import show_columns
    from shoal.cli.summary import outcome

    released = front.pick(point, engine=engine)  # type: ignore[arg-type]
    if not quiet:
        say(f"point {point.number} was picked: {front.describe(point)}")
        for line in outcome(released):
            say(line)
        show_columns(released.columns)
    for warning in released.warnings:
        say(f"shoal: warning: {warning}")
    if as_json:
        typer.echo(released.manifest.to_json(), nl=False)
