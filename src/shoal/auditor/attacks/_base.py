"""What an attack on a release is, what it sees and knows, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from shoal.auditor.attacks.sender_log import SenderLog
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.history.promise import Unit
from shoal.model.table.cell_meaning import CellReader
from shoal.model.table.coded_cells import CodedCells
from shoal.privacy import PrivacyModel

Criterion = Literal["singling out", "linkability", "inference"]
"""Which protection of a person an attack breaks, in the terms of the Article 29 Working Party (WP216)."""


@dataclass(frozen=True, kw_only=True)
class AttackPart:
    """How well an attack did that was tried in several ways, in one of them.

    Parameters
    ----------
    label
        What was different, such as "2 events known".
    tried, succeeded
        As in `AttackResult`.
    """

    label: str
    tried: int
    succeeded: float

    @property
    def rate(self) -> float:
        """The share of what was tried that succeeded; 0 if there was nothing to try."""
        return self.succeeded / self.tried if self.tried else 0.0

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {"label": self.label, "tried": self.tried, "succeeded": self.succeeded, "rate": self.rate}


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """How well an attack did.

    Parameters
    ----------
    name
        The attack.
    criterion
        What it breaks where it succeeds.
    tried
        People, rows or values that it tried to learn something about.
    succeeded
        How many of them it learned; an expectation where the attacker can only guess among candidates.
    threshold
        The highest success rate that the policy allows; `None` if it allows none in particular.
    exposed
        People for whom it does better than k promises, where the policy states no rate: one person is too
        many, however low the rate is on average.
    worst
        The rate in the column where it does best, if it was tried in several: the limit applies to
        each, so that a harmless column hides no other.
    among
        What it finds people among: rows, or persons.
    parts
        The ways in which it was tried, if there are several.
    words
        What was tried and with what result, in a sentence or two without a private value.
    facts
        Further figures, for programs: plain numbers, texts and lists.
    """

    name: str
    criterion: Criterion
    tried: int
    succeeded: float
    threshold: float | None = None
    exposed: int = 0
    worst: float | None = None
    among: str = "rows"
    parts: tuple[AttackPart, ...] = ()
    words: str
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of what was tried that succeeded; 0 if there was nothing to try."""
        return self.succeeded / self.tried if self.tried else 0.0

    @property
    def judged(self) -> bool:
        """Whether it can be compared with a threshold: there is one, and there was something to try."""
        return self.threshold is not None and self.tried > 0

    @property
    def holds(self) -> bool:
        """Whether the release withstands, as far as the policy demands it."""
        # A share like 1/3 and its float count as equal.
        return self.threshold is None or (self.measured <= self.threshold + 1e-9 and not self.exposed)

    @property
    def measured(self) -> float:
        """What is compared with the threshold: the rate, or that of the worst column."""
        return self.rate if self.worst is None else max(self.rate, self.worst)

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "criterion": self.criterion,
            "tried": self.tried,
            "succeeded": self.succeeded,
            "rate": self.rate,
            **({} if self.worst is None else {"worst": self.worst}),
            "threshold": self.threshold,
            "judged": self.judged,
            "holds": self.holds,
            "words": self.words,
            **({"parts": [part.to_dict() for part in self.parts]} if self.parts else {}),
            **self.facts,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherTable:
    """Another table of the same people that the attacker has: an earlier release, or another view.

    Parameters
    ----------
    name
        What it is called in words; not a value.
    cells
        Its distinct rows, under the column names of the attacked release.
    in_order
        Its rows one by one in their order, if an attack needs them and the table has an order.
    """

    name: str
    cells: CodedCells
    in_order: CodedCells | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Target:
    """A release and what else an attacker knows.

    Parameters
    ----------
    release
        Distinct rows of the released quasi-identifiers and sensitive columns, and of the key if there is one.
    quasi_identifiers, sensitive
        The columns that the attacker knows about people, and those that are worth learning.
    readers
        How the cells of a column are read; columns without one are read as written.
    hierarchies
        The hierarchies that are known, by column: of quasi-identifiers and of sensitive columns.
    k, models
        What the release promises.
    allowed
        The highest success rate of an attack by its name, where the policy states one.
    external
        Distinct people of a table that the attacker has, under the column names of the release.
    key
        A column of release and external table that says whose row it is: to measure success, not to attack.
    original
        Distinct rows of the private table, to measure how often an attacker is right.
    exclude
        Sensitive values that the attacker can rule out for a person.
    rise
        By which factor a belief must rise to count as learned.
    near
        The share of the whole range of numbers that is narrow enough to reveal the number.
    in_order, original_in_order
        The rows of the release and of the original one by one in their order.
    entity
        The column of the original, and of the release if its rows are linkable, that identifies persons.
    unit
        What a value of that column is: a person, or a household.
    known_events
        How many events of a person the attacker may know; `None` for all, and their number.
    known_apart
        Whether different quasi-identifiers are known to different people, and k is a demand on sets of them.
    ordered
        Whether the release may have its rows in the order of the original.
    events, original_events
        Distinct rows of the quasi-identifiers and the column of persons, where rows have no order.
    whole
        Distinct rows of all columns of the release, where it is compared with other tables.
    also_known
        Quasi-identifiers that only other tables have.
    protected
        The sensitive columns that are named, also those that only another view has.
    earlier, views
        Earlier releases of the same people, and other views of the same table.
    ledger
        Whether a ledger was searched for earlier releases; if so, the given ones are all there are.
    log
        The messages that an observer saw, if the table is a log of them.
    """

    release: CodedCells
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    readers: Mapping[str, CellReader] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    k: int = 1
    models: tuple[PrivacyModel, ...] = ()
    allowed: Mapping[str, float] = field(default_factory=dict)
    external: CodedCells | None = None
    key: str | None = None
    original: CodedCells | None = None
    exclude: int = 1
    rise: float = 2.0
    near: float = 0.1
    in_order: CodedCells | None = None
    original_in_order: CodedCells | None = None
    entity: str | None = None
    unit: Unit = "person"
    known_events: int | None = None
    known_apart: bool = False
    ordered: bool = True
    events: CodedCells | None = None
    original_events: CodedCells | None = None
    whole: CodedCells | None = None
    also_known: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    earlier: tuple[OtherTable, ...] = ()
    views: tuple[OtherTable, ...] = ()
    ledger: bool = False
    log: SenderLog | None = None

    def reader(self, column: str) -> CellReader:
        """How the cells of a column are read."""
        return self.readers.get(column) or CellReader(self.hierarchies.get(column))

    @property
    def least(self) -> int:
        """Among how many people a person should stay hidden: k, or two where no k is promised."""
        return max(self.k, 2)

    def threshold_below_k(self, name: str) -> float | None:
        """The highest share of people who may be hidden among fewer than k: the policy's, or none."""
        return self.allowed.get(name, 0.0 if self.k > 1 else None)

    def threshold(self, name: str, *, finds_who: bool) -> float | None:
        """The highest rate that is allowed: the policy's, or 1/k for an attack that finds who a row is."""
        if name in self.allowed:
            return self.allowed[name]
        return 1 / self.k if finds_who and self.k > 1 else None


