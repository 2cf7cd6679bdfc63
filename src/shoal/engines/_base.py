"""What an engine is, and what it is asked and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from shoal.engines.coding import Coding
from shoal.model.attribute import Attribute
from shoal.model.frequency import FrequencyTable
from shoal.model.measurement import Measurement
from shoal.model.policy import SuppressedRows
from shoal.model.recoding import Recoding

Source = Any
"""A path, or a data frame of a library that is not imported here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Counted:
    """What counting found: the frequency table for the search, and the codings that `apply` needs again.

    Parameters
    ----------
    frequencies
        The table as the search sees it.
    codings
        Per quasi-identifier, how its cells became codes.
    indices
        Per quasi-identifier, SQL for the index of a row's cell among the coding's cells.
    """

    frequencies: FrequencyTable
    codings: tuple[Coding, ...]
    indices: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Application:
    """How the rows shall be written.

    Parameters
    ----------
    recoding, k, sets
        Rows in groups of the recoding that are smaller than k, on any of the sets, are suppressed.
    suppressed
        Whether they are dropped, or kept as rows of `*`.
    dropped
        Columns that the release does not have.
    """

    recoding: Recoding
    k: int
    sets: tuple[tuple[int, ...], ...] = ()
    suppressed: SuppressedRows = "drop"
    dropped: tuple[str, ...] = ()


class Engine(ABC):
    """Runs three verbs where the rows live."""

    name: ClassVar[str]

    @abstractmethod
    def columns(self, source: Source) -> tuple[str, ...]:
        """The source's columns, in order."""

    @abstractmethod
    def digest(self, source: Source, attributes: Sequence[Attribute]) -> str:
        """A digest of the source's content."""

    @abstractmethod
    def count(self, source: Source, attributes: Sequence[Attribute]) -> Counted:
        """Count the distinct combinations of the quasi-identifiers, and the labels of the class in each."""

    @abstractmethod
    def apply(self, source: Source, counted: Counted, application: Application, target: Path | None) -> Any:
        """Write the recoded rows to the target, or hand them out as the kind of frame that the source is."""

    @abstractmethod
    def measure(self, source: Source, quasi_identifiers: Sequence[str], k: int) -> Measurement:
        """Measure the groups of any table. Knows nothing of recodings."""
