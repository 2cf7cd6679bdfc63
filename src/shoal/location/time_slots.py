"""Slots of time: hours, parts of days, days and coarser ones, each level made of whole slots of the finer.

A slot has its first moment and not its last: 08:00 is in 08:00-09:00. Parts of a day are six hours long, so
that night, morning, afternoon and evening nest in days. Labels of days and coarser slots are those of dates.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.hierarchy.date_levels import STEPS
from shoal.model.policy.place import MINUTES

_DAY = 24 * 60
_EPOCH = datetime.datetime(1970, 1, 1)

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TimeSlots:
    """Levels of slots.

    Parameters
    ----------
    slots
        Their names, from fine to coarse.
    of_day
        Whether the times are times of a day, without a date.
    """

    slots: Sequence[str]
    of_day: bool

    @property
    def levels(self) -> int:
        """How many levels of slots there are."""
        return len(self.slots)

    def finest(self, seconds: Ids) -> Ids:
        """The first minute of the slot that each moment lies in; coarser than a day, of its day."""
        minutes = 60 * MINUTES.get(self.slots[0], _DAY)
        return seconds // minutes * (minutes // 60)

    def label(self, minute: int, level: int) -> str:
        """The slot of a level that begins at a minute, or holds it.

        Parameters
        ----------
        minute
            A minute since 1970, or since midnight.
        level
            The level.
        """
        length = MINUTES.get(self.slots[level])
        if length is None:
            return STEPS[self.slots[level]]((_EPOCH + datetime.timedelta(minutes=minute)).date())
        start = minute // length * length
        ends = f"{_clock(start % _DAY)}-{_clock(start % _DAY + length)}"
        if self.of_day:
            return ends
        return f"{STEPS['day']((_EPOCH + datetime.timedelta(minutes=start)).date())} {ends}"


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
