"""What a treatment is: how the cells of a column that is not a quasi-identifier change before the release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np

from shoal.errors import PolicyError
from shoal.model.cells.treated_texts import Meant
from shoal.model.description import Description
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.policy import Policy
from shoal.model.table.cell_meaning import day_of
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.new_cells import CellKind, NewCells
from shoal.model.table.number_text import number_of
from shoal.treatments.secret_key import SecretKey

Evidence = Literal["release", "original"]
"""What shows that a treatment was carried out: the release alone, or the release next to the original."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """What a treatment sees.

    Parameters
    ----------
    column
        The column to treat.
    table
        All rows of this column, and of the columns that the treatment reads. Columns that are treated as
        numbers or dates are in plain form, whatever form the source has.
    secret
        Where randomness comes from.
    together
        The columns that are treated together with this one, itself among them.
    hierarchy
        The column's hierarchy, if the policy gives one.
    """

    column: str
    table: CodedCells
    secret: SecretKey
    together: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = None

    @property
    def texts(self) -> tuple[str | None, ...]:
        """The texts of the column, by code; some may occur in no row."""
        return self.table.texts(self.column)

    @property
    def codes(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Per row the code of its cell."""
        return self.table.column(self.column).astype(np.int64)

    def used(self, column: str | None = None) -> list[bool]:
        """Per text of a column whether a row has it."""
        name = self.column if column is None else column
        counts = np.bincount(self.table.column(name), minlength=len(self.table.texts(name)))
        return [count > 0 for count in counts.tolist()]

    @property
    def used_texts(self) -> list[str]:
        """The known texts that a row has."""
        return [text for text, used in zip(self.texts, self.used(), strict=True) if used and text is not None]

    def randomness(self, treatment: Treatment) -> SecretKey:
        """The key for what a treatment draws row by row: another one for other options or cells."""
        stated = repr(sorted(treatment.options.items()))
        return self.secret.bound(treatment.name, stated, self.table.digest([self.column]))

    def mapped(self, change: Callable[[str], str | None], kind: CellKind = "text") -> NewCells:
        """Each known cell changed by its text alone; a missing cell stays missing."""
        texts = [
            change(text) if text is not None and used else None
            for text, used in zip(self.texts, self.used(), strict=True)
        ]
        return NewCells(texts=tuple(texts), choices=self.codes, kind=kind)

    def read(self, reader: Callable[[str], Any], what: str, treatment: str) -> list[Any]:
        """What each text means, `None` for a missing one; `PolicyError` if a cell cannot be read."""
        read: list[Any] = []
        unreadable = 0
        for text, used in zip(self.texts, self.used(), strict=True):
            meaning = None if text is None or not used else reader(text)
            unreadable += text is not None and used and meaning is None
            read.append(meaning)
        if unreadable:
            raise PolicyError(
                f"treatment {treatment!r} of column {self.column!r} needs {what}, and {unreadable:,} of its "
                "different cells are none; correct them, or choose another treatment"
            )
        return read

    def numbers(self, treatment: str) -> list[Fraction | None]:
        """The number of each text."""
        return self.read(number_of, "numbers", treatment)

    def days(self, treatment: str) -> list[Fraction | None]:
        """The day or moment of each text, in days."""
        return self.read(day_of, "dates like 2024-05-17", treatment)


@dataclass(frozen=True, kw_only=True)
class Treatment(ABC):
    """How the cells of a column change. Its fields are its options; the first is the main one."""

    name: ClassVar[str]
    description: ClassVar[Description]
    checked_by: ClassVar[Evidence] = "original"
    """What shows that it was carried out."""
    random: ClassVar[bool] = False
    """Whether it needs a secret key."""
    one_to_one: ClassVar[bool] = False
    """Whether cells are equal afterwards exactly if they were equal before."""
    meant: ClassVar[Meant] = "text"
    """What it reads: numbers or dates, in any form that a column can have, or cells as they are written."""
    settles: ClassVar[bool] = False
    """Whether the column no longer points to anybody, so that no leak is looked for in it."""

    @property
    def truthful(self) -> bool:
        """Whether a released cell is true of its row."""
        return True

    @property
    def needs(self) -> Meant:
        """What it reads; some treatments read what an option says."""
        return self.meant

    @property
    def reads(self) -> tuple[str, ...]:
        """Further columns that it reads."""
        return ()

    @property
    def family(self) -> object:
        """Columns of an equal family are treated together; `None` for one column at a time."""
        return None

    def for_policy(self, column: str, policy: Policy) -> Self:  # noqa: ARG002
        """The treatment with what it takes from the rest of the policy; `PolicyError` if it does not fit."""
        return self

    @abstractmethod
    def treated(self, cells: Cells) -> NewCells:
        """The new cells of a column."""

    @abstractmethod
    def words(self) -> str:
        """What was done, as the end of a sentence that begins with the column."""

    @property
    def options(self) -> dict[str, object]:
        """All options with their values, as the manifest has them; none is a secret."""
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in stated.items()
            if value is not None
        }

    def wrong(self, option: str, demand: str) -> PolicyError:
        """The error about an option."""
        return PolicyError(
            f"treatment {self.name!r}: {option} must be {demand}; it is {getattr(self, option)!r}"
        )
