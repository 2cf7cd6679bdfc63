"""`shoal channel`: send a message among k members, so that nobody learns which of them sent it.

Texts go to standard output, everything else to standard error. The protocol and its packages are imported
only when a command runs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.channel_demo import demo
from shoal.cli.channel_member import member
from shoal.cli.console import print_json, reported, say
from shoal.errors import AuditError, PolicyError

channel = typer.Typer(
    name="channel",
    help="Send messages among k members, who cannot tell which of them sent one. A study, not audited.",
    no_args_is_help=True,
)
channel.command()(member)
channel.command()(demo)

Group = Annotated[
    Path, typer.Option("--group", metavar="FILE", help="The group file; group.toml when absent.")
]
As = Annotated[str, typer.Option("--as", metavar="NAME", help="Which member.")]
Socket = Annotated[
    Path | None,
    typer.Option("--socket", metavar="PATH", help="The member's socket; NAME.sock next to the group file."),
]
GROUP = Path("group.toml")


@channel.command()
def size(
    k: Annotated[int, typer.Option("-k", help="Honest members among whom a sender hides.")],
    corrupt: Annotated[
        str, typer.Option("--corrupt", metavar="SHARE", help="The share of members that is corrupt.")
    ] = "0",
) -> None:
    """Print how many members a group needs, so that k honest ones are missing once in a million."""
    with reported():
        from shoal.channel.membership import Settings

        typer.echo(Settings(k=k, corrupt=corrupt).least_size())


@channel.command()
def identity(
    name: Annotated[str, typer.Argument(help="The member's name: letters, digits, hyphens, underscores.")],
    folder: Annotated[Path, typer.Option("--folder", help="Where to write the files.")] = Path(),
    days: Annotated[float, typer.Option("--days", help="How long the certificate is valid.")] = 365.0,
) -> None:
    """Make a member's keys: NAME.key and NAME.box stay private, NAME.crt and NAME.pub go to the others."""
    with reported():
        from shoal.channel.keys import Keys

        keys = Keys.create(folder, name, days=days)
        say(f"{name}: give {name}.crt and {name}.pub to whoever writes the group file, and keep the rest")
        say(f"fingerprint, to compare by telephone: {keys.identity.certificate.fingerprint}")


@channel.command()
def init(
    members: Annotated[
        list[str],
        typer.Option("--member", metavar="NAME=HOST:PORT", help="A member and where it listens; repeat it."),
    ],
    k: Annotated[int, typer.Option("-k", help="Honest members among whom a sender hides.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The group file to write.")] = GROUP,
    corrupt: Annotated[
        str, typer.Option("--corrupt", metavar="SHARE", help="The share of members that may be corrupt.")
    ] = "0",
    beacon: Annotated[
        str, typer.Option("--beacon", metavar="TEXT", help="A public text, unknown before: deals the groups.")
    ] = "-",
    proofs: Annotated[
        int, typer.Option("--proofs", help="Repetitions of each proof; a cheat passes once in 2^that.")
    ] = 40,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds until silence is noticed; blamed after twice as many.")
    ] = 30.0,
    interval: Annotated[float, typer.Option("--interval", help="Seconds between rounds.")] = 1.0,
) -> None:
    """Write the group file from NAME.crt and NAME.pub next to it; keys of members without them are made.

    With as many members as several groups need, the beacon deals them into groups.
    """
    with reported():
        from shoal.channel.membership import Settings, dealt
        from shoal.files.whole_file import write_text

        if output.exists():
            raise PolicyError(f"{output} exists already; choose another name with -o")
        settings = Settings(
            k=k, corrupt=corrupt, beacon=beacon, proofs=proofs, timeout=timeout, interval=interval
        )
        found = dealt([_member(each, output.parent) for each in members], settings)
        write_text(output, found.to_toml())
        for number in range(found.groups):
            names = found.group(number)
            say(f"group {number}: {len(names)} members ({', '.join(names)})")
        say(f"k = {k} with a corrupt share of {corrupt} needs {settings.least_size()} members in a group")


@channel.command()
def send(
    to: Annotated[str, typer.Argument(metavar="RECEIVER", help="The member that can read the text.")],
    own: As,
    text: Annotated[
        str | None, typer.Argument(help="The text; standard input when absent, which no history keeps.")
    ] = None,
    group: Group = GROUP,
    socket: Socket = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Whether to wait until all members have the message.")
    ] = True,
) -> None:
    """Send a text through a member that runs on this machine."""
    with reported():
        content = sys.stdin.read() if text is None else text
        request = {"do": "send", "to": to, "text": content, "wait": wait}
        pieces = _ask(group, own, socket, request)["pieces"]
        say(f"{'arrived' if wait else 'queued'}, in {pieces} pieces")


@channel.command()
def receive(
    own: As,
    group: Group = GROUP,
    socket: Socket = None,
    wait: Annotated[
        int, typer.Option("--wait", metavar="INT", min=0, help="Wait until there are so many messages.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of texts.")] = False,
) -> None:
    """Print the messages that have arrived at a member that runs on this machine, each once."""
    with reported():
        texts = _ask(group, own, socket, {"do": "receive", "count": wait})["texts"]
        if as_json:
            print_json(texts)
        else:
            for text in texts:
                # Anybody of the group may have written it: nothing that a terminal would obey.
                typer.echo("".join(sign if sign.isprintable() else " " for sign in text.rstrip("\n")))


@channel.command()
def status(own: As, group: Group = GROUP, socket: Socket = None) -> None:
    """Print the facts of a member that runs on this machine: round, roster, who was expelled, cost."""
    with reported():
        print_json(_ask(group, own, socket, {"do": "status"}))


@channel.command()
def verify(
    evidence: Annotated[Path, typer.Argument(metavar="EVIDENCE", help="A file that a member wrote.")],
    group: Group = GROUP,
) -> None:
    """Check evidence against a member, as a third party; exit code 5 if it does not convict."""
    with reported():
        from shoal.channel.curve import Ristretto
        from shoal.channel.evidence import Evidence, convicts
        from shoal.channel.membership import Membership
        from shoal.channel.payloads import Rules

        membership = Membership.read(group)
        try:
            found = Evidence.of_bytes(evidence.read_bytes())
        except ValueError:
            raise PolicyError(f"{evidence} is no evidence; `shoal channel member` writes it") from None
        if not convicts(found, membership, Rules(Ristretto(), membership.settings.proofs)):
            raise AuditError(f"the evidence in {evidence} does not convict {found.accused}")
        say(f"convicted: {found.words}")


def _ask(group: Path, own: str, socket: Path | None, request: dict[str, Any]) -> dict[str, Any]:
    from shoal.channel.local_socket import ask

    return ask(socket or group.parent / f"{own}.sock", request)


def _member(text: str, folder: Path) -> Any:
    """One member of a new group file."""
    from shoal.channel.keys import Keys, read_public
    from shoal.channel.membership import Member
    from shoal.network.identity import Certificate

    name, _, address = text.partition("=")
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise PolicyError(f"--member {text} is not NAME=HOST:PORT, such as ann=10.0.0.7:4001")
    if not (folder / f"{name}.crt").exists():
        Keys.create(folder, name)
        say(f"{name}: made keys; on different machines each member makes its own (`shoal channel identity`)")
    certificate = Certificate.load(folder / f"{name}.crt")
    box = read_public(folder / f"{name}.pub")
    return Member(name=name, group=0, host=host.strip("[]"), port=int(port), certificate=certificate, box=box)
