"""A `shoal` and a `python` that start at once: each is a fork of a process that has imported Shoal already.

Starting Python and importing Shoal takes longer than most commands of the documentation. The commands still
run as processes of their own, with their own folder, environment, standard streams and exit code.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

CLIENT = """#!{python} -ISs
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
asked = json.dumps([{program!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(asked).to_bytes(4, "big")], [0, 1, 2])
server.sendall(asked)
code = server.recv(1)
sys.exit(code[0] if code else 70)
"""


@contextlib.contextmanager
def warm_commands(folder: Path) -> Iterator[Path]:
    """Start the server; gives the folder with `shoal` and `python` for the search path."""
    address = str(folder / "server")
    programs = folder / "bin"
    programs.mkdir()
    for program in ("shoal", "python"):
        client = programs / program
        client.write_text(CLIENT.format(python=sys.executable, address=address, program=program))
        client.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(16)
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.docs.warm", str(listening.fileno())],
            pass_fds=[listening.fileno()],
            cwd=Path(__file__).parents[2],
        )
    try:
        yield programs
    finally:
        server.terminate()
        server.wait()


def serve(listening: socket.socket) -> None:
    """Answer each connection in a fork of its own."""
    import shoal
    import shoal.cli.app

    for name in shoal.__all__:
        getattr(shoal, name)
    signal.signal(signal.SIGCHLD, _collect_ended)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listening.close()
            code = _run(connection)
            connection.sendall(bytes([code]))
            os._exit(0)
        connection.close()


def _collect_ended(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _run(connection: socket.socket) -> int:
    length, streams, _, _ = socket.recv_fds(connection, 4, 3)
    asked = b""
    while len(asked) < int.from_bytes(length, "big"):
        asked += connection.recv(1 << 16)
    program, arguments, folder, environment = json.loads(asked)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        _shoal(arguments) if program == "shoal" else _python(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    else:
        code = 0
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    return code


def _shoal(arguments: list[str]) -> None:
    from shoal.cli import main

    sys.argv = ["shoal", *arguments]
    main()


def _python(arguments: list[str]) -> None:
    sys.path.insert(0, "")
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
