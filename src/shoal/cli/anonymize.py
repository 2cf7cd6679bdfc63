"""`shoal anonymize`: a policy, or a data file with flags, in; a release and its manifest out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from shoal.cli import arguments
from shoal.cli.console import INTERRUPTED, reported, say
from shoal.errors import AuditError, PolicyError
from shoal.model.budget import Budget
from shoal.model.domain import Kind
from shoal.model.policy import Policy, SuppressedRows
from shoal.model.policy_arguments import policy_of
from shoal.model.suppression import Suppression
from shoal.policy_file import read_policy

_ROLES, _SHAPES, _SEARCH, _RELEASE = "Roles", "Values", "Search", "Release"


def _option(*flags: str, panel: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags, rich_help_panel=panel, help=help, metavar=metavar)


def anonymize(
    source: Annotated[
        Path, typer.Argument(help="A policy (.toml), or a .csv, .tsv or .parquet file with flags.")
    ],
    quasi: Annotated[
        list[str] | None,
        _option(
            "-q",
            "--quasi-identifiers",
            panel=_ROLES,
            metavar="COLUMNS",
            help="Columns that others may know of a person, separated by commas. They are recoded.",
        ),
    ] = None,
    k: Annotated[
        int | None, _option("-k", panel=_ROLES, help="Least rows of a group with the same quasi-identifiers.")
    ] = None,
    class_attribute: Annotated[
        str | None,
        _option(
            "--class",
            panel=_ROLES,
            metavar="COLUMN",
            help="The column that a classifier shall predict; for --cost classification.",
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        _option(
            "--sensitive",
            panel=_ROLES,
            metavar="COLUMNS",
            help="Columns that must not be learned of a person. They are kept.",
        ),
    ] = None,
    identifiers: Annotated[
        list[str] | None,
        _option(
            "--identifiers",
            panel=_ROLES,
            metavar="COLUMNS",
            help="Columns that name a person by themselves. They are dropped.",
        ),
    ] = None,
    types: Annotated[
        list[str] | None,
        _option(
            "--type",
            panel=_SHAPES,
            metavar="COLUMN=TYPE",
            help="number, date or category; guessed when absent.",
        ),
    ] = None,
    bins: Annotated[
        list[str] | None,
        _option(
            "--bin",
            panel=_SHAPES,
            metavar="COLUMN=WIDTH",
            help="Put numbers into bins of this width before the search.",
        ),
    ] = None,
    orders: Annotated[
        list[str] | None,
        _option(
            "--order",
            panel=_SHAPES,
            metavar="COLUMN=A,B,C",
            help="The order of a column's values; sorted when absent.",
        ),
    ] = None,
    hierarchies: Annotated[
        list[str] | None,
        _option(
            "--hierarchy",
            panel=_SHAPES,
            metavar="COLUMN=FILE",
            help="A hierarchy file, ARX layout, whose leaves give the order.",
        ),
    ] = None,
    cost: Annotated[
        str | None,
        _option(
            "--cost",
            panel=_SEARCH,
            help="What to minimize: discernibility (the default), classification or general-loss.",
        ),
    ] = None,
    suppression: Annotated[
        str | None,
        _option(
            "--suppression",
            panel=_SEARCH,
            metavar="LIMIT",
            help='Most rows to suppress: a number, "5%", or unlimited (the default).',
        ),
    ] = None,
    algorithm: Annotated[
        str | None, _option("--algorithm", panel=_SEARCH, help="The search; auto by default.")
    ] = None,
    seconds: Annotated[
        float | None, _option("--seconds", panel=_SEARCH, help="Stop searching after this time.")
    ] = None,
    nodes: Annotated[
        int | None, _option("--nodes", panel=_SEARCH, help="Stop after this many search nodes.")
    ] = None,
    gap: Annotated[
        float | None,
        _option("--gap", panel=_SEARCH, help="Stop at this gap between cost and bound, as in 0.01."),
    ] = None,
    threads: Annotated[
        int | None, _option("--threads", panel=_SEARCH, help="Threads; all by default.")
    ] = None,
    seed: Annotated[int | None, _option("--seed", panel=_SEARCH, help="Seed of randomized searches.")] = None,
    accept_unverified: Annotated[
        bool,
        _option(
            "--accept-unverified",
            panel=_SEARCH,
            help="Publish although the audit fails (exit 5); for mu-argus, which does not guarantee k.",
        ),
    ] = False,
    require_optimal: Annotated[
        bool,
        _option(
            "--require-optimal", panel=_SEARCH, help="Publish nothing unless it is proved optimal (exit 4)."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        _option(
            "-o",
            "--output",
            panel=_RELEASE,
            help="The file to write; beside the source, as NAME-k10.csv, when absent.",
        ),
    ] = None,
    suppressed: Annotated[
        str | None,
        _option(
            "--suppressed",
            panel=_RELEASE,
            metavar="drop|mask",
            help="Drop suppressed rows (the default), or keep them as rows of *.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        _option(
            "--memory",
            panel=_RELEASE,
            help="Memory for counting and writing (1GB by default); more is spilled to disk.",
        ),
    ] = None,
    temp_directory: Annotated[
        Path | None, _option("--temp-directory", panel=_RELEASE, help="Where to spill.")
    ] = None,
    as_json: Annotated[
        bool, _option("--json", panel=_RELEASE, help="Print the manifest on standard output.")
    ] = False,
    quiet: Annotated[bool, _option("--quiet", panel=_RELEASE, help="Say nothing but errors.")] = False,
) -> None:
    """Release a table so that every row hides among at least k - 1 others.

    Nothing is published unless the audit of the written file holds.

    Ctrl-C ends the search and releases the best so far; a second Ctrl-C ends everything.
    """
    shaping = {
        "-q": quasi,
        "-k": k,
        "--class": class_attribute,
        "--sensitive": sensitive,
        "--identifiers": identifiers,
        "--type": types,
        "--bin": bins,
        "--order": orders,
        "--hierarchy": hierarchies,
        "--cost": cost,
        "--suppression": suppression,
        "--suppressed": suppressed,
    }
    with reported():
        if source.suffix.lower() == ".toml":
            policy = _from_file(source, shaping)
        else:
            if not quasi or k is None:
                raise PolicyError(
                    "name the quasi-identifiers and k: -q age,zip -k 10 (or give a policy file)"
                )
            policy = policy_of(
                source=source,
                quasi_identifiers=arguments.names(quasi),
                k=k,
                sensitive=arguments.names(sensitive),
                class_attribute=class_attribute,
                identifiers=arguments.names(identifiers),
                types=arguments.pairs("--type", types, lambda text: cast(Kind, text)),
                bins=arguments.pairs("--bin", bins, arguments.width),
                orders=arguments.pairs("--order", orders, arguments.values),
                hierarchies=arguments.pairs("--hierarchy", hierarchies, Path),
                cost=cost or "discernibility",
                suppression=Suppression.parse(suppression or "unlimited"),
                suppressed=cast(SuppressedRows, suppressed or "drop"),
            )
        policy = _searching(policy, algorithm, Budget(seconds=seconds, nodes=nodes, gap=gap), threads, seed)
        policy = replace(
            policy,
            release=output or policy.release or _default_release(policy),
            accept_unverified=accept_unverified or policy.accept_unverified,
        )
        _run(
            policy,
            memory=memory,
            temp_directory=temp_directory,
            require_optimal=require_optimal,
            as_json=as_json,
            quiet=quiet,
        )


def _from_file(path: Path, shaping: Mapping[str, object]) -> Policy:
    given = [flag for flag, value in shaping.items() if value not in (None, [])]
    if given:
        raise PolicyError(f"a policy file says it all; leave out {', '.join(given)}, or change the file")
    policy = read_policy(path)
    if policy.source is None:
        raise PolicyError(f'{path.name}: it names no source; write path = "..." under [source]')
    return policy


def _searching(
    policy: Policy, algorithm: str | None, budget: Budget, threads: int | None, seed: int | None
) -> Policy:
    """The policy with what the flags say of the search."""
    stated = policy.budget
    return replace(
        policy,
        algorithm=algorithm or policy.algorithm,
        budget=Budget(
            seconds=stated.seconds if budget.seconds is None else budget.seconds,
            nodes=stated.nodes if budget.nodes is None else budget.nodes,
            gap=stated.gap if budget.gap is None else budget.gap,
        ),
        threads=policy.threads if threads is None else threads,
        seed=policy.seed if seed is None else seed,
    )


def _default_release(policy: Policy) -> Path:
    assert policy.source is not None
    stem, dot, rest = policy.source.name.partition(".")
    return policy.source.with_name(f"{stem}-k{policy.k}{dot}{rest}")


def _run(
    policy: Policy,
    *,
    memory: str | None,
    temp_directory: Path | None,
    require_optimal: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    # Imported here: `shoal --help` and a mistyped flag shall not wait for DuckDB.
    from shoal.anonymize import anonymize as release_of
    from shoal.cli.progress import ProgressLine
    from shoal.cli.summary import summary, whereabouts
    from shoal.engines.duckdb import DEFAULT_MEMORY, DuckDB

    engine = DuckDB(memory=memory or DEFAULT_MEMORY, threads=policy.threads, temp_directory=temp_directory)
    with engine, ProgressLine(quiet=quiet) as progress:
        try:
            release = release_of(
                policy=policy, engine=engine, require_optimal=require_optimal, on_progress=progress
            )
        except KeyboardInterrupt:
            # Said here: a Ctrl-C that comes later finds a release that was published.
            say("shoal: interrupted; nothing was published")
            raise typer.Exit(INTERRUPTED) from None
    if not quiet:
        say(summary(release.manifest))
        say(whereabouts(release))
    if as_json:
        typer.echo(release.manifest.to_json(), nl=False)
    verdict = release.verdict
    if not verdict.holds:
        found = verdict.measured
        say(
            f"shoal: the audit does not hold: {found.groups_below:,} groups with {found.rows_below:,} rows "
            f"are smaller than k = {verdict.demanded}; the release was accepted unverified"
        )
        raise typer.Exit(AuditError.exit_code)
    if release.result.interrupted:
        say("shoal: the search was interrupted; the best recoding so far was released, and its audit holds")
        raise typer.Exit(INTERRUPTED)
