"""How the cells of a column are read, and what decided that: the one noun for everything that is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shoal.model.cells.cell_form import CellForm
    from shoal.model.table.domain import Kind

Decided = Literal["plain", "recognised", "stated"]


@dataclass(frozen=True, kw_only=True)
class CellReading:
    """What the cells of a column were read as.

    Parameters
    ----------
    type
        What the values are.
    form
        How numbers or dates are written; `None` for plain ones (1234.5, 1980-02-01) and for categories.
    missing
        Marker -> how many rows have it; without cells that are really empty.
    decided
        Whether there was nothing to decide, Shoal recognised it, or the policy states it.
    ambiguous
        Formats that read every cell, but differently: the policy must state one of them.
    mostly, others, where
        For a column of categories in which most values are numbers or dates: which of them, how many distinct
        values are not, and in which rows.
    suggestions
        What else a policy might state, in sentences.
    sampled
        How many distinct values were looked at, if not all of them.
    """

    type: Kind
    form: CellForm | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    decided: Decided = "plain"
    ambiguous: tuple[str, ...] = ()
    mostly: Kind | None = None
    others: int = 0
    where: str = ""
    suggestions: tuple[str, ...] = ()
    sampled: int | None = None

    @property
    def format(self) -> str | None:
        """The form as a policy states it; `None` for plain numbers and dates, and for categories."""
        return None if self.form is None else self.form.format

    @property
    def is_plain(self) -> bool:
        """Whether nothing was recognised or stated: every cell is read as it is written."""
        return self.form is None and not self.missing

    @property
    def words(self) -> str:
        """What was read, for people; empty if every cell is read as it is written."""
        plural = "categories" if self.type == "category" else f"{self.type}s"
        said = [plural if self.form is None else self.form.words]
        if self.missing:
            counts = [f"{marker or 'spaces'} ({rows:,})" for marker, rows in self.missing.items()]
            said.append(f"missing: {', '.join(counts)}")
        if self.ambiguous:
            choices = " or ".join(f'"{each}"' for each in self.ambiguous)
            said.append(f"needs a format: {choices}")
        if self.mostly is not None:
            where = f": {self.where}" if self.where else ""
            said.append(f"mostly {self.mostly}s, but {self.others:,} distinct value(s) are not{where}")
        return "; ".join(said) if len(said) > 1 or self.form is not None else ""

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        mixed = {"mostly": self.mostly, "others": self.others}
        return {
            "type": self.type,
            "format": self.format,
            "missing": dict(self.missing),
            "decided": self.decided,
            **({"ambiguous": list(self.ambiguous)} if self.ambiguous else {}),
            **(mixed if self.mostly is not None else {}),
            **({"suggestions": list(self.suggestions)} if self.suggestions else {}),
            **({"sampled": self.sampled} if self.sampled is not None else {}),
        }

    def published(self, k: int) -> dict[str, object]:
        """For the manifest: without what quotes single cells, or counts fewer rows than k.

        A marker that only few rows have says something about them, and they may be suppressed.
        """
        facts = self.to_dict()
        facts.pop("suggestions", None)
        return facts | {"missing": {marker: rows for marker, rows in self.missing.items() if rows >= k}}


PLAIN_CATEGORY = CellReading(type="category")
