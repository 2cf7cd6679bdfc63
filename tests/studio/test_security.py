"""Who may talk to the studio, and what it keeps: shown by requests as others would send them."""

from __future__ import annotations

import base64
import contextlib
import errno
import http.client
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from shoal.errors import PolicyError
from shoal.studio import own_host, private_place
from shoal.studio.folders import Folders
from shoal.studio.guard import Guard
from shoal.studio.own_host import is_this_machine
from tests.patience import PATIENCE, until
from tests.studio.conftest import Studio, awaited, workers_of
from tests.studio.test_jobs import gone

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all requests of this file, which takes uploads of a megabyte."""
    folder, temporary = tmp_path_factory.mktemp("folder"), tmp_path_factory.mktemp("temporary")
    studio = Studio(folder, temporary, "--most-upload", "1")
    yield studio
    studio.end()


class Asked:
    """A request and what came back."""

    def __init__(
        self, studio: Studio, path: str, method: str = "GET", body: object = None, **headers: str
    ) -> None:
        connection = http.client.HTTPConnection(urlsplit(studio.origin).netloc, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused before all was sent
            connection.request(method, path, body=body, headers=named)  # type: ignore[arg-type]
        answer = connection.getresponse()
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.text = answer.read().decode("utf-8", "replace")
        connection.close()


def cookie(studio: Studio) -> str:
    """What a browser keeps after it was given the address."""
    return Asked(studio, f"/?token={studio.token}").headers["set-cookie"].partition(";")[0]


def handshake(studio: Studio, **headers: str) -> int:
    """Ask for a web socket; the status that is answered."""
    where = urlsplit(studio.origin)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        f"Host: {where.netloc}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(1024).split()[1])


def sent(studio: Studio, lines: list[str]) -> bytes:
    """Send the head of a request just as it is written here; the beginning of the answer."""
    where = urlsplit(studio.origin)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return connection.recv(1024)


@pytest.mark.parametrize("path", ["/", "/protect", "/static/studio.css", "/?token=wrong", "/?token="])
def test_without_the_token_nothing_is_answered(served: Studio, path: str) -> None:
    """Not even the style sheet; the words say where the right address is."""
    asked = Asked(served, path)
    assert asked.status == 403
    assert "the address that `shoal studio` printed" in asked.text


def test_the_token_goes_into_a_cookie_that_others_cannot_use(served: Studio) -> None:
    """The address is left without it, so that it is in no history or screenshot for long."""
    asked = Asked(served, f"/search?run=1&token={served.token}")
    assert (asked.status, asked.headers["location"]) == (303, "/search?run=1")
    assert "HttpOnly" in asked.headers["set-cookie"]
    assert "SameSite=Strict" in asked.headers["set-cookie"]
    assert Asked(served, "/", Cookie=cookie(served)).status == 200


def test_the_cookie_stands_for_the_token_and_does_not_have_it(served: Studio) -> None:
    """A server that is sent the cookie does not learn the address; the token is no cookie."""
    name, _, secret = cookie(served).partition("=")
    assert served.token not in secret
    assert Asked(served, "/", Cookie=f"{name}={served.token}").status == 403
    assert Asked(served, f"/?token={secret}").status == 403


def test_no_other_server_shares_the_host(served: Studio) -> None:
    """Cookies are kept by host: one on 127.0.0.1 would go to whatever else listens there."""
    host = urlsplit(served.origin).hostname or ""
    assert (host == "127.0.0.1") is (sys.platform == "darwin" and not is_this_machine("x.localhost"))
    tunnelled = f"127.0.0.1:{urlsplit(served.origin).port}"
    assert Asked(served, "/", Host=tunnelled).status == 403  # answered to, but it needs the token
    assert Asked(served, f"/?token={served.token}", Host=tunnelled).status == 303


@pytest.mark.parametrize(("name", "here"), [("localhost", True), ("127.0.0.1", True), ("10.1.2.3", False)])
def test_a_name_is_taken_only_if_it_is_this_machine(name: str, here: bool) -> None:
    """And one that nobody resolves is not."""
    assert is_this_machine(name) is here
    assert not is_this_machine("no such name")


@pytest.mark.parametrize(
    ("at_ipv6", "is_named"), [(None, True), (errno.EADDRNOTAVAIL, True), (errno.EADDRINUSE, False)]
)
def test_a_name_is_not_used_if_somebody_else_may_answer_to_it(
    monkeypatch: pytest.MonkeyPatch, at_ipv6: int | None, is_named: bool
) -> None:
    """Browsers may open it at ::1: the studio listens there, or nobody can, or the name is not used."""
    with socket.socket() as listening:

        def bound(host: str, _: int) -> socket.socket:
            if host != "::1":
                raise OSError(errno.EADDRNOTAVAIL, "as on macOS")
            if at_ipv6 is not None:
                raise OSError(at_ipv6, "no")
            return listening

        monkeypatch.setattr(own_host, "bound", bound)
        monkeypatch.setattr(own_host, "is_this_machine", lambda _: True)
        host, further = own_host.own_host(1)
        assert host.endswith(".localhost") is is_named
        assert host == "127.0.0.1" or is_named
        assert (further is listening) is (at_ipv6 is None)


def test_a_port_is_not_shared() -> None:
    """A second one that listens at the same address is refused."""
    with own_host.bound("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(OSError, match="in use"):
            own_host.bound("127.0.0.1", first.getsockname()[1])


def test_uploads_are_kept_in_memory_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where the user chose another place, and not where they would fill it."""
    for name in ("TMPDIR", "TEMP", "TMP", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    found = private_place.memory_place(1)
    assert found in [*private_place.memory_places(), None]
    assert private_place.memory_place(2**60) is None
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert private_place.memory_place(1) is None


def test_what_does_not_fit_into_memory_goes_to_the_disk(tmp_path: Path) -> None:
    """A table of unknown size does, too."""
    folders = Folders((), tmp_path / "memory", roomy=tmp_path)
    assert folders.place_for(None) == folders.roomy
    (tmp_path / "memory").mkdir()
    assert folders.place_for(1) == folders.private
    assert folders.place_for(2**60) == folders.roomy


def test_the_redirect_stays_here(served: Studio) -> None:
    """An address that would read as another host does not lead there."""
    asked = Asked(served, f"//evil.example/?token={served.token}")
    assert asked.headers["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "10.0.0.1"]
)
def test_a_strange_name_is_not_answered(served: Studio, host: str) -> None:
    """A name on the net that was made to point to this machine does not reach the studio."""
    port = urlsplit(served.origin).port
    assert Asked(served, "/", Host=f"{host}:{port}", Cookie=cookie(served)).status == 421


def test_two_hosts_are_none(served: Studio) -> None:
    """A second Host header, or one that hides in the port, does not pass for the first."""
    where = urlsplit(served.origin)
    ours = f"{where.hostname}:{where.port}"
    for hosts in ((ours, "evil.example"), ("evil.example", ours), (f"{where.hostname}:80.evil.example",)):
        lines = ["GET / HTTP/1.1", *(f"Host: {host}" for host in hosts), f"Cookie: {cookie(served)}"]
        assert sent(served, lines).split()[1] == b"421"


def test_cookies_of_other_programs_do_no_harm(served: Studio) -> None:
    """All programs on this machine share the cookies of its name, and some write strange ones."""
    for strange in ('theme={"dark": true}', "a b c", "name=J\xf6rg", "=", "__proto__=1"):
        asked = sent(
            served,
            [
                "GET / HTTP/1.1",
                f"Host: {urlsplit(served.origin).netloc}",
                f"Cookie: {strange}; {cookie(served)}",
            ],
        )
        assert asked.split()[1] == b"200"


def test_an_address_cannot_add_a_header(served: Studio) -> None:
    """Line ends in a path stay part of the path when the token is taken off."""
    asked = Asked(served, f"/%0d%0aX-Added:%201?token={served.token}")
    assert (asked.status, asked.headers["location"]) == (303, "/%0D%0AX-Added%3A%201")
    assert "x-added" not in asked.headers


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_tunnel_may_change_the_port(served: Studio, host: str) -> None:
    """ssh -L gives the studio another port; its name stays ours."""
    assert Asked(served, "/", Host=f"{host}:9999", Cookie=cookie(served)).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:3000", "https://127.0.0.1"]
)
def test_another_site_cannot_use_the_studio(served: Studio, origin: str) -> None:
    """Not by a form, not by a socket, even if the browser would send the cookie along."""
    assert Asked(served, "/", method="POST", body=b"x", Cookie=cookie(served), Origin=origin).status == 403
    assert Asked(served, "/", Cookie=cookie(served), Origin=origin).status == 403
    assert handshake(served, Cookie=cookie(served), Origin=origin) == 403


