"""Hilbert cloak: users in the order of a Hilbert curve, cut into runs of k.

Everybody of a run gets the box around the run, so each of at least k users could have sent a request with it,
also for somebody who knows all positions and this program. The last run takes the remainder and has fewer
than 2 k users. Users who want another k are a population of their own: runs of different lengths would
overlap, and who is in only one of two is recognised.

Paper: Kalnis, Ghinita, Mouratidis and Papadias, TKDE 19(12), 2007. Ties on the curve go to whoever was
known first.
"""

from __future__ import annotations

from typing import ClassVar

from shoal.location.cloaking._base import Found, Place, SnapshotCloaker
from shoal.location.cloaking.answers import Answer
from shoal.location.cloaking.box import Box
from shoal.location.cloaking.hilbert_curve import Curve
from shoal.location.cloaking.settings import Settings
from shoal.location.cloaking.sorted_keys import SortedKeys

_SERIAL = 40  # bits of a user's number; as many users are never seen


class HilbertCloaker(SnapshotCloaker):
    """Runs of k users along a Hilbert curve."""

    name: ClassVar[str] = "hilbert"
    promise: ClassVar[str] = "at least k users would have got the same cloak, all of them with the same k"
    warning: ClassVar[str | None] = None
    by_class: ClassVar[bool] = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._curve = Curve(settings.square.bits)
        self._keys: dict[str, int] = {}
        self._users: dict[int, str] = {}
        self._orders = {k: SortedKeys() for k in settings.ks}
        self._serial = 0

    def found(self, user: str, k: int, least_area: int = 0) -> Found | None:  # noqa: ARG002
        order = self._orders[k]
        runs = len(order) // k
        if not runs:
            return None
        run = min(order.rank(self._keys[user]) // k, runs - 1)
        keys = order.between(run * k, len(order) if run == runs - 1 else run * k + k)
        places = [self.positions[self._users[key]] for key in keys]
        return Found(Box.around((place.x, place.y) for place in places), len(keys))

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:  # noqa: ARG002
        square = self.settings.square
        index = self._curve.index(new.x - square.x, new.y - square.y)
        if old is None:
            self._serial += 1
            serial = self._serial
        else:
            key = self._keys[user]
            serial = key & ((1 << _SERIAL) - 1)
            if old.k == new.k and key >> _SERIAL == index:
                return []
            self._orders[old.k].remove(key)
            del self._users[key]
        key = index << _SERIAL | serial
        self._keys[user], self._users[key] = key, user
        self._orders[new.k].add(key)
        return []

    def _removed(self, user: str, old: Place) -> None:
        key = self._keys.pop(user)
        del self._users[key]
        self._orders[old.k].remove(key)
