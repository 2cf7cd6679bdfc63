"""`shoal collect`: rows of many customers, which open only in company."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import arguments
from shoal.cli.console import reported, say
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.joint.collect.terms import Terms

_BETWEEN_LINES = 10.0

collect = typer.Typer(
    name="collect",
    help="Collect one row from each of many customers; rows open only in groups of k or more.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The party's folder, made by `init`.")]
Listen = Annotated[
    str | None,
    typer.Option("--listen", metavar="HOST:PORT", help="Where to listen, if not where the terms say."),
]


@collect.command()
def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder for the collection.")],
    quasi_identifiers: Annotated[
        list[str], typer.Option("-q", "--quasi-identifiers", help="Columns by which people are recognised.")
    ],
    k: Annotated[int, typer.Option("-k", help="Least rows of a group.")],
    customers: Annotated[int, typer.Option("--customers", help="How many customers get a token.")],
    closes: Annotated[
        str,
        typer.Option("--closes", metavar="TIME", help="When it closes: 2030-01-31T12:00Z, or 90m, 36h, 14d."),
    ],
    others: Annotated[list[str] | None, typer.Option("--others", help="The other columns of a row.")] = None,
    method: Annotated[
        str, typer.Option("--method", help="rows: groups of k open. cells: all rows, with stars.")
    ] = "rows",
    helpers: Annotated[int, typer.Option("--helpers", help="Helpers; all would have to collude.")] = 2,
    row_bytes: Annotated[int, typer.Option("--row-bytes", help="The length that rows are padded to.")] = 256,
    host: Annotated[str, typer.Option("--host", help="Where the parties will listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The first of their ports; 0 for free ones.")] = 7400,
) -> None:
    """Make a folder for each party of a collection, and a token for each customer."""
    with reported(), _installed():
        from shoal.joint.collect.founding import TOKENS, found

        terms = found(
            folder,
            method=method,
            k=k,
            closes=_moment(closes),
            customers=customers,
            quasi_identifiers=arguments.names(quasi_identifiers),
            others=arguments.names(others),
            helpers=helpers,
            row_bytes=row_bytes,
            host=host,
            first_port=port,
        )
        say(f"{folder}: a collection of up to {customers:,} rows, k = {k}, digest {terms.digest[:16]}")
        say(f"it closes at {terms.closes.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
        say(f"give each party its folder ({', '.join(terms.parties)}), and every customer the folder")
        say(f"customers and one file of {TOKENS}; keep none of them, or you could take their place")


@collect.command()
def helper(
    folder: Folder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which helper: helper1, helper2, ...")],
    listen: Listen = None,
) -> None:
    """Answer blinded requests, one per token, until the collection closes."""
    with reported(), _installed():
        from shoal.joint.collect.cells.cells_helper import CellsHelper
        from shoal.joint.collect.helper import Helper
        from shoal.joint.collect.party import Setting
        from shoal.joint.collect.terms import CELLS, Terms

        if Terms.load(folder).method == CELLS:
            comparing = CellsHelper(folder, name, Setting(on_progress=_now_and_then()))
            asyncio.run(comparing.run(_address(listen), _announced(comparing.terms, name, listen)))
            say(_compared(comparing.terms, name, comparing.rows))
            _say_refused(comparing.refused)
            return
        answering = Helper(folder, name)
        asyncio.run(answering.run(_address(listen), _announced(answering.terms, name, listen)))
        say(f"learned: {answering.answered:,} requests came, each a random point; no value, and no name")
        say("its scalar is destroyed")
        _say_refused(answering.refused)


@collect.command()
def relay(folder: Folder, listen: Listen = None) -> None:
    """Take one sealed row per token, and pass all of them on, shuffled, when the collection closes."""
    with reported(), _installed():
        from shoal.joint.collect.cells.relay import CellsRelay
        from shoal.joint.collect.relay import Relay
        from shoal.joint.collect.terms import CELLS, RELAY, Terms

        party = (CellsRelay if Terms.load(folder).method == CELLS else Relay)(folder)
        asyncio.run(party.run(_address(listen), _announced(party.terms, RELAY, listen)))
        if isinstance(party, CellsRelay):
            say(f"learned: which {party.accepted:,} tokens sent a row, and the columns with stars of each")
        else:
            say(f"learned: which {party.accepted:,} tokens sent a row; no value, and not which row")
        say("what waited here is removed")
        _say_refused(party.refused)


@collect.command()
def collector(
    folder: Folder,
    output: Annotated[Path, typer.Option("-o", "--output", help="The release to write (.csv).")],
    listen: Listen = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a file that is not a release of Shoal.")
    ] = False,
) -> None:
    """Wait for the relay, open groups of k or more, once, and publish them after an audit."""
    with reported(), _installed():
        from shoal.joint.collect.cells.collector import CellsCollector
        from shoal.joint.collect.collector import Collector
        from shoal.joint.collect.party import Setting
        from shoal.joint.collect.terms import CELLS, COLLECTOR, Terms

        if Terms.load(folder).method == CELLS:
            suppressing = CellsCollector(folder, output, replace=replace, setting=Setting(on_progress=say))
            listening = _announced(suppressing.terms, COLLECTOR, listen)
            manifest = asyncio.run(suppressing.run(_address(listen), listening))
            say(f"learned: the distances of all pairs of {manifest.rows:,} rows, and the rows with stars")
            say(f"{output}: {manifest.rows - manifest.suppressed:,} rows, {manifest.cost} stars, audit holds")
            return
        opening = Collector(folder, output, replace=replace, setting=Setting(on_progress=_now_and_then()))
        got = asyncio.run(opening.run(_address(listen), _announced(opening.terms, COLLECTOR, listen)))
        closed = ", ".join(f"{groups:,} of {size:,}" for size, groups in sorted(got.opened.closed.items()))
        say(
            f"learned: {len(got.opened.rows):,} rows; {got.opened.closed_rows:,} rows stayed closed, in "
            f"groups of these sizes: {closed or 'none'}"
        )
        if got.opened.repeated or got.unreadable:
            say(f"left out: {got.opened.repeated:,} repeated and {got.unreadable:,} unreadable messages")
        for size, right in got.opened.spoiled:
            outcome = f"{right:,} of them are released" if right else "none of them is released"
            say(f"shoal: warning: a group of {size:,} rows has false ones among them; {outcome}")
        say(f"{output}: {len(got.opened.rows):,} rows, audit holds; the key is destroyed")


@collect.command()
def submit(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder `customers`.")],
    token: Annotated[Path, typer.Argument(metavar="TOKEN", help="Your token's file.")],
    row: Annotated[
        str, typer.Argument(metavar="ROW", help="A CSV file: column names and one row; - for standard input.")
    ],
    seconds: Annotated[float, typer.Option("--seconds", help="How long to try to reach a party.")] = 60.0,
) -> None:
    """Send one row, closed. After an interruption the same command goes on where it was."""
    with reported(), _installed():
        from shoal.joint.collect.customer import Customer, read_row
        from shoal.joint.collect.party import Setting

        customer = Customer(folder, token, Setting(seconds=seconds, on_progress=say))
        where = "standard input" if row == "-" else row
        values = read_row(_text(row), customer.terms, where)
        asyncio.run(customer.submit(values))
        say("the relay has your row; it opens only together with others")


@collect.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "demo/collected.csv"
    ),
    method: Annotated[str, typer.Option("--method", help="rows or cells.")] = "rows",
) -> None:
    """Collect nine rows on this computer: each party a process, with throw-away keys.

    Prints what each party has learned.
    """
    with reported(), _installed():
        from shoal.joint.collect.demo import demonstrate

        output.parent.mkdir(parents=True, exist_ok=True)
        try:
            asyncio.run(demonstrate(method, output, say))
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        say("")
        typer.echo(output.read_text(encoding="utf-8"), nl=False)


@contextmanager
def _installed() -> Iterator[None]:
    """A missing package, as a sentence with the way out."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("cryptography", "rbcl"):
            raise
        raise PolicyError(
            f"to collect rows needs the package {error.name}: pip install 'shoal[joint]'"
        ) from None