def test_another_site_cannot_read_by_embedding(served: Studio) -> None:
    """A picture or script on another page, also of this machine, is told apart by the browser's own word."""
    for site in ("cross-site", "same-site"):
        asked = Asked(served, "/", Cookie=cookie(served), Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")
        assert asked.status == 403


def test_a_socket_needs_the_token_and_our_origin(served: Studio) -> None:
    """All that the page does goes through its socket."""
    assert handshake(served, Origin=served.origin) == 403
    assert handshake(served, Cookie=cookie(served)) == 403
    assert handshake(served, Cookie=cookie(served), Origin=served.origin) == 101


def test_pages_may_ask_nobody_else_and_be_framed_by_nobody(served: Studio) -> None:
    """The browser itself enforces what the page promises."""
    headers = Asked(served, "/", Cookie=cookie(served)).headers
    rules = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert not any("*" in rule or "http" in rule for rule in rules.values())
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/docs", "/openapi.json", "/static/../server.py", "/static/%2e%2e/server.py"]
)
def test_nothing_else_is_served(served: Studio, path: str) -> None:
    """No description of the server, no file beside the static ones."""
    asked = Asked(served, path, Cookie=cookie(served))
    assert "def serve" not in asked.text
    assert asked.status == 404 or "openapi" not in asked.text.lower()


