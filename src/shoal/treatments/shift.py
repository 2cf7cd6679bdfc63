"""Shift: all dates of one person move by the same secret number of days."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Self

import numpy as np

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.policy import Policy
from shoal.model.table.new_cells import NewCells
from shoal.treatments._base import Cells, Treatment
from shoal.treatments.secret_key import SecretKey

MOST_DAYS = 36_500


@dataclass(frozen=True, kw_only=True)
class Shift(Treatment):
    """Dates and moments; the time of day stays.

    Parameters
    ----------
    days
        The farthest that a date moves, earlier or later; it moves by at least one day.
    by
        The column that identifies the person; the policy's `entity` when absent.
    """

    name = "shift"
    description = Description(
        title="Shift",
        short="All dates of one person move by the same days",
        meaning="Each person has a secret number of days, at most `days`, by which all of the person's dates "
        "move. Intervals between dates of one person stay exact, also between columns that are shifted by "
        "the same column.",
        when="Courses of treatment: how many days lie between two events of a person.",
        limits="No date is true, and seasons and days of the week are lost. Who knows one date of a person "
        "knows the others.",
        example="A person with 2024-05-17 and 2024-05-20 gets 2024-03-02 and 2024-03-05.",
    )
    meant = "date"
    checked_by = "original"
    random = True

    days: int = field(default=365, metadata=parameter("Most days", "Earlier or later.", start=365))
    by: str | None = field(
        default=None, metadata=parameter("Person", "The column that identifies the person.")
    )

    def __post_init__(self) -> None:
        whole = isinstance(self.days, int) and not isinstance(self.days, bool)
        if not whole or not 1 <= self.days <= MOST_DAYS:
            raise self.wrong("days", f"a whole number from 1 to {MOST_DAYS:,}")
        if self.by is not None and not isinstance(self.by, str):
            raise self.wrong("by", "the name of a column")

    @property
    def truthful(self) -> bool:
        return False

    @property
    def reads(self) -> tuple[str, ...]:
        return () if self.by is None else (self.by,)

    def for_policy(self, column: str, policy: Policy) -> Self:
        by = policy.entity if self.by is None else self.by
        if by is None:
            raise PolicyError(
                f"column {column!r}: treatment 'shift' moves the dates of one person together; name the "
                'column that identifies the person, as in by = "patient", or set entity under [privacy]'
            )
        return replace(self, by=by)

    def treated(self, cells: Cells) -> NewCells:
        assert self.by is not None
        cells.days(self.name)
        people, texts = cells.table.texts(self.by), cells.texts
        purpose = f"shift by {self.by}"
        offsets = [
            0 if each is None else self._offset(cells.secret, purpose, f"of {each}") for each in people
        ]
        alone = people.index(None) if None in people else -1
        pairs = np.column_stack([cells.table.column(self.by), cells.codes])
        numbers: dict[tuple[str | None, int], int] = {}
        choices = np.empty(len(pairs), np.int64)
        for row, (person, code) in enumerate(pairs.tolist()):
            # A row without a person is a person of its own.
            days = self._offset(cells.secret, purpose, f"row {row}") if person == alone else offsets[person]
            choices[row] = numbers.setdefault((texts[code], days), len(numbers))
        new = tuple(None if text is None else _moved(text, days, cells.column) for text, days in numbers)
        return NewCells(texts=new, choices=choices, kind="same")

    def _offset(self, secret: SecretKey, purpose: str, whose: str) -> int:
        """From 1 to `days`, earlier or later; the remainder of 256 bits is as good as uniform."""
        number = int.from_bytes(secret.mark(purpose, whose), "big") % (2 * self.days)
        return number - self.days if number < self.days else number - self.days + 1

    def words(self) -> str:
        return f"was shifted by at most {self.days} days, by the same for all dates of one {self.by!r}"


def _moved(text: str, days: int, column: str) -> str:
    try:
        return (date.fromisoformat(text[:10]) + timedelta(days=days)).isoformat() + text[10:]
    except OverflowError:
        raise PolicyError(
            f"treatment 'shift' of column {column!r}: a date would leave the calendar, which ends with the "
            "year 9999; correct it, or shift by fewer days"
        ) from None
