"""Ways of cloaking that look at one pyramid of counts for everybody, whatever k they want."""

from __future__ import annotations

from shoal.location.cloaking._base import Place, SnapshotCloaker
from shoal.location.cloaking.answers import Answer
from shoal.location.cloaking.pyramid import Pyramid
from shoal.location.cloaking.settings import Settings


class CountingCloaker(SnapshotCloaker):
    """Keeps the counts of cells, and the smallest cell of each user."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._pyramid = Pyramid(settings.square)
        self._codes: dict[str, int] = {}

    def _moved(self, user: str, time: int, old: Place | None, new: Place) -> list[Answer]:  # noqa: ARG002
        code = self.settings.square.code(new.x, new.y)
        if old is None:
            self._pyramid.change(code, 1)
        else:
            self._pyramid.move(self._codes[user], code)
        self._codes[user] = code
        return []

    def _removed(self, user: str, old: Place) -> None:  # noqa: ARG002
        self._pyramid.change(self._codes.pop(user), -1)
