"""What waits to be sent, and what has arrived.

A member sends one piece in a round at most. A piece that collided is sent again after a random number of
rounds; the next piece follows when every member has confirmed the one before. Pieces arrive in any order
and, in a round that was repeated, twice. Whoever sees a message pass by can add false pieces to it: each
place keeps several, and the seal decides.
"""

from __future__ import annotations

import itertools
import secrets
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.channel.dealing import Random
from shoal.channel.envelope import opened
from shoal.channel.slot import Piece

MOST_DELAY = 2
"""The most rounds that a member waits after a collision."""

_MESSAGES = 1_000  # that are kept while pieces are missing
_VARIANTS = 4  # pieces for one place
_TRIES = 256  # of combinations, per piece


class Outbox:
    """The pieces that a member has to send.

    Attributes
    ----------
    arrived
        How many messages have arrived as a whole.
    collisions
        How often a piece collided.
    """

    def __init__(self, randomly: Random = secrets.randbelow) -> None:
        self.arrived = 0
        self.collisions = 0
        self._randomly = randomly
        self._queue: deque[deque[Piece]] = deque()
        self._delay = 0

    def add(self, pieces: list[Piece]) -> int:
        """Queue a message; gives its number: it has arrived when `arrived` is that."""
        self._queue.append(deque(pieces))
        return self.arrived + len(self._queue)

    @property
    def waiting(self) -> int:
        """Pieces that have not arrived."""
        return sum(map(len, self._queue))

    def next(self) -> Piece | None:
        """What to send in this round."""
        if not self._queue:
            return None
        if self._delay:
            self._delay -= 1
            return None
        return self._queue[0][0]

    def settle(self, piece: Piece | None, came: list[Piece]) -> None:
        """After a round: go on to the next piece if this one came, or wait."""
        if piece is None:
            return
        if piece not in came:
            self.collisions += 1
            self._delay = self._randomly(MOST_DELAY + 1)
            return
        self._queue[0].popleft()
        if not self._queue[0]:
            self._queue.popleft()
            self.arrived += 1


@dataclass
class _Message:
    """The pieces of one message so far."""

    parts: dict[int, list[bytes]] = field(default_factory=dict)
    ends: set[int] = field(default_factory=set)
    is_open: bool = False


class Inbox:
    """The messages that a member can open.

    Parameters
    ----------
    private
        The key that opens them.

    Attributes
    ----------
    texts
        What has arrived and was not taken yet.
    """

    def __init__(self, private: bytes) -> None:
        self.texts: deque[bytes] = deque()
        self._private = private
        self._messages: OrderedDict[bytes, _Message] = OrderedDict()

    def add(self, piece: Piece) -> None:
        """Take a piece; a message is opened as soon as it is whole."""
        message = self._messages.setdefault(piece.message, _Message())
        self._messages.move_to_end(piece.message)
        while len(self._messages) > _MESSAGES:
            self._messages.popitem(last=False)
        parts = message.parts.setdefault(piece.place, [])
        if piece.is_last:
            message.ends.add(piece.place)
        if message.is_open or (piece.part in parts and not piece.is_last) or len(parts) >= _VARIANTS:
            return
        if piece.part not in parts:
            parts.append(piece.part)
        for envelope in itertools.islice(_envelopes(message, piece), _TRIES):
            text = opened(envelope, self._private)
            if text is not None:
                message.is_open = True
                message.parts.clear()
                self.texts.append(text)
                return


def _envelopes(message: _Message, new: Piece) -> Iterator[bytes]:
    """All ways to put a message together that use a new piece."""
    for end in sorted(message.ends):
        places = range(end + 1)
        if new.place <= end and all(message.parts.get(place) for place in places):
            choices = [[new.part] if place == new.place else message.parts[place] for place in places]
            yield from (b"".join(parts) for parts in itertools.product(*choices))
