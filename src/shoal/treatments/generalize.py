"""Generalize: each value as its label at one level of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import parameter
from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.table.new_cells import NewCells
from shoal.treatments._base import Cells, Treatment


@dataclass(frozen=True, kw_only=True)
class Generalize(Treatment):
    """The column's `hierarchy` has the labels.

    Parameters
    ----------
    level
        The level, from 0 for the values themselves.
    """

    name = "generalize"
    description = Description(
        title="Generalize",
        short="Each value as its label in a hierarchy",
        meaning="Each value is replaced by its label at one level of the column's hierarchy, in all rows.",
        when="Codes with too much detail: a diagnosis by its chapter, a profession by its field.",
        limits="The level is yours; the search of the quasi-identifiers does not know the column.",
        example="With level = 1, J45.0 becomes J45.",
    )
    checked_by = "original"

    level: int = field(metadata=parameter("Level", "From 0 for the values themselves.", start=1, least=0))

    def __post_init__(self) -> None:
        if isinstance(self.level, bool) or not isinstance(self.level, int) or self.level < 0:
            raise self.wrong("level", "a whole number of at least 0")

    def for_policy(self, column: str, policy: Policy) -> Self:
        attribute = next(each for each in policy.attributes if each.name == column)
        hierarchy = attribute.given_hierarchy()
        if hierarchy is None:
            raise PolicyError(
                f"column {column!r}: treatment 'generalize' needs the labels; give the column a hierarchy "
                'file, as in hierarchy = "diagnoses.csv"'
            )
        if self.level > hierarchy.height:
            raise PolicyError(
                f"column {column!r}: its hierarchy has the levels 0 to {hierarchy.height}, and treatment "
                f"'generalize' names level {self.level}"
            )
        examined = {name for model in policy.models for name in _columns(model)}
        if attribute.role is Role.SENSITIVE and column in examined:
            raise PolicyError(
                f"column {column!r}: a privacy model compares its values by the hierarchy, which has no "
                "place for generalized ones; generalize the column before, and leave out the treatment"
            )
        return self

    def treated(self, cells: Cells) -> NewCells:
        hierarchy = cells.hierarchy
        assert hierarchy is not None
        labels = hierarchy.level(self.level)
        places = dict(zip(cells.texts, cells.read(hierarchy.find, _VALUES, self.name), strict=True))
        return cells.mapped(lambda text: labels[places[text]])

    def words(self) -> str:
        return f"was generalized to level {self.level} of its hierarchy"


_VALUES = "values of the column's hierarchy"


def _columns(model: object) -> tuple[str, ...]:
    if isinstance(model, dict):
        return (str(model.get("attribute", "")),)
    return tuple(getattr(model, "columns", ()))
