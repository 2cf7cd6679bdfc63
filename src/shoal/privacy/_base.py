"""What a privacy model is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Group:
    """What a privacy model may look at: the rows of one group of equal quasi-identifiers.

    Parameters
    ----------
    rows
        How many rows the group has.
    """

    rows: int


class PrivacyModel(ABC):
    """A predicate on a group. A release satisfies the model when each of its groups is admitted.

    The searches prune by the two facts below, so a model states each by itself; a model for which one of them
    does not hold is no less a model, but some algorithms will refuse it.
    """

    name: ClassVar[str]

    supersets_are_admitted: ClassVar[bool]
    """Whether every superset of an admitted group is admitted."""

    unions_are_admitted: ClassVar[bool]
    """Whether a union of admitted groups is admitted. Weaker: it follows from the first."""

    @abstractmethod
    def admits(self, group: Group) -> bool:
        """Whether the group may be released."""
