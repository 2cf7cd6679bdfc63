"""How many rows may be suppressed: a number, a share of the table, or any number."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from shoal.errors import PolicyError

UNLIMITED = "unlimited"


@dataclass(frozen=True)
class Suppression:
    """A limit as the policy states it; the rows it allows are known once the table is counted.

    Parameters
    ----------
    stated
        Rows as a whole number, a share as in "5%", or "unlimited". No row disappears unless it is allowed.
    given
        Whether somebody stated it. Where rows of a person are linkable, any number may be suppressed unless
        a limit was stated: nobody else may have as many rows as some persons have.
    """

    stated: int | str = 0
    given: bool = field(default=True, compare=False, repr=False)

    @classmethod
    def unstated(cls) -> Suppression:
        """The limit of a policy that states none."""
        return cls(given=False)

    def __post_init__(self) -> None:
        stated = self.stated
        if isinstance(stated, bool) or not isinstance(stated, int | str):
            raise PolicyError(
                f'suppression must be rows, a share like "5%", or "unlimited"; it is {stated!r}'
            )
        if isinstance(stated, int) and stated < 0:
            raise PolicyError(f"suppression must not be negative; it is {stated}")
        if isinstance(stated, str) and stated != UNLIMITED and not 0 <= self._share() <= 1:
            raise PolicyError(f'suppression = "{stated}" is out of range: "0%" to "100%"')

    @classmethod
    def parse(cls, text: str) -> Suppression:
        """From the command line, where a number of rows is text too."""
        # No table has so many rows; and Python refuses to read numbers of thousands of digits.
        return cls(int(text)) if re.fullmatch(r"-?\d{1,30}", text.strip()) else cls(text.strip())

    def limit(self, rows: int) -> int | None:
        """Rows of a table of `rows` that may be suppressed; `None` for any number."""
        if self.stated == UNLIMITED:
            return None
        if isinstance(self.stated, int):
            return self.stated
        return int(self._share() * rows)  # the floor, in exact arithmetic: 5 % of 4,521 rows is 226

    def _share(self) -> Fraction:
        matched = re.fullmatch(r"\s*(-?\d{1,30}(?:\.\d{1,30})?)\s*%\s*", str(self.stated))
        if matched is None:
            raise PolicyError(
                f'suppression must be rows, a share like "5%", or "unlimited"; it is "{self.stated}"'
            )
        return Fraction(matched[1]) / 100
