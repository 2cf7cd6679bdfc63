"""Where the order of a column's categories comes from; kept with the domain, written into the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

How = Literal["listed", "hierarchy", "recognised", "data", "sorted"]

OrderRule = Literal["auto", "recognised", "data", "sorted"]
"""What a policy can request instead of a list of values."""

RULES: tuple[OrderRule, ...] = get_args(OrderRule)


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """Why the categories of a column are in their order.

    Parameters
    ----------
    how
        Listed in the policy; the leaves of its hierarchy; recognised from the values; from the data; sorted.
    words
        The reason, for people.
    """

    how: How
    words: str

    @property
    def sentence(self) -> str:
        """The words after "the values are": recognised as months, ordered by frequency."""
        return self.words if self.how == "recognised" else f"ordered {self.words}"

    @property
    def is_found(self) -> bool:
        """Whether Shoal found it: nobody stated it, and it is not only that of the texts."""
        return self.how in ("recognised", "data")

    @property
    def is_scale(self) -> bool:
        """Whether neighbours are next to each other for a reason that does not depend on the rows."""
        return self.how in ("listed", "recognised")


LISTED = Arrangement(how="listed", words="as listed")
OF_HIERARCHY = Arrangement(how="hierarchy", words="as in its hierarchy")
SORTED = Arrangement(how="sorted", words="as sorted")
CODES = Arrangement(how="sorted", words="as sorted: they look like codes")
