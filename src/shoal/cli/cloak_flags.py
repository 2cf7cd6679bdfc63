"""The flags that the commands of `shoal cloak` share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import typer

from shoal.cli.console import say
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.location.cloaking.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Recorded positions and requests: .jsonl, or .csv with a header."),
]
Algorithm = Annotated[
    str,
    typer.Option(
        "--algorithm",
        help="hilbert, partition, quadtree, quadtree-time, casper, clique or historical; "
        "`shoal cloak algorithms` says what each promises.",
    ),
]
Ks = Annotated[
    str, typer.Option("-k", metavar="K[,K...]", help="The users to hide among; others that users may choose.")
]
SquareText = Annotated[
    str,
    typer.Option("--square", metavar="X,Y,SIDE", help="Where users can be: a corner, a power of two."),
]
Levels = Annotated[
    int | None,
    typer.Option("--levels", help="How often the square is divided into four (10 at most by default)."),
]
Pseudonyms = Annotated[
    str, typer.Option("--pseudonyms", metavar="request|user", help="A pseudonym per request, or per user.")
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        "--tolerance",
        metavar="DX,DY,DT",
        help="How far box and interval may reach, if a request does not say.",
    ),
]
Cell = Annotated[int | None, typer.Option("--cell", help="quadtree-time: the side of its cells.")]
Lbqids = Annotated[
    Path | None,
    typer.Option("--lbqids", metavar="FILE", help="historical: sequences to protect, and mix zones (.toml)."),
]
Forget = Annotated[
    int | None,
    typer.Option("--forget", metavar="SECONDS", help="Forget users who report no position for so long."),
]
MostUsers = Annotated[int, typer.Option("--most-users", help="Users that are kept in memory.")]
MostWaiting = Annotated[int, typer.Option("--most-waiting", help="Requests that may wait.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the figures on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing but errors.")]


@dataclass(frozen=True, kw_only=True)
class Stated:
    """The flags of `Settings`, as they are written."""

    k: Ks
    square: SquareText
    levels: Levels = None
    pseudonyms: Pseudonyms = "request"
    tolerance: Tolerance = None
    cell: Cell = None
    lbqids: Lbqids = None
    forget: Forget = None
    most_users: MostUsers = 2_000_000
    most_waiting: MostWaiting = 100_000


def with_settings(command: F) -> F:
    """A decorator: a command takes the flags of `Stated`, as its `**stated`."""
    signature = inspect.signature(command, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    every = [*own, *inspect.signature(Stated, eval_str=True).parameters.values()]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def settings_of(stated: Stated, seed: int | None) -> Settings:
    """What these flags say."""
    from shoal.location.cloaking.lbqid import read_lbqids
    from shoal.location.cloaking.settings import Settings
    from shoal.location.cloaking.square import Square

    if stated.pseudonyms not in ("request", "user"):
        raise PolicyError("--pseudonyms is request or user")
    x, y, side = _whole("--square", stated.square, 3)
    tolerance = stated.tolerance and _whole("--tolerance", stated.tolerance, 3)
    sequences, zones = ((), ()) if stated.lbqids is None else read_lbqids(stated.lbqids)
    return Settings(
        square=Square(x=x, y=y, side=side, levels=-1 if stated.levels is None else stated.levels),
        ks=_whole("-k", stated.k, None),
        pseudonyms=cast('Literal["request", "user"]', stated.pseudonyms),
        seed=seed,
        forget=stated.forget,
        most_users=stated.most_users,
        most_waiting=stated.most_waiting,
        tolerance=cast("tuple[int, int, int] | None", tolerance),
        cell=stated.cell,
        lbqids=sequences,
        mix_zones=zones,
    )


def _whole(flag: str, text: str, count: int | None) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if (count is not None and len(parts) != count) or not all(
        part.removeprefix("-").isdecimal() and len(part) < 17 for part in parts
    ):
        many = "whole numbers" if count is None else f"{count} whole numbers"
        raise PolicyError(f"{flag} takes {many} separated by commas")
    return tuple(map(int, parts))


def warn(algorithm: str, below: int | None) -> None:
    """Say why k users are not enough, if a way of cloaking does not promise it or was seen not to."""
    from shoal.location.cloaking import CLOAKERS

    warning = CLOAKERS[algorithm].warning
    if below:
        say(
            f"shoal: warning: cloaks with fewer than k possible issuers: {below:,}; "
            "`shoal cloak attack` tells more"
        )
    if warning and below != 0:
        say(f"shoal: warning: {algorithm} does not promise that k users could have sent a request: {warning}")
