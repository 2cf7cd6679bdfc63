"""Swap: rows with similar values exchange them (rank swapping)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.new_cells import NewCells
from shoal.model.table.number_text import is_finite, number_of
from shoal.treatments._base import Cells, Treatment


@dataclass(frozen=True, kw_only=True)
class Swap(Treatment):
    """Numbers or dates; missing cells stay where they are.

    Parameters
    ----------
    within
        How far apart two rows that exchange values may be in the order of the column, in per cent of its
        known rows.
    """

    name = "swap"
    description = Description(
        title="Swap",
        short="Rows with similar values exchange them",
        meaning="The rows are put in the order of the column, and pairs of rows that are at most `within` "
        "per cent of all rows apart exchange their values (rank swapping). The column has the same values as "
        "before, each as often.",
        when="Numbers or dates whose own distribution must stay exact.",
        limits="No value is true of its row, and relations with other columns become weaker.",
        example="With within = 5, two of 1,000 people whose incomes are at most 50 places apart swap them.",
    )
    meant = "value"
    checked_by = "original"
    random = True

    within: int | float = field(
        default=5, metadata=parameter("Within", "Per cent of the rows.", start=5, least=0)
    )

    def __post_init__(self) -> None:
        if not is_finite(self.within) or not 0 < self.within <= 100:
            raise self.wrong("within", "a number above 0 and at most 100")

    @property
    def truthful(self) -> bool:
        return False

    def treated(self, cells: Cells) -> NewCells:
        values, codes = self._values(cells), cells.codes
        known = np.flatnonzero(np.array([each is not None for each in values], np.bool_)[codes])
        ranks = {
            value: rank for rank, value in enumerate(sorted({each for each in values if each is not None}))
        }
        rank_of = np.array([-1 if each is None else ranks[each] for each in values], np.int64)[codes[known]]
        drawn = cells.randomness(self).stream(f"swap {cells.column}", 2 * len(known))
        # Equal values are put in a random order, so that rows of one value also go to different partners.
        ordered = known[np.lexsort((drawn[: len(known)], rank_of))]
        rows = np.arange(len(codes), dtype=np.int64)
        rows[ordered] = ordered[_partners(drawn[len(known) :], int(len(known) * self.within / 100))]
        return NewCells(texts=cells.texts, choices=codes[rows], kind="same", rows=rows)

    def _values(self, cells: Cells) -> list[Fraction | None]:
        texts = cells.used_texts
        for reader in (number_of, day_of):
            if all(reader(text) is not None for text in texts):
                return cells.read(reader, "numbers", self.name)
        raise PolicyError(
            f"treatment 'swap' of column {cells.column!r} needs numbers, or dates like 2024-05-17; correct "
            "its cells, or use 'pram' for categories"
        )

    def words(self) -> str:
        return f"has values swapped between rows at most {self.within} % of the rows apart in its order"


def _partners(drawn: NDArray[np.uint64], most: int) -> NDArray[np.int64]:
    """Per place in the order the place that it exchanges values with, at most so many places away.

    From the first place on, each place that is still alone takes a random one among those after it that are
    alone, too; the last may stay alone.
    """
    partner, alone = [-1] * len(drawn), _Alone()
    end = 0
    for place, random in enumerate(drawn.tolist()):
        while end < len(drawn) and end <= place + most:
            alone.add(end)
            end += 1
        if partner[place] >= 0:
            continue
        alone.remove(place)
        chosen = alone.drawn(random) if alone.places else place
        partner[place], partner[chosen] = chosen, place
    return np.array(partner, np.int64)


class _Alone:
    """Places without a partner, in any order; each step takes the same time, however many there are."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self._at: dict[int, int] = {}

    def add(self, place: int) -> None:
        self._at[place] = len(self.places)
        self.places.append(place)

    def remove(self, place: int) -> None:
        at, last = self._at.pop(place), self.places.pop()
        if last != place:
            self.places[at] = last
            self._at[last] = at

    def drawn(self, random: int) -> int:
        """Remove a random place."""
        place = self.places[random % len(self.places)]
        self.remove(place)
        return place
