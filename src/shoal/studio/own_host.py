"""A host on this machine that is the studio's alone, so that no other server here gets its cookie.

A browser keeps cookies by host and not by port: whatever else listens on 127.0.0.1 is sent the cookie of the
studio when its page is opened. Every address of 127.0.0.0/8 is this machine on Linux and Windows, so a random
one of them is a host that nobody shares. Elsewhere a random name under `localhost` does the same, where the
system resolves it. Browsers may look for such a name at ::1 first, so the studio must listen there too: the
token would go to whoever else does. If there is neither, the usual address remains.
"""

from __future__ import annotations

import contextlib
import errno
import secrets
import socket
import sys
from ipaddress import ip_address


def own_host(port: int) -> tuple[str, socket.socket | None]:
    """A random host for a port of 127.0.0.1, and the further socket that listens there if it needs one.

    Parameters
    ----------
    port
        Where the studio listens.
    """
    address = ".".join(["127", *(str(1 + secrets.randbelow(254)) for _ in range(3))])
    with contextlib.suppress(OSError):  # as on macOS, where 127.0.0.1 is the only one
        return address, bound(address, port)
    name = f"shoal-{secrets.token_hex(6)}.localhost"
    if is_this_machine(name):
        try:
            return name, bound("::1", port)
        except OSError as error:
            if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):  # there is no ::1 for anybody
                return name, None
    return "127.0.0.1", None


def bound(host: str, port: int) -> socket.socket:
    """A socket for an address that nobody else uses; `OSError` if somebody does."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":  # where the usual option would let others share the port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError:
        made.close()
        raise
    return made


def is_this_machine(name: str) -> bool:
    """Whether the system resolves a name, and to this machine alone."""
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:
        return False
    return bool(found) and all(ip_address(each.partition("%")[0]).is_loopback for each in found)