_MISSING_NEEDS = {
    "sensitive": "no sensitive column is named",
    "external": "no external table is given",
    "original": "the original table is not given",
    "key": "no column says whose row it is",
    "entity": "no column of persons is named",
    "hierarchies": "no hierarchy is given",
    "whole": "the release was not read as a whole",
    "in_order": "the rows of the release have no order",
    "earlier": "no earlier release is given",
    "views": "no further view is given",
    "log": "no column of possible senders is named",
}


class Attack(ABC):
    """One way to learn what a release must not reveal. Attacks hold no state."""

    name: ClassVar[str]

    criterion: ClassVar[Criterion]

    of_logs: ClassVar[bool] = False
    """Whether it attacks a log of messages; it does not apply to releases, nor their attacks to a log."""

    finds_who: ClassVar[bool] = False
    """Whether it finds who a row is, so that k says how well it may do."""

    needs: ClassVar[tuple[str, ...]] = ()
    """The fields of `Target` that it cannot do without; what no attack needs is not read."""

    uses: ClassVar[tuple[str, ...]] = ()
    """Further fields of `Target` that it uses, if they are available."""

    def lacking(self, target: Target) -> str | None:
        """Why the attack cannot be run; `None` if it can."""
        for need in self.needs:
            if not getattr(target, need):
                return _MISSING_NEEDS[need]
        return None

    @abstractmethod
    def run(self, target: Target) -> AttackResult:
        """Attack a target that lacks nothing."""

    def result(
        self, target: Target, *, tried: int, succeeded: float, words: str, facts: Mapping[str, object]
    ) -> AttackResult:
        """The result, with the rate that the policy allows."""
        return AttackResult(
            name=self.name,
            criterion=self.criterion,
            tried=tried,
            succeeded=succeeded,
            threshold=target.threshold(self.name, finds_who=self.finds_who),
            words=words,
            facts=facts,
        )
