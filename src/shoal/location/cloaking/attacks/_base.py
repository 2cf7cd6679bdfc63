"""What every attack on cloaks has in common: it watches a recording, and says how far it got."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from shoal.location.cloaking.answers import Cloak
from shoal.location.cloaking.engine import Engine


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """How far an attack got.

    Parameters
    ----------
    name
        The attack.
    tried
        The cloaks or pseudonyms that it was tried on.
    failed
        Those of them whose issuer hides among fewer than k; None if the attack does not judge them one by
        one.
    least
        The least number of users that remained possible, or None.
    holds
        Whether k withstands the attack.
    words
        What was found, in a sentence.
    facts
        Further figures.
    """

    name: str
    tried: int
    failed: int | None
    least: float | None
    holds: bool
    words: str
    facts: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "check": self.name,
            "tried": self.tried,
            "failed": self.failed,
            "least": self.least,
            "holds": self.holds,
            "words": self.words,
            **self.facts,
        }


class Check(ABC):
    """An attack.

    Attributes
    ----------
    name, words
        What it is called, and what the attacker does.
    """

    name: ClassVar[str]
    words: ClassVar[str]

    def asked(self, user: str) -> None:  # noqa: B027
        """See that a user asks."""

    def moved(self, user: str, time: int, place: tuple[int, int] | None) -> None:  # noqa: B027
        """See where a user is; None if they left."""

    @abstractmethod
    def saw(self, cloak: Cloak, engine: Engine) -> None:
        """See a cloak, at the moment when it is answered."""

    @abstractmethod
    def result(self) -> CheckResult:
        """How far it got."""
