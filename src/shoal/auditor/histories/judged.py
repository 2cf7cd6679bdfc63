"""The three promises about people as definitions: what was measured, against what was promised.

See docs/promises-about-people.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.auditor.measure.measures import Measures
from shoal.auditor.measure.models import ModelVerdict
from shoal.formatting.numbers import counted
from shoal.model.history.measured_histories import MOST_COMBINATIONS, MeasuredEvents, MeasuredHistories
from shoal.model.history.promise import Promise


def audit_histories(
    engine: Measures, written: Any, quasi_identifiers: Sequence[str], promise: Promise, k: int
) -> tuple[ModelVerdict, ...]:
    """Measure what is promised about the linkable rows of a table, and judge it.

    Parameters
    ----------
    engine, written
        The table as it was written, with the column that identifies persons or households.
    quasi_identifiers
        The columns that are known of a row.
    promise, k
        What must hold.
    """
    known = () if promise.known_events is None else (promise.known_events,)
    measured = engine.measure_histories(
        written, quasi_identifiers, promise.column, known_events=known, ordered=promise.ordered, k=k
    )
    return judged(measured, promise, k)


def judged(measured: MeasuredHistories, promise: Promise, k: int) -> tuple[ModelVerdict, ...]:
    """The verdicts on a promise: that on single rows, and that on whole histories or on known events.

    Parameters
    ----------
    measured
        What was measured for this k.
    promise, k
        What must hold.
    """
    promised = (_by_rows, _by_history if promise.known_events is None else _by_known_events)
    return tuple(each(measured, promise, k) for each in promised)


def histories_unmeasured(promise: Promise, k: int) -> tuple[ModelVerdict, ...]:
    """The verdicts on a promise in a table that does not have the column: its rows cannot be linked."""
    nothing = MeasuredHistories(
        k=k,
        ordered=promise.ordered,
        persons=0,
        rows=0,
        fewest_per_row=None,
        persons_in_small_groups=0,
        histories=0,
        fewest_per_history=None,
        persons_alone=0,
        persons_below=0,
        known=() if promise.known_events is None else (MeasuredEvents(events=promise.known_events),),
    )
    why = (
        f"the table has no column {promise.column!r}, so nobody can link its rows; measure it by a policy "
        "without linkable or household"
    )
    return tuple(replace(each, holds=False, unmeasured=why) for each in judged(nothing, promise, k))


def rows_key(column: str) -> str:
    """The name of the promise about single rows."""
    return f"k-anonymity({column})"


def history_key(column: str) -> str:
    """The name of the promise about whole histories."""
    return f"whole-history({column})"


def events_key(column: str, events: int) -> str:
    """The name of the promise about known events."""
    return f"known-events({column}, {events})"


def _by_rows(measured: MeasuredHistories, promise: Promise, k: int) -> ModelVerdict:
    return _verdict(
        rows_key(promise.column),
        f"at least {_many(promise, k)} in each group",
        measured.fewest_per_row,
        measured.persons_in_small_groups,
        promise,
        k,
    )


def _by_history(measured: MeasuredHistories, promise: Promise, k: int) -> ModelVerdict:
    order = ", in the same order" if promise.ordered else ""
    rows = "rows" if promise.unit == "person" else "members"
    return _verdict(
        history_key(promise.column),
        f"at least {_many(promise, k)} with the same {rows}, and as many of them{order}",
        measured.fewest_per_history,
        measured.persons_below,
        promise,
        k,
    )


def _by_known_events(measured: MeasuredHistories, promise: Promise, k: int) -> ModelVerdict:
    (known,) = [each for each in measured.known if each.events == promise.known_events]
    rows = "row" if known.events == 1 else counted(known.events, "row")
    order = " in the same order" if promise.ordered and known.events > 1 else ""
    unmeasured = None
    if known.too_many is not None:
        unmeasured = (
            f"there can be {known.too_many:,} combinations of {known.events:,} rows, and at most "
            f"{MOST_COMBINATIONS:,} are counted; choose a smaller known_events, or whole histories "
            '(known_events = "all")'
        )
    return _verdict(
        events_key(promise.column, known.events),
        f"at least {_many(promise, k)} who have any {rows} of a {promise.unit}{order}",
        known.fewest,
        known.persons_below,
        promise,
        k,
        unmeasured,
    )


def _many(promise: Promise, k: int) -> str:
    return counted(k, promise.unit)


def _verdict(
    key: str,
    demand: str,
    fewest: int | None,
    failing: int,
    promise: Promise,
    k: int,
    unmeasured: str | None = None,
) -> ModelVerdict:
    holds = unmeasured is None and (fewest is None or fewest >= k)
    return ModelVerdict(
        key=key,
        demand=demand,
        measured=fewest,
        holds=holds,
        groups_failing=0,
        rows_failing=0,
        unit=promise.unit,
        units_failing=0 if holds else failing,
        unmeasured=unmeasured,
    )
