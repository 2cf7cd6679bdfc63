"""`shoal joint`: one release of several holders, who do not show each other their rows.

A command of another protocol is a function in a file of its own, registered at the end of this one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import flags
from shoal.cli.console import print_json, reported, say
from shoal.cli.joint_demo import demo
from shoal.cli.joint_no_desk import no_desk
from shoal.cli.joint_site import site, site_demo
from shoal.errors import PolicyError

if TYPE_CHECKING:
    from shoal.joint.policy import JointPolicy
    from shoal.model.result.coded_warning import CodedWarning
    from shoal.network.identity import Identity

joint = typer.Typer(
    name="joint",
    help="Release the rows of several holders together, without showing them to each other.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy (.toml) that all parties have.")]
Certificates = Annotated[
    Path | None,
    typer.Option(
        "--certificates",
        help="The folder with every party's NAME.crt; the folder `certificates` next to the policy when "
        "absent.",
    ),
]
Keys = Annotated[Path, typer.Option("--keys", help="The folder with this party's own NAME.key and NAME.crt.")]
Who = Annotated[str, typer.Option("--as", metavar="NAME", help="Which party this is.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="The release (.csv), in place of the policy's [release] path."),
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Replace a file although it is no release of Shoal.")
]


@joint.command()
def identity(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the policy calls this party.")],
    folder: Annotated[
        Path, typer.Option("--folder", help="Where NAME.key, which stays here, and NAME.crt are written.")
    ] = Path("keys"),
    days: Annotated[float, typer.Option("--days", min=0.01, help="How long the certificate is valid.")] = 30,
) -> None:
    """Make a party's key and certificate. The certificate is for the others; the key never leaves."""
    with reported():
        _needed()
        from shoal.network.identity import Identity

        folder.mkdir(parents=True, exist_ok=True)
        made = Identity.create(folder, name, days=days)
        say(f"wrote {made.key_path}, which stays with you, and {made.certificate_path} for the others")
        say(f"fingerprint {made.certificate.fingerprint}")
        say("let the others compare it by telephone; the policy has it under [joint.parties]")


@joint.command()
def init(
    policy: File,
    holders: Annotated[str, typer.Option("--holders", metavar="NAMES", help="As in north,south,west.")],
    columns: Annotated[
        str, typer.Option("-q", "--quasi", metavar="COLUMNS", help="The quasi-identifiers, as in age,zip.")
    ],
    k: Annotated[int, typer.Option("-k", min=1, help="Least rows of a group.")],
    desk: Annotated[str, typer.Option("--desk", help="The party without rows.")] = "desk",
    recipient: Annotated[
        str | None, typer.Option("--recipient", help="Who gets the release, if that is not the desk.")
    ] = None,
    address: Annotated[
        str, typer.Option("--address", metavar="HOST:PORT", help="Where the desk listens.")
    ] = "127.0.0.1:7443",
    insider: Annotated[
        bool, typer.Option("--insider", help="k rows even without those of any single holder.")
    ] = False,
    certificates: Certificates = None,
) -> None:
    """Write the policy of a joint release, with the fingerprints of the certificates that are there."""
    with reported():
        _needed()
        from shoal.files.whole_file import write_text
        from shoal.joint.first_policy import first_policy
        from shoal.network.identity import Certificate

        if policy.exists():
            raise PolicyError(f"{policy} exists and is not replaced; remove it, or name another file")
        folder = policy.parent / "certificates" if certificates is None else certificates
        named, asked = _listed(holders), _listed(columns)
        parties = [*named, desk, *([] if recipient is None else [recipient])]
        pinned = {name: Certificate.load(folder / f"{name}.crt").fingerprint for name in parties}
        text = first_policy(
            named,
            asked,
            k,
            desk=desk,
            recipient=recipient,
            address=address,
            insider=insider,
            fingerprints=pinned,
        )
        write_text(policy, text)
        files = ", ".join(f"{each}.csv" for each in asked)
        say(f"wrote {policy}; put a hierarchy for each column next to it: {files}")
        say(f"then give it to all parties, and compare: shoal joint digest {policy}")


@joint.command()
def digest(policy: File, certificates: Certificates = None) -> None:
    """Print the digest that all parties must have, and what each of them will learn."""
    with reported():
        agreed = _policy(policy, certificates)
        from shoal.joint.leaks import limits, statement

        typer.echo(agreed.digest)
        for party, learned in statement(agreed).items():
            say(f"{party} learns:")
            for each in learned:
                say(f"  - {each}")
        say("assumed, and not promised:")
        for each in limits(agreed):
            say(f"  - {each}")


