"""A look at every frame that a party sends and receives; for tests of what parties learn."""

from __future__ import annotations

from collections.abc import Callable

from shoal.network.frames import Frame

Recorder = Callable[[str, Frame], None]
