"""The seven recoding models of the survey's taxonomy: what may be generalized, and what suppressed.

The first letters say what is generalized (AG: whole attributes, CG: single cells, nothing: nothing), the last
what is suppressed (TS: whole tuples, that is rows, AS: attributes, CS: cells, nothing: nothing).

Paper: Ciriani et al., k-Anonymity, 2007, section 3.
"""

from __future__ import annotations

from enum import StrEnum

from shoal.errors import PolicyError
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
    def cost(self) -> str:
        """The cost that is minimized where the policy names none."""
        return {
            RecodingModel.CG_: "ncp",
            RecodingModel.TS: "suppressed-rows",
            RecodingModel.AS: "suppressed-cells",
            RecodingModel.CS: "suppressed-cells",
            RecodingModel.AG_CS: "suppressed-cells",
        }.get(self, DEFAULT_COST)


DEFAULT_COST = "discernibility"
"""What is minimized where the policy names neither a cost nor a recoding model."""


def recoding_model(name: object) -> RecodingModel:
    """The model with a name; `PolicyError` if there is none."""
    try:
        return RecodingModel(str(name))
    except ValueError:
        names = [each.value for each in RecodingModel]
        raise PolicyError(f"there is no recoding model {name!r}.{suggestion(str(name), names)}") from None
