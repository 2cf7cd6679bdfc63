"""The loss of precision, 1 - Prec: mean over all cells of the levels climbed over the hierarchy's height.

Every cell of a suppressed row has climbed the whole height. A level that leaves a value as it was is no
step: the loss belongs to the released value, not to the number of the level.

Paper: Sweeney, IJUFKS 10(5), 2002, definition 5; attribute weights as at the end of its section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from shoal.cost._cells import ShareMetric, tree_levels
from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.recoding.recoding import Recoding
from shoal.model.table.frequency_table import FrequencyTable


class Precision(ShareMetric):
    """Share of its hierarchy's height that a released value has climbed."""

    name = "precision"
    description = Description(
        title="Precision",
        short="Low levels of the hierarchies",
        meaning="How far up its hierarchy each cell was lifted, from 0 to 1, the mean over all cells.",
        when="When the levels of your hierarchies are equal steps, or to compare with Sweeney's work.",
    )
    measures = "how high in its hierarchy a released value is, from 0 to 1"
    needs_levels = "cell"

    def check(self, table: FrequencyTable) -> None:
        super().check(table)
        without = [domain.name for domain in table.domains if domain.tree is None]
        if without:
            raise PolicyError(
                f"cost 'precision' counts levels of hierarchies, and {', '.join(map(repr, without))} "
                "has none; give one, or choose an algorithm over levels, which builds it"
            )

    def losses(self, table: FrequencyTable, recoding: Recoding, attribute: int) -> Sequence[Fraction]:
        return recoding.steps(attribute, table.domains[attribute])

    def possible_losses(self, table: FrequencyTable, attribute: int) -> Iterable[Fraction]:
        for level in tree_levels(table, attribute):
            yield from table.domains[attribute].part_steps(level)
