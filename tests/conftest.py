"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let Ctrl-C be heard: in the background of a shell it is ignored, and by all that is started there."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
