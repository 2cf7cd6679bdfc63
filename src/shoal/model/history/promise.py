"""What is promised about the rows of one person, where a reader can link them.

A release without a pseudonym has rows that nobody can link: then every row hides among the rows of k persons,
which is k-anonymity counted in persons. With a pseudonym a reader follows a person through all of their rows,
and k must hold of what they see. See docs/promises-about-people.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["person", "household"]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """Of every released person, k persons cannot be told apart by somebody who knows some of their rows.

    Parameters
    ----------
    column
        The column that identifies the persons, or the households; its released cells are pseudonyms.
    unit
        What a value of the column is: a person with rows over time, or a household whose rows are members.
    known_events
        How many rows of a person somebody may know: k persons have each such combination of rows. `None` for
        the whole history: k persons have the same rows, and as many of them.
    ordered
        Whether the order of a person's rows in the release is known, too: histories are then compared as
        sequences, otherwise as multisets.
    """

    column: str
    unit: Unit = "person"
    known_events: int | None = None
    ordered: bool = False

    @property
    def whole_units(self) -> bool:
        """Whether single rows must not be suppressed: a household without a member would be a false one."""
        return self.unit == "household"
