"""What the rows of one person reveal together, in a table that has the column of persons."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.auditor.measure.measured_models import MeasuredModel
from shoal.formatting.numbers import counted
from shoal.model.history.measured_histories import MeasuredHistories
from shoal.model.history.promise import Unit
from shoal.model.result.coded_warning import CodedWarning

LINKABLE_ROWS = "linkable-rows"


@dataclass(frozen=True, kw_only=True)
class LinkedRows:
    """How well persons hide where a reader can follow them through their rows.

    Parameters
    ----------
    column, unit
        The column that identifies persons or households, and which of them.
    measured
        What was measured.
    promised
        Whether something is demanded of linked rows; otherwise it is a warning if persons stand out.
    """

    column: str
    unit: Unit
    measured: MeasuredHistories
    promised: bool = False

    @property
    def sentence(self) -> str:
        """How many are alone by their history, in words."""
        measured = self.measured
        everybody = counted(measured.persons, self.unit)
        are = "is" if measured.persons_alone == 1 else "are"
        words = f"{measured.persons_alone:,} of {everybody} {are} alone by their {self._known}"
        if measured.k > 2:
            words += f", {measured.persons_below:,} among fewer than {measured.k:,}"
        return words

    @property
    def _known(self) -> str:
        return "history" if self.unit == "person" else "members"

    @property
    def warning(self) -> CodedWarning | None:
        """That rows can be linked although nothing is demanded of linked rows, if that shows somebody."""
        measured = self.measured
        # With one row each, there is nothing to link.
        if self.promised or measured.persons_below == 0 or measured.persons == measured.rows:
            return None
        return CodedWarning(
            f"rows of one {self.unit} can be linked by column {self.column!r}: {self.sentence}. Drop the "
            "column, or demand that histories are shared (linkable = true; --linkable)",
            code=LINKABLE_ROWS,
            columns=(self.column,),
        )

    @property
    def models(self) -> tuple[MeasuredModel, ...]:
        """The three measures by their names."""
        measured, unit = self.measured, f"{self.unit}s"
        known = [
            MeasuredModel(
                model="known-events",
                attribute=self.column,
                variant=str(each.events),
                unit=unit,
                value=each.fewest,
            )
            for each in measured.known
            if each.too_many is None
        ]
        return (
            MeasuredModel(
                model="k-anonymity", attribute=self.column, unit=unit, value=measured.fewest_per_row
            ),
            MeasuredModel(
                model="whole-history", attribute=self.column, unit=unit, value=measured.fewest_per_history
            ),
            *known,
        )

    def to_dict(self) -> dict[str, object]:
        """For programs; `units` are persons or households."""
        measured = self.measured
        return {
            "column": self.column,
            "unit": self.unit,
            "order": "sequence" if measured.ordered else "multiset",
            "k": measured.k,
            "units": measured.persons,
            "rows": measured.rows,
            "histories": measured.histories,
            "alone": measured.persons_alone,
            "below_k": measured.persons_below,
            "by_row": {"fewest": measured.fewest_per_row, "below_k": measured.persons_in_small_groups},
            "by_history": {"fewest": measured.fewest_per_history, "below_k": measured.persons_below},
            "by_known_events": {
                str(each.events): {"fewest": each.fewest, "below_k": each.persons_below}
                if each.too_many is None
                else {"too_many": each.too_many}
                for each in measured.known
            },
            "sentence": self.sentence,
        }
