"""What is known about the population that the people in a table belong to."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import PolicyError
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.number_text import is_finite

MOST_PEOPLE = 10**10


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """The population, described in one of four ways, or not at all.

    Parameters
    ----------
    cells
        Distinct rows of a table of the population, in the quasi-identifiers' order.
    survey_weight
        The column that says how many people a row represents.
    size
        People of the population.
    fraction
        The share of the population that the rows are, above 0 and at most 1.
    """

    cells: CodedCells | None = None
    survey_weight: str | None = None
    size: int | None = None
    fraction: float | None = None

    def __post_init__(self) -> None:
        stated = {
            "a table of the population": self.cells,
            "survey weights": self.survey_weight,
            "the size of the population": self.size,
            "the sampling fraction": self.fraction,
        }
        given = [name for name, value in stated.items() if value is not None]
        if len(given) > 1:
            raise PolicyError(f"describe the population in one way only; given were {' and '.join(given)}")
        size = self.size
        if size is not None and (
            isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_PEOPLE
        ):
            raise PolicyError(f"the size of the population is a number of people, 1 to 10^10; it is {size!r}")
        fraction = self.fraction
        if fraction is not None and not (is_finite(fraction) and 0 < fraction <= 1):
            raise PolicyError(f"the sampling fraction is a share, above 0 and at most 1; it is {fraction!r}")

    def people(self, rows: int) -> int | None:
        """People of the population, where there are no weights; `PolicyError` if fewer than rows."""
        people = self.size
        if self.fraction is not None:
            if rows / self.fraction > MOST_PEOPLE:
                raise PolicyError("the sampling fraction is too small: there would be more than 10^10 people")
            people = round(rows / self.fraction)
        if self.cells is not None:
            people = self.cells.rows
        if people is not None and people < rows:
            raise PolicyError(
                f"the table has {rows:,} rows in groups and the population only {people:,} people; a "
                "population includes everybody in the table"
            )
        return people
