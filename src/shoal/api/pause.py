"""`shoal.pause`: pause a search, and continue later as if no time had passed."""

from __future__ import annotations

import signal
import threading

from shoal import _core
from shoal.errors import EngineError


def pause() -> None:
    """Stop this process, all of its threads, until it gets SIGCONT; the clocks of searches stop.

    Call it from another thread than the one that searches. A search's budget and its reported
    seconds leave the pause out; its answer is the one that it would have had. Where an integer program is
    being solved the budget keeps running, because the solver has its own clock. Systems without such signals
    raise `EngineError`.

    Examples
    --------
    >>> import threading
    >>> timer = threading.Timer(60, shoal.pause)  # start() it, then search
    """
    if not hasattr(signal, "SIGSTOP"):
        raise EngineError("this system cannot pause a process; stop the search, and search on later")
    # Locked before and until after: no thread may see the time that passed between SIGCONT and this one's
    # turn.
    _core.hold_clock()
    try:
        # To this thread, not the process: so nothing of this function runs before the stop.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
    finally:
        _core.release_clock()
