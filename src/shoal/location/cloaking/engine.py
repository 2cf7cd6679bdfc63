"""The anonymizer: takes messages one by one and answers requests; the same for recordings and for a server.

It checks what it is told against what it knows, counts, and gives pseudonyms. It keeps everything in
memory and writes nothing. A message that does not fit raises PolicyError and leaves everything as it was,
except that time has passed: what that ended is told by `due`, or with the next answers.
"""

from __future__ import annotations

import random
from collections import Counter, OrderedDict
from dataclasses import replace

from shoal.errors import PolicyError
from shoal.location.cloaking._base import Asked, Cloaker, Place
from shoal.location.cloaking.answers import Answer, Cloak, Delayed, Dropped
from shoal.location.cloaking.messages import GREATEST, Cancel, Message, Position, Request
from shoal.location.cloaking.settings import Settings

CANCELLED = "cancelled"
_LAST = 2 * GREATEST + 1  # later than every deadline


class Engine:
    """An anonymizer.

    Parameters
    ----------
    cloaker
        The way of cloaking.
    settings
        What it was told once.

    Attributes
    ----------
    cloaker
        The way of cloaking.
    now
        The time of the last message; None before the first.
    forgotten
        The users who were forgotten at the last message, because they were silent or withdrew.
    """

    def __init__(self, cloaker: Cloaker, settings: Settings) -> None:
        self.cloaker = cloaker
        self.now: int | None = None
        self.forgotten: list[str] = []
        self._settings = settings
        self._tally: Counter[str] = Counter()
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._random = random.SystemRandom() if settings.seed is None else random.Random(settings.seed)
        self._pseudonyms: dict[str, tuple[str, str]] = {}
        self._due: list[Answer] = []

    def take(self, message: Message) -> list[Answer]:
        """The answers that follow from a message, also those to earlier requests."""
        # Others' requests may have ended by now, also if this message is refused.
        self._due = self.pass_time(message.time)
        self._due += self._told(self._followed(message))
        return self.due()

    def due(self) -> list[Answer]:
        """The answers that nobody has been told, because the message that they came with was refused."""
        answers, self._due = self._due, []
        return answers

    def pass_time(self, now: int) -> list[Answer]:
        """Drop what waited too long, and forget users who were silent for too long."""
        if self.now is not None and now < self.now:
            raise PolicyError("the time of a message is earlier than that of the one before")
        self.now = now
        self.forgotten = []
        answers = self.due() + self._told(self.cloaker.pass_time(now))
        forget = self._settings.forget
        while forget is not None and self._seen:
            user, last = next(iter(self._seen.items()))
            if last >= now - forget:
                break
            answers += self._told(self._removed(user, now))
        return answers

    def end(self) -> list[Answer]:
        """Drop everything that waits: no further message comes."""
        return self.due() + self._told(self.cloaker.pass_time(_LAST))

    def counts(self) -> dict[str, int]:
        """How many users, requests and answers there are; nothing of places or names."""
        keys = ("positions", "asked", "cloaked", "delayed", "dropped", "cancelled")
        waiting = self.cloaker.waiting
        return {"users": len(self._seen), "waiting": waiting, **{key: self._tally[key] for key in keys}}

    def _followed(self, message: Message) -> list[Answer]:
        """What the cloaker answers to a message."""
        match message:
            case Position():
                self._check_place(message.user, message.x, message.y)
                place = Place(message.x, message.y, self._declared(message.user, message.k))
                return self._place(message.user, message.time, place)
            case Request():
                return self._ask(message)
            case Cancel():
                return self._cancel(message)

    def _check_place(self, user: str, x: int, y: int) -> None:
        if not self._settings.square.holds(x, y):
            raise PolicyError("a position is outside the square; choose a larger one by --square")
        if user not in self._seen and len(self._seen) >= self._settings.most_users:
            raise PolicyError("there is no room for another user; raise --most-users, or set --forget")

    def _declared(self, user: str, k: int | None) -> int:
        """The k that a user declares, or has declared."""
        if k is None:
            known = self.cloaker.positions.get(user)
            return self._settings.ks[0] if known is None else known.k
        if self.cloaker.by_class and k not in self._settings.ks:
            listed = ", ".join(map(str, self._settings.ks))
            raise PolicyError(f"k is not one of those that users can choose here: {listed}")
        return k

    def _place(self, user: str, time: int, place: Place) -> list[Answer]:
        self._tally["positions"] += 1
        self._seen[user] = time
        self._seen.move_to_end(user)
        return self.cloaker.move(user, time, place)

    def _ask(self, request: Request) -> list[Answer]:
        cloaker, user = self.cloaker, request.user
        known = cloaker.positions.get(user)
        if request.x is not None and request.y is not None:
            self._check_place(user, request.x, request.y)
            place = Place(request.x, request.y, self._declared(user, None if known else request.k))
        elif known is not None:
            place = known
        else:
            raise PolicyError("a request has neither a position nor a user whose position is known")
        if cloaker.by_class and request.k not in (None, place.k):
            raise PolicyError(
                "a request has another k than its user declared with the position, which gives away who asks"
            )
        if request.least_area and not cloaker.takes_area:
            raise PolicyError(f"{cloaker.name} does not take a least_area; casper does")
        if cloaker.waits(user, request.id):
            raise PolicyError("a request of this user and id waits already")
        if cloaker.needs_tolerance:
            cloaker.tolerance(request)
        answers = self._place(user, request.time, place) if request.x is not None else []
        self._tally["asked"] += 1
        return answers + cloaker.ask(Asked(request, place.x, place.y, request.k or place.k))

    def _cancel(self, message: Cancel) -> list[Answer]:
        if message.id is None:
            if message.user not in self._seen:
                raise PolicyError("this user is not known")
            return self._removed(message.user, message.time)
        withdrawn = self.cloaker.cancel(message.user, message.id)
        if not withdrawn:
            raise PolicyError("no request of this user and id waits")
        return [Dropped(request, CANCELLED, message.time) for request in withdrawn]

    def _removed(self, user: str, now: int) -> list[Answer]:
        """Forget a user, and drop what they asked."""
        withdrawn = self.cloaker.cancel(user, None)
        self.cloaker.remove(user)
        del self._seen[user]
        self.forgotten.append(user)
        self._pseudonyms.pop(user, None)
        return [Dropped(request, CANCELLED, now) for request in withdrawn]

    def _told(self, answers: list[Answer]) -> list[Answer]:
        """The answers with pseudonyms, counted."""
        told: list[Answer] = []
        for answer in answers:
            match answer:
                case Cloak():
                    self._tally["cloaked"] += 1
                    told.append(replace(answer, pseudonym=self._pseudonym(answer)))
                    continue
                case Delayed():
                    self._tally["delayed"] += 1
                case Dropped():
                    self._tally["cancelled" if answer.reason == CANCELLED else "dropped"] += 1
            told.append(answer)
        return told

    def _pseudonym(self, cloak: Cloak) -> str:
        user = cloak.request.user
        link = cloak.link or ("" if self._settings.pseudonyms == "request" else user)
        known = self._pseudonyms.get(user)
        if known is not None and known[0] == link:
            return known[1]
        fresh = f"{self._random.getrandbits(64):016x}"
        if link:
            self._pseudonyms[user] = link, fresh
        return fresh
