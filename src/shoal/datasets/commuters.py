"""People who commute, made up: where they are at home, at work and on errands, day by day.

Nothing here is anybody's life. Homes lie in towns around a city, workplaces mostly in its middle, and days
follow a few habits. Real movement has routes, crowds and habits that this has not, so figures measured on it,
of loss or of risk, do not carry over to real movement (Mascetti, Bettini, Freni and Wang 2008 show how far
they can be apart). It is for trying things out, and for measuring time.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from shoal.errors import PolicyError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CENTRE = (52.52, 13.405)
_TOWNS = 12
_MONDAY = datetime.datetime(2024, 5, 13)
_HABITS = (
    (7.0, 0.5, "home"),
    (8.5, 0.5, "work"),
    (12.5, 0.4, "errand"),
    (17.0, 0.7, "work"),
    (20.0, 1.2, "home"),
)
"""Around which hour, with what spread, and where."""
_KILOMETRE = 1 / 111.195


def commuters(people: int = 1000, *, days: int = 5, seed: int = 0) -> dict[str, Any]:
    """Positions of simulated people, five a day: columns `person`, `latitude`, `longitude` and `time`.

    Parameters
    ----------
    people
        How many people there are.
    days
        How many days, beginning with a Monday.
    seed
        The same number gives the same table.
    """
    if people < 1 or days < 1:
        raise PolicyError(f"there is at least one person and one day; given were {people} and {days}")
    import numpy as np  # imported here: the command line loads this room without any array

    random = np.random.default_rng(seed)
    towns = _around(np.tile(CENTRE, (_TOWNS, 1)), 12.0, random)
    shares = random.dirichlet(np.full(_TOWNS, 1.5))
    homes = _around(towns[random.choice(_TOWNS, people, p=shares)], 1.8, random)
    middle = np.where(random.random(people)[:, None] < 0.7, CENTRE, towns[random.integers(0, _TOWNS, people)])
    places = {"home": homes, "work": _around(middle, 1.2, random)}
    points, minutes = [], []
    for day in range(days):
        for hour, spread, where in _HABITS:
            start = places[where] if where in places else _around(places["work"], 0.8, random)
            points.append(_around(start, 0.02, random))  # what a telephone gets wrong
            late = np.clip(random.normal(hour, spread, people), 0, 23.98)
            minutes.append((day * 24 * 60 + late * 60).astype(np.int64))
    rows = np.argsort(np.concatenate(minutes), kind="stable")
    position = np.concatenate(points)[rows].round(6)
    moments = np.datetime64(_MONDAY, "m") + np.concatenate(minutes)[rows]
    persons = np.tile(np.arange(1, people + 1), len(points))[rows]
    return {
        "person": persons,
        "latitude": position[:, 0],
        "longitude": position[:, 1],
        "time": np.char.replace(np.datetime_as_string(moments), "T", " "),
    }


def _around(
    points: NDArray[np.float64], kilometres: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Points near others, as far as a normal distribution with this deviation has it."""
    import numpy as np

    moved = random.normal(0, kilometres * _KILOMETRE, points.shape)
    moved[:, 1] /= np.cos(np.radians(points[:, 0]))
    return points + moved
