"""Where everybody was at any time, for those who measure afterwards; an anonymizer keeps no such thing.

A user is taken to be where they were last seen, until they are seen elsewhere or leave.
"""

from __future__ import annotations

from bisect import bisect_right

from shoal.location.cloaking.box import Box


class Tracks:
    """The positions of users over time, added in the order of time."""

    def __init__(self) -> None:
        self._times: dict[str, list[int]] = {}
        self._places: dict[str, list[tuple[int, int] | None]] = {}

    def add(self, user: str, time: int, place: tuple[int, int] | None) -> None:
        """Note where a user is from now on; None if they left."""
        self._times.setdefault(user, []).append(time)
        self._places.setdefault(user, []).append(place)

    def met(self, user: str, box: Box, start: int, end: int) -> bool:
        """Whether a user was in a box at any time of an interval."""
        times = self._times.get(user, [])
        first = max(bisect_right(times, start) - 1, 0)
        last = bisect_right(times, end)
        return any(place and box.holds(*place) for place in self._places.get(user, [])[first:last])

    def all_met(self, box: Box, start: int, end: int) -> frozenset[str]:
        """The users who were in a box at any time of an interval."""
        return frozenset(user for user in self._times if self.met(user, box, start, end))
