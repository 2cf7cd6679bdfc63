"""Drop: the release does not have the column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from shoal.errors import InternalError
from shoal.model.description import Description
from shoal.model.policy.stated_treatment import DROP
from shoal.treatments._base import Cells, Treatment


@dataclass(frozen=True, kw_only=True)
class Drop(Treatment):
    """The engine leaves the column out, as it does with identifiers; there are no new cells."""

    name = DROP
    description = Description(
        title="Drop",
        short="The release does not have the column",
        meaning="The column is left out.",
        when="Whatever the readers do not need, above all free text.",
        example="A column of notes is not in the release.",
    )
    checked_by = "release"
    settles = True

    def treated(self, cells: Cells) -> NoReturn:
        raise InternalError(f"column {cells.column!r} is dropped, and has no new cells")

    def words(self) -> str:
        return "was dropped"
