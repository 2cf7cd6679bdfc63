"""`shoal joint demo`: a joint release of the bundled census table, by real processes on this machine."""

from __future__ import annotations

import csv
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_json, reported, say
from shoal.errors import EngineError

COLUMNS = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "occupation")
_LOOK, _TO_SAY_WHY = 0.05, 3.0
DROPPED = ("fnlwgt", "education-num")


def demo(
    holders: Annotated[int, typer.Option("--holders", min=2, max=16, help="How many have rows.")] = 3,
    k: Annotated[int, typer.Option("-k", min=1, help="Least rows of a group.")] = 5,
    suppression: Annotated[
        str, typer.Option("--suppression", help='Rows that may be suppressed: a number or a share, "1%".')
    ] = "1%",
    insider: Annotated[
        bool, typer.Option("--insider", help="k rows even without those of any single holder.")
    ] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path(
        "demo/joint.csv"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures on standard output.")] = False,
) -> None:
    """Divide the Adult census table among holders, and release it jointly: one process per party.

    The processes talk over TLS on this machine, with certificates that are thrown away. Shows what each party
    learned, and compares the release with that of one process that has all rows.
    """
    with reported():
        from shoal.joint.needed import check_packages

        check_packages()
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="shoal-") as name:
            folder = Path(name)
            names = [f"holder-{number + 1}" for number in range(holders)]
            _divided(folder, names)
            _agreed(folder, names, k=k, suppression=suppression, insider=insider)
            say(f"Adult: 30,162 people, divided among {', '.join(names)}; a desk without rows searches.")
            started = time.monotonic()
            _processes(folder, names, output.absolute())
            seconds = time.monotonic() - started
            say(f"\nall processes took {seconds:.1f} s together")
            facts = json.loads(output.with_name(f"{output.name}.manifest.json").read_text(encoding="utf-8"))
            for party, learned in facts["joint"]["learns"].items():
                say(f"\n{party} learns")
                for each in learned:
                    say(f"  - {each}")
            same = None if insider else _compared(folder, output, facts)
            if as_json:
                print_json({"seconds": round(seconds, 3), "same": same, "manifest": facts})


def _divided(folder: Path, names: list[str]) -> None:
    """Every holder's rows in a file of its own."""
    from shoal.datasets import adult_path

    with gzip.open(adult_path(), "rt", encoding="utf-8", newline="") as source:
        header, *rows = csv.reader(source)
    for number, name in enumerate([*names, "all"]):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as target:
            writer = csv.writer(target, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows if name == "all" else rows[number :: len(names)])


def _agreed(folder: Path, names: list[str], *, k: int, suppression: str, insider: bool) -> None:
    """Throw-away identities, and the policy that all parties have."""
    from shoal.datasets import adult_hierarchy_path
    from shoal.joint.first_policy import first_policy
    from shoal.model.policy.suppression import Suppression
    from shoal.network.identity import Identity

    keys = folder / "certificates"
    keys.mkdir()
    made = {name: Identity.create(keys, name, days=1) for name in [*names, "desk"]}
    text = first_policy(
        names,
        COLUMNS,
        k,
        desk="desk",
        recipient=None,
        address=f"127.0.0.1:{_free_port()}",
        insider=insider,
        fingerprints={name: each.certificate.fingerprint for name, each in made.items()},
    )
    limit = Suppression.parse(suppression).stated
    text = text.replace("suppression = 0\n", f"suppression = {json.dumps(limit)}\n")
    text += "".join(f'[attributes.{json.dumps(name)}]\nrole = "identifier"\n' for name in DROPPED)
    (folder / "joint.toml").write_text(text, encoding="utf-8")
    for column in COLUMNS:
        (folder / f"{column}.csv").write_bytes(Path(adult_hierarchy_path(column)).read_bytes())


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _processes(folder: Path, names: list[str], output: Path) -> None:
    """A process per party; all must end well."""
    keys, policy = str(folder / "certificates"), str(folder / "joint.toml")
    shoal = [sys.executable, "-m", "shoal.cli", "joint"]
    commands = {"desk": [*shoal, "desk", policy, "--keys", keys, "-o", str(output)]}
    for name in names:
        data = str(folder / f"{name}.csv")
        commands[name] = [*shoal, "holder", policy, "--as", name, "--data", data, "--keys", keys]
    running, logs = {}, {name: folder / f"{name}.log" for name in commands}
    try:
        for name, command in commands.items():
            with logs[name].open("w", encoding="utf-8") as written:
                plain = {**os.environ, "NO_COLOR": "1"}
                running[name] = subprocess.Popen(command, stderr=written, env=plain)
        # One that fails before it meets the others would keep them waiting.
        while any(each.poll() is None for each in running.values()):
            if any(each.poll() for each in running.values()):
                time.sleep(_TO_SAY_WHY)
                break
            time.sleep(_LOOK)
    finally:
        for each in running.values():
            each.kill()
            each.wait()
    for name, log in logs.items():
        say(f"\n{name}:")
        for line in log.read_text(encoding="utf-8").splitlines():
            if "warning" not in line:
                say(f"  {line}")
    failed = [name for name, each in running.items() if each.returncode != 0]
    if failed:
        raise EngineError(f"the demo did not end well at {', '.join(failed)}")


def _compared(folder: Path, output: Path, facts: dict[str, object]) -> bool:
    """Release all rows by one process, and compare."""
    from shoal.api.anonymize import anonymize
    from shoal.errors import ShoalWarning
    from shoal.model.policy.suppression import Suppression

    stated = tomllib.loads((folder / "joint.toml").read_text(encoding="utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        central = anonymize(
            folder / "all.csv",
            quasi_identifiers=COLUMNS,
            identifiers=DROPPED,
            hierarchies={column: folder / f"{column}.csv" for column in COLUMNS},
            k=stated["privacy"]["k"],
            suppression=Suppression(stated["objective"]["suppression"]).stated,
            algorithm="lattice",
            seconds="unlimited",
            path=folder / "central.csv",
        ).manifest
    alike = {
        "levels": facts["recoding"] == central.recoding,
        "cost": facts["cost"] == central.cost,
        "bound": facts["bound"] == central.bound,
        "nodes": facts["nodes"] == central.nodes,
        "suppressed rows": facts["suppressed"] == central.suppressed,
        "rows": _rows(output) == _rows(folder / "central.csv"),
    }
    differ = [what for what, same in alike.items() if not same]
    say(
        "\none process with all rows gives the same " + ", ".join(alike)
        if not differ
        else f"\none process with all rows gives other {', '.join(differ)}"
    )
    if differ:
        raise EngineError("a joint release must be the release that one process with all rows makes")
    return True


def _rows(path: Path) -> list[list[str]]:
    """The rows of a release, in no order."""
    with path.open(encoding="utf-8", newline="") as release:
        return sorted(csv.reader(release))