def _address(listen: str | None) -> tuple[str, int] | None:
    from shoal.joint.collect.terms import address_of

    return None if listen is None else address_of(listen, "--listen")


def _announced(terms: Terms, name: str, listen: str | None) -> Any:
    host = (_address(listen) or terms.addresses[name])[0]
    until = f"{terms.closes.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return lambda port: say(f"listens at {host}:{port} until the collection closes, at {until} or earlier")


def _now_and_then() -> Callable[[str], None]:
    """Says what is done, every ten seconds from the first time on."""
    last: float | None = None

    def told(words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if last is not None and now - last < _BETWEEN_LINES:
            return
        if last is not None:
            say(words)
        last = now

    return told


def _say_refused(refused: dict[str, int]) -> None:
    for reason, times in sorted(refused.items()):
        say(f"turned away {times:,} times: {reason}")


def _compared(terms: Terms, name: str, rows: int) -> str:
    if name == terms.helper_names[0]:
        return f"learned: that there are {rows:,} rows, their parts, and which columns of each have stars"
    return f"learned: in how many columns each two of {rows:,} rows differ, and which columns have stars"


def _moment(text: str) -> datetime:
    """A time with its offset, or a duration from now."""
    unit = {"m": "minutes", "h": "hours", "d": "days"}.get(text[-1:])
    if unit and text[:-1].isascii() and text[:-1].isdecimal() and len(text) < 6:
        return datetime.now(UTC) + timedelta(**{unit: int(text[:-1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise PolicyError(
            "--closes takes a time with its offset, as in 2030-01-31T12:00Z, or how long the collection is "
            f"open, as in 36h or 14d; given was {text!r}"
        )
    return moment


def _text(row: str) -> str:
    """The file with the row."""
    try:
        content = sys.stdin.buffer.read() if row == "-" else Path(row).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise PolicyError(f"cannot read {row}: {error.strerror or 'no reason given'}") from None
    except UnicodeDecodeError:
        raise PolicyError("the row is not text in UTF-8; write it in UTF-8") from None