def test_an_upload_that_is_too_large_is_refused(served: Studio) -> None:
    """Before it is read, if it announces its length; the words say what to do with a large file."""
    own = {"Cookie": cookie(served), "Origin": served.origin}
    asked = Asked(served, "/upload", "POST", b"x" * (2 * MEGABYTE), **own)
    assert asked.status == 413
    assert "by its path" in asked.text


@pytest.mark.parametrize(("pieces", "status"), [(3, 200), (4, 413)])
def test_a_body_without_a_length_is_counted_as_it_comes(pieces: int, status: int) -> None:
    """What is guarded never sees more than is taken."""
    seen = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal seen
        while True:
            message = await receive()
            seen += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    bodies = [
        {"type": "http.request", "body": b"x" * 100, "more_body": at < pieces - 1} for at in range(pieces)
    ]
    answers: list[Any] = []

    async def receive() -> Any:
        return bodies.pop(0)

    async def send(message: Any) -> None:
        answers.append(message)

    headers = {"host": "localhost:1", "origin": "http://localhost:1", "cookie": "c=secret"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    guard = Guard(app, names=["localhost"], token="token", cookie="c", session="secret", most_bytes=300)
    awaited(guard(scope, receive, send))
    assert answers[0]["status"] == status
    assert seen <= 300


def test_a_page_that_is_left_before_it_came_is_no_error() -> None:
    """What is guarded has nobody to answer then, and may say so; any other trouble is told."""

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()
        raise RuntimeError("No response returned.")

    headers = [(b"host", b"localhost:1"), (b"cookie", b"c=secret")]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    guard = Guard(app, names=["localhost"], token="token", cookie="c", session="secret", most_bytes=300)

    def asked(kind: str) -> None:
        async def receive() -> Any:
            return {"type": kind}

        awaited(guard(scope, receive, receive))

    asked("http.disconnect")
    with pytest.raises(RuntimeError):
        asked("http.request")


def test_it_listens_on_this_machine_alone(served: Studio) -> None:
    """Another address of the machine does not answer."""
    port = urlsplit(served.origin).port or 0
    others = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        if not str(address).startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((str(address), port), timeout=2)


def private_folders(studio: Studio) -> list[Path]:
    """The private folders under the studio's folder for temporary files."""
    return [path for path in studio.temporary.iterdir() if path.name.startswith("shoal-")]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_private_folder_is_gone_at_the_end(start: Callable[..., Studio], sign: signal.Signals) -> None:
    """Nobody else can look into it, and nothing of it stays, workers included."""
    studio = start()
    (folder,) = private_folders(studio)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    studio.process.send_signal(sign)
    studio.process.wait(PATIENCE)
    assert private_folders(studio) == []


@pytest.mark.slow
def test_the_next_start_clears_up_after_a_kill(start: Callable[..., Studio]) -> None:
    """A process that was killed could not; uploads must not lie there for good."""
    killed = start()
    until(lambda: workers_of(killed))  # one is started ahead
    workers = workers_of(killed)
    killed.process.kill()
    killed.process.wait()
    left = private_folders(killed)
    assert len(left) == 1
    until(lambda: all(gone(each) for each in workers))  # they notice that they are alone
    again = start()
    again.end()
    assert private_folders(again) == []


def test_only_opened_folders_can_be_reached(tmp_path: Path) -> None:
    """Neither by climbing, nor by a link, nor by a full path; and nobody learns what is there."""
    opened, other = tmp_path / "opened", tmp_path / "opened-not"
    opened.mkdir()
    other.mkdir()
    (other / "secret.csv").write_text("a\n1\n")
    (opened / "link.csv").symlink_to(other / "secret.csv")
    (opened / "people.csv").write_text("a\n1\n")
    folders = Folders((opened,), tmp_path / "private")
    assert folders.resolved("people.csv") == opened / "people.csv"
    said = set()
    for stated in (
        "../opened-not/secret.csv",
        str(other / "secret.csv"),
        "link.csv",
        "/etc/passwd",
        "../nothing",
    ):
        with pytest.raises(PolicyError) as caught:
            folders.resolved(stated)
        said.add(str(caught.value))
    assert len(said) == 1
    (opened / "loop").symlink_to(opened / "loop")
    for stated in ("", " ", "a\0b", "~nobody-has-this-name/x.csv", "loop/x.csv", "x" * 5000 + "/y"):
        with pytest.raises(PolicyError, match="no path"):
            folders.resolved(stated)


def test_names_that_cannot_be_shown_and_the_private_folder_are_out_of_reach(tmp_path: Path) -> None:
    """A name that is not UTF-8 would break the page and the policy; the studio's own files are nobody's."""
    folders = Folders((tmp_path,), tmp_path / "private")
    with pytest.raises(PolicyError, match="UTF-8"):
        folders.resolved(os.fsdecode(b"\xff.csv"))
    with pytest.raises(PolicyError, match="the studio's own"):
        folders.resolved("private/run-1/policy.toml")
