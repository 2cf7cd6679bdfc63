"""Three holders in processes of their own, with throw-away certificates on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.network.identity import Identity

NAMES = ("north", "south", "west")


@dataclass
class Ended:
    """How a holder's process ended."""

    code: int
    said: str


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens at."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Three:
    """A folder with a policy, keys, certificates and one table per holder.

    Parameters
    ----------
    folder
        Where.
    policy
        The policy's text without [joint].
    tables
        The text of each holder's table.
    """

    def __init__(self, folder: Path, policy: str, tables: Sequence[str], **stated: object) -> None:
        self.folder = folder
        self._stated = "".join(f"{name} = {value}\n" for name, value in stated.items())
        (folder / "certificates").mkdir()
        self._known = {name: Identity.create(folder, name, days=1) for name in NAMES}
        for name, each in self._known.items():
            content = each.certificate_path.read_bytes()
            (folder / "certificates" / f"{name}.crt").write_bytes(content)
        for name, text in zip(NAMES, tables, strict=True):
            (folder / f"{name}.csv").write_text(text)
        self.write(policy)

    def write(self, policy: str, name: str = "policy.toml") -> Path:
        """A policy with the parties, and with ports that are free now."""
        ports = free_ports(2)
        pinned = "".join(f'{name} = "{each.certificate.fingerprint}"\n' for name, each in self._known.items())
        places = "".join(f'{name} = "127.0.0.1:{port}"\n' for name, port in zip(NAMES, ports, strict=False))
        (self.folder / name).write_text(
            f'{policy}\n[joint]\ndesk = ""\nholders = {list(NAMES)!r}\n{self._stated}'
            f"[joint.parties]\n{pinned}[joint.addresses]\n{places}"
        )
        return self.folder / name

    def start(self, name: str, policy: str = "policy.toml") -> subprocess.Popen[str]:
        """Start one holder."""
        command = [sys.executable, "-m", "shoal.cli", "joint", "no-desk", str(self.folder / policy)]
        command += ["--data", str(self.folder / f"{name}.csv"), "--as", name, "--keys", str(self.folder)]
        if name == NAMES[0]:
            command += ["--output", str(self.folder / "release.csv")]
        environment: Mapping[str, str] = {**os.environ, "SHOAL_TRACEBACK": "1"}
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)

    def run(self, policies: Mapping[str, str] | None = None) -> dict[str, Ended]:
        """Start all three, and wait for their ends."""
        stated = policies or {}
        started = {name: self.start(name, stated.get(name, "policy.toml")) for name in NAMES}
        ended = {}
        for name, process in started.items():
            _, said = process.communicate()
            ended[name] = Ended(process.returncode, said)
        return ended
