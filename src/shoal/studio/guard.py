"""Who may use the studio: a browser at a known address, with the token that was printed.

Other pages in the same browser can send requests to this machine, and names on the net can be made to point
to it. So the Host must be one of ours, the Origin too where there is one, and every request needs the token:
once in the address. From then on a cookie stands for it that other sites cannot make the browser send. A
browser sends cookies to every server of the same host, whatever its port: so the cookie has a secret of its
own, the token stays in the address that was printed, and `own_host.py` looks for a host that nobody shares.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import parse_qsl, quote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

DENIED = (
    "This page needs the address that `shoal studio` printed when it started, with its token. "
    "Open that address again."
)
STRANGE_HOST = "The studio does not answer to this name. Open the address that `shoal studio` printed."
STRANGE_ORIGIN = "Another site tried to use the studio. Nothing was done."
TOO_LARGE = "That is more than the studio takes as an upload. Open the file by its path on this machine."

# Vue compiles its templates in the page, and Quasar sets styles on elements; nothing comes from elsewhere,
# and nothing can be sent elsewhere.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:,\s/@]+)(:[0-9]{1,5})?")
"""A name or an address, and a port; nothing of two hosts that were sent as one."""


class BodyTooLargeError(Exception):
    """More came than was announced, or than is taken."""


class Guard:
    """Lets only the studio's own requests through, and only so much of them.

    Parameters
    ----------
    app
        What is guarded.
    names
        The names of this machine that are answered to, on any port: a tunnel may have changed it.
    addresses
        Whether plain numeric addresses are answered to as well. Nobody can make one of them point elsewhere.
    token
        The secret of the address; whoever has it gets a cookie.
    cookie
        The name of the cookie; ports share cookies, so it has the port in it.
    session
        The secret of the cookie, which every other request must know; a new one when absent.
    most_bytes
        The largest body of a request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: Iterable[str],
        addresses: bool = False,
        token: str,
        cookie: str,
        session: str | None = None,
        most_bytes: int,
    ) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)
        self._addresses = addresses
        self._token = token
        self._session = session or new_token()
        self._cookie = cookie
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        why = self._refused(scope, headers)
        if why is not None:
            await _refuse(scope, send, *why)
        elif scope["type"] == "http" and (there := self._redirected(scope)) is not None:
            await self._redirect(send, there)
        elif not self._knows(headers):
            await _refuse(scope, send, 403, DENIED)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._bounded(scope, receive, _adding(send, HEADERS))

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if not self._is_ours(host):
            return 421, STRANGE_HOST
        reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        # A browser names the origin of everything but plain reading, and marks requests of other sites.
        origin = headers.get("origin", f"http://{host}" if reads else "")
        if origin.lower() != f"http://{host}":
            return 403, STRANGE_ORIGIN
        from_elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if from_elsewhere and headers.get("sec-fetch-mode") != "navigate":
            return 403, STRANGE_ORIGIN
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._most:
            return 413, TOO_LARGE
        return None

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].removeprefix("[").removesuffix("]")
        if name in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return self._addresses

    def _redirected(self, scope: Scope) -> str | None:
        """Where to go without the token, if the address has the right one."""
        parameters = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in parameters if name == "token"]
        if len(tokens) != 1 or not _same(tokens[0], self._token):
            return None
        rest = urlencode([(name, value) for name, value in parameters if name != "token"])
        # A path that begins with two slashes would be another host's; one with a line end, another header.
        path = quote("/" + str(scope["path"]).lstrip("/\\"))
        return path + ("?" + rest if rest else "")

    async def _redirect(self, send: Send, there: str) -> None:
        cookie = f"{self._cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"
        headers = [
            (b"location", there.encode("ascii")),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
            *HEADERS,
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _knows(self, headers: dict[str, str]) -> bool:
        # Parsed here: other programs on this machine share the cookies of its name, and Python's own reader
        # gives up at the first that is not as it should be.
        pairs = (pair.partition("=") for pair in headers.get("cookie", "").split(";"))
        return any(
            name.strip() == self._cookie and _same(value.strip(), self._session) for name, _, value in pairs
        )

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and end it when its body grows too large, whatever length it announced."""
        taken = 0
        begun = left = False

        async def counted() -> Message:
            nonlocal taken, left
            message = await receive()
            left = left or message["type"] == "http.disconnect"
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise BodyTooLargeError
            return message

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, counted, watched)
        except BodyTooLargeError:
            if not begun:
                await _refuse(scope, send, 413, TOO_LARGE)
        except RuntimeError:
            if not left:  # else nobody waits for the answer that could not be given
                raise


def _same(candidate: str, secret: str) -> bool:
    return hmac.compare_digest(candidate.encode("utf-8", "replace"), secret.encode())


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name; one that occurs twice is not ours, so its value is discarded."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        headers[key] = (
            value.decode("latin-1") if key not in headers else f"{headers[key]}, {value.decode('latin-1')}"
        )
    return headers


def _adding(send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *headers]}
        await send(message)

    return sent


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode()})


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(24)
