"""Some of the distinct cells of a column."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.model.table.domain import SUPPRESSED


@dataclass(frozen=True, kw_only=True)
class SampledCells:
    """Texts of cells, at even distances in their order. Private: they go into no message.

    Parameters
    ----------
    column
        The column.
    distinct
        How many distinct cells it has, not counting missing ones.
    texts
        The texts that were fetched; all of them if they are few.
    """

    column: str
    distinct: int
    texts: tuple[str, ...]

    @property
    def informative(self) -> tuple[str, ...]:
        """The texts that reveal something: all but `*`."""
        return tuple(text for text in self.texts if text != SUPPRESSED)


def evenly(texts: list[str], most: int) -> tuple[str, ...]:
    """At most `most` of the sorted texts, at even distances."""
    return tuple(text for place, text in enumerate(texts) if place * most % len(texts) < most)
