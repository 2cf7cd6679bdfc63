"""A slot holds its moments, and coarser slots are made of whole finer ones."""

from __future__ import annotations

import datetime

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.location.hierarchies import slot_leaves
from shoal.location.time_slots import TimeSlots
from shoal.model.policy.place import MINUTES, SLOTS
from tests.agreement.thoroughness import examples

EPOCH = datetime.datetime(1970, 1, 1)
MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))
NESTED = (
    st.lists(st.sampled_from(SLOTS), min_size=1, unique=True)
    .map(
        lambda chosen: [
            slot for slot in SLOTS if slot in chosen and (slot != "week" or not {*chosen} & {*SLOTS[8:]})
        ]
    )
    .filter(bool)
)


def covers(label: str, moment: datetime.datetime) -> bool:
    """Whether a slot that is written out holds a moment; written anew from what labels mean."""
    day, _, times = label.partition(" ")
    if not times and "W" in day:
        first = datetime.date.fromisocalendar(int(day[:4]), int(day[-2:]), 1)
        return first <= moment.date() < first + datetime.timedelta(days=7)
    if not times and "Q" in day:
        return int(day[:4]) == moment.year and (moment.month - 1) // 3 + 1 == int(day[-1])
    if not times:
        return moment.date().isoformat().startswith(day)
    start, end = (int(each[:2]) * 60 + int(each[3:]) for each in times.split("-"))
    return day == moment.date().isoformat() and start <= moment.hour * 60 + moment.minute < end


@given(slots=NESTED, moments=st.lists(MOMENTS, min_size=1, max_size=8))
@settings(max_examples=examples(300), deadline=None)
def test_a_slot_of_every_level_holds_its_moment(slots: list[str], moments: list[datetime.datetime]) -> None:
    """Weeks across years, midnights and years before 1970 included."""
    system = TimeSlots(slots=slots, of_day=False)
    seconds = np.array([int((moment - EPOCH).total_seconds() // 1) for moment in moments], np.int64)
    finest = system.finest(seconds)
    leaves = slot_leaves(system, np.unique(finest))  # which refuses what does not nest
    labels = dict(zip(np.unique(finest).tolist(), leaves.texts, strict=True))
    for moment, minute in zip(moments, finest.tolist(), strict=True):
        row = next(row for row in leaves.hierarchy.rows if row[0] == labels[minute])
        assert all(covers(label, moment) for label in row[:-1])


@given(minute=st.integers(0, 24 * 60 - 1))
@settings(max_examples=examples(100), deadline=None)
def test_times_of_day_have_slots_without_a_date(minute: int) -> None:
    """From the first minute of a slot to the one before its end."""
    system = TimeSlots(slots=list(MINUTES), of_day=True)
    for level in range(system.levels):
        start, end = system.label(minute, level).split("-")
        assert start <= f"{minute // 60:02d}:{minute % 60:02d}" < end
