"""`shoal studio`: the whole way from a file to a signed release, in the browser."""

from __future__ import annotations

import importlib.util
import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from shoal.api.read_policy import read_policy
from shoal.cli.console import reported, say
from shoal.errors import PolicyError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def studio(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER...|POLICY]",
            help="Folders whose files the studio may open and write to; this folder when absent. Or a policy "
            "to go on from: then its folder and its table's, and both are opened.",
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; any that is free when absent.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page in the browser.")
    ] = True,
    most_upload: Annotated[
        int, typer.Option("--most-upload", metavar="MB", min=1, help="The largest file that can be uploaded.")
    ] = 512,
) -> None:
    """Open Shoal in the browser: see the data, choose the trade-off, release.

    The page is served on this machine alone, needs the token in the printed address, and requests nothing
    from the network. Ctrl-C ends it; uploads and unfinished runs are gone then.
    """
    with reported():
        for package in ("nicegui", "tomli_w"):
            if importlib.util.find_spec(package) is None:
                raise PolicyError(
                    f"the studio needs {package}, which is not installed: pip install 'shoal[studio]'"
                )
        opened, policy = _named(folders or [Path.cwd()])
        for folder in opened:
            if not folder.is_dir():
                raise PolicyError(f"{folder} is not a folder; name folders whose files the studio may open")
            try:
                str(folder.resolve()).encode()
            except UnicodeEncodeError:
                raise PolicyError(
                    "the path of that folder is not written in UTF-8; rename it first"
                ) from None
        if host not in LOOPBACK:
            say(
                f"shoal: warning: on {host} others in the network can reach the studio if they learn the "
                "address below, and it is not encrypted"
            )
        # Imported here: `shoal --help` should not wait for a web server.
        from shoal.studio.server import serve

        def ready(address: str) -> None:
            say(f"Shoal Studio: {address}\nCtrl-C ends it.")
            if browser:
                webbrowser.open(address)

        try:
            serve(
                opened,
                host=host,
                port=port,
                most_upload=most_upload * 2**20,
                policy=policy,
                on_ready=ready,
            )
        except KeyboardInterrupt:
            say("The studio has ended; uploads and unreleased runs are gone.")


def _named(stated: list[Path]) -> tuple[tuple[Path, ...], Path | None]:
    """The folders, and the policy to begin with: one that is named, or that of a project's folder."""
    first = stated[0]
    policy = first / "policy.toml" if (first / "project.json").is_file() else first
    if len(stated) > 1 or policy.suffix.lower() != ".toml" or not policy.is_file():
        return tuple(stated), None
    folders = [policy.parent.resolve()]
    source = read_policy(policy).source
    if isinstance(source, str | os.PathLike):
        place = Path(source)
        folders.append((place if place.is_dir() else place.parent).resolve())
    return tuple(dict.fromkeys(folders)), policy.resolve()
