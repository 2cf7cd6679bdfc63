"""The parameters of privacy models in plain words, with what to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A field of a model's form.

    Parameters
    ----------
    label, hint
        What it is called, and what it does.
    begin
        What a new model has there; `None` leaves it out.
    step
        How far an arrow key goes; the model itself says what it takes.
    """

    label: str
    hint: str
    begin: Any = None
    step: float = 1


_COLUMN = Parameter("Sensitive column", "Whose values are protected.")
_JOINT = Parameter(
    "Also from those who know the other sensitive columns",
    "Demanded of the rows with equal values of all other sensitive columns: strong.",
)

PARAMETER_WORDS: dict[str, dict[str, Parameter]] = {
    "k-anonymity": {
        "k": Parameter("k", "Least rows, or persons, of a group.", 20),
        "entity": Parameter(
            "Counted by column", "Persons are told apart by this column; else every row is one."
        ),
    },
    "distinct-l-diversity": {
        "attribute": _COLUMN,
        "l": Parameter("l", "Different values in each group.", 3),
        "joint": _JOINT,
    },
    "entropy-l-diversity": {
        "attribute": _COLUMN,
        "l": Parameter("l", "As mixed as so many equally frequent values.", 2, 0.5),
        "joint": _JOINT,
    },
    "recursive-l-diversity": {
        "attribute": _COLUMN,
        "c": Parameter("c", "A larger c is weaker.", 3, 0.5),
        "l": Parameter("l", "From which value on the rest is counted.", 3),
        "joint": _JOINT,
    },
    "t-closeness": {
        "attribute": _COLUMN,
        "t": Parameter("t", "Greatest distance from the whole table, 0 to 1.", 0.4, 0.05),
        "ground": Parameter(
            "How far apart values are", "For numbers: ordered. Hierarchical needs a hierarchy."
        ),
        "joint": _JOINT,
    },
    "p-sensitivity": {
        "attribute": _COLUMN,
        "p": Parameter("p", "Different values in each group.", 3),
        "joint": _JOINT,
    },
    "alpha-k-anonymity": {
        "attribute": _COLUMN,
        "alpha": Parameter("alpha", "Greatest share of a value in a group, 0 to 1.", 0.5, 0.05),
        "values": Parameter("Delicate values", "Type one and press Enter; all values if there are none."),
        "joint": _JOINT,
    },
    "beta-likeness": {
        "attribute": _COLUMN,
        "beta": Parameter("beta", "Greatest relative gain of a value.", 2, 0.5),
        "enhanced": Parameter("Enhanced", "Also limits frequent values, by how frequent they are."),
        "joint": _JOINT,
    },
    "delta-disclosure": {
        "attribute": _COLUMN,
        "delta": Parameter("delta", "Greatest logarithm of the ratio of shares.", 1, 0.1),
        "joint": _JOINT,
    },
    "k-map": {
        "k": Parameter("k", "Least people of the population who look like a row.", 10),
    },
    "delta-presence": {
        "most": Parameter("At most", "Greatest share of people who are in the table, 0 to 1.", 0.5, 0.05),
        "least": Parameter("At least", "Least share; above 0 no row may be suppressed.", None, 0.05),
    },
    "average-risk": {
        "preset": Parameter("Threshold of", "An agency's, or one of your own.", "ema"),
        "threshold": Parameter("Average risk", "Groups over rows, above 0 and up to 1.", None, 0.01),
    },
}
"""Model -> field -> what is said of it, in the order of the form."""

GROUND_WORDS = {
    "equal": "Equal: any two are equally far apart",
    "ordered": "Ordered: near values are near",
    "hierarchical": "Hierarchical: those under one label are near",
}

PRESET_WORDS = {
    "ema": "European Medicines Agency: 0.09",
    "health-canada": "Health Canada: 0.09",
    "cms": "CMS: 1 in 11",
    "ons": "ONS: 1 in 10",
    "k3": "A mean group of 3",
    "k5": "A mean group of 5",
    "k20": "A mean group of 20",
}
