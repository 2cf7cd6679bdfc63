"""Starts the studio: a server on this machine, guarded, with a private folder that is gone when it ends."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from shoal import EngineError, datasets
from shoal.files.private_folder import PrivateFolder, remove_stale
from shoal.studio.folders import Folders
from shoal.studio.own_host import bound, own_host
from shoal.studio.private_place import memory_place, memory_places

MOST_UPLOAD = 512 * 2**20
"""Most bytes of an upload by default; a larger file is opened by its path."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")


def serve(
    folders: tuple[Path, ...],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    most_upload: int = MOST_UPLOAD,
    policy: Path | None = None,
    on_ready: Callable[[str], None],
) -> None:
    """Serve the studio until it is stopped.

    Parameters
    ----------
    folders
        What the studio may read and write.
    host, port
        Where it listens; port 0 is any that is free.
    most_upload
        Bytes of an upload.
    policy
        A policy to begin with; its table is opened.
    on_ready
        Called with the address, token and all, once it can be opened.
    """
    listening = _listening(host, port)
    sockets, name = [listening], host
    if host == LOOPBACK[0]:
        name, own = own_host(listening.getsockname()[1])
        sockets += [] if own is None else [own]
    for place in memory_places():  # one that was killed must not take the room of this one
        remove_stale(place)
    memory = memory_place(most_upload)
    spilled = PrivateFolder(None)
    private = spilled if memory is None else PrivateFolder(memory)
    # The server lets a signal through once it has shut down; what follows must still be cleared away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if hasattr(signal, "SIGHUP"):  # its terminal was closed
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    # Uploads on their way, and what libraries and workers keep, stay in the private folder too.
    before = tempfile.tempdir
    tempfile.tempdir, os.environ["TMPDIR"] = str(private.path), str(spilled.path)
    os.environ["NICEGUI_STORAGE_PATH"] = str(private.path / "nicegui")
    # A database that was opened may have views on any file; reading it here or in a worker must not use them.
    readable = (*folders, private.path, spilled.path, datasets.adult_path().parent)
    os.environ["SHOAL_FOLDERS"] = "\n".join(str(folder.expanduser().resolve()) for folder in readable)
    try:
        own_folders = Folders(folders, private.path, roomy=spilled.path)
        _run(own_folders, sockets, host, name, most_upload, policy, on_ready)
    finally:
        tempfile.tempdir = before
        for each in sockets:
            each.close()
        private.remove()
        spilled.remove()


def _run(
    folders: Folders,
    sockets: list[socket.socket],
    host: str,
    name: str,
    most_upload: int,
    policy: Path | None,
    on_ready: Callable[[str], None],
) -> None:
    # Imported here, after the environment is set.
    import uvicorn

    from shoal.studio.frame import application
    from shoal.studio.guard import Guard, new_token
    from shoal.studio.jobs import Workers
    from shoal.studio.steps.open_table.opening import open_first
    from shoal.studio.workspace import Workspace

    port = sockets[0].getsockname()[1]
    token = new_token()
    at_home = host in LOOPBACK
    workers = Workers()
    workspace = Workspace(folders, workers)
    guarded = Guard(
        application(workspace, most_upload),
        names={*LOOPBACK, name} if at_home else {*LOOPBACK, host, socket.gethostname(), socket.getfqdn()},
        addresses=not at_home,
        token=token,
        cookie=f"shoal-studio-{port}",
        # A form has more than the file in it.
        most_bytes=most_upload + 2**16,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            workers.warm()
            if policy is not None:
                open_first(workspace, policy)
            shown = socket.gethostname() if host in EVERYWHERE else name
            on_ready(f"http://{_bracketed(shown)}:{port}/?token={token}")

    config = uvicorn.Config(
        guarded,
        log_level="warning",
        access_log=False,  # addresses have the token in them
        server_header=False,
        proxy_headers=False,  # no proxy may change the origin of a request
        timeout_graceful_shutdown=1,
        ws_max_size=2**22,
    )
    try:
        Server(config).run(sockets=sockets)
    finally:
        # It takes seconds at most, and must not be left halfway.
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, signal.SIG_IGN)
        workers.close()


def _listening(host: str, port: int) -> socket.socket:
    try:
        return bound(host, port)
    except OSError as error:
        raise EngineError(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose another with --port, or leave "
            "it out for any that is free"
        ) from None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
