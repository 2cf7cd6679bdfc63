"""A seeded simulator of commuting people: homes around towns, workplaces around the largest of them.

It is for speed and form. Results on simulated movement do not carry over to people: they do not spread,
meet or linger as these do (Mascetti and others showed it in 2008 for cloaking itself).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DAY = 86_400
HOUR = 3_600


@dataclass(frozen=True, eq=False)
class Commuters:
    """People with a home, a workplace and hours of their own; make them by `commuters`."""

    side: int
    homes: NDArray[np.float64]
    workplaces: NDArray[np.float64]
    leaves: NDArray[np.float64]
    returns: NDArray[np.float64]
    takes: NDArray[np.float64]

    def places(self, time: int) -> NDArray[np.int64]:
        """Where everybody is: a row of whole coordinates per person."""
        of_day = time % DAY
        there = np.clip((of_day - self.leaves) / self.takes, 0, 1)
        back = np.clip((of_day - self.returns) / self.takes, 0, 1)
        if time // DAY % 7 > 4:
            there = back = np.zeros(len(self.homes))
        share = (there - back)[:, None]
        exact = self.homes + share * (self.workplaces - self.homes)
        return np.clip(exact, 0, self.side - 1).astype(np.int64)


def commuters(people: int, side: int, *, towns: int = 40, seed: int = 0) -> Commuters:
    """People around towns of very different sizes, who work in the largest of them.

    Parameters
    ----------
    people
        How many.
    side
        The side of their square.
    towns
        How many towns there are.
    seed
        Makes everything.
    """
    chance = np.random.default_rng(seed)
    centres = chance.uniform(0.1, 0.9, (towns, 2)) * side
    weights = 1 / np.arange(1, towns + 1)
    lives = chance.choice(towns, people, p=weights / weights.sum())
    offices = weights[: towns // 4 or 1]
    works = chance.choice(len(offices), people, p=offices / offices.sum())
    homes = centres[lives] + chance.normal(0, side / 60, (people, 2))
    workplaces = centres[works] + chance.normal(0, side / 150, (people, 2))
    return Commuters(
        side,
        homes,
        workplaces,
        chance.normal(7.5, 0.8, people) * HOUR,
        chance.normal(16.75, 1.0, people) * HOUR,
        chance.uniform(0.2, 1.2, people) * HOUR,
    )
