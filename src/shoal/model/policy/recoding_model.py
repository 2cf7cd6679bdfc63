"""The seven recoding models of the survey's taxonomy: what may be generalized, and what suppressed.

The first letters say what is generalized (AG: whole attributes, CG: single cells, nothing: nothing), the last
what is suppressed (TS: whole tuples, that is rows, AS: attributes, CS: cells, nothing: nothing).

Paper: Ciriani et al., k-Anonymity, 2007, section 3.
"""

from __future__ import annotations

from enum import StrEnum

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.suggestion import suggestion


class RecodingModel(StrEnum):
    """A model by its name in the survey."""

    AG_TS = "AG_TS"
    AG_CS = "AG_CS"
    AG_ = "AG_"
    CG_ = "CG_"
    TS = "_TS"
    AS = "_AS"
    CS = "_CS"

    @property
    def description(self) -> Description:
        """What people should know about it."""
        return _DESCRIPTIONS[self]

    @property
    def generalizes(self) -> str:
        """What is generalized."""
        return {"AG": "attributes", "CG": "cells", "": "nothing"}[self.value.split("_")[0]]

    @property
    def suppresses(self) -> str:
        """What is suppressed."""
        return {"TS": "rows", "AS": "attributes", "CS": "cells", "": "nothing"}[self.value.split("_")[1]]

    @property
    def words(self) -> str:
        """The model for people."""
        recoded = {
            "attributes": "every value of a column is generalized in one way",
            "cells": "values are generalized cell by cell",
            "nothing": "values stay as they are",
        }[self.generalizes]
        lost = {
            "rows": "rows may be suppressed",
            "attributes": "whole columns may be suppressed",
            "cells": "cells may be suppressed one by one",
            "nothing": "no row is suppressed",
        }[self.suppresses]
        return f"{recoded}; {lost}"

    @property
    def releases_every_row(self) -> bool:
        """Whether no row may be dropped."""
        return self.suppresses != "rows"

    @property
    def is_consistent(self) -> bool:
        """Whether equal values of a column are released alike in all rows that are not suppressed."""
        return self.generalizes != "cells" and self.suppresses != "cells"

    @property
    def cost(self) -> str:
        """The cost that is minimized where the policy names none."""
        return {
            RecodingModel.CG_: "ncp",
            RecodingModel.TS: "suppressed-rows",
            RecodingModel.AS: "suppressed-cells",
            RecodingModel.CS: "suppressed-cells",
            RecodingModel.AG_CS: "suppressed-cells",
        }.get(self, DEFAULT_COST)


DEFAULT_COST = "general-loss"
"""What is minimized where the policy names neither a cost nor a recoding model."""


def recoding_model(name: object) -> RecodingModel:
    """The model with a name; `PolicyError` if there is none."""
    try:
        return RecodingModel(str(name))
    except ValueError:
        names = [each.value for each in RecodingModel]
        raise PolicyError(f"there is no recoding model {name!r}.{suggestion(str(name), names)}") from None


_DESCRIPTIONS = {
    RecodingModel.AG_TS: Description(
        title="Whole columns, and rows",
        short="AG_TS: columns become coarser, rows may be left out",
        meaning="Every value of a column is released in one way; rows may be suppressed.",
        when="The usual choice.",
    ),
    RecodingModel.AG_: Description(
        title="Whole columns, all rows kept",
        short="AG_: columns become coarser, no row is left out",
        meaning="Every value of a column is released in one way, and no row is suppressed.",
        when="When every person must stay in the release.",
    ),
    RecodingModel.AG_CS: Description(
        title="Whole columns, and single cells",
        short="AG_CS: columns become coarser, single cells blanked",
        meaning="Every value of a column is released in one way, or is blanked in single rows.",
        when="When you come from sdcMicro.",
    ),
    RecodingModel.CG_: Description(
        title="Row by row",
        short="CG_: each cell as coarse as its row needs",
        meaning="Values are made coarser row by row. Loses least, but one column holds labels of several "
        "levels.",
        when="When detail matters more than easy counting.",
    ),
    RecodingModel.TS: Description(
        title="Rows only",
        short="_TS: rows left out, all else as it was",
        meaning="Values stay as they are, or the row is suppressed.",
        when="When values must not be changed.",
    ),
    RecodingModel.AS: Description(
        title="Columns only",
        short="_AS: columns left out, all else as it was",
        meaning="Whole columns are suppressed, the others stay as they are.",
        when="When some columns can be given up.",
    ),
    RecodingModel.CS: Description(
        title="Cells only",
        short="_CS: single cells blanked, all else as it was",
        meaning="Values stay as they are, or are blanked cell by cell.",
        when="When values must stay true and nearly complete.",
    ),
}