@joint.command()
def holder(
    policy: File,
    who: Who,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="This holder's own table.")],
    keys: Keys = Path("keys"),
    certificates: Certificates = None,
    quiet: flags.Quiet = False,
) -> None:
    """Take part with rows of one's own: they leave as tokens, masked sums, and recoded."""
    with reported():
        agreed, own = _policy(policy, certificates), _identity(keys, who)
        from shoal.joint.sessions import be_holder

        learned = be_holder(agreed, own, data, on_warnings=_warn)
        if not quiet:
            levels = ", ".join(
                f"{each.name} {level}"
                for each, level in zip(agreed.policy.quasi_identifiers, learned.levels, strict=True)
            )
            say(f"{learned.status}   levels {levels}   cost {learned.cost:.6g}   run {learned.run}")
            say(
                f"learned: {learned.rows:,} rows in all; {learned.bits:,} bits on own groups, at "
                f"{learned.priced:,} of {learned.measured:,} nodes; transcript {learned.transcript}"
            )


@joint.command()
def desk(
    policy: File,
    keys: Keys = Path("keys"),
    output: Output = None,
    certificates: Certificates = None,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen", metavar="HOST:PORT", help="Where to listen, if not at the policy's address."
        ),
    ] = None,
    replace: Replace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest on standard output.")] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Be the desk: meet the holders, search, and write the audited release, unless another is recipient."""
    with reported():
        agreed = _policy(policy, certificates)
        own = _identity(keys, agreed.stated.desk)
        from dataclasses import asdict
        from dataclasses import replace as changed

        from shoal.cli.progress import ProgressLine
        from shoal.joint.sessions import be_desk

        target = _target(agreed, output) if agreed.stated.recipient == agreed.stated.desk else output
        place = None if listen is None else changed(agreed.stated, address=listen).place
        with ProgressLine(quiet=quiet, cost=agreed.policy.cost) as progress:
            finished = be_desk(
                agreed,
                own,
                target,
                listen=place,
                replace=replace,
                on_progress=progress,
                on_open=lambda port: None if quiet else say(f"waiting for all parties at port {port}"),
            )
        if as_json and finished.published is not None:
            print_json(asdict(finished.published.manifest))
        if quiet:
            return
        from shoal.cli.summary import summary

        if finished.published is not None:
            say(summary(finished.published.manifest))
            say(f"{finished.published.path}   run {finished.learned.run}")
        learned = finished.learned
        say(
            f"learned: {learned.tokens:,} tokens of {learned.nodes:,} nodes, {learned.priced:,} of them "
            f"priced; received {learned.bytes:,} bytes"
        )


@joint.command()
def recipient(
    policy: File,
    keys: Keys = Path("keys"),
    output: Output = None,
    certificates: Certificates = None,
    replace: Replace = False,
    quiet: flags.Quiet = False,
) -> None:
    """Be the recipient, if the policy names one: get the sealed parts, audit the release, and name it."""
    with reported():
        agreed = _policy(policy, certificates)
        own = _identity(keys, agreed.stated.recipient)
        from shoal.cli.summary import summary
        from shoal.joint.sessions import be_recipient

        published = be_recipient(agreed, own, _target(agreed, output), replace=replace)
        if not quiet:
            say(summary(published.manifest))
            say(str(published.path))


joint.command()(demo)


def _needed() -> None:
    from shoal.joint.needed import check_packages

    check_packages()


def _policy(path: Path, certificates: Path | None) -> JointPolicy:
    _needed()
    from shoal.joint.policy import JointPolicy

    return JointPolicy.read(path, certificates)


def _identity(folder: Path, name: str) -> Identity:
    from shoal.network.identity import Identity

    return Identity.load(folder, name)


def _target(policy: JointPolicy, output: Path | None) -> Path:
    place = output or policy.policy.release
    if place is None:
        raise PolicyError("say where the release shall be written (--output, or [release] path)")
    if Path(place).suffix.lower() != ".csv":
        raise PolicyError("a joint release is written as .csv; name such a file")
    return Path(place)


def _warn(warnings: tuple[CodedWarning, ...]) -> None:
    for each in warnings:
        say(f"shoal: warning: {each}")


def _listed(text: str) -> list[str]:
    names = [each.strip() for each in text.split(",")]
    if not all(names):
        raise PolicyError("a name in a list is empty; write them as in north,south,west")
    return names


joint.command("site")(site)
joint.command("site-demo")(site_demo)
joint.command("no-desk")(no_desk)
